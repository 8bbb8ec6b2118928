import { batch, signal } from '@preact/signals'
import { pathWith } from './api.ts'
import type { Client } from './client.ts'

// Deleted records, newest first: GET /app/bin. A row that was restored stays where it is, so that nothing moves under a
// pointer; what somebody deletes meanwhile is counted, and comes when asked for.

/** The kinds that the bin holds. */
export const BIN_KINDS = ['deals', 'contacts', 'companies', 'notes', 'tasks', 'meetings'] as const
export type BinKind = (typeof BIN_KINDS)[number]

/** What does not come back, and why; `other` has it now. */
export type LeftOut = { object: string; id: string; field: string; reason: string; other?: string }

export type BinRow = {
  event_id: string
  record: { kind: BinKind; id: string; title: string }
  deleted_by: string
  deleted_at: string
  kept_until: string
  /** How many of which kinds refer to it again. */
  brings: Record<string, number>
  left: LeftOut[]
  refusal: { code: string; detail: string; field?: string } | null
}

/** `by` is null if it was no member. */
export type Fate = { kind: 'restored'; by: string | null } | { kind: 'refused'; why: string }

type Page = { data: BinRow[]; next_cursor: string | null }
type Parts = Pick<Client, 'api' | 'events' | 'refreshers' | 'timers' | 'member'>

/** Pages without a match that are asked for in one go: a search looks at a part of the bin at a time. */
const MOST_EMPTY = 50
const CHECK_MS = 300

export type BinRows = ReturnType<typeof binRows>

export function binRows({ api, events, refreshers, timers, member }: Parts, query: { kind?: string; q?: string }) {
  const rows = signal<readonly BinRow[]>([])
  const fates = signal<ReadonlyMap<string, Fate>>(new Map())
  /** Deleted by others since, and not shown yet. */
  const fresh = signal<readonly BinRow[]>([])
  const isDone = signal(false)
  const isLoading = signal(false)
  const error = signal<unknown>(undefined)
  let cursor: string | null = null
  let round = 0
  let stopTimer: (() => void) | undefined

  const pageAfter = (after: string | null): Promise<Page> =>
    api.get<Page>(pathWith('/app/bin', { ...query, cursor: after ?? undefined }))

  /** Never rejects: see `error`. */
  async function more(): Promise<void> {
    if (isLoading.peek() || isDone.peek()) return
    const mine = ++round
    isLoading.value = true
    error.value = undefined
    try {
      for (let empty = 0; empty < MOST_EMPTY; empty++) {
        const page = await pageAfter(cursor)
        if (mine !== round) return
        cursor = page.next_cursor
        batch(() => {
          rows.value = [...rows.peek(), ...without(page.data, rows.peek())]
          isDone.value = cursor === null
        })
        if (page.data.length > 0 || cursor === null) break
      }
    } catch (reason) {
      if (mine === round) error.value = reason
    } finally {
      if (mine === round) isLoading.value = false
    }
  }

  function reload(): Promise<void> {
    round++
    cursor = null
    batch(() => {
      rows.value = []
      fates.value = new Map()
      fresh.value = []
      isDone.value = false
      isLoading.value = false
    })
    return more()
  }

  /** Looks what was deleted since. Mine comes at once. */
  async function look(): Promise<void> {
    const { data } = await pageAfter(null)
    batch(() => {
      // Deleted anew, a record stands at its newest deletion alone.
      const again = new Set(data.map(({ record }) => record.id))
      const known = new Set(data.map(({ event_id }) => event_id))
      rows.value = rows.peek().filter((row) => known.has(row.event_id) || !again.has(row.record.id))
      const news = without(data, rows.peek())
      // What stands below the end of what is loaded is none.
      const newest = rows.peek()[0]?.event_id ?? ''
      const above = news.filter(({ event_id }) => event_id > newest)
      place(above.filter(({ deleted_by }) => deleted_by === member))
      fresh.value = above.filter(({ deleted_by }) => deleted_by !== member)
    })
  }

  const place = (news: readonly BinRow[]): void => {
    rows.value = [...news, ...rows.peek()].sort((one, other) => (one.event_id < other.event_id ? 1 : -1))
  }

  function showFresh(): void {
    batch(() => {
      place(fresh.peek())
      fresh.value = []
    })
  }

  function note(eventId: string, fate: Fate): void {
    fates.value = new Map(fates.peek()).set(eventId, fate)
  }

  const stopListening = events.onEvent(({ type, actor, data: { object } }, kind) => {
    if (!(BIN_KINDS as readonly string[]).includes(kind)) return
    if (type.endsWith('.created')) {
      const row = rows.peek().find(({ record }) => record.id === object.id)
      if (row) note(row.event_id, { kind: 'restored', by: actor.id })
      fresh.value = fresh.peek().filter(({ record }) => record.id !== object.id)
    }
    if (!type.endsWith('.deleted') || (query.kind !== undefined && query.kind !== kind)) return
    stopTimer ??= timers.after(CHECK_MS, () => {
      stopTimer = undefined
      void look().catch(() => undefined) // the next event looks again
    })
  })
  refreshers.add(reload)

  function dispose(): void {
    round++
    stopTimer?.()
    stopListening()
    refreshers.delete(reload)
  }

  return { rows, fates, fresh, isDone, isLoading, error, more, reload, showFresh, note, dispose }
}

const without = (found: readonly BinRow[], known: readonly BinRow[]): BinRow[] => {
  const ids = new Set(known.map(({ event_id }) => event_id))
  return found.filter(({ event_id }) => !ids.has(event_id))
}
