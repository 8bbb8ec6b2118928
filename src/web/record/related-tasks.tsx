import type { ComponentChildren } from 'preact'
import { nounOf } from '../../lib/pure/nouns.ts'
import { Avatar } from '../components/avatar.tsx'
import { Button } from '../components/button.tsx'
import { Check } from '../components/check.tsx'
import { Icon } from '../components/icon.tsx'
import type { PageKind } from '../components/kinds.ts'
import { sayFailed } from '../components/say-failed.ts'
import { showToast } from '../components/toast.tsx'
import { memberName } from '../data/boot.ts'
import { mayWrite } from '../data/may.ts'
import { patch, type Rec, record } from '../data/records.ts'
import type { Task } from '../data/types.ts'
import { asStep } from '../data/writes.ts'
import { format } from '../lib/locale.ts'
import { now } from '../lib/now.ts'
import { Section } from './section.tsx'
import { tasksOf } from './tasks-data.ts'
import { texts } from './texts.ts'
import { useList } from './use-list.ts'
import './related.css'

type RelatedTasksProps = {
  kind: PageKind
  record: Rec
  /** What adds one; without it, the composer of the page does. */
  onAdd?: () => void
  /** Stands above the tasks, such as the one that is being written. */
  children?: ComponentChildren
}

/** The tasks about a record: the open ones first, and the last ones that were done. */
export function RelatedTasks({ kind, record: now, onAdd, children }: RelatedTasksProps) {
  const done = useList('tasks', { [`${nounOf(kind)}_id`]: now.id, status: 'done', sort: '-created_at' })
  const open = tasksOf(kind, now.id)
  const ids = new Set(open.map(({ id }) => id))
  const others = (done?.ids.value ?? []).filter((id) => !ids.has(id)).slice(0, 3)
  const count = open.filter(({ status }) => status === 'open').length
  const compose = onAdd ?? (() => document.dispatchEvent(new CustomEvent('compose', { detail: 'task' })))
  return (
    <Section
      title={texts().tasks}
      count={count > 0 ? texts().openTasks(count) : undefined}
      add={
        mayWrite('tasks') && (
          <Button plain class="icon add" title={texts().addTask} aria-label={texts().addTask} onClick={compose}>
            <Icon name="plus" small />
          </Button>
        )
      }
    >
      {children}
      <ul>
        {open.map((task) => (
          <TaskRow key={task.id} task={task} />
        ))}
        {others.map((id) => (
          <DoneRow key={id} id={id} />
        ))}
      </ul>
      {open.length + others.length === 0 && <p class="small mute none">{texts().noTasks}</p>}
    </Section>
  )
}

function DoneRow({ id }: { id: string }) {
  const task = record('tasks', id).value as Task | null | undefined
  return task ? <TaskRow task={task} /> : null
}

/** A task is done by its check, and open again by it. */
function TaskRow({ task }: { task: Task }) {
  const { id, title, status, due_at, owner_id } = task
  const isDone = status !== 'open'
  const late = !isDone && due_at !== null ? now.value - Date.parse(due_at) : 0
  const toggle = () => {
    const step = asStep(() => {
      const done = patch('tasks', id, { status: isDone ? 'open' : 'done' })
      done.catch((error) => sayFailed(texts().taskNotChanged, error))
    })
    if (!isDone) showToast({ text: texts().taskDone(title), step })
  }
  const wrapped = (content: ComponentChildren) => <span class={isDone ? 'what is-done mute' : 'what'}>{content}</span>
  return (
    <li class="tk">
      <Check
        checked={isDone}
        title={isDone ? texts().reopen(title) : texts().finish(title)}
        disabled={!mayWrite('tasks')}
        onChange={toggle}
      />
      <div class="grow">
        {wrapped(title)}
        {!isDone && (
          <div class={late > 0 ? 'w row sub late mid' : 'w row sub'}>
            {due_at !== null && format.value.when(due_at, now.value)}
            {late > 0 && `, ${format.value.late(late)}`}
            {owner_id && <Avatar kind="member" id={owner_id} name={memberName(owner_id)} size={16} alone />}
          </div>
        )}
      </div>
    </li>
  )
}
