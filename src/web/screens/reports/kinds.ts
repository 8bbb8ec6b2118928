import type { Measure } from '../../../site/reports/measure.ts'
import type { Report, ToldBar, ToldPart } from '../../../site/reports/reports.ts'
import { memberName } from '../../data/boot.ts'
import { format } from '../../lib/locale.ts'
import { texts } from './texts.ts'

// What the screens know of each report: its columns, and how its bars are called.

export const NAMES = ['won-lost', 'forecast', 'funnel', 'sources'] as const
export type ReportName = (typeof NAMES)[number]
export const isReport = (name: string): name is ReportName => (NAMES as readonly string[]).includes(name)

/** Reports of one pipeline, and of no months. */
export const OF_PIPELINE: readonly string[] = ['funnel']
export const OF_NOW: readonly string[] = ['forecast']

export type SeriesName = keyof ReturnType<typeof texts>['series']
type What = 'count' | 'sums' | 'weighted' | 'share' | 'ofAll' | 'rate' | 'median' | 'mean'

/** A column of the table of a part; without a series it is of the whole bar. */
export type Column = { what: What; head: string; series?: SeriesName }

export type PartTexts = { name: string; first: string; how: string }
export const partTexts = (report: Report, part: ToldPart): PartTexts =>
  (texts().reports[report.name as ReportName].parts as Record<string, PartTexts>)[part.id] as PartTexts

/** Which series are drawn, the first in front. */
export const DRAWN: Record<string, readonly (SeriesName | 'whole')[]> = {
  'won-lost': ['won', 'lost'],
  forecast: ['committed', 'whole'],
  funnel: ['whole'],
  sources: ['won', 'whole'],
}

export function columnsOf(report: Report, part: ToldPart): Column[] {
  const { series, columns } = texts()
  const count = (name: SeriesName): Column => ({ what: 'count', head: series[name], series: name })
  const sums = (name: SeriesName): Column => ({ what: 'sums', head: columns.amount(series[name]), series: name })
  if (part.id === 'times')
    return [
      count('finished'),
      { what: 'median', head: columns.median, series: 'finished' },
      { what: 'mean', head: columns.mean, series: 'finished' },
      count('running'),
      count('unknown'),
    ]
  const all: Column = { what: 'count', head: series.all }
  if (report.name === 'won-lost')
    return [
      ...[count('won'), sums('won'), count('lost'), sums('lost')],
      ...(part.id === 'reasons' ? [] : [{ what: 'rate', head: columns.rate } as const]),
    ]
  if (report.name === 'forecast')
    return [
      all,
      { what: 'sums', head: columns.best },
      { what: 'weighted', head: columns.weighted },
      { ...sums('committed'), head: series.committed },
    ]
  if (report.name === 'funnel')
    return [
      all,
      { what: 'share', head: columns.fromBefore },
      { what: 'ofAll', head: columns.ofAll },
      ...[count('open'), count('lost')],
    ]
  return [all, { what: 'sums', head: columns.amounts }, count('open'), count('won'), sums('won'), count('lost')]
}

/** What a bar is called. */
export function barName(report: Report, part: ToldPart, { bar, label, names }: ToldBar): string {
  const words = texts()
  if (names !== undefined) return words.others(format.value.number(names))
  if (label !== undefined) return label
  if (/^\d{4}-\d\d$/.test(bar)) return format.value.month(`${bar}-01`)
  if (report.name === 'forecast') return words.bars[bar as 'passed']
  if (part.id === 'stages') return words.bars.won
  if (part.id === 'owners') return bar === 'none' ? words.nobody : (memberName(bar) ?? words.nobody)
  if (part.id === 'sources') return bar === 'none' ? words.noSource : bar.slice(1)
  return words.unknownReason
}

/** The same where there is little room: "Nov". */
export function shortName(report: Report, part: ToldPart, told: ToldBar): string {
  if (!/^\d{4}-\d\d$/.test(told.bar)) return barName(report, part, told)
  return new Intl.DateTimeFormat(format.value.tag, { month: 'short', timeZone: 'UTC' }).format(
    Date.parse(`${told.bar}-01`),
  )
}

export const measureIn = (told: Pick<ToldBar, 'all' | 'series'>, series: string | undefined): Measure =>
  series === undefined || series === 'whole' ? told.all : (told.series[series] as Measure)

/** How large something is drawn: the number of deals, or what they are worth in a currency. Only for drawing: not exact. */
export function sizeOf(measure: Measure, drawn: string): number {
  if (drawn === 'count') return measure.count
  return Number(measure.sums.find(({ currency }) => currency === drawn)?.amount ?? 0)
}

/** Won of won and lost; of none it is null. */
export function rateOf(told: Pick<ToldBar, 'all' | 'series'>): number | null {
  const [won = 0, lost = 0] = [told.series.won?.count, told.series.lost?.count]
  return won + lost === 0 ? null : (100 * won) / (won + lost)
}
