import { useRef } from 'preact/hooks'
import { useFitting } from '../../components/fitting.ts'
import { Money, Sum } from '../../components/money.tsx'
import { MoreSums } from '../../components/more-sums.tsx'
import { boot } from '../../data/boot.ts'
import { fromMicros } from '../../lib/decimal.ts'
import { format } from '../../lib/locale.ts'
import { texts } from '../../tables/deals/texts/texts.ts'
import { totalsOfAll } from './totals.ts'
import { useBoard } from './use-board.ts'

/** More than the organisation's currency and two others are a list, which opens. */
const MOST = 3

/** Count and sums of the deals that are shown, each currency by itself: as many as there is room for, the others on demand. */
export function SumBar() {
  const { board } = useBoard()
  const { count, sums } = totalsOfAll(
    board.columns.value.map(({ totals }) => totals),
    boot.value.org.currency,
  )
  const ref = useRef<HTMLDivElement>(null)
  const few = sums.slice(0, MOST)
  const words = few.map(({ currency, micros }) => format.value.amount(fromMicros(micros), currency ?? undefined, 'sum'))
  const fitting = useFitting(ref, `${count} ${sums.length} ${words.join()}`)
  // The count goes first, then a sum after the other; the last to stay is the number of those that are not shown.
  const shown = Math.min(few.length, Math.max(0, fitting - 1))
  return (
    <div ref={ref} class="sumbar small" title={texts().sums}>
      <span data-fit hidden={fitting < 1}>
        {texts().open(count)}
      </span>
      {few.map(({ currency, micros }, index) => {
        const money = <Money amount={fromMicros(micros)} currency={currency} decimals="sum" />
        return (
          <span key={currency} data-fit hidden={index >= shown}>
            {index === 0 ? <Sum>{money}</Sum> : money}
          </span>
        )
      })}
      <MoreSums sums={sums} hidden={sums.length - shown} stays={sums.length > MOST} label={texts().sums} />
    </div>
  )
}
