import { type ReadonlySignal, signal } from '@preact/signals'
import { nounOf } from '../../lib/pure/nouns.ts'
import type { PageKind } from '../components/kinds.ts'
import { type KeysetList, list } from '../data/pages.ts'
import { record } from '../data/records.ts'
import type { Task } from '../data/types.ts'
import { now } from '../lib/now.ts'

// The open tasks of the record on the page. Head, related and tabs read the same list.

type Open = { name: string; list: KeysetList; uses: number; stop: () => void }

const open = signal<readonly Open[]>([])

/** Loads the open tasks of a record and follows them, until it is called off. */
export function followTasks(kind: PageKind, id: string): () => void {
  const name = `${kind}/${id}`
  const found = open.peek().find((each) => each.name === name)
  const made = found ?? start(kind, id, name)
  made.uses += 1
  if (!found) {
    open.value = [...open.peek(), made]
    void made.list.more()
  }
  return () => {
    made.uses -= 1
    if (made.uses > 0) return
    made.stop()
    made.list.dispose()
    open.value = open.peek().filter((each) => each !== made)
  }
}

function start(kind: PageKind, id: string, name: string): Open {
  const found = list('tasks', queryOf(kind, id))
  // There are few, and nobody loses their place among them.
  const stop = found.fresh.subscribe((count) => count > 0 && queueMicrotask(found.showFresh))
  return { name, list: found, uses: 0, stop }
}

const queryOf = (kind: PageKind, id: string) => ({ [`${nounOf(kind)}_id`]: id, status: 'open', sort: 'due_at' })

/** The open tasks of a record, those that are due first at the top. What was done on this page stays where it is. */
export function tasksOf(kind: PageKind, id: string): Task[] {
  const found = open.value.find((each) => each.name === `${kind}/${id}`)
  return (found?.list.ids.value ?? []).flatMap((task) => {
    const one = (record('tasks', task) as ReadonlySignal<Task | null | undefined>).value
    return one ? [one] : []
  })
}

/** The task that is late the longest. */
export function lateTask(kind: PageKind, id: string): Task | undefined {
  return tasksOf(kind, id)
    .filter(({ status, due_at }) => status === 'open' && due_at !== null && Date.parse(due_at) < now.value)
    .sort((a, b) => Date.parse(a.due_at ?? '') - Date.parse(b.due_at ?? ''))[0]
}
