import { me } from '../../data/boot.ts'
import { hasRole } from '../../data/may.ts'
import type { Conversation } from '../../data/types.ts'
import type { Command } from '../../shell/commands/registry.ts'
import { markUnread, setOwner, setStatus } from './acts.ts'
import { compose } from './composing.ts'
import { openSavedReplies } from './saved-replies/open.ts'
import { texts as replyTexts } from './saved-replies/texts.ts'
import { texts } from './texts.ts'

export type InboxActs = {
  current: () => Conversation | undefined
  step: (by: number) => void
  /** Closes it, and goes to the one below. */
  closeNext: (id: string) => void
  focusThread: () => void
  search: () => void
  /** Shows the contact, or hides it again, where it has no room of its own. */
  contact: () => void
}

const press = (act: string) => () => document.querySelector<HTMLElement>(`.ih [data-act="${act}"]`)?.click()

export function commandsOf({ current, step, closeNext, focusThread, search, contact }: InboxActs): Command[] {
  const on = (run: (record: Conversation) => void, isFit: (record: Conversation) => boolean = () => true) => ({
    group: 'record' as const,
    when: () => {
      const record = current()
      return hasRole('member') && record !== undefined && isFit(record)
    },
    run: () => {
      const record = current()
      if (record) run(record)
    },
  })
  const isMail = ({ channel }: Conversation) => channel === 'email'
  const isOpen = ({ status }: Conversation) => status !== 'closed'
  const words = texts
  return [
    { id: 'inbox.next', title: () => words().next, group: 'list', keys: 'j', isHidden: true, run: () => step(1) },
    {
      id: 'inbox.previous',
      title: () => words().previous,
      group: 'list',
      keys: 'k',
      isHidden: true,
      run: () => step(-1),
    },
    { id: 'inbox.open', title: () => words().open, group: 'list', keys: 'Enter', isHidden: true, run: focusThread },
    { id: 'inbox.search', title: () => words().searchList, group: 'list', keys: '/', icon: 'search', run: search },
    { id: 'inbox.reply', title: () => words().reply, keys: 'r', icon: 'reply', ...on(() => compose('reply')) },
    {
      id: 'inbox.contact',
      title: () => words().showContact,
      group: 'record',
      keys: 'i',
      icon: 'person',
      when: () => current() !== undefined,
      run: contact,
    },
    {
      id: 'inbox.forward',
      title: () => words().forward,
      keys: 'f',
      icon: 'to',
      ...on(() => compose('forward'), isMail),
    },
    { id: 'inbox.note', title: () => words().note, keys: 'n', icon: 'note', ...on(() => compose('note')) },
    {
      id: 'inbox.close',
      title: () => words().closeNext,
      keys: 'e',
      icon: 'check',
      ...on(({ id }) => closeNext(id), isOpen),
    },
    {
      id: 'inbox.reopen',
      title: () => words().reopen,
      icon: 'undo',
      ...on(
        ({ id }) => setStatus(id, 'open'),
        (record) => !isOpen(record),
      ),
    },
    { id: 'inbox.owner', title: () => words().owner, keys: 'a', icon: 'person', ...on(press('owner')) },
    {
      id: 'inbox.mine',
      title: () => words().mine,
      keys: 'm',
      icon: 'useradd',
      ...on(
        ({ id }) => setOwner(id, me.peek().id),
        ({ owner_id }) => owner_id !== me.peek().id,
      ),
    },
    { id: 'inbox.snooze', title: () => words().snooze, keys: 'z', icon: 'snooze', ...on(press('snooze'), isOpen) },
    { id: 'inbox.priority', title: () => words().priority, keys: 'p', icon: 'flag', ...on(press('priority')) },
    {
      id: 'inbox.savedReplies',
      title: () => replyTexts().edit,
      group: 'app',
      icon: 'copy',
      when: () => hasRole('member'),
      run: openSavedReplies,
    },
    { id: 'inbox.unread', title: () => words().markUnread, keys: 'u', icon: 'mail', ...on(({ id }) => markUnread(id)) },
  ]
}
