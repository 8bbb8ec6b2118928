import { showToast } from '../../components/toast.tsx'
import { patch, record, remove } from '../../data/records.ts'
import type { Task } from '../../data/types.ts'
import { asStep } from '../../data/writes.ts'
import { locale } from '../../lib/locale.ts'
import { serverNow } from '../../lib/server-time.ts'
import { momentOf, zoned } from '../../lib/zoned.ts'
import { isAnyTime, shifted } from './groups.ts'
import { texts } from './texts.ts'

// What can be done with a task. Failures show at the task itself, so nothing here waits for the server.

const quietly = (job: Promise<unknown>): void => void job.catch(() => undefined)

export function setDone(id: string, isDone: boolean): void {
  const before = record('tasks', id).peek()
  if (!before) return
  const step = asStep(() => quietly(patch('tasks', id, { status: isDone ? 'done' : 'open' })))
  if (isDone) showToast({ text: texts().completed(before.title), step })
}

/** To the next day, at the same time of day. */
export function toTomorrow(id: string): void {
  const before = record('tasks', id).peek()
  if (!before) return
  const due_at = new Date(tomorrowOf(before)).toISOString()
  const step = asStep(() => quietly(patch('tasks', id, { due_at })))
  showToast({ text: texts().moved(before.title), icon: 'snooze', step })
}

function tomorrowOf({ due_at }: Task): number {
  const { timezone } = locale.peek()
  const day = shifted(serverNow(), 1, timezone)
  if (due_at === null || isAnyTime(due_at, timezone)) return momentOf(day, timezone)
  const { hour, minute } = zoned(Date.parse(due_at), timezone)
  return momentOf({ ...day, hour, minute }, timezone)
}

/** `keep` lets it stand where it was once it is restored, instead of among the new ones. */
export function deleteTask(id: string, keep: (id: string) => void): void {
  const before = record('tasks', id).peek()
  if (!before) return
  keep(id)
  const step = asStep(() => quietly(remove('tasks', id)))
  showToast({ text: texts().removed(before.title), icon: 'trash', step })
}
