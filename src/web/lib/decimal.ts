// Amounts as the wire has them, reckoned without floating point: as integers of a millionth.

/** Major units: a decimal text, or the number that JSON carries exactly. */
export type Amount = string | number

const DIGITS = 6
const MICROS = 1_000_000n
const DECIMAL = /^(-?)(\d+)(?:\.(\d{1,6}))?0*$/

/** Returns millionths. Throws a RangeError for what is no decimal with at most six digits after the point. */
export function toMicros(amount: Amount): bigint {
  // Most amounts are whole, and boards add up thousands.
  if (typeof amount === 'number' && Number.isSafeInteger(amount)) return BigInt(amount) * MICROS
  const [, sign, whole = '', fraction = ''] = DECIMAL.exec(String(amount)) ?? []
  if (!whole) throw new RangeError(`"${amount}" is no amount`)
  const micros = BigInt(whole + fraction.padEnd(DIGITS, '0'))
  return sign ? -micros : micros
}

/** The shortest decimal text of millionths: "25000.5". */
export function fromMicros(micros: bigint): string {
  const digits = String(micros < 0n ? -micros : micros).padStart(DIGITS + 1, '0')
  const fraction = digits.slice(-DIGITS).replace(/0+$/, '')
  return `${micros < 0n ? '-' : ''}${digits.slice(0, -DIGITS)}${fraction && `.${fraction}`}`
}

export type Sums = { currency: string; micros: bigint; count: number }[]

/** Adds up amounts, each currency by itself: the first one named leads, the rest follow by their codes. */
export function sumByCurrency(rows: Iterable<{ amount: Amount | null; currency: string | null }>, first: string): Sums {
  const sums = new Map<string, { currency: string; micros: bigint; count: number }>()
  for (const { amount, currency } of rows) {
    if (amount === null || currency === null) continue
    const sum = sums.get(currency) ?? { currency, micros: 0n, count: 0 }
    sums.set(currency, { currency, micros: sum.micros + toMicros(amount), count: sum.count + 1 })
  }
  return [...sums.values()].sort((a, b) => order(a.currency, first) - order(b.currency, first) || compare(a, b))
}

const order = (currency: string, first: string): number => (currency === first ? 0 : 1)
const compare = (a: { currency: string }, b: { currency: string }): number => (a.currency < b.currency ? -1 : 1)

/** True if an amount has digits after the point that are not zero: then its whole column shows them. */
export function hasFraction(amount: Amount): boolean {
  return toMicros(amount) % MICROS !== 0n
}
