import { asciiDigits } from '../../digits.ts'
import { plain } from '../../pure/invisible.ts'
import { withoutEnd } from '../characters.ts'
import type { Reading } from '../reading.ts'
import { EXTENSION, type Label, labelOf, OR } from './contact-words.ts'

/** A phone number as it is written, and what of it is dialled. */
export type WrittenPhone = {
  /** Without what stands around it, such as "Tel.:". */
  number: string
  /** Digits, with + in front if the code of the country is there and said to be; letters as on the keys of a phone. */
  dialled: string
  extension?: string
  label?: Label
}

const FEWEST = 3
/** Those of the standard (E.164), and 00 in front. */
const MOST = 17
/** A longer text is none, and is not looked at. */
const LONGEST = 500
/** Fewer digits are the beginning of a number, or its end. */
const WHOLE = 6

/**
 * Reads the numbers of a text, each of which once. Without the country a number of the same country stays as it is dialled
 * there: `internationalOf` in phone-countries.ts goes on.
 */
export function readPhones(given: string): Reading<readonly WrittenPhone[]> {
  if (/^\+?[1-9][\d ]{5,16}\d$/.test(given)) {
    const dialled = given.replaceAll(' ', '')
    if (dialled.length < MOST) return { value: [{ number: given, dialled }] } // most are as plain as that
  }
  if (given.length > LONGEST) return { unread: { part: given.slice(0, LONGEST), why: 'not_one' } }
  const text = unwrapped(
    asciiDigits(plain(given))
      .replace(/[\u2010-\u2015\u2212\u2043]/g, '-')
      .replace(/[’‘`´]/g, "'"),
  )
  if (isDestroyed(text)) return { unread: { part: text, why: 'spreadsheet' } }
  if (isOther(text)) return { unread: { part: text, why: 'not_one' } }
  const found = new Map<string, WrittenPhone>()
  for (const part of partsOf(text)) {
    const all = alternatives(part)
    if (!all) return { unread: { part, why: 'several' } }
    for (const each of all) {
      const phone = readOne(each)
      if ('unread' in phone) return { unread: { ...phone.unread, why: hasNumber(text) ? phone.unread.why : 'not_one' } }
      const key = dialKeyOf(phone.value)
      if (!found.has(key)) found.set(key, phone.value)
    }
  }
  const phones = [...found.values()]
  return phones.length > 0 ? { value: phones } : { unread: { part: text, why: 'not_one' } }
}

/** What two spellings of one number have in common, as far as that is known without the country. */
export function dialKey(text: string): string {
  const read = readPhones(text)
  if ('value' in read) return read.value.map(dialKeyOf).join(' ')
  return plain(text)
    .replace(/[\s()./-]/g, '')
    .toLowerCase()
}

const dialKeyOf = ({ dialled, extension }: WrittenPhone): string =>
  dialled.replace(/^00/, '+') + (extension === undefined ? '' : `;${extension}`)

/** A formula, quotation marks, an apostrophe that keeps a text a text, or a link. */
function unwrapped(text: string): string {
  const link = /^(?:https?:\/\/)?(?:wa\.me\/|(?:api\.|web\.)?whatsapp\.com\/send\/?\?phone=)\+?(\d+)[^\d]*$/i.exec(text)
  if (link) return `+${link[1]}`
  return text
    .replace(/^="(.*)"$/, '$1')
    .replace(/^<(.*)>$/, '$1')
    .replace(/^(["'])(.*)\1$/, '$2')
    .replace(/^'/, '')
    .replace(/^(?:tel|callto|sip|sms):(?:\/\/)?/i, '')
    .replace(/;phone-context=\+?[\w.-]*$/i, '')
    .replace(/^\+\s*\++/, '+')
    .trim()
}

/** Written as a calculated number, or as an error. */
const isDestroyed = (text: string): boolean =>
  /^[+-]?\d+(?:[.,]\d+)?E[+-]?\d+$/i.test(text) ||
  /^\+?\d{5,}[.,]0+$/.test(text) ||
  /^#+$|^#[\p{L}/0]+[!?]?$/u.test(text) ||
  /^-\s?\d+$/.test(text)

/** A day, which a spreadsheet makes of some numbers, or one with a time; a time of day. */
const isOther = (text: string): boolean =>
  /^(?:\d{4}-\d\d?-\d\d?|\d\d?([./])\d\d?\1(?:19|20)\d\d)(?:[ T]\d.*)?$/.test(text) || /\d:\d/.test(text)

const hasNumber = (text: string): boolean => digitsIn(text) >= WHOLE

/** What stands between separators, or behind labels of its own. */
function partsOf(text: string): string[] {
  const lines = text.split(/\n|:::|\||;(?!\s*ext=)/).flatMap((line) => line.split(OR))
  return lines
    .flatMap(byComma)
    .flatMap((part) => part.split(/(?<=\d[^\d+]*[\s,)])(?=\+\s?\d)/))
    .flatMap(byLabel)
    .map((part) => withoutEnd(part.replace(/^[\s,/]+/, ''), ' \n\t,./'))
    .filter((part) => part !== '')
}

/** A comma stands in front of an extension as well. */
function byComma(text: string): string[] {
  if (/^\d{1,3}(?:,\d{3})+$/.test(text)) return [text.replaceAll(',', '')]
  const parts = text.split(/,\s*/)
  return parts.every((part) => part.trim() === '' || digitsIn(part) >= WHOLE) ? parts : [text]
}

/** "T: 0131 496 0222 M: 07700 900457" */
function byLabel(text: string): string[] {
  const parts = text.split(/(?<=\d[\s),-]*\s)(?=\p{L}[^\d+(]*[+(\d])/u)
  const areWhole = parts.every(
    (part, at) => digitsIn(part) >= WHOLE && (at === 0 || labelOf(FRONT.exec(part)?.[1] ?? '') !== undefined),
  )
  return areWhole ? parts : [text]
}

/** What a slash stands between: groups of a number, two numbers, or one and the last digits of another; undefined if that is unclear. */
function alternatives(text: string): string[] | undefined {
  const [first = '', ...rest] = text.split(/(\s*\/\s*)/)
  const all: string[] = []
  let open = first
  for (let at = 0; at + 1 < rest.length; at += 2) {
    const [slash = '', piece = ''] = rest.slice(at)
    const isNext = isWhole(rest.slice(at + 1).join('')) && (isWhole(piece) || /^[+0(]/.test(piece))
    const end = isNext && /^[+0(]/.test(piece) ? undefined : withEnd(all[0] ?? open, piece)
    if (isWhole(open) && (end !== undefined || isNext)) {
      all.push(open)
      open = end ?? piece
    } else if (!isWhole(open) || isGrouped(open)) open = `${open}${slash}${piece}`
    else return undefined
  }
  return [...all, open]
}

/** Whether a slash stands between groups as other signs do. */
const isGrouped = (text: string): boolean => /^\+?[\d/]+$/.test(text)

/** Whether a text has enough digits for a number that another one can follow. */
const isWhole = (text: string): boolean => digitsIn(text) >= (/^\(?(?:\+|00)/.test(text) ? WHOLE + 3 : WHOLE)

/** "66969-120/-121": the last groups are others. */
function withEnd(number: string, end: string): string | undefined {
  if (!/^[-\d\s]+$/.test(end) || (isGrouped(number) && !end.startsWith('-'))) return undefined
  const groups = number.split(/(?<=\d)(?=\D)|(?<=\D)(?=\d)/)
  const wanted = digitsIn(end)
  for (let at = groups.length - 1, count = 0; at > 0 && count < wanted; at -= 1) {
    count += digitsIn(groups[at] as string)
    if (count === wanted && wanted > 0) return groups.slice(0, at).join('') + end.replace(/^[\s-]+/, '')
  }
  return undefined
}

type One = { value: WrittenPhone } | { unread: { part: string; why: 'rest' | 'not_one' | 'several' } }

function readOne(given: string): One {
  let [text, label] = labelled(given)
  let extension: string | undefined
  text = text.replace(EXTENSION, (_whole, ...found: (string | undefined)[]) => {
    extension = found.slice(0, -2).find((each) => typeof each === 'string' && /^\d+$/.test(each))
    return ''
  })
  text = withoutEnd(text, ' \n\t,;-')
  const number = extension === undefined ? text : labelled(given)[0]
  const rest = text.replace(/^[([]?\+|[\d\s()[\].\-/+']|(?<=\b0)xx(?=\d|\))/gi, '')
  const plainText = rest === '' ? text : lettersDialled(text)
  if (plainText === undefined) return { unread: { part: wordsOf(text), why: 'rest' } }
  const dialled = digitsDialled(plainText)
  const count = dialled.replace('+', '').length
  if (/\+/.test(plainText.replace(/^\(?\s*\+/, ''))) return { unread: { part: given, why: 'not_one' } }
  if (count > MOST) return { unread: { part: given, why: 'several' } }
  if (count < FEWEST || /^\+?0*$/.test(dialled) || dialled.startsWith('+0'))
    return { unread: { part: given, why: 'not_one' } }
  return {
    value: {
      number: number.trim(),
      dialled,
      ...(extension === undefined ? {} : { extension }),
      ...(label === undefined ? {} : { label }),
    },
  }
}

/** A label stands in front of a number, behind it, or there in brackets. */
function labelled(given: string): [text: string, label: Label | undefined] {
  let label: Label | undefined
  let text = given
  for (let before = ''; before !== text; ) {
    before = text
    const [, front = '', behind = text] = FRONT.exec(text) ?? []
    const [, number = text, bracket] = /^(.*\d[\d)]*)\s*[([]([^()[\]\d]+)[)\]]$/su.exec(text) ?? []
    const [, short = text, word] = /^(.*\d[\d)]*)[\s,]+(\p{L}[\p{L}.\s-]*)$/su.exec(text) ?? []
    for (const [said, rest] of [
      [front, behind],
      [bracket, number],
      [word, short],
    ] as const) {
      if (!said) continue
      const found = labelOf(said)
      if (found === undefined) continue
      if (label === undefined || label === 'other') label = found || label
      text = rest.trim()
      break
    }
  }
  return [text, label]
}

const FRONT = /^(\p{L}[\p{L}\s.-]*?)\s*[:.]?\s*(?=[+(\d])(.*)$/su

const wordsOf = (text: string): string => /\p{L}[^()[\]]*/su.exec(text)?.[0].trim() ?? text

/** "0800 KANZLEI": letters only where numbers with them begin, and as many as a number has digits. */
function lettersDialled(text: string): string | undefined {
  const [, front = '', letters = ''] = /^(\+?[\d\s().-]*)\b([A-Z][A-Z\s-]*)$/.exec(text) ?? []
  const count = letters.replace(/[^A-Z]/g, '').length
  const digits = front.replace(/\D/g, '')
  const isFree = /^(?:1?8\d\d|0?800|0?700|0?900|1?900|13|1[38]00|0180\d|00800)/.test(digits)
  const isAmerican = /^1?\d{3}(?:\d{3})?$/.test(digits) && count + digits.replace(/^1/, '').length >= 10
  if (count < 3 || digits.length < 2 || (!isFree && !isAmerican) || count + digits.length > 13) return undefined
  return front + letters.replace(/[A-Z]/g, (letter) => KEYS[letter.charCodeAt(0) - 65] as string)
}
/** The key of each letter, from A to Z. */
const KEYS = '22233344455566677778889999'

/** The 0 in brackets is not dialled behind the code of the country, but in Italy. */
function digitsDialled(text: string): string {
  const isAbroad = /^\(?\s*(?:\+|00)/.test(text)
  const isItaly = /^\D*(?:00\s*)?39/.test(text)
  const digits = (isAbroad && !isItaly ? text.replace(/\(\s*0\s*\)/, '') : text).replace(/\D/g, '')
  return /^\(?\s*\+/.test(text) ? `+${digits.replace(/^00/, '')}` : digits
}

const digitsIn = (text: string): number => text.match(/\d/g)?.length ?? 0
