import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Money, Sum } from '../../components/money.tsx'
import { Popover } from '../../components/popover.tsx'
import { boot } from '../../data/boot.ts'
import { fromMicros } from '../../lib/decimal.ts'
import { format } from '../../lib/locale.ts'
import { texts } from './texts/texts.ts'
import { totalsOf } from './totals.ts'
import { useBoard } from './use-board.ts'

/** Count and sums of the deals that are shown, each currency by itself: as many as there is room for, the others on demand. */
export function SumBar() {
  const { board } = useBoard()
  const probability = new Map(board.stages.value.map((stage) => [stage.id, stage.probability]))
  const { count, sums } = totalsOf(
    board.columns.value.flatMap(({ rows }) => rows),
    boot.value.org.currency,
    ({ stage_id }) => probability.get(stage_id) ?? 0,
  )
  const ref = useRef<HTMLDivElement>(null)
  const more = useRef<HTMLButtonElement>(null)
  const words = sums.map(({ currency, micros }) => format.value.amount(fromMicros(micros), currency ?? undefined))
  const fitting = useFitting(ref, `${count} ${words.join()}`)
  const [isOpen, setOpen] = useState(false)
  // The count goes first, then a sum after the other; the last to stay is the number of those that are not shown.
  const shown = Math.max(0, fitting - 1)
  const hidden = sums.length - shown
  return (
    <div ref={ref} class="sumbar small" title={texts().sums}>
      <span data-fit hidden={fitting < 1}>
        {texts().open(count)}
      </span>
      {sums.map(({ currency, micros }, index) => {
        const money = <Money amount={fromMicros(micros)} currency={currency} />
        return (
          <span key={currency} data-fit hidden={index >= shown}>
            {index === 0 ? <Sum>{money}</Sum> : money}
          </span>
        )
      })}
      <button
        ref={more}
        type="button"
        class="more-sums"
        hidden={hidden === 0}
        title={sums
          .map(({ currency }, index) => `${currency ?? ''} ${words[index]}`)
          .slice(shown)
          .join('\n')}
        aria-label={texts().moreSums(hidden)}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen(true)}
      >
        +{hidden}
      </button>
      {isOpen && more.current && (
        <Popover
          anchor={more.current}
          align="end"
          class="all-sums"
          role="dialog"
          aria-label={texts().sums}
          onClose={() => setOpen(false)}
        >
          <ul>
            {sums.map(({ currency, micros }) => (
              <li key={currency}>
                <Money amount={fromMicros(micros)} currency={currency} />
              </li>
            ))}
          </ul>
        </Popover>
      )}
    </div>
  )
}

/** How many of the parts fit into the line, beside the button for the others. Measured anew when width or words change. */
function useFitting(ref: { current: HTMLElement | null }, words: string): number {
  const [fitting, setFitting] = useState(0)
  useLayoutEffect(() => {
    const bar = ref.current
    if (!bar) return
    const measure = () => setFitting(fittingIn(bar))
    measure()
    const sizes = new ResizeObserver(measure)
    sizes.observe(bar)
    return () => sizes.disconnect()
  }, [words])
  return fitting
}

function fittingIn(bar: HTMLElement): number {
  const parts = [...bar.children].filter((child): child is HTMLElement => child instanceof HTMLElement)
  const before = parts.map(({ hidden }) => hidden)
  for (const part of parts) part.hidden = false
  const gap = Number.parseFloat(getComputedStyle(bar).columnGap) || 0
  const widths = parts.filter(({ dataset }) => 'fit' in dataset).map((part) => part.getBoundingClientRect().width)
  const button = bar.querySelector('.more-sums')?.getBoundingClientRect().width ?? 0
  for (const [index, part] of parts.entries()) part.hidden = before[index] ?? false
  const room = bar.clientWidth
  let used = 0
  for (const [index, width] of widths.entries()) {
    used += width + (index > 0 ? gap : 0)
    const isLast = index === widths.length - 1
    if (used + (isLast ? 0 : gap + button) > room) return index
  }
  return widths.length
}
