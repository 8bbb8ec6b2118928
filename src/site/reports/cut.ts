import type { Position } from '../../store/list/query.ts'
import type { Database } from '../../store/sqlite/driver.ts'
import { statements } from '../../store/sqlite/statements.ts'
import { bounded } from '../../store/sqlite/work.ts'
import { type Measure, measureOf, type Read } from './measure.ts'

// A report is cut into bars. The bars and the list behind each of them are made from the same statement, so that they cannot
// differ: the one groups what the other lists.

/**
 * What a report counts: a SELECT of one row for each thing that counts once, with these columns, and its named parameters, of
 * which `org` is the first condition of each table.
 *
 * fact (unique), object, id, title, owner_id, currency, amount_micros, chance (0 to 100), at (ms), ms (a length of time), bar,
 * series: each a value or NULL. A fact whose bar is NULL belongs to none and is not counted.
 */
export type Cut = {
  sql: string
  values: Record<string, string | number | null>
  /** A fact counts for its bar and all before it: bars are numbers. */
  isCumulative?: true
  /** The series of which the median of its lengths of time is told. */
  median?: string
}

/** One bar, or all besides some, and one series of it; without them, all bars or all series. */
export type Chosen = {
  bar?: string | undefined
  besides?: readonly string[] | undefined
  series?: string | undefined
}

/** A bar: all that counts for it, and the same by series. `names` is how many bars the one of all others has. */
export type Bar = { bar: string; all: Measure; series: Record<string, Measure>; names?: number }

/** Which bars: these in this order, also those with nothing in them; with `hasOthers` also what else is found, largest first. */
export type Bars = { names: readonly string[]; series: readonly string[]; hasOthers?: boolean | undefined }

/** So many bars that are found by themselves are told apart; the rest is one bar. */
export const MOST_FOUND = 50
export const OTHERS = 'others'

/** What the list behind a bar shows of each fact; amounts are decimal texts in major units. */
export type Item = {
  object: string
  id: string
  title: string
  owner_id: string | null
  currency: string | null
  amount_micros: string | null
  chance: number | null
  at: number | null
  ms: number | null
}

/** A record has at most so many facts of one moment, and one more row says that there is more. */
const MOST_TIED = 21

/** Amounts are added up in two parts: the sum could be larger than an integer of SQLite, even when multiplied by a chance. */
const PART = 1_000_000_000

const SUMS = `count(*), count(amount_micros), count(ms),
  CAST(ifnull(sum(amount_micros / ${PART}), 0) AS TEXT), CAST(ifnull(sum(amount_micros % ${PART}), 0) AS TEXT),
  CAST(ifnull(sum(amount_micros / ${PART} * chance), 0) AS TEXT),
  CAST(ifnull(sum(amount_micros % ${PART} * chance), 0) AS TEXT), CAST(ifnull(sum(ms), 0) AS TEXT)`

type SumRow = [
  bar: string,
  series: string,
  currency: string | null,
  count: number,
  priced: number,
  timed: number,
  ...sums: [high: string, low: string, weightedHigh: string, weightedLow: string, ms: string],
]

/** The statements of reports. Each throws Problem 503 if it would have to read too much. */
export function cutReader(db: Database) {
  const prepare = statements(db)

  // Each row that is tested costs a little of what a reading may.
  const facts = ({ sql }: Cut): string => `(SELECT * FROM (${sql}) WHERE bar IS NOT NULL AND affordable(1))`

  const testsOf = (cut: Cut, { bar, series, besides }: Chosen): string =>
    [
      ...(bar === undefined ? [] : [cut.isCumulative ? 'bar >= CAST(@bar AS INTEGER)' : 'bar = @bar']),
      ...(besides === undefined ? [] : ['bar NOT IN (SELECT value FROM json_each(@besides))']),
      ...(series === undefined ? [] : ['series = @series']),
    ]
      .map((test) => ` AND ${test}`)
      .join('')

  const valuesOf = (cut: Cut, { bar, series, besides }: Chosen) => ({
    ...cut.values,
    ...(bar === undefined ? {} : { bar }),
    ...(besides === undefined ? {} : { besides: JSON.stringify(besides) }),
    ...(series === undefined ? {} : { series }),
  })

  function read(cut: Cut, chosen: Chosen): Read[] {
    const statement = prepare(
      `SELECT bar, series, currency, ${SUMS} FROM ${facts(cut)} WHERE 1${testsOf(cut, chosen)} GROUP BY bar, series, currency`,
    )
    const rows = bounded(() => statement.all(valuesOf(cut, chosen))) as SumRow[]
    return rows.map(([bar, series, currency, count, priced, timed, high, low, weightedHigh, weightedLow, ms]) => ({
      ...{ bar: String(bar), series, currency, count, priced, timed, ms: Number(ms) },
      micros: BigInt(high) * BigInt(PART) + BigInt(low),
      weighted: BigInt(weightedHigh) * BigInt(PART) + BigInt(weightedLow),
    }))
  }

  /** The same for a cut with lengths of time, and these of each bar, for their median: in one pass, since sorting takes longer. */
  function readTimes(cut: Cut, chosen: Chosen): { rows: Read[]; lengths: Map<string, number[]> } {
    const statement = prepare(`SELECT bar, series, ms FROM ${facts(cut)} WHERE 1${testsOf(cut, chosen)}`)
    const rows = new Map<string, Read>()
    const lengths = new Map<string, number[]>()
    bounded(() => {
      for (const each of statement.iterate(valuesOf(cut, chosen))) {
        const [bar, series, ms] = each as [bar: string, series: string, ms: number | null]
        const key = `${bar} ${series}`
        const row = rows.get(key) ?? { bar, series, ...NO_AMOUNTS }
        rows.set(key, row)
        row.count++
        if (ms === null) continue
        row.timed++
        row.ms += ms
        if (series !== cut.median) continue
        const own = lengths.get(bar)
        if (own) own.push(ms)
        else lengths.set(bar, [ms])
      }
    })
    return { rows: [...rows.values()], lengths }
  }

  const readAll = (cut: Cut, chosen: Chosen) =>
    cut.median === undefined ? { rows: read(cut, chosen), lengths: undefined } : readTimes(cut, chosen)

  /** What is behind a bar: how many, and their sums. */
  function measure(cut: Cut, chosen: Chosen): Measure {
    const { rows, lengths } = readAll(cut, chosen)
    const found = measureOf(rows)
    const hasMedian = lengths !== undefined && chosen.series === cut.median
    return hasMedian ? { ...found, median_ms: medianOf([...lengths.values()].flat()) } : found
  }

  /** Which of the bars that were found are told apart, the largest first. */
  function foundBars(found: readonly Read[], names: readonly string[]): string[] {
    const counts = new Map<string, number>()
    for (const { bar, count } of found) if (!names.includes(bar)) counts.set(bar, (counts.get(bar) ?? 0) + count)
    return [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).map(([bar]) => bar)
  }

  function cutUp(cut: Cut, { names, series, hasOthers }: Bars): { total: Omit<Bar, 'bar'>; bars: Bar[] } {
    const { rows, lengths } = readAll(cut, {})
    const told = (own: readonly Read[], times: readonly number[] = []): Omit<Bar, 'bar'> => ({
      all: measureOf(own),
      series: Object.fromEntries(
        series.map((name) => {
          const measured = measureOf(own.filter((each) => each.series === name))
          return [name, name === cut.median ? { ...measured, median_ms: medianOf(times) } : measured]
        }),
      ),
    })
    const isOf = (bar: string, each: Read): boolean =>
      cut.isCumulative ? Number(each.bar) >= Number(bar) : each.bar === bar
    const found = hasOthers ? foundBars(rows, names) : []
    const apart = [...names, ...found.slice(0, MOST_FOUND)]
    const bars: Bar[] = apart.map((bar) => {
      const own = rows.filter((each) => isOf(bar, each))
      return { bar, ...told(own, lengths?.get(bar)) }
    })
    const rest = new Set(found.slice(MOST_FOUND))
    if (rest.size > 0) {
      const own = rows.filter(({ bar }) => rest.has(bar))
      bars.push({ bar: OTHERS, ...told(own), names: rest.size })
    }
    return { total: told(rows, [...(lengths?.values() ?? [])].flat()), bars }
  }

  /** What a bar of `cutUp` stands for. */
  function chosenOf(cut: Cut, { names, hasOthers }: Bars, chosen: Chosen): Chosen {
    if (!hasOthers || chosen.bar !== OTHERS) return chosen
    const besides = [...names, ...foundBars(read(cut, {}), names).slice(0, MOST_FOUND)]
    return { series: chosen.series, besides }
  }

  /** The list behind a bar, newest first, after a position: `limit` facts, and those of the same record and time as the last. */
  function list(cut: Cut, chosen: Chosen, limit: number, after: Position | undefined) {
    const place = after ? { after_at: after.key, after_id: after.id } : {}
    const from = after ? ' AND (ifnull(at, 0), id) < (@after_at, @after_id)' : ''
    const statement = prepare(
      `SELECT ifnull(at, 0), id, object, title, owner_id, currency, CAST(amount_micros AS TEXT), chance, at, ms
       FROM ${facts(cut)} WHERE 1${testsOf(cut, chosen)}${from} ORDER BY ifnull(at, 0) DESC, id DESC, fact LIMIT @taken`,
    )
    const asked = { ...valuesOf(cut, chosen), ...place, taken: limit + MOST_TIED }
    const rows = bounded(() => statement.all(asked)) as [at: number, id: string, ...unknown[]][]
    const last = rows[limit - 1]
    const isTied = ([at, id]: readonly unknown[]): boolean => at === last?.[0] && id === last?.[1]
    const shown = rows.filter((row, place) => place < limit || isTied(row))
    return {
      items: shown.map(([, id, object, title, owner_id, currency, amount_micros, chance, at, ms]) => ({
        ...{ object, id, title, owner_id, currency, amount_micros, chance, at, ms },
      })) as Item[],
      next: last && rows.length > shown.length ? { key: last[0], id: last[1] } : undefined,
    }
  }

  return { cutUp, chosenOf, measure, list }
}

/** What a fact of a cut with lengths of time has of amounts. */
const NO_AMOUNTS = { currency: null, count: 0, priced: 0, timed: 0, ms: 0, micros: 0n, weighted: 0n }

/** The middle one; of an even number, the mean of the two in the middle; null of none. */
function medianOf(lengths: readonly number[]): number | null {
  if (lengths.length === 0) return null
  const sorted = Float64Array.from(lengths).sort()
  const middle = sorted.length >> 1
  const upper = sorted[middle] as number
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2
}
