import { readFileSync } from 'node:fs'
import { join } from 'node:path'

// The figures of all reports, made anew from the files of an export: a plain program that goes through all records, and shares
// no code with the reports.

// biome-ignore lint/suspicious/noExplicitAny: lines of JSON
type Line = any
export type Figure = {
  count: number
  unpriced: number
  sums: Record<string, { count: number; amount: string; weighted: string }>
  lengths: number[]
}
/** Figures by part, bar and series, with slashes between; `*` stands for all of them. */
export type Figures = Map<string, Figure>

export type Asking = {
  now: number
  months: string[]
  owners?: (string | null)[]
  pipeline?: string
  currency?: string
}

export function readExport(folder: string) {
  const lines = (name: string): Line[] =>
    readFileSync(join(folder, `${name}.ndjson`), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
  const names = ['deals', 'stages', 'pipelines', 'close_reasons', 'contacts', 'deal_stage_changes', 'members']
  return Object.fromEntries(names.map((name) => [name, lines(name)])) as Record<string, Line[]>
}

/** 19.99 becomes 1999000000: hundredths of a millionth. */
function unitsOf(amount: number): bigint {
  const [whole = '0', fraction = ''] = amount.toFixed(6).split('.')
  // toFixed adds digits that a double does not have, from 15 on.
  const text = String(amount).includes('e') ? `${whole}.${fraction}` : String(amount)
  const [units = '0', rest = ''] = text.split('.')
  return BigInt(units + rest.padEnd(8, '0'))
}

function textOf(units: bigint): string {
  const whole = units / 100_000_000n
  const rest = String(units % 100_000_000n)
    .padStart(8, '0')
    .replace(/0+$/, '')
  return rest === '' ? String(whole) : `${whole}.${rest}`
}

function dayIn(timezone: string, time: number): string {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone: timezone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  })
  return parts.format(time)
}

export class Recount {
  readonly figures: Figures = new Map()
  private readonly units = new Map<Figure, Map<string, [number, bigint, bigint]>>()

  add(part: string, bar: string, series: string, deal: Line, chance: number, length?: number | null): void {
    for (const key of [`${part}/${bar}/${series}`, `${part}/${bar}/*`, `${part}/*/${series}`, `${part}/*/*`]) {
      const figure = this.figures.get(key) ?? { count: 0, unpriced: 0, sums: {}, lengths: [] }
      this.figures.set(key, figure)
      figure.count++
      if (length !== undefined) {
        figure.unpriced++
        if (length !== null) figure.lengths.push(length)
        continue
      }
      if (deal.amount === null) {
        figure.unpriced++
        continue
      }
      const sums = this.units.get(figure) ?? new Map()
      this.units.set(figure, sums)
      const [count, amount, weighted] = sums.get(`${deal.currency}`) ?? [0, 0n, 0n]
      const value = unitsOf(deal.amount)
      const next: [number, bigint, bigint] = [count + 1, amount + value, weighted + (value * BigInt(chance)) / 100n]
      sums.set(`${deal.currency}`, next)
      figure.sums[`${deal.currency}`] = { count: next[0], amount: textOf(next[1]), weighted: textOf(next[2]) }
    }
  }
}

export function recount(name: string, all: Record<string, Line[]>, timezone: string, asking: Asking): Figures {
  const { deals = [], stages = [], pipelines = [], contacts = [], deal_stage_changes = [] } = all
  const stage = new Map(stages.map((each) => [each.id, each]))
  const isIn = (time: string): boolean => asking.months.includes(dayIn(timezone, Date.parse(time)).slice(0, 7))
  const wanted =
    name === 'funnel' ? (asking.pipeline ?? pipelines.find((each) => each.is_default)?.id) : asking.pipeline
  const counted = deals.filter(
    (deal) =>
      (!asking.owners || asking.owners.includes(deal.owner_id)) &&
      (!asking.currency || deal.currency === asking.currency) &&
      (!wanted || stage.get(deal.stage).pipeline_id === wanted),
  )
  const result = new Recount()
  for (const deal of counted) {
    const { probability, pipeline_id } = stage.get(deal.stage)
    const put = (part: string, bar: string, series: string) => result.add(part, bar, series, deal, probability)
    if (name === 'won-lost' && deal.closed_at !== null && isIn(deal.closed_at)) {
      put('months', dayIn(timezone, Date.parse(deal.closed_at)).slice(0, 7), deal.status)
      put('reasons', deal.close_reason_id, deal.status)
      put('owners', deal.owner_id ?? 'none', deal.status)
    }
    if (name === 'forecast' && deal.status === 'open') {
      const today = dayIn(timezone, asking.now)
      const [year = 0, month = 0] = today.split('-').map(Number)
      const date = deal.expected_close_date
      const series = probability >= 75 ? 'committed' : 'possible'
      if (date === null) put('months', 'none', series)
      else if (date < today) put('months', 'passed', series)
      else if (date >= `${year + 1}-${String(month).padStart(2, '0')}-01`) put('months', 'later', series)
      else put('months', date.slice(0, 7), series)
    }
    if (name === 'sources' && isIn(deal.created_at)) {
      const source = contacts.find(({ id }) => id === deal.primary_contact_id)?.source ?? null
      put('sources', source === null ? 'none' : `=${source}`, deal.status)
    }
    if (name === 'funnel' && isIn(deal.created_at)) {
      const open = stages
        .filter((each) => each.pipeline_id === pipeline_id && each.outcome === null)
        .sort((one, other) => one.position - other.position)
        .map(({ id }) => id)
      const moves = deal_stage_changes
        .filter(({ deal_id }) => deal_id === deal.id)
        .sort((one, other) => one.deal_version - other.deal_version)
      const seen = [deal.stage, ...moves.flatMap((move) => [move.from_stage_id, move.to_stage_id])]
      const furthest = deal.status === 'won' ? open.length : Math.max(0, ...seen.map((id: string) => open.indexOf(id)))
      for (let at = 0; at <= furthest; at++) put('stages', String(at + 1), deal.status)
      const isOlder = deal.originally_created_at !== null && deal.originally_created_at < deal.created_at
      let since: number | null = isOlder ? null : Date.parse(deal.created_at)
      const stay = (id: string, until: number, series: string) => {
        if (open.includes(id))
          result.add('times', id, since === null ? 'unknown' : series, deal, 0, since === null ? null : until - since)
      }
      for (const move of moves) {
        stay(move.from_stage_id, Date.parse(move.at), 'finished')
        since = Date.parse(move.at)
      }
      if (deal.status === 'open') stay(deal.stage, asking.now, 'running')
    }
  }
  return result.figures
}
