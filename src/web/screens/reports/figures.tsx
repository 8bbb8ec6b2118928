import type { CurrencySum, Measure } from '../../../site/reports/measure.ts'
import type { Report, ToldBar, ToldPart } from '../../../site/reports/reports.ts'
import { Money } from '../../components/money.tsx'
import { format } from '../../lib/locale.ts'
import { RowBar } from './chart.tsx'
import { barName, type Column, columnsOf, measureIn, partTexts, rateOf } from './kinds.ts'
import { texts } from './texts.ts'

type FiguresProps = {
  report: Report
  part: ToldPart
  drawn: string
  /** The bar and the series that are open. */
  open: { bar: string | null; series: string | null } | null
  hrefOf: (bar: string | undefined, series?: string) => string
}

/** Everything that a part counts, as a table: each count opens what it is made of. */
export function Figures({ report, part, drawn, open, hrefOf }: FiguresProps) {
  const words = texts()
  const { first, name } = partTexts(report, part)
  const columns = columnsOf(report, part)
  const hasBars = part.id !== 'months' && part.id !== 'times'
  const hasSum = part.id !== 'stages'
  const whole = wholeOf(part)
  const cell = (told: ToldBar, at: number, bar: string | undefined, column: Column) => {
    const isOpen = open !== null && open.bar === (bar ?? null) && open.series === (column.series ?? null)
    return (
      <td key={column.head} class={column.what === 'sums' || column.what === 'weighted' ? 'num sums' : 'num'}>
        {column.what === 'count' ? (
          <a
            href={hrefOf(bar, column.series)}
            aria-current={isOpen ? 'true' : undefined}
            aria-label={`${bar === undefined ? words.sum : barName(report, part, told)}, ${column.head}: ${format.value.number(measureIn(told, column.series).count)}`}
          >
            {format.value.number(measureIn(told, column.series).count)}
          </a>
        ) : (
          <Figure column={column} told={told} before={part.bars[at - 1]} first={part.bars[0]} />
        )}
      </td>
    )
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: it is no group of fields
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways has to be reached by keyboard
    <div class="rt-scroll" role="group" tabIndex={0} aria-label={name}>
      <table class="rt">
        <thead>
          <tr>
            <th scope="col">{first}</th>
            {hasBars && <td class="rt-bar" />}
            {columns.map(({ head }) => (
              <th key={head} scope="col" class="num">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {part.bars.map((told, at) => (
            <tr key={told.bar} class={open?.bar === told.bar ? 'is-at' : undefined}>
              <th scope="row" dir="auto">
                {barName(report, part, told)}
                {told.is_running && <span class="mute small"> {words.running}</span>}
              </th>
              {hasBars && (
                <td class="rt-bar">
                  <RowBar report={report} part={part} bar={told.bar} drawn={drawn} />
                </td>
              )}
              {columns.map((column) => cell(told, at, told.bar, column))}
            </tr>
          ))}
        </tbody>
        {hasSum && (
          <tfoot>
            <tr>
              <th scope="row">{words.sum}</th>
              {hasBars && <td class="rt-bar" />}
              {columns.map((column) => cell(whole, 0, undefined, column))}
            </tr>
          </tfoot>
        )}
      </table>
    </div>
  )
}

/** All bars as one: the server has added up their series, too. */
export const wholeOf = (part: ToldPart): ToldBar => ({ bar: '', ...part.total })

type FigureProps = { column: Column; told: ToldBar; before: ToldBar | undefined; first: ToldBar | undefined }

function Figure({ column, told, before, first }: FigureProps) {
  const { what, series } = column
  const measure = measureIn(told, series)
  if (what === 'sums' || what === 'weighted') return <Sums measure={measure} isWeighted={what === 'weighted'} />
  return <>{figureText(column, told, before, first)}</>
}

/** The text of what is neither a count nor an amount. */
export function figureText(
  { what, series }: Column,
  told: ToldBar,
  before: ToldBar | undefined,
  first: ToldBar | undefined,
): string {
  const measure = measureIn(told, series)
  const share = (of: Measure | undefined): string =>
    of === undefined || of.count === 0 ? texts().none : format.value.percent((100 * measure.count) / of.count)
  if (what === 'share') return before ? share(before.all) : share(told.all)
  if (what === 'ofAll') return share(first?.all)
  if (what === 'rate') {
    const rate = rateOf(told)
    return rate === null ? texts().none : format.value.percent(rate)
  }
  const ms = what === 'median' ? measure.median_ms : measure.timed === 0 ? null : measure.ms / measure.timed
  return ms === null || ms === undefined ? texts().none : format.value.duration(ms)
}

/** Each currency by itself, and how many have no amount. */
export function Sums({ measure, isWeighted }: { measure: Measure; isWeighted?: boolean }) {
  if (measure.sums.length === 0) return <span class="mute">{texts().none}</span>
  return (
    <ul class="sums-of">
      {measure.sums.map((sum) => (
        <li key={sum.currency}>
          <Money amount={shownAmount(sum, isWeighted)} currency={sum.currency} />
        </li>
      ))}
    </ul>
  )
}

/** Weighted amounts can have eight places, of which six are shown; the sums were made before that. */
export function shownAmount({ amount, weighted }: CurrencySum, isWeighted = false): string {
  if (!isWeighted) return amount
  const [whole = '0', places = ''] = weighted.split('.')
  return places ? `${whole}.${places.slice(0, 6)}` : whole
}
