import type { Context, Sign } from '../reading.ts'

// The digits of a number with what separates them: `1.234,50`, `1,234.50`, `1 234,50`, `1'234.50`, `12,34,567.89`.

/** A decimal sign that is nothing else in any language, such as the Arabic one. */
export const DECIMAL_ONLY = '\u2396'

/** What separates groups of thousands and nothing else. */
const SPACED = /^[1-9]\d{0,2}(?:( |['’`´‘])\d{3})(?:\1\d{3})*(?:[.,⎖](\d+))?$/
/** Both signs, or one of them several times. Indian groups have two digits above the last three. */
const POINT_LAST = /^[1-9]\d{0,2}(?:,\d{3})+\.\d+$|^[1-9]\d?(?:,\d{2})+,\d{3}\.\d+$/
const COMMA_LAST = /^[1-9]\d{0,2}(?:\.\d{3})+,\d+$/
const COMMAS = /^[1-9]\d{0,2}(?:,\d{3}){2,}$|^[1-9]\d?(?:,\d{2})+,\d{3}$/
const POINTS = /^[1-9]\d{0,2}(?:\.\d{3}){2,}$/
const PLAIN = /^(\d*)([.,⎖]?)(\d*)$/

/**
 * What a figure shows about the signs, of itself and without doubt:
 *   groups     this sign is between thousands
 *   decimal    this sign is the decimal one
 *   thirds     so it is with exactly three digits behind it
 *   apart      thousands are apart by spaces or apostrophes
 */
export type Shown = { groups?: Sign; decimal?: Sign; thirds?: Sign; isApart?: true }

type Figure = {
  /** Decimal texts with a point: none, one, or with the sign as the decimal one and as that of groups. */
  readings: readonly string[]
  shows: Shown
  /** The sign that could be either. */
  open?: Sign
}

const decimalOf = (whole: string, fraction = ''): string => {
  const digits = whole.replace(/^0+(?=\d)/, '') || '0'
  const rest = fraction.replace(/0+$/, '')
  return rest === '' ? digits : `${digits}.${rest}`
}

/** Reads a figure of itself, without looking at its surroundings. */
export function figureOf(text: string): Figure {
  if (SPACED.test(text)) {
    const [whole = '', fraction] = text.split(/[.,⎖]/)
    return { readings: [decimalOf(whole.replace(/\D/g, ''), fraction)], shows: { ...decimalIn(text), isApart: true } }
  }
  for (const [pattern, group, decimal] of GROUPED) {
    if (!pattern.test(text)) continue
    const [whole = '', fraction] = decimal ? text.split(decimal) : [text]
    return { readings: [decimalOf(whole.replaceAll(group, ''), fraction)], shows: decimalIn(text, group, decimal) }
  }
  const [, whole = '', sign = '', fraction = ''] = PLAIN.exec(text) ?? []
  if ((whole === '' && fraction === '') || (sign !== '' && fraction === '')) return { readings: [], shows: {} }
  const plain = decimalOf(whole, fraction)
  if (sign !== '.' && sign !== ',') return { readings: [plain], shows: {} }
  const isOpen = fraction.length === 3 && /^[1-9]\d{0,2}$/.test(whole)
  if (isOpen) return { readings: [plain, decimalOf(whole + fraction)], shows: {}, open: sign }
  return { readings: [plain], shows: decimalIn(text, undefined, sign) }
}

const GROUPED: [pattern: RegExp, group: Sign, decimal?: Sign][] = [
  [POINT_LAST, ',', '.'],
  [COMMA_LAST, '.', ','],
  [COMMAS, ','],
  [POINTS, '.'],
]

function decimalIn(text: string, groups?: Sign, sign = /[.,]/.exec(text)?.[0] as Sign | undefined): Shown {
  const decimal = sign === groups ? undefined : sign
  const isThirds = decimal !== undefined && text.length - text.lastIndexOf(decimal) === 4
  return {
    ...(groups ? { groups } : {}),
    ...(decimal ? { decimal } : {}),
    ...(isThirds && decimal ? { thirds: decimal } : {}),
  }
}

/** Returns the decimal texts that a figure may mean where it stands: none, one or two. */
export function readFigure(text: string, context: Context): { readings: readonly string[]; contradicts?: true } {
  const { readings, shows, open } = figureOf(text)
  const { decimal } = context
  const isOther = (sign: Sign | undefined, wanted: Sign | undefined) => sign !== undefined && sign !== wanted
  if (decimal !== undefined && (isOther(shows.decimal, decimal) || shows.groups === decimal))
    return { readings: [], contradicts: true }
  if (open === undefined) return { readings }
  const role = roleOf(open, context)
  return { readings: role === undefined ? readings : readings.slice(...(role === 'decimal' ? [0, 1] : [1])) }
}

/** Whether a sign is the decimal one or groups thousands, by what the column has shown, else by the reader's own format. */
function roleOf(sign: Sign, { decimal, group, locale, isSeen }: Context): 'decimal' | 'group' | undefined {
  if (decimal !== undefined) return decimal === sign ? 'decimal' : 'group'
  if (group === sign) return 'group'
  if (!isSeen || locale === undefined) return undefined
  const signs = signsOf(locale)
  return signs.decimal === sign ? 'decimal' : signs.group === sign ? 'group' : undefined
}

const known = new Map<string, { decimal: string; group: string }>()

/** The signs of a language: between whole and fraction, and between thousands. */
export function signsOf(locale: string): { decimal: string; group: string } {
  const before = known.get(locale)
  if (before) return before
  const parts = new Intl.NumberFormat(locale, { numberingSystem: 'latn' }).formatToParts(1234567.8)
  const find = (type: string) => parts.find((part) => part.type === type)?.value ?? ''
  const signs = { decimal: find('decimal'), group: find('group') }
  known.set(locale, signs)
  return signs
}
