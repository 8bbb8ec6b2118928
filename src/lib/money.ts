// Amounts are JSON numbers in major units on the wire and integer micros in the store. Micros exceed 2^53, so in
// between they are bigint or decimal text, never a number.

const LIMIT = 9_000_000_000_000

/**
 * Whether the store can return the amount exactly: 0 to 9e12, up to 6 decimals and up to 15 significant digits, which a
 * double represents exactly.
 */
export function isAmount(value: number): boolean {
  return value >= 0 && value <= LIMIT && /^\d{1,13}(\.\d{1,6})?$/.test(plain(value)) && digits(value) <= 15
}

// String() writes 0.000001 in full and only smaller numbers as 1e-7, which are not valid amounts.
const plain = (value: number): string => String(value === 0 ? 0 : value)

function digits(value: number): number {
  return plain(value).replace('.', '').replace(/^0+/, '').replace(/0+$/, '').length
}

/** Micros of an amount that `isAmount` accepts. */
export function toMicros(amount: number): bigint {
  return microsOf(plain(amount))
}

/** Micros of an amount written as decimal text, or undefined if it is not an amount. */
export function parseMicros(text: string): bigint | undefined {
  if (!/^\d{1,13}(\.\d{1,6})?$/.test(text)) return undefined
  const micros = microsOf(text)
  return micros <= BigInt(LIMIT) * 1_000_000n ? micros : undefined
}

function microsOf(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.padEnd(6, '0'))
}

/** The JSON number for micros given as decimal text: '25000100000' → '25000.1'. */
export function amountJson(micros: string): string {
  const padded = micros.padStart(7, '0')
  const whole = padded.slice(0, -6)
  const fraction = padded.slice(-6)
  if (fraction === '000000') return whole
  return `${whole}.${fraction.replace(/0+$/, '')}`
}

const currencies = new Set(Intl.supportedValuesOf('currency'))

/** Whether the text is an ISO 4217 currency code in the ICU data of this build. */
export function isCurrency(code: string): boolean {
  return currencies.has(code)
}
