import { asciiDigits } from '../digits.ts'
import { withoutInvisible } from '../pure/invisible.ts'

// The signs of figures and days as one of each kind: digits of other scripts, the many spaces and dashes.

/**
 * The text of a figure or a day as a reader takes it: digits as 0 to 9, full-width letters and signs as the usual ones, one
 * kind of space, none at the ends. Signs that look alike, such as superscripts, stay what they are.
 */
export function plainText(text: string): string {
  const seen = /^[\x20-\x7e]*$/.test(text) ? text : asciiDigits(halfWidth(withoutInvisible(text)))
  return unwrapped(seen.replace(/\s+/g, ' ').trim())
}

const halfWidth = (text: string): string =>
  text.replace(/[\uff01-\uff5e]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) - 0xfee0)).replaceAll('\uffe5', '¥')

/** Spreadsheets write ="0815" for what is to stay a text, and an apostrophe before it where it is typed. */
const unwrapped = (text: string): string => text.replace(/^="(.*)"$/, '$1').replace(/^'(?=[\d(.,+-])/, '')

/** A text without these signs at its end. An expression would look at each run of them from each of its signs. */
export function withoutEnd(text: string, signs: string): string {
  let to = text.length
  while (to > 0 && signs.includes(text[to - 1] as string)) to--
  return text.slice(0, to)
}

/** All that people take for a hyphen or a minus, as one. */
export const oneDash = (text: string): string => text.replace(/[\u2010-\u2013\u2212\ufe58\ufe63]/g, '-')
