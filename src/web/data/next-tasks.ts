import { type Api, pathWith } from './api.ts'
import type { NextTask } from './board-row.ts'
import type { StreamEvent } from './stream-types.ts'
import type { Task } from './types.ts'

type Parts = {
  api: Api
  taskOf: (deal: string) => NextTask | null | undefined
  setTask: (deal: string, task: NextTask | null) => void
}

/** Keeps the next tasks of deals current: of the open ones the one that is due first. */
export function nextTasks({ api, taskOf, setTask }: Parts) {
  /** Deals whose next task is being read; true if something has happened since the request. */
  const reading = new Map<string, boolean>()

  function follow({ type, data }: StreamEvent, isShown: (deal: string) => boolean): void {
    const task = data.object as unknown as Task
    const linked = new Set([...task.deal_ids, ...((data.previous.deal_ids as string[] | undefined) ?? [])])
    for (const deal of linked) if (isShown(deal)) followOne(deal, task, type)
  }

  function followOne(deal: string, task: Task, type: string): void {
    if (reading.has(deal)) {
      reading.set(deal, true)
      return
    }
    const current = taskOf(deal) ?? null
    const isOpen = task.status === 'open' && task.deal_ids.includes(deal) && !type.endsWith('.deleted')
    const given = nextTask(task)
    if (isOpen && (!current || compare(given, current) <= 0)) setTask(deal, given)
    else if (current?.id === task.id) read(deal)
  }

  /** Asks the server which one it is. */
  function read(deal: string): void {
    if (reading.has(deal)) {
      reading.set(deal, true)
      return
    }
    reading.set(deal, false)
    void api
      .get<{ data: Task[] }>(pathWith('/api/v1/tasks', { deal_id: deal, status: 'open', sort: 'due_at', limit: 1 }))
      .then(({ data: [task] }) => setTask(deal, task ? nextTask(task) : null))
      .catch(() => undefined) // when the network is back, the board is read anew or the next event asks again
      .finally(() => {
        const again = reading.get(deal)
        reading.delete(deal)
        if (again) read(deal)
      })
  }

  return { follow, read }
}

const nextTask = ({ id, title, type, due_at }: Task): NextTask => ({
  id,
  title,
  type,
  due_at: due_at === null ? null : Date.parse(due_at),
})

/** As the server orders them: those without a time last. */
function compare(one: NextTask, other: NextTask): number {
  const byTime = (one.due_at ?? Number.POSITIVE_INFINITY) - (other.due_at ?? Number.POSITIVE_INFINITY)
  if (byTime < 0 || byTime > 0) return byTime
  return one.id < other.id ? -1 : one.id > other.id ? 1 : 0
}
