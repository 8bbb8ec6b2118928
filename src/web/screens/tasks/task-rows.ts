import { computed, type ReadonlySignal, signal } from '@preact/signals'
import { me } from '../../data/boot.ts'
import { type KeysetList, list } from '../../data/pages.ts'
import { record } from '../../data/records.ts'
import type { Task } from '../../data/types.ts'
import { locale } from '../../lib/locale.ts'
import { now } from '../../lib/now.ts'
import { serverNow } from '../../lib/server-time.ts'
import { groupOf, type Row, rowsOf, startOfDay } from './groups.ts'

/** Whose tasks: `mine`, `team`, `nobody`, or the id of a member. */
export type Who = string

export type TaskRows = {
  rows: ReadonlySignal<Row<Task>[]>
  counts: ReadonlySignal<{ open: number; late: number; done: number; isMore: boolean }>
  open: KeysetList
  /** Tasks that were done on this page stay until it is left, at their place. */
  keep: (id: string) => void
  dispose: () => void
}

/** The first load: a day's work is there at once, and the rest comes while scrolling. */
const FIRST = 4

/** The open tasks of somebody by their time, with those that were done today. */
export function taskRows(who: Who): TaskRows {
  const whose = ownerOf(who)
  const { timezone } = locale.peek()
  const open = list('tasks', { ...whose, status: 'open', sort: 'due_at' })
  const done = list('tasks', {
    ...whose,
    status: 'done',
    sort: '-updated_at',
    'updated_at[gte]': startOfDay(serverNow(), timezone),
  })
  const kept = signal<ReadonlySet<string>>(new Set())
  void loadFirst(open)
  void done.more()

  const tasks = computed(() => {
    const ids = new Set([...open.ids.value, ...done.ids.value, ...kept.value])
    return [...ids].flatMap((id) => {
      const task = record('tasks', id).value
      return task && belongs(task, who, kept.value.has(id)) ? [task] : []
    })
  })
  const rows = computed(() => rowsOf(tasks.value, now.value, locale.value.timezone))
  const counts = computed(() => {
    const stillOpen = tasks.value.filter(({ status }) => status === 'open')
    const groups = stillOpen.map((task) => groupOf(task, now.value, locale.value.timezone))
    return {
      // The total is that of the first answer: once all are here, they are counted themselves.
      open: open.done.value ? stillOpen.length : Math.max(stillOpen.length, open.total.value ?? 0),
      late: groups.filter((group) => group === 'late').length,
      done: tasks.value.filter(({ status }) => status === 'done').length,
      isMore: open.total.value === undefined && !open.done.value,
    }
  })

  return {
    rows,
    counts,
    open,
    keep: (id) => {
      kept.value = new Set(kept.value).add(id)
    },
    dispose: () => {
      open.dispose()
      done.dispose()
    },
  }
}

async function loadFirst(open: KeysetList): Promise<void> {
  for (let page = 0; page < FIRST && !open.done.peek() && open.error.peek() === undefined; page++) await open.more()
}

function ownerOf(who: Who): Record<string, string> {
  if (who === 'team') return {}
  if (who === 'nobody') return { owner_id: 'null' }
  return { owner_id: who === 'mine' ? me.peek().id : who }
}

/** The lists of the server follow a second later: a task that was given away leaves at once. */
function belongs(task: Task, who: Who, isKept: boolean): boolean {
  if (task.status === 'canceled') return false
  if (task.status === 'done' && !isKept && !isToday(task)) return false
  if (who === 'team') return true
  if (who === 'nobody') return task.owner_id === null
  return task.owner_id === (who === 'mine' ? me.value.id : who)
}

const isToday = ({ completed_at }: Task): boolean =>
  completed_at !== null && Date.parse(completed_at) >= Date.parse(startOfDay(now.value, locale.value.timezone))
