import { computed, effect, type ReadonlySignal, signal } from '@preact/signals'
import { toFilter } from '../../components/filters/conditions.ts'
import { pathWith } from '../../data/api.ts'
import { type Board, boardOf } from '../../data/board-rows.ts'
import { boot } from '../../data/boot.ts'
import { client } from '../../data/current.ts'
import { now } from '../../lib/now.ts'
import { dateIn } from '../../lib/zoned.ts'
import type { Around, Question } from './arrange.ts'
import { type BoardState, boardState } from './board-state.ts'
import { address, shape, sort } from './deals-address.ts'
import type { ClosedCounts } from './ends.tsx'
import { divide } from './fields.ts'
import type { BoardStage } from './model.ts'
import { boardOnly } from './table-conditions.ts'

/** The board of one pipeline with all that it reads. It stays while other screens are open, so that it is there at once. */
export type Source = {
  pipeline: string
  data: Board
  /** Resolves when the rows are there, or did not come. */
  loading: Promise<void>
  board: BoardState
  closed: ReadonlySignal<ClosedCounts | null>
}

let current: (Source & { stop: () => void }) | undefined

export function sourceOf(pipeline: string): Source {
  if (current?.pipeline === pipeline) return current
  current?.stop()
  current = make(pipeline)
  return current
}

function make(pipeline: string): Source & { stop: () => void } {
  const data = boardOf(pipeline)
  const loading = data.reload().catch(() => undefined) // `error` says it
  const stages = computed((): BoardStage[] =>
    boot.value.stages
      .filter((stage) => stage.pipeline_id === pipeline && stage.is_open)
      .sort((one, other) => one.position - other.position),
  )
  // As text, which stays equal on the way to another screen and back: thousands of deals keep their order then.
  const asked = computed(() => {
    const { conditions, q } = address.value.state
    // The sums above the table are those of its rows.
    const left = shape.value === 'table' ? boardOnly(conditions) : []
    return JSON.stringify({
      conditions: divide(conditions.filter((each) => !left.includes(each))).here,
      q,
      sort: sort.value,
    } satisfies Question)
  })
  const question = computed((): Question => JSON.parse(asked.value))
  const among = matches(pipeline)
  const around = computed((): Around => {
    const { currency, timezone } = boot.value.org
    return { now: now.value, today: dateIn(now.value, timezone), currency, among: among.ids.value }
  })
  const closed = closedCounts(pipeline)
  const stopNow = now.subscribe(() => undefined)
  const board = boardState({ rows: data.rows, stages, question, around })
  return {
    pipeline,
    data,
    loading,
    board,
    closed: closed.counts,
    stop: () => {
      stopNow()
      among.stop()
      closed.stop()
      data.dispose()
    },
  }
}

const PAUSE_MS = 500

/** Runs again some time after deals have changed, however often they do. */
function onDeals(run: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const stop = client().events.onEvent((_, kind) => {
    if (kind !== 'deals') return
    timer ??= setTimeout(() => {
      timer = undefined
      run()
    }, PAUSE_MS)
  })
  return () => {
    stop()
    clearTimeout(timer)
  }
}

/** The deals that fit the conditions on fields that the rows do not have: the server knows. Null where there are none. */
function matches(pipeline: string): { ids: ReadonlySignal<ReadonlySet<string> | null>; stop: () => void } {
  const ids = signal<ReadonlySet<string> | null>(null)
  const filter = computed(() => JSON.stringify(toFilter(divide(address.value.state.conditions).there)))
  let asked = 0
  const ask = async () => {
    const number = ++asked
    if (filter.peek() === 'null') {
      ids.value = null
      return
    }
    try {
      const path = pathWith('/app/board/matches', { pipeline_id: pipeline, filter: filter.peek() })
      const answer = await client().api.get<{ ids: string[] }>(path)
      if (number === asked) ids.value = new Set(answer.ids)
    } catch {
      if (number === asked && ids.peek() === null) ids.value = new Set()
    }
  }
  const stopEffect = effect(() => {
    filter.value
    void ask()
  })
  const stopDeals = onDeals(() => filter.peek() !== 'null' && void ask())
  return {
    ids,
    stop: () => {
      stopEffect()
      stopDeals()
    },
  }
}

/** How many deals of the pipeline were closed this month. */
function closedCounts(pipeline: string): { counts: ReadonlySignal<ClosedCounts | null>; stop: () => void } {
  const counts = signal<ClosedCounts | null>(null)
  const ask = () =>
    client()
      .api.get<ClosedCounts>(pathWith('/app/board/closed', { pipeline_id: pipeline }))
      .then((found) => {
        counts.value = found
      })
      .catch(() => undefined)
  void ask()
  return { counts, stop: onDeals(() => void ask()) }
}
