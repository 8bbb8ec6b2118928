import { mayWrite } from '../../data/may.ts'
import type { Task } from '../../data/types.ts'
import type { Anchor } from '../../lib/place.ts'
import { openContextMenu } from '../../shell/commands/context-menu.tsx'
import type { Command } from '../../shell/commands/registry.ts'
import { deleteTask, toTomorrow } from './actions.ts'
import { texts } from './texts.ts'

const MENU = [
  ['tasks.done', 'tasks.open'],
  ['tasks.tomorrow', 'tasks.due', 'tasks.owner'],
  ['tasks.copy-link', 'tasks.delete'],
]

export const openTaskMenu = (anchor: Anchor, { id, title }: Task): void =>
  openContextMenu(anchor, texts().menuOf(title), MENU, { kind: 'tasks', ids: [id] })

export type Acts = {
  keep: (id: string) => void
  step: (by: number) => void
  finish: (task: Task) => void
  openRecord: (task: Task) => void
  copyLink: (task: Task) => Promise<void>
  input: { current: HTMLInputElement | null }
  current: () => Task | undefined
}

export function commandsOf({ keep, step, finish, openRecord, copyLink, input, current }: Acts): Command[] {
  const onTask = (run: (task: Task) => void) => ({
    when: () => mayWrite('tasks') && current() !== undefined,
    run: () => {
      const task = current()
      if (task) run(task)
    },
  })
  const edit = (key: string) => () => document.querySelector<HTMLElement>(`.task [data-prop="${key}"] .opens`)?.click()
  return [
    {
      id: 'tasks.new',
      title: () => texts().newTask,
      group: 'new',
      keys: 'n',
      icon: 'plus',
      when: () => mayWrite('tasks'),
      run: () => input.current?.focus(),
    },
    { id: 'tasks.next', title: () => texts().next, group: 'list', keys: 'j', isHidden: true, run: () => step(1) },
    {
      id: 'tasks.previous',
      title: () => texts().previous,
      group: 'list',
      keys: 'k',
      isHidden: true,
      run: () => step(-1),
    },
    { id: 'tasks.done', title: () => texts().done, group: 'record', keys: 'e', icon: 'check', ...onTask(finish) },
    {
      id: 'tasks.tomorrow',
      title: () => texts().tomorrow,
      group: 'record',
      keys: 't',
      icon: 'snooze',
      ...onTask(({ id }) => toTomorrow(id)),
    },
    {
      id: 'tasks.due',
      title: () => texts().fields.due,
      group: 'record',
      keys: 'd',
      icon: 'cal',
      ...onTask(edit('due_at')),
    },
    {
      id: 'tasks.owner',
      title: () => texts().fields.owner,
      group: 'record',
      keys: 'a',
      icon: 'person',
      ...onTask(edit('owner_id')),
    },
    { id: 'tasks.open', title: () => texts().open, group: 'record', keys: 'Enter', icon: 'to', ...onTask(openRecord) },
    {
      id: 'tasks.copy-link',
      title: () => texts().copyLink,
      group: 'record',
      icon: 'link',
      when: () => current() !== undefined,
      run: () => {
        const task = current()
        return task && copyLink(task)
      },
    },
    {
      id: 'tasks.menu',
      title: () => texts().menu,
      group: 'list',
      keys: 'shift+F10',
      isHidden: true,
      when: ({ element }) => current() !== undefined && element?.closest('.tr') != null,
      run: ({ element }) => {
        const task = current()
        if (task) openTaskMenu(element as HTMLElement, task)
      },
    },
    {
      id: 'tasks.delete',
      title: () => texts().remove,
      group: 'record',
      keys: 'Backspace',
      icon: 'trash',
      isDanger: true,
      ...onTask(({ id }) => deleteTask(id, keep)),
    },
  ]
}
