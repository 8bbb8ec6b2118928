import type { Report } from '../../../site/reports/reports.ts'
import { boot } from '../../data/boot.ts'
import { format } from '../../lib/locale.ts'
import { Sums } from './figures.tsx'
import { rateOf } from './kinds.ts'
import { texts } from './texts.ts'

/** The answer of a report in a line or two. */
export function Lead({ report }: { report: Report }) {
  const words = texts().reports
  const number = (count: number): string => format.value.number(count)
  const total = report.parts[0]?.total
  if (!total) return null
  const won = total.series.won?.count ?? 0
  const ofAll = total.all.count === 0 ? null : (100 * won) / total.all.count
  if (report.name === 'won-lost') {
    const rate = rateOf(total)
    return (
      <div class="lead">
        <b>{words['won-lost'].lead(number(won), number(total.series.lost?.count ?? 0))}</b>
        {rate !== null && <span class="dim">{words['won-lost'].rate(format.value.percent(rate))}</span>}
      </div>
    )
  }
  if (report.name === 'forecast')
    return (
      <div class="lead">
        <b>{words.forecast.lead(number(total.all.count))}</b>
        <Sums measure={total.all} />
      </div>
    )
  const own = words[report.name as 'funnel' | 'sources']
  return (
    <div class="lead">
      <b>{own.lead(number(total.all.count))}</b>
      {ofAll !== null && <span class="dim">{own.rate(format.value.percent(ofAll))}</span>}
    </div>
  )
}

/** What can be drawn: the number of deals, or amounts in a currency of the report, that of the organisation first. */
export function currenciesOf(report: Report): string[] {
  const found = new Set(
    report.parts.flatMap(({ total }) =>
      total.all.sums.flatMap(({ currency }) => (currency === null ? [] : [currency])),
    ),
  )
  const { currency } = boot.value.org
  return [...found].sort((a, b) => Number(b === currency) - Number(a === currency) || (a < b ? -1 : 1))
}

/** How it is drawn unless somebody chose: amounts where a report is about them. */
export function usuallyDrawn(report: Report): string {
  if (report.name !== 'forecast') return 'count'
  return currenciesOf(report)[0] ?? 'count'
}
