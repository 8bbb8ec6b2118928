import { computed, effect, type ReadonlySignal, signal } from '@preact/signals'
import { whenIdle } from '../../components/later.tsx'
import { pathWith } from '../../data/api.ts'
import type { Board } from '../../data/board.ts'
import { boardOf } from '../../data/board-of.ts'
import { boot, me } from '../../data/boot.ts'
import { client } from '../../data/current.ts'
import { isUndo } from '../../data/step-keys.ts'
import { format } from '../../lib/locale.ts'
import { now } from '../../lib/now.ts'
import { onNewDay, today } from '../../lib/today.ts'
import { divide, isBoardOnly, isOfBoardShape } from '../../tables/deals/fields.ts'
import type { BoardStage } from '../../tables/deals/model.ts'
import { type Filter, leavesOf } from '../../tables/filters/conditions.ts'
import type { Around, Question } from './arrange.ts'
import { type BoardState, boardState } from './board-state.ts'
import { address, shape, sort } from './deals-address.ts'
import type { ClosedCounts } from './ends.tsx'
import { serverFilter } from './server-filter.ts'
import type { Totals } from './totals.ts'

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
    const isLeft = shape.value === 'table' ? isOfBoardShape : () => false
    return JSON.stringify({
      conditions: divide(conditions.filter((each) => !isLeft(each))).here,
      q,
      sort: sort.value,
    } satisfies Question)
  })
  const question = computed((): Question => JSON.parse(asked.value))
  const among = matches(pipeline)
  const around = computed((): Around => {
    const { first_weekday: firstWeekday } = boot.value
    const { currency } = boot.value.org
    const { timezone } = format.value
    const looking = { timezone, firstWeekday, me: me.value.id }
    const here = { now: now.value, today: today.value, currency, ...looking }
    // The server does not know the conditions that only the board has: then what is here is all that can be counted.
    const isKnown = !asks()[0].some(isBoardOnly)
    return { ...here, among: among.ids.value, totals: isKnown ? totals.value : null }
  })
  const closed = closedCounts(pipeline)
  const filter = settled(() => serverFilter(...asks()))
  const totals = signal<ReadonlyMap<string, Totals> | null>(null)
  let stopBeyond: (() => void) | undefined
  let isStopped = false
  function load(): void {
    import('./board-beyond.ts').then(
      ({ followBeyond }) => {
        if (isStopped) return
        const { currency } = boot.peek().org
        const probability = (stage: string) => stages.peek().find(({ id }) => id === stage)?.probability ?? 0
        stopBeyond = followBeyond({ pipeline, data, filter: filter.value, currency, totals, onDeals, probability })
      },
      () => !isStopped && setTimeout(load, RETRY_MS),
    )
  }
  const stopWatching = effect(() => {
    if (data.isComplete.value !== false || stopBeyond) return
    stopBeyond = () => undefined
    load()
  })
  const stopNow = now.subscribe(() => undefined)
  const board = boardState({ rows: data.rows, stages, question, around })
  // What I take back comes back under my hand, as what I move does.
  const stopUndone = client().events.onEvent(({ key, actor }) => {
    if (key !== null && isUndo(key) && actor.id === me.peek().id) board.holdAnew()
  })
  return {
    pipeline,
    data,
    loading,
    board,
    closed: closed.counts,
    stop: () => {
      isStopped = true
      filter.stop()
      stopWatching()
      stopBeyond?.()
      stopNow()
      stopUndone()
      among.stop()
      closed.stop()
      data.dispose()
    },
  }
}

const PAUSE_MS = 500
const SETTLED_MS = 250
const RETRY_MS = 3000

/** Runs again some time after deals have changed, however often they do, and with each new day. */
function onDeals(run: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const stop = client().events.onEvent((_, kind) => {
    if (kind !== 'deals') return
    timer ??= setTimeout(() => {
      timer = undefined
      run()
    }, PAUSE_MS)
  })
  const stopDays = onNewDay(run)
  return () => {
    stop()
    stopDays()
    clearTimeout(timer)
  }
}

/** The deals that fit what the rows do not say: the server knows. One set for each question that `divide` leaves to it. */
function matches(pipeline: string): { ids: ReadonlySignal<Around['among']>; stop: () => void } {
  const ids = signal<Around['among']>([])
  const questions = computed(() => JSON.stringify(divide(address.value.state.conditions).there))
  let asked = 0
  const ask = async () => {
    const number = ++asked
    const filters = JSON.parse(questions.peek()) as Filter[]
    try {
      const answers = await Promise.all(
        filters.map((filter) =>
          client().api.get<{ ids: string[] }>(
            pathWith('/app/board/matches', { pipeline_id: pipeline, filter: JSON.stringify(filter) }),
          ),
        ),
      )
      if (number === asked) ids.value = answers.map((answer) => new Set(answer.ids))
    } catch {
      if (number === asked && ids.peek().length < filters.length) ids.value = filters.map(() => new Set())
    }
  }
  const stopEffect = effect(() => {
    questions.value
    void ask()
  })
  const stopDeals = onDeals(() => questions.peek() !== '[]' && void ask())
  return {
    ids,
    stop: () => {
      stopEffect()
      stopDeals()
    },
  }
}

/** Follows a text that is being typed once it rests: each letter would ask the server. */
function settled(read: () => string | null): { value: ReadonlySignal<string | null>; stop: () => void } {
  const text = computed(read)
  const value = signal(text.peek())
  let timer: ReturnType<typeof setTimeout> | undefined
  const stop = text.subscribe((next) => {
    clearTimeout(timer)
    if (next !== value.peek()) timer = setTimeout(() => (value.value = next), SETTLED_MS)
  })
  return {
    value,
    stop: () => {
      clearTimeout(timer)
      stop()
    },
  }
}

/** What is asked for: the conditions and the text to find. */
function asks(): [readonly Filter[], string] {
  const { conditions, q } = address.value.state
  return [conditions, q]
}

/** How many deals of the pipeline that fit were closed this month. Those are in no open stage, whatever is asked of it. */
function closedCounts(pipeline: string): { counts: ReadonlySignal<ClosedCounts | null>; stop: () => void } {
  const counts = signal<ClosedCounts | null>(null)
  const filter = settled(() => {
    const [conditions, q] = asks()
    return serverFilter(
      conditions.filter((each) => leavesOf(each).some(({ field }) => field !== 'stage')),
      q,
    )
  })
  let asked = 0
  const ask = async () => {
    const number = ++asked
    const given = filter.value.peek()
    const path = pathWith('/app/board/closed', { pipeline_id: pipeline, ...(given === null ? {} : { filter: given }) })
    const found = await client()
      .api.get<ClosedCounts>(path)
      .catch(() => undefined)
    if (found && number === asked) counts.value = found
  }
  // The cards come first: the page asks for this once it has time.
  let stopAsking: (() => void) | null = () => undefined
  whenIdle(() => {
    if (stopAsking === null) return
    stopAsking = effect(() => {
      filter.value.value
      void ask()
    })
  })
  const stopDeals = onDeals(() => void ask())
  return {
    counts,
    stop: () => {
      filter.stop()
      stopAsking?.()
      stopAsking = null
      stopDeals()
    },
  }
}
