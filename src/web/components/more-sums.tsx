import { useRef, useState } from 'preact/hooks'
import { fromMicros } from '../lib/decimal.ts'
import { format } from '../lib/locale.ts'
import { t } from '../lib/texts/texts.ts'
import { Money } from './money.tsx'
import { Popover } from './popover.tsx'

export type CurrencySum = { currency: string | null; micros: bigint }

type MoreSumsProps = {
  sums: readonly CurrencySum[]
  /** How many of the last are not shown. */
  hidden: number
  /** However much room there is. */
  stays?: boolean | undefined
  label: string
}

/** The number of the sums that are not shown in a line; it opens all of them. */
export function MoreSums({ sums, hidden, stays = false, label }: MoreSumsProps) {
  const more = useRef<HTMLButtonElement>(null)
  const [isOpen, setOpen] = useState(false)
  const words = sums
    .slice(sums.length - hidden)
    .map(
      ({ currency, micros }) => `${currency ?? ''} ${format.value.amount(fromMicros(micros), currency ?? undefined)}`,
    )
  return (
    <>
      <button
        ref={more}
        type="button"
        class="more-sums"
        data-more={stays ? 'stays' : ''}
        hidden={hidden === 0}
        title={words.join('\n')}
        aria-label={t().moreSums(hidden)}
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
          aria-label={label}
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
    </>
  )
}
