import { batch, type ReadonlySignal, signal } from '@preact/signals'
import { type ListParts, newcomers } from './newcomers.ts'
import { type At, canSkip, PAGE, type Query, type Rows, readRows } from './rows.ts'
import type { Kind } from './types.ts'

// A list of the server, of which a part is loaded. Rows change where they stand; rows that are new are counted, and come
// when asked for.

export type KeysetList = {
  /** The loaded part, in the order of the list. */
  ids: ReadonlySignal<readonly string[]>
  /** How many rows stand before it: 0 unless `show` has gone to the middle. */
  before: ReadonlySignal<number>
  /** How many records the server has; known after the first page. */
  total: ReadonlySignal<number | undefined>
  /** Whether the part reaches the end of the list. */
  done: ReadonlySignal<boolean>
  isLoading: ReadonlySignal<boolean>
  /** Why the last page did not come: ApiProblem or NoAnswer. The next call tries again. */
  error: ReadonlySignal<unknown>
  /** Loads the next page. Never rejects: see `error`. */
  more(): Promise<void>
  /**
   * Loads what is missing of the rows from `first` to before `last`, counted from the start of the list: called while
   * scrolling. Lists of deals, contacts and companies go anywhere with one request, the others page by page.
   */
  show(first: number, last: number): Promise<void>
  /** New records at the start of the list that are not shown yet. Those that I create come at once. */
  fresh: ReadonlySignal<number>
  showFresh(): void
  /** While the pointer or the focus is in the list, deleted rows stay where they are: their record is null. */
  hold(isHeld: boolean): void
  /** Loads the list anew, from its start. */
  reload(): Promise<void>
  /** Lets go of the records; called when the list leaves the screen. */
  dispose(): void
}

/** Rows far from those on the screen are let go of beyond this number. */
const MAX_LOADED = 1000
/** Rows that are read anew when events are missing. */
const MAX_REFRESHED = 500

export function keysetList(parts: ListParts, kind: Kind, query: Query): KeysetList {
  const { store, refreshers } = parts
  const ids = signal<readonly string[]>([])
  const before = signal(0)
  const total = signal<number | undefined>(undefined)
  const done = signal(false)
  const isLoading = signal(false)
  const error = signal<unknown>(undefined)
  const known = new Set<string>()
  let cursor: string | null = null
  let isHeld = false
  let loading: Promise<void> | undefined
  /** Changes when the list begins anew: what was asked for before is not taken any more. */
  let round = 0

  /** Reads a page and gives it to `take`, unless the list has begun anew. One at a time. */
  function read(at: At, take: (rows: Rows) => void): Promise<void> {
    const mine = round
    const run = async () => {
      isLoading.value = true
      try {
        const rows = await readRows(parts, kind, query, at)
        if (mine !== round) return
        batch(() => {
          error.value = undefined
          total.value = rows.total ?? total.peek()
          take(rows)
        })
      } catch (reason) {
        if (mine === round) error.value = reason
      } finally {
        if (mine === round) {
          isLoading.value = false
          loading = undefined
        }
      }
    }
    loading = run()
    return loading
  }

  const next = (): Promise<void> => read(cursor === null ? { skip: end() } : { cursor }, append)
  const end = (): number => before.peek() + ids.peek().length

  async function more(): Promise<void> {
    if (loading) return loading
    if (!done.peek()) await next()
  }

  function append(rows: Rows): void {
    const added = keep(rows.ids)
    const all = [...ids.peek(), ...added]
    const tooMany = canSkip(kind) ? Math.max(0, all.length - MAX_LOADED) : 0
    letGo(all.slice(0, tooMany))
    ids.value = all.slice(tooMany)
    before.value += tooMany
    cursor = rows.cursor
    done.value = cursor === null
  }

  function prepend(rows: Rows): void {
    const added = keep(rows.ids)
    before.value = Math.max(0, before.peek() - rows.ids.length)
    const all = [...added, ...ids.peek()]
    letGo(all.slice(MAX_LOADED))
    ids.value = all.slice(0, MAX_LOADED)
    if (all.length <= MAX_LOADED) return
    cursor = null
    done.value = false
  }

  function keep(found: readonly string[]): string[] {
    const added = found.filter((id) => !known.has(id))
    for (const id of added) {
      known.add(id)
      store.pin(kind, id)
    }
    return added
  }

  function letGo(gone: readonly string[]): void {
    for (const id of gone) {
      known.delete(id)
      store.unpin(kind, id)
    }
  }

  async function show(first: number, last: number): Promise<void> {
    if (loading) await loading
    const from = before.peek()
    const isNear = first <= end() + PAGE && last >= from - PAGE
    if (!isNear && canSkip(kind)) return begin(Math.max(0, first - PAGE / 2))
    if (first < from) {
      const skip = Math.max(0, from - PAGE)
      await read({ skip, limit: from - skip }, prepend)
    }
    const mine = round
    while (last > end() && !done.peek() && mine === round) {
      await next()
      if (error.peek() !== undefined) break
    }
  }

  function begin(skip: number): Promise<void> {
    forget()
    before.value = skip
    return read({ skip }, append)
  }

  function forget(): void {
    round++
    loading = undefined
    letGo([...known])
    batch(() => {
      ids.value = []
      before.value = 0
      done.value = false
      news.clear()
    })
    cursor = null
  }

  function place(first: readonly string[]): void {
    keep(first)
    const shown = new Set(first)
    ids.value = [...first, ...ids.peek().filter((id) => !shown.has(id))]
  }

  const news = newcomers(parts, kind, query, {
    isKnown: (id) => known.has(id),
    isAtStart: () => before.peek() === 0,
    place,
    count: (found) => {
      total.value = found
    },
    leave,
  })

  function leave(id: string): void {
    if (!known.has(id) || isHeld) return
    letGo([id])
    batch(() => {
      ids.value = ids.peek().filter((one) => one !== id)
      if (total.peek() !== undefined) total.value = (total.peek() as number) - 1
    })
  }

  function hold(held: boolean): void {
    isHeld = held
    if (!held) for (const id of [...known]) if (store.find(kind, id)?.base === null) leave(id)
  }

  /** Reads the loaded part anew, because events are missing: what is shown stays until then. */
  async function refresh(): Promise<void> {
    const wanted = Math.min(Math.max(ids.peek().length, 1), MAX_REFRESHED)
    const skip = before.peek()
    const found: Rows[] = []
    try {
      for (let last: Rows | undefined; !last || (last.cursor !== null && found.length * PAGE < wanted); ) {
        last = await readRows(parts, kind, query, last ? { cursor: last.cursor as string } : { skip })
        found.push(last)
      }
    } catch (reason) {
      error.value = reason
      throw reason
    }
    batch(() => {
      forget()
      before.value = skip
      error.value = undefined
      total.value = found[0]?.total
      for (const rows of found) append(rows)
    })
  }

  refreshers.add(refresh)

  function dispose(): void {
    round++
    news.stop()
    refreshers.delete(refresh)
    letGo([...known])
  }

  const reload = () => begin(0)
  const { fresh, showFresh } = news
  return { ids, before, total, done, isLoading, error, more, show, fresh, showFresh, hold, reload, dispose }
}
