import { batch, computed, type ReadonlySignal, signal } from '@preact/signals'
import { type Api, pathWith } from './api.ts'
import type { EventApplier } from './apply-events.ts'
import type { BoardRow } from './board-row.ts'
import { type BoardAnswer, boardRows } from './board-wire.ts'
import { nextTasks } from './next-tasks.ts'
import type { RecordStore } from './record-store.ts'
import type { StreamEvent } from './stream-types.ts'
import type { Timers } from './timers.ts'
import type { Company, Deal, Kind, Rec } from './types.ts'

// All open deals of a pipeline, as rows that are small enough to hold thousands of them. Each is a partly known deal of the
// store, so that my own changes and the events of others come to it as to any record.

export type Board = {
  /** In no particular order. A row that has not changed is the same object as before. */
  rows: ReadonlySignal<readonly BoardRow[]>
  /** Undefined until the rows are there. */
  isComplete: ReadonlySignal<boolean | undefined>
  /** Why the rows did not come: ApiProblem or NoAnswer. `reload` tries again. */
  error: ReadonlySignal<unknown>
  reload(): Promise<void>
  /**
   * Where there are more than can be shown: reads those that fit a filter, as JSON, which the API has, so that none of them is
   * missing because others were read. Null for all.
   */
  narrow(filter: string | null): Promise<void>
  isNarrowed(): boolean
  /** Lets go of the rows; called when the board leaves the screen. */
  dispose(): void
}

export type BoardParts = {
  api: Api
  store: RecordStore
  timers: Timers
  onEvent: EventApplier['onEvent']
  refreshers: Set<() => Promise<void>>
}

/** What the record of a deal does not have. */
type Extra = Pick<BoardRow, 'company_id' | 'company_name' | 'last_activity_at' | 'next_task'>

/** `stages` are the open stages of the pipeline. */
export function dealBoard(parts: BoardParts, pipeline: string, stages: ReadonlySet<string>): Board {
  const { api, store, timers, onEvent, refreshers } = parts
  const revision = signal(0)
  const rows = computed((): readonly BoardRow[] => {
    revision.value
    return isComplete.value === undefined ? [] : [...shown.values()]
  })
  const isComplete = signal<boolean | undefined>(undefined)
  const error = signal<unknown>(undefined)
  const extras = new Map<string, Extra>()
  const shown = new Map<string, BoardRow>()
  /** Events that came while the rows were on their way: they may be newer. */
  let missed: [StreamEvent, Kind][] | undefined
  let since = 0
  let isDisposed = false
  /** Of which filter the rows are to be, and of which they are. */
  let wanted: string | null = null
  let loaded: string | null = null
  let round = 0
  const tasks = nextTasks({
    api,
    taskOf: (id) => extras.get(id)?.next_task,
    setTask: (id, next_task) => change(id, { next_task }),
  })

  async function reload(): Promise<void> {
    const filter = wanted
    const number = ++round
    missed ??= [] // those that came while an earlier answer was awaited count as well
    since = store.moment()
    const path =
      filter === null
        ? pathWith('/app/board', { pipeline_id: pipeline })
        : pathWith('/app/board/part', { pipeline_id: pipeline, filter })
    try {
      const answer = await api.get<BoardAnswer>(path)
      if (isDisposed || number !== round) return
      loaded = filter
      batch(() => take(answer))
    } catch (reason) {
      if (number !== round) return // what was asked for last says how it went
      for (const [event, kind] of missed ?? []) follow(event, kind)
      missed = undefined
      error.value = reason
      throw reason
    }
  }

  async function narrow(filter: string | null): Promise<void> {
    if (filter === wanted && filter === loaded) return
    wanted = filter
    isComplete.value = false // until the answer says otherwise
    await reload()
  }

  function take(answer: BoardAnswer): void {
    const { seq, is_complete } = answer
    const before = new Set(extras.keys())
    for (const row of boardRows(answer)) {
      before.delete(row.id)
      add(dealOf(row), true, extraOf(row))
    }
    for (const id of before) letGo(id)
    error.value = undefined
    isComplete.value = is_complete
    for (const [event, kind] of missed ?? []) if (event.seq > seq) follow(event, kind)
    missed = undefined
  }

  function add(deal: Rec, isPartial: boolean, extra: Extra): void {
    if (!extras.has(deal.id)) store.pin('deals', deal.id)
    extras.set(deal.id, extra)
    store.accept('deals', deal, { since: missed ? since : store.moment(), isPartial })
    show(deal.id)
  }

  function letGo(id: string): void {
    if (!extras.delete(id)) return
    if (shown.delete(id)) revision.value++
    store.unpin('deals', id)
  }

  const isOnBoard = (deal: Deal): boolean => deal.status === 'open' && stages.has(deal.stage)

  /** Brings the row of a deal up to date with its record. */
  function show(id: string): void {
    const entry = store.find('deals', id)
    if (!extras.has(id) || !entry) return
    const deal = entry.view.peek() as Deal | null | undefined
    const base = entry.base as Deal | null | undefined
    if (deal && isOnBoard(deal)) shown.set(id, rowOf(deal, base?.stage, extraFor(deal), timers.now()))
    else shown.delete(id)
    // After it, since who watches reads the rows at once.
    revision.value++
    // My own change may still be refused: until then the deal is only hidden.
    if (!base || !isOnBoard(base)) letGo(id)
  }

  /** With the name of the company that the deal has now. */
  function extraFor({ id, company_id }: Deal): Extra {
    const extra = extras.get(id) as Extra
    if (extra.company_id === company_id) return extra
    const company_name = company_id === null ? null : (nameOf(company_id) ?? null)
    const after = { ...extra, company_id, company_name }
    extras.set(id, after)
    return after
  }

  function follow(event: StreamEvent, kind: Kind): void {
    const { object } = event.data
    if (kind === 'deals') followDeal(object as unknown as Deal, event.type)
    if (kind === 'companies') rename(object as unknown as Company)
    if (kind === 'tasks') tasks.follow(event, (id) => extras.has(id))
    if (kind === 'notes' && event.type === 'note.created')
      for (const id of object.deal_ids as string[]) touch(id, event.at)
    if (kind === 'meetings' && Date.parse(String(object.starts_at)) <= timers.now())
      touch(object.deal_id as string | null, object.starts_at as string)
    if (kind === 'conversations') touch(object.deal_id as string | null, object.last_message_at as string | null)
  }

  function followDeal(deal: Deal, type: string): void {
    if (extras.has(deal.id)) touch(deal.id, deal.stage_changed_at)
    else if (isOnBoard(deal) && !type.endsWith('.deleted')) {
      add(deal, false, { company_id: null, company_name: null, last_activity_at: null, next_task: null })
      touch(deal.id, deal.stage_changed_at)
      if (type !== 'deal.created') tasks.read(deal.id)
    }
  }

  /** The name that some row or record has; otherwise it comes later. */
  function nameOf(company: string): string | undefined {
    const record = store.find('companies', company)?.base as Company | null | undefined
    if (record) return record.name
    for (const { company_id, company_name } of extras.values())
      if (company_id === company && company_name !== null) return company_name
    void api.get<Company>(`/api/v1/companies/${company}`).then(rename, () => undefined)
    return undefined
  }

  function rename({ id: company, name }: Company): void {
    batch(() => {
      for (const [id, { company_id }] of [...extras]) if (company_id === company) change(id, { company_name: name })
    })
  }

  /** Something has happened with the deal, by the clock of the server. */
  function touch(id: string | null, at: string | null): void {
    const extra = id === null ? undefined : extras.get(id)
    const ms = Date.parse(at ?? '')
    if (extra && ms > (extra.last_activity_at ?? 0)) change(id as string, { last_activity_at: ms })
  }

  function change(id: string, fields: Partial<Extra>): void {
    const extra = extras.get(id)
    if (!extra) return
    extras.set(id, { ...extra, ...fields })
    show(id)
  }

  const stopListening = onEvent((event, kind) => {
    if (missed) missed.push([event, kind])
    else follow(event, kind)
  })
  const stopWatching = store.onChange(({ kind, id }) => {
    if (kind === 'deals') show(id)
  })
  refreshers.add(reload)

  function dispose(): void {
    isDisposed = true
    stopListening()
    stopWatching()
    refreshers.delete(reload)
    for (const id of [...extras.keys()]) letGo(id)
  }

  return { rows, isComplete, error, reload, narrow, isNarrowed: () => loaded !== null, dispose }
}

function extraOf({ company_id, company_name, last_activity_at, next_task }: BoardRow): Extra {
  return { company_id, company_name, last_activity_at, next_task }
}

/** The deal as far as the board knows it. */
function dealOf(row: BoardRow): Rec {
  const { id, title, amount, currency, company_id, owner_id, expected_close_date, tag_ids, version } = row
  const stage_changed_at = new Date(row.stage_changed_at).toISOString()
  const known = { id, title, amount, currency, company_id, owner_id, expected_close_date, tag_ids, version }
  return { ...known, stage: row.stage_id, status: 'open', stage_changed_at }
}

function rowOf(deal: Deal, baseStage: string | undefined, extra: Extra, now: number): BoardRow {
  const { id, title, amount, currency, stage, owner_id, expected_close_date, tag_ids, version } = deal
  // A move that is on its way has just happened.
  const stage_changed_at = stage === baseStage ? Date.parse(deal.stage_changed_at) : now
  const fields = { id, title, amount, currency, owner_id, expected_close_date, tag_ids, version }
  return { ...fields, ...extra, stage_id: stage, stage_changed_at }
}
