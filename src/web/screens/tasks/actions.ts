import { showToast } from '../../components/toast.tsx'
import { patch, record, remove } from '../../data/records.ts'
import type { Task } from '../../data/types.ts'
import { now } from '../../lib/clock.ts'
import { locale } from '../../lib/locale.ts'
import { momentOf, zoned } from '../../lib/zoned.ts'
import { undoDeletion } from '../../shell/undo.ts'
import { isAnyTime, shifted } from './groups.ts'
import { texts } from './texts.ts'

// What can be done with a task. Failures show at the task itself, so nothing here waits for the server.

const quietly = (job: Promise<unknown>): void => void job.catch(() => undefined)

export function setDone(id: string, isDone: boolean): void {
  const before = record('tasks', id).peek()
  if (!before) return
  quietly(patch('tasks', id, { status: isDone ? 'done' : 'open' }))
  if (!isDone) return
  showToast({
    text: texts().completed(before.title),
    undo: () => quietly(patch('tasks', id, { status: before.status })),
  })
}

/** To the next day, at the same time of day. */
export function toTomorrow(id: string): void {
  const before = record('tasks', id).peek()
  if (!before) return
  quietly(patch('tasks', id, { due_at: new Date(tomorrowOf(before)).toISOString() }))
  showToast({
    text: texts().moved(before.title),
    icon: 'snooze',
    undo: () => quietly(patch('tasks', id, { due_at: before.due_at })),
  })
}

function tomorrowOf({ due_at }: Task): number {
  const { timezone } = locale.peek()
  const day = shifted(now.peek(), 1, timezone)
  if (due_at === null || isAnyTime(due_at, timezone)) return momentOf(day, timezone)
  const { hour, minute } = zoned(Date.parse(due_at), timezone)
  return momentOf({ ...day, hour, minute }, timezone)
}

/** `keep` lets it stand where it was once it is restored, instead of among the new ones. */
export function deleteTask(id: string, keep: (id: string) => void): void {
  const before = record('tasks', id).peek()
  if (!before) return
  quietly(remove('tasks', id))
  showToast({
    text: texts().removed(before.title),
    icon: 'trash',
    undo: () => {
      keep(id)
      undoDeletion('tasks', id)
    },
  })
}
