import { batch, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import { type Api, pathWith } from '../../data/api.ts'
import type { RecordStore } from '../../data/record-store.ts'
import type { Kind, Rec } from '../../data/types.ts'

// The rows of a table, of which only some pages are loaded: those that were in view. A page follows from the one before
// by its cursor, or begins in the middle, so that the end is as near as the beginning.

export type RowQuery = Record<string, string | number | boolean | null | undefined>

export type Rows = {
  /** How many match; undefined before the first answer. */
  total: ReadonlySignal<number | undefined>
  /** Changes whenever `idAt` may answer otherwise. */
  revision: ReadonlySignal<number>
  isLoading: ReadonlySignal<boolean>
  error: ReadonlySignal<unknown>
  /** Records of others that came since, and are not shown yet. */
  fresh: Signal<number>
  /** Loaded rows that no longer match, since somebody has changed them. They stay until all is read anew. */
  left: ReadonlySignal<ReadonlySet<string>>
  /** undefined: not loaded. */
  idAt: (row: number) => string | undefined
  /** The row of a loaded record; -1 for others. */
  rowOf: (id: string) => number
  loadedIds: () => string[]
  loaded: () => number
  /** Loads what is in view. Pages that were asked for before and have not been sent for are left out. */
  ensure: (first: number, last: number) => void
  /** Loads the rows in view anew. */
  reload: () => Promise<void>
  /** Resolves once the row is loaded, or cannot be. */
  reach: (row: number) => Promise<void>
  dispose: () => void
}

type Page = { data: Rec[]; next_cursor: string | null; total?: number }
type Loaded = { ids: string[]; next: string | null }
type Parts = {
  api: Pick<Api, 'get'>
  store: Pick<RecordStore, 'accept' | 'pin' | 'unpin' | 'moment' | 'onChange'>
  /** Calls back after records of the kind were created or changed, by anyone. */
  onNews?: ((callback: (id: string, isMine: boolean) => void) => () => void) | undefined
}

export const PAGE = 100
const MAX_AT_ONCE = 2
/** Changes are looked for at most this often. */
const CHECK_MS = 400
/** Pages beyond this number are let go, the farthest from the view first: 4,000 records. */
const MAX_PAGES = 40
export const MOST_LOADED = MAX_PAGES * PAGE

export function rows({ api, store, onNews }: Parts, kind: Kind, query: RowQuery): Rows {
  const total = signal<number | undefined>(undefined)
  const revision = signal(0)
  const isLoading = signal(false)
  const error = signal<unknown>(undefined)
  const fresh = signal(0)
  const left = signal<ReadonlySet<string>>(new Set())
  const isNarrow = [query.q, query.filter, query.list_id, query.view].some((given) => given !== undefined)
  /** Loaded rows that were changed since they were looked at. */
  const changed = new Set<string>()
  let pages = new Map<number, Loaded>()
  const sent = new Map<number, Promise<void>>()
  let wanted: number[] = []
  let view: [first: number, last: number] = [0, 0]
  /** Counts up with each reload: answers to earlier questions are dropped. */
  let generation = 0
  /** The rows are those from before a reload, and stay until the first answer to it. */
  let areOld = false
  let isDisposed = false
  let newsTimer: ReturnType<typeof setTimeout> | undefined
  let isNewsMine = false

  const stopListening = store.onChange((change) => {
    if (change.kind === kind && change.after === null && change.before) drop(change.id)
  })

  // Which records match now, only the server can say. Nothing moves under the pointer: the difference is offered.
  const stopNews = onNews?.((id, isMine) => {
    const isHere = rowOf(id) >= 0
    if (isHere && !isNarrow) return
    if (isHere) changed.add(id)
    else if (id === query.list_id) for (const each of inView()) changed.add(each)
    isNewsMine ||= isMine && !isHere
    newsTimer ??= setTimeout(() => void look(), CHECK_MS)
  })

  const inView = (): string[] =>
    [...pages].flatMap(([page, { ids }]) => (page >= view[0] && page <= view[1] ? ids : []))

  async function look(): Promise<void> {
    newsTimer = undefined
    const [asked, wasMine] = [generation, isNewsMine]
    isNewsMine = false
    const known = total.peek()
    if (isDisposed || known === undefined) return
    try {
      const { total: now = 0 } = await api.get<Page>(pathWith(`/app/rows/${kind}`, { ...query, limit: 1, count: true }))
      if (asked !== generation || isDisposed) return
      if (wasMine) return await reload()
      await lookAtChanged(asked)
      if (asked === generation) fresh.value = Math.max(0, now - known + left.peek().size)
    } catch {
      // The next change looks again.
    }
  }

  async function lookAtChanged(asked: number): Promise<void> {
    while (changed.size > 0) {
      const ids = [...changed].slice(0, PAGE)
      const found = await api.get<Page>(
        pathWith(`/app/rows/${kind}`, { ...query, ids: ids.join(','), limit: PAGE, sort: undefined }),
      )
      if (asked !== generation || isDisposed) return
      for (const id of ids) changed.delete(id)
      const now = new Set(left.peek())
      for (const id of ids) if (rowOf(id) >= 0) now.add(id)
      for (const { id } of found.data) now.delete(id)
      if (now.size > 0 || left.peek().size > 0) left.value = now
    }
  }

  /** Takes a deleted record out; the rows below move up. */
  function drop(id: string): void {
    for (const loaded of pages.values()) {
      const at = loaded.ids.indexOf(id)
      if (at < 0) continue
      loaded.ids.splice(at, 1)
      if (left.peek().has(id)) left.value = new Set([...left.peek()].filter((each) => each !== id))
      store.unpin(kind, id)
      settle()
      batch(() => {
        if (total.peek() !== undefined) total.value = Math.max(0, (total.peek() as number) - 1)
        revision.value++
      })
      return
    }
  }

  /** After a deletion, pages are shorter than their place: rows move up from the pages behind, as far as these are loaded. */
  function settle(): void {
    const numbers = [...pages.keys()].sort((one, other) => one - other)
    for (const number of numbers) {
      const [page, next] = [pages.get(number) as Loaded, pages.get(number + 1)]
      while (next && page.ids.length < PAGE && next.ids.length > 0) page.ids.push(next.ids.shift() as string)
    }
  }

  const idAt = (row: number): string | undefined => pages.get(Math.floor(row / PAGE))?.ids[row % PAGE]

  function rowOf(id: string): number {
    for (const [number, { ids }] of pages) {
      const at = ids.indexOf(id)
      if (at >= 0) return number * PAGE + at
    }
    return -1
  }

  function ensure(first: number, last: number): void {
    view = [Math.floor(Math.max(0, first) / PAGE), Math.floor(Math.max(0, last) / PAGE)]
    wanted = []
    for (let page = view[0]; page <= view[1]; page++) if (!pages.has(page) && !sent.has(page)) wanted.push(page)
    send()
  }

  function send(): void {
    while (!isDisposed && sent.size < MAX_AT_ONCE && wanted.length > 0) {
      const page = wanted.shift() as number
      const asked = generation
      const promise = load(page, asked).finally(() => {
        if (sent.get(page) === promise) sent.delete(page)
        if (asked !== generation) return
        isLoading.value = sent.size > 0
        send()
      })
      sent.set(page, promise)
      isLoading.value = true
    }
  }

  async function load(page: number, asked: number): Promise<void> {
    const since = store.moment()
    const before = areOld ? undefined : pages.get(page - 1)
    const from =
      before?.next && before.ids.length === PAGE ? { cursor: before.next } : page > 0 ? { skip: page * PAGE } : {}
    const counted = areOld || total.peek() === undefined ? { count: true } : {}
    try {
      const got = await api.get<Page>(pathWith(`/app/rows/${kind}`, { ...query, limit: PAGE, ...counted, ...from }))
      if (asked !== generation || isDisposed) return
      batch(() => {
        error.value = undefined
        take(page, got, since)
      })
    } catch (reason) {
      if (asked === generation) error.value = reason
    }
  }

  function take(page: number, { data, next_cursor, total: counted }: Page, since: number): void {
    if (areOld) letOldGo()
    const ids: string[] = []
    for (const record of data) {
      store.accept(kind, record, { since })
      // A record that moved since is shown once.
      if (rowOf(record.id) >= 0) continue
      store.pin(kind, record.id)
      ids.push(record.id)
    }
    pages.set(page, { ids, next: next_cursor })
    if (counted !== undefined) total.value = counted
    else if (next_cursor === null && data.length > 0) total.value = page * PAGE + data.length
    letGo()
    revision.value++
  }

  function letGo(): void {
    const distance = (page: number): number => Math.max(view[0] - page, page - view[1])
    while (pages.size > MAX_PAGES) {
      const farthest = [...pages.keys()].reduce((one, other) => (distance(other) > distance(one) ? other : one))
      for (const id of pages.get(farthest)?.ids ?? []) store.unpin(kind, id)
      pages.delete(farthest)
    }
  }

  function letOldGo(): void {
    areOld = false
    for (const { ids } of pages.values()) for (const id of ids) store.unpin(kind, id)
    pages = new Map()
    left.value = new Set()
  }

  async function reload(): Promise<void> {
    generation++
    sent.clear()
    const asked = generation
    areOld = true
    fresh.value = 0
    changed.clear()
    isLoading.value = true
    wanted = []
    for (let page = view[0]; page <= view[1]; page++) wanted.push(page)
    send()
    await Promise.all(sent.values())
    if (asked === generation) revision.value++
  }

  async function reach(row: number): Promise<void> {
    ensure(row, row)
    while (sent.size > 0 && idAt(row) === undefined && error.peek() === undefined) await Promise.race(sent.values())
  }

  return {
    total,
    revision,
    isLoading,
    error,
    fresh,
    left,
    idAt,
    rowOf,
    loadedIds: () => [...pages.keys()].sort((a, b) => a - b).flatMap((page) => (pages.get(page) as Loaded).ids),
    loaded: () => [...pages.values()].reduce((sum, { ids }) => sum + ids.length, 0),
    ensure,
    reload,
    reach,
    dispose: () => {
      isDisposed = true
      clearTimeout(newsTimer)
      stopListening()
      stopNews?.()
      for (const { ids } of pages.values()) for (const id of ids) store.unpin(kind, id)
      pages = new Map()
    },
  }
}

/** Loads the rows from one to another, in any order of the two. Resolves with whether all are here. */
export async function loadRange(rows: Rows, one: number, other: number): Promise<boolean> {
  const [first, last] = [Math.min(one, other), Math.max(one, other)]
  if (last - first >= MOST_LOADED) return false
  for (let row = first - (first % PAGE); row <= last; row += PAGE) await rows.reach(row)
  for (let row = first; row <= last; row++) if (rows.idAt(row) === undefined) return false
  return true
}
