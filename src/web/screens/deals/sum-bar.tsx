import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Money, Sum } from '../../components/money.tsx'
import { Popover } from '../../components/popover.tsx'
import { boot } from '../../data/boot.ts'
import { fromMicros } from '../../lib/decimal.ts'
import { format } from '../../lib/locale.ts'
import { texts } from './texts/texts.ts'
import { totalsOfAll } from './totals.ts'
import { useBoard } from './use-board.ts'

/** Count and sums of the deals that are shown, each currency by itself: as many as there is room for, the others on demand. */
export function SumBar() {
  const { board } = useBoard()
  const { count, sums } = totalsOfAll(
    board.columns.value.map(({ totals }) => totals),
    boot.value.org.currency,
  )
  const ref = useRef<HTMLDivElement>(null)
  const more = useRef<HTMLButtonElement>(null)
  const words = sums.map(({ currency, micros }) => format.value.amount(fromMicros(micros), currency ?? undefined))
  const fitting = useFitting(ref, `${count} ${words.join()}`)
  const [isOpen, setOpen] = useState(false)
  // The count goes first, then a sum after the other; the last to stay is the number of those that are not shown.
  const shown = Math.min(sums.length, Math.max(0, fitting - 1))
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
  // All of them at first: then what is measured is what is there, and the page is laid out once.
  const [fitting, setFitting] = useState(Number.POSITIVE_INFINITY)
  useLayoutEffect(() => {
    const bar = ref.current
    if (!bar) return
    let measured: number | undefined
    const measure = () => {
      if (bar.clientWidth === measured) return
      measured = bar.clientWidth
      setFitting(fittingIn(bar))
    }
    measure()
    const sizes = new ResizeObserver(measure)
    sizes.observe(bar)
    return () => sizes.disconnect()
  }, [words])
  return fitting
}

function fittingIn(bar: HTMLElement): number {
  const parts = [...bar.querySelectorAll<HTMLElement>('[data-fit]')]
  const button = bar.querySelector<HTMLElement>('.more-sums')
  const room = bar.clientWidth
  const gap = Number.parseFloat(getComputedStyle(bar).columnGap) || 0
  const widths = widthsOf(parts)
  const ends = widths.map((_, index) => widths.slice(0, index + 1).reduce((sum, width) => sum + gap + width))
  if ((ends.at(-1) ?? 0) <= room || !button) return widths.length
  const [width = 0] = widthsOf([button])
  const beyond = ends.findIndex((end) => end + gap + width > room)
  return beyond < 0 ? widths.length - 1 : beyond
}

/** The widths that the elements have when they are shown. */
function widthsOf(elements: readonly HTMLElement[]): number[] {
  const hidden = elements.filter((element) => element.hidden)
  for (const element of hidden) element.hidden = false
  const widths = elements.map((element) => element.getBoundingClientRect().width)
  for (const element of hidden) element.hidden = true
  return widths
}
