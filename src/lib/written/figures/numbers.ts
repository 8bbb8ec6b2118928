import { type Context, type Reading, readingOf, type Unread, unread, type Why } from '../reading.ts'
import { currenciesOf, mayMean } from './currencies.ts'
import { MAX_LENGTH, type Piece, piecesOf } from './figure-tokens.ts'
import { figureOf, readFigure, type Shown } from './figures.ts'
import { shifted } from './magnitudes.ts'

// Numbers as people write them: `1.234,50`, `(500)`, `-35,01`, `12k`, `1,5 Mio.`, `1e+05`.

/** What a text with one figure means: decimal texts with a point, and what is beside it. */
export type Figured = { decimals: readonly string[]; currencies: readonly string[]; isPercent: boolean }

/** More digits than these are not kept exactly. */
const MAX_DIGITS = 15

/**
 * Reads a number without a unit. Looks at the signs that the column has shown, and at the locale. A percent sign is two
 * readings: 15 % is 15 or 0.15.
 */
export function readNumber(text: string, context: Context = {}): Reading<number> {
  const found = readFigured(text, context, false)
  if ('unread' in found) return found
  if (found.currencies.length > 0) return unread(text, 'rest')
  const numbers = found.decimals.map(Number)
  if (!found.isPercent) return readingOf(numbers, text)
  return readingOf([...numbers, ...found.decimals.map((each) => Number(`${each}e-2`))], text)
}

/** Reads a percentage as its figure: 12,5 % is 12.5. In a file, a figure below one may be a share of one. */
export function readPercent(text: string, context: Context = {}): Reading<number> {
  const found = readFigured(text, context, false)
  if ('unread' in found) return found
  if (found.currencies.length > 0) return unread(text, 'rest')
  const { decimals, isPercent } = found
  if (isPercent) return readingOf(decimals.map(Number), text)
  const hundredfold = decimals.map((each) => Number(`${each}e2`))
  if (context.isShare) return readingOf(hundredfold, text)
  const isSmall = decimals.some((each) => /^0\./.test(each))
  return readingOf([...decimals.map(Number), ...(isSmall && !context.isSeen ? hundredfold : [])], text)
}

/** Of a column of percentages without a sign: whether it has fractions, and none is above one. */
export const isShares = (texts: readonly string[]): boolean => {
  const found = texts.map((text) => readFigured(text, {}, false))
  const figures = found.flatMap((each) =>
    'unread' in each || each.isPercent ? [Number.NaN] : each.decimals.map(Number),
  )
  return figures.every((each) => each >= 0 && each <= 1) && figures.some((each) => each > 0 && each < 1)
}

/** What a text shows about the signs; nothing if it has no figure or several. */
export function signsIn(text: string): { shows: Shown; isOpen: boolean } {
  const nothing = { shows: {}, isOpen: false }
  if (/^-?\d*$/.test(text) || text.length > MAX_LENGTH) return nothing
  const figures = piecesOf(text, {}, true)?.filter(({ mark }) => mark === 'F') ?? []
  const [first, second] = figures
  if (!first || second || first.exponent !== '') return nothing
  const { shows, open } = figureOf(first.figure)
  return { shows, isOpen: open !== undefined }
}

/** Reads a text with one figure, which may have a multiplying word, and with `isMoney` a currency. */
export function readFigured(text: string, context: Context, isMoney: boolean): Figured | { unread: Unread } {
  const pieces = piecesOf(text, context, isMoney)
  const figures = pieces?.filter(({ mark }) => mark === 'F') ?? []
  if (!pieces || figures.length === 0) return unread(text, /\d/.test(text) ? 'rest' : 'not_one')
  const strange = pieces.find(({ mark }) => mark === '?')
  if (strange) return unread(strange.text, 'rest')
  const shape = shapeOf(pieces)
  if (shape === undefined) return unread(text, figures.length > 1 ? 'several' : 'rest')
  const found = figures.length > 1 ? sumOf(pieces, context) : amountOf(figures[0] as Piece, powersOf(pieces), context)
  if ('unread' in found) return unread(text, found.unread)
  const currencies = currencyOf(pieces, context)
  if (!currencies) return unread(text, 'contradicts')
  const decimals = found.decimals.map((each) => (shape.isNegative && Number(each) !== 0 ? `-${each}` : each))
  const digits = decimals.map((each) => each.replace(/\D/g, '').replace(/^0+/, '').length)
  if (digits.some((count) => count > MAX_DIGITS)) return unread(text, 'too_precise')
  return { decimals, currencies, isPercent: pieces.some(({ mark }) => mark === '%') }
}

/** What may stand around a figure once its minus or its brackets are taken away. */
const SHAPES = /^(?:C{0,2}F(?:M?C{0,2}|%)|CC?FM|%F|M?CF|CMF|(?:FM)+F?C?|C(?:FM)+F?)$/

function shapeOf(pieces: readonly Piece[]): { isNegative: boolean } | undefined {
  const all = pieces.map(({ mark }) => mark).join('')
  const bracketed = /^(C*)\(([CFM%]+)\)([CM%]*)$/.exec(all)
  if (bracketed) return SHAPES.test(bracketed.slice(1).join('')) ? { isNegative: true } : undefined
  const signs = all.match(/[-+]/g) ?? []
  if (signs.length > 1) return undefined
  const isPlaced = signs.length === 0 || /^[-+]|[-+]F|F-|-$/.test(all)
  return isPlaced && SHAPES.test(all.replace(/[-+]/, '')) ? { isNegative: signs[0] === '-' } : undefined
}

type Amount = { decimals: readonly string[] } | { unread: Why }

const powersOf = (pieces: readonly Piece[]): readonly number[] => pieces.find(({ mark }) => mark === 'M')?.powers ?? [0]

const FRACTIONS: Record<string, string> = {
  '½': '5',
  '¼': '25',
  '¾': '75',
  '⅛': '125',
  '⅜': '375',
  '⅝': '625',
  '⅞': '875',
  '⅕': '2',
  '⅖': '4',
  '⅗': '6',
  '⅘': '8',
}

function amountOf({ figure, exponent, fraction }: Piece, powers: readonly number[], context: Context): Amount {
  if (exponent !== '') return exponential(figure, exponent, context)
  const { readings, contradicts } = readFigure(figure, context)
  if (contradicts) return { unread: 'contradicts' }
  if (readings.length === 0) return { unread: 'not_one' }
  if (fraction !== '' && !/^\d+$/.test(figure)) return { unread: 'not_one' }
  const whole = fraction === '' ? readings : [`${readings[0]}.${FRACTIONS[fraction]}`]
  return { decimals: [...new Set(whole.flatMap((each) => powers.map((power) => shifted(each, power))))] }
}

/**
 * A spreadsheet writes 12 digits as 4.91512E+11, and fewer in its scientific format: the digits that are missing are lost.
 * Statistics programs write round numbers as 1e+05.
 */
function exponential(figure: string, exponent: string, { isSeen }: Context): Amount {
  const [, whole = '', fraction = ''] = /^(\d)(?:[.,](\d+))?$/.exec(figure) ?? []
  const power = Number(exponent.slice(1))
  if (whole === '' || Math.abs(power) > 20) return { unread: whole === '' ? 'not_one' : 'too_large' }
  const isLost = fraction.length < power && (power > 10 || fraction.length > 2 || /^\d\d/.test(fraction))
  if (isLost && (!isSeen || power > 10) && /^E\+/.test(exponent)) return { unread: 'spreadsheet' }
  return { decimals: [power < 0 ? small(whole + fraction, -power) : shifted(`${whole}.${fraction}`, power)] }
}

/** 15 and 7 is 0.00000015. */
const small = (digits: string, power: number): string => `0.${'0'.repeat(power - 1)}${digits}`.replace(/0+$/, '')

/** "1億2,500万", "2 Mio. 500 Tsd.": parts from large to small, whose sum is the number. */
function sumOf(pieces: readonly Piece[], context: Context): Amount {
  const parts = pieces.filter(({ mark }) => mark === 'F' || mark === 'M')
  let sum = 0n
  let before = Number.POSITIVE_INFINITY
  for (let at = 0; at < parts.length; at += 2) {
    const [power, other] = parts[at + 1]?.powers ?? (before === 4 || before === 8 ? [0] : [])
    // "2億3,400万": nobody writes parts of the last part.
    const decimal = readFigure((parts[at] as Piece).figure, context).readings.at(-1) ?? ''
    const whole = power === undefined ? '' : shifted(decimal, power)
    if (power === undefined || other !== undefined || power >= before || !/^\d+$/.test(whole))
      return { unread: 'several' }
    if (BigInt(whole) >= 10n ** BigInt(Math.min(before, 30))) return { unread: 'several' }
    sum += BigInt(whole)
    before = power
  }
  return { decimals: [String(sum)] }
}

/** The currencies that are meant; undefined if two contradict each other, such as "€500 USD". */
function currencyOf(pieces: readonly Piece[], context: Context): readonly string[] | undefined {
  const [one, other] = pieces.filter(({ mark }) => mark === 'C').map(({ text }) => text)
  if (one === undefined) return []
  if (other === undefined) return currenciesOf(one, context)
  for (const [text, beside] of [
    [one, other],
    [other, one],
  ] as const) {
    const [code, second] = currenciesOf(text, context)
    if (code !== undefined && second === undefined && mayMean(beside, code)) return [code]
  }
  return undefined
}
