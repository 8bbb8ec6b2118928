import { isCurrency } from '../../lib/money.ts'

// Numbers as people and programs write them: `1.234,50 €`, `$1,234.50`, `1 234,50`, `1'234.50`, `1234.5`.

export type Decimal = '.' | ','

/** A text as a number without its surroundings; `unit` is a currency or empty. */
type Parts = { sign: string; number: string; unit: string }

const SHAPE = /^(-?)([^\d.,-]*)(-?)(\d[\d.,\s'’]*)([^\d]*)$/
const PLAIN = { '.': /^\d+(\.\d+)?$/, ',': /^\d+(,\d+)?$/ }
// Groups of three digits, or of two above the last three as in India.
const GROUPED = { '.': /^[1-9]\d{0,2}(,\d{2,3})*,\d{3}(\.\d+)?$/, ',': /^[1-9]\d{0,2}(\.\d{2,3})*\.\d{3}(,\d+)?$/ }

function partsOf(text: string): Parts | undefined {
  const [, sign = '', before = '', inner = '', number = '', after = ''] = SHAPE.exec(text.trim()) ?? []
  if (number === '' || (before.trim() !== '' && after.trim() !== '')) return undefined
  return { sign: sign || inner, number: number.replace(/[\s'’]/g, ''), unit: before.trim() || after.trim() }
}

const fits = (number: string, decimal: Decimal): boolean => PLAIN[decimal].test(number) || GROUPED[decimal].test(number)

/** Returns the decimal sign if a text is unambiguous: `1.234,5` and `12,5` are, `1.234` and `1234` are not. */
export function decimalShown(text: string): Decimal | undefined {
  const { number = '' } = partsOf(text) ?? {}
  const point = fits(number, '.')
  if (point === fits(number, ',')) return undefined
  return point ? '.' : ','
}

/** Whether the text could be two numbers: whole thousands, or three decimals. */
export function isTwofold(text: string): boolean {
  const { number = '' } = partsOf(text) ?? {}
  return /[.,]/.test(number) && fits(number, '.') && fits(number, ',')
}

/**
 * Returns the number in digits with a point, and its unit; undefined if it is not a number. `decimal` takes
 * precedence over what the text shows.
 */
export function readNumber(text: string, decimal: Decimal | undefined): { digits: string; unit: string } | undefined {
  const parts = partsOf(text)
  if (!parts) return undefined
  const by = decimal ?? decimalShown(text) ?? '.'
  if (!fits(parts.number, by)) return undefined
  const digits = by === '.' ? parts.number.replaceAll(',', '') : parts.number.replaceAll('.', '').replace(',', '.')
  return { digits: parts.sign + digits, unit: parts.unit }
}

/** Whether a double represents all digits of the text. */
export function isExact(digits: string): boolean {
  const [whole = '', fraction = ''] = digits.replace('-', '').split('.')
  return (whole + trimmedEnd(fraction)).replace(/^0+/, '').length <= 15
}

function trimmedEnd(digits: string): string {
  let end = digits.length
  while (digits[end - 1] === '0') end--
  return digits.slice(0, end)
}

const symbolsOf = (display: 'symbol' | 'narrowSymbol') =>
  Map.groupBy(Intl.supportedValuesOf('currency'), (currency) =>
    new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay: display })
      .format(0)
      .replace(/[\d.,\s]/g, ''),
  )
let cachedSigns: { wide: Map<string, string[]>; narrow: Map<string, string[]> } | undefined
function signs() {
  cachedSigns ??= { wide: symbolsOf('symbol'), narrow: symbolsOf('narrowSymbol') }
  return cachedSigns
}

/** Whether the text is the sign of any currency. */
export const isCurrencySign = (unit: string): boolean => signs().wide.has(unit) || signs().narrow.has(unit)

/**
 * Returns the currency of a code or a sign. A sign shared by several currencies means the organisation's own, else the
 * one it is best known for.
 */
export function currencyOf(unit: string, own: string): string | undefined {
  const code = unit.toUpperCase().replace(/^US\$$/, 'USD')
  if (isCurrency(code)) return code
  const { wide, narrow } = signs()
  if (narrow.get(unit)?.includes(own)) return own
  const [first, ...more] = wide.get(unit) ?? narrow.get(unit) ?? []
  return more.length === 0 ? first : undefined
}
