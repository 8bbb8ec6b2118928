import type { Report, ToldPart } from '../../../site/reports/reports.ts'
import { format } from '../../lib/locale.ts'
import { barName, DRAWN, measureIn, shortName, sizeOf } from './kinds.ts'
import { texts } from './texts.ts'

type ChartProps = {
  report: Report
  part: ToldPart
  /** `count`, or the currency in which amounts are drawn. */
  drawn: string
  /** The bar that is open. */
  bar: string | null
  hrefOf: (bar: string) => string
}

/** Months as columns, each of which opens its list. The table below has the same figures. */
export function Columns({ report, part, drawn, bar: open, hrefOf }: ChartProps) {
  const words = texts()
  const series = DRAWN[report.name] ?? []
  const sizes = part.bars.flatMap((told) => series.map((name) => sizeOf(measureIn(told, name), drawn)))
  const top = Math.max(...sizes, 0)
  const text = (size: number): string =>
    drawn === 'count' ? format.value.number(size) : format.value.amount(size.toFixed(6), drawn, 'sum')
  return (
    <div class="rc-scroll">
      <ul class="legend-of row">
        {series.map((name) => (
          <li key={name} class={`row lg-${name}`}>
            {name === 'whole'
              ? report.name === 'forecast'
                ? words.columns.best
                : words.series.all
              : words.series[name]}
          </li>
        ))}
        <li class="mute">{drawn === 'count' ? words.byCount : words.inCurrency(drawn)}</li>
      </ul>
      <ul class="rc">
        {part.bars.map((told) => {
          const heights = series.map((name) => sizeOf(measureIn(told, name), drawn))
          const name = barName(report, part, told)
          const said = series.map(
            (each, at) => `${each === 'whole' ? words.series.all : words.series[each]} ${text(heights[at] as number)}`,
          )
          return (
            <li key={told.bar}>
              <a
                class={`rc-bar${told.bar === open ? ' is-at' : ''}${told.is_running ? ' is-running' : ''}`}
                href={hrefOf(told.bar)}
                aria-current={told.bar === open ? 'true' : undefined}
              >
                <span class="sr">{`${name}${told.is_running ? `, ${words.running}` : ''}: ${said.join(', ')}`}</span>
                <span class="rc-value" aria-hidden="true">
                  {shortened(Math.max(...heights), drawn)}
                </span>
                <svg viewBox="0 0 60 140" preserveAspectRatio="none" aria-hidden="true">
                  {top > 0 && <Rects series={series} heights={heights.map((size) => (140 * size) / top)} />}
                </svg>
                <span class="rc-name" aria-hidden="true">
                  {shortName(report, part, told)}
                </span>
              </a>
            </li>
          )
        })}
      </ul>
    </div>
  )
}

/** What is a part of the whole stands before it; what is not stands beside it. */
function Rects({ series, heights }: { series: readonly string[]; heights: readonly number[] }) {
  const drawn = series.map((name, at) => ({ name, height: heights[at] as number }))
  const whole = drawn.find(({ name }) => name === 'whole')
  const others = drawn.filter(({ name }) => name !== 'whole')
  const width = others.length === 2 ? 24 : 28
  return (
    <>
      {whole && <rect class="b-whole" x="6" width="48" y={140 - whole.height} height={whole.height} />}
      {others.map(({ name, height }, at) => (
        <rect
          key={name}
          class={`b-${name}`}
          x={others.length === 2 ? 4 + at * 28 : 16}
          width={width}
          y={140 - height}
          height={height}
        />
      ))}
    </>
  )
}

/** "92k": only a mark on the drawing, the table has the whole figure. */
function shortened(size: number, drawn: string): string {
  if (size === 0) return ''
  if (drawn === 'count') return format.value.number(size)
  return new Intl.NumberFormat(format.value.tag, { notation: 'compact', maximumSignificantDigits: 3 }).format(size)
}

/** A bar in a row of the table, as a share of the largest. */
export function RowBar({
  report,
  part,
  bar: id,
  drawn,
}: {
  report: Report
  part: ToldPart
  bar: string
  drawn: string
}) {
  const series = [...(DRAWN[report.name] ?? [])].reverse()
  const all = part.bars.flatMap((told) => series.map((name) => sizeOf(measureIn(told, name), drawn)))
  const top = Math.max(...all, 0)
  const told = part.bars.find(({ bar }) => bar === id)
  if (!told || top === 0) return null
  const isBeside = !series.includes('whole') && series.length > 1
  return (
    <svg class="rb" viewBox="0 0 100 20" preserveAspectRatio="none" aria-hidden="true">
      {series.map((name, at) => {
        const place = series.length - 1 - at
        return (
          <rect
            key={name}
            class={`b-${name === 'whole' && report.name === 'funnel' ? 'main' : name}`}
            y={isBeside ? place * 10 + 1 : name === 'whole' ? 0 : 4}
            height={isBeside ? 8 : name === 'whole' ? 20 : 12}
            width={(100 * sizeOf(measureIn(told, name), drawn)) / top}
          />
        )
      })}
    </svg>
  )
}
