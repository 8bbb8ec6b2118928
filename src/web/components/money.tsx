import type { ComponentChildren } from 'preact'
import type { Amount } from '../lib/decimal.ts'
import { format } from '../lib/locale.ts'
import './money.css'

type MoneyProps = {
  /** As on the wire: major units, as a decimal text or number. Null is unknown, and 0 is zero. */
  amount: Amount | null | undefined
  currency: string | null | undefined
  /**
   * `all` in records and in columns with an amount that is not whole; otherwise only where they are not zero. A large `sum`
   * has none, and says all of it when one points at it.
   */
  decimals?: 'all' | 'sum' | undefined
}

/** An amount with its ISO code before it, smaller and quieter. */
export function Money({ amount, currency, decimals }: MoneyProps) {
  if (amount === null || amount === undefined) return <span class="mute">—</span>
  const text = format.value.amount(amount, currency ?? undefined, decimals)
  const whole = decimals === 'sum' ? format.value.amount(amount, currency ?? undefined) : text
  return (
    <span class="money" title={whole === text ? undefined : whole}>
      {currency && <abbr>{currency}</abbr>}
      {text}
    </span>
  )
}

/** The double rule under a sum. */
export function Sum({ children }: { children: ComponentChildren }) {
  return <span class="sum">{children}</span>
}
