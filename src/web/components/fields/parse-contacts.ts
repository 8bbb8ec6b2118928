import { tidy } from '../../../lib/pure/invisible.ts'
import { readAddress } from '../../../lib/written/people/addresses.ts'
import { readEmails } from '../../../lib/written/people/emails.ts'
import { readPhones } from '../../../lib/written/people/phones.ts'
import { readWebAddress } from '../../../lib/written/people/web.ts'
import { fold } from '../../lib/fold.ts'
import { COUNTRIES } from './countries.ts'
import type { Line, Parsed } from './field.ts'
import type { Reading } from './parse.ts'

// Addresses and numbers that people type and paste, by the readers that imports use as well. They come with those of figures.

/** An address or a number of a list, with the label that stands beside it. */
export type Item = { text: string; label?: string | undefined }

export function parseUrl(text: string, { texts }: Reading): Parsed {
  if (text.trim() === '') return { value: null }
  const read = readWebAddress(text)
  return 'value' in read ? read : { error: texts.badUrl }
}

export function emailsIn(text: string, { texts }: Reading): Item[] | { error: string } {
  if (text.trim() === '') return []
  const read = readEmails(text, { isSeen: true })
  return 'value' in read ? read.value.map(({ email, label }) => ({ text: email, label })) : { error: texts.badEmail }
}

/** A single number stays as it is written, as on all other ways in; two are two. */
export function phonesIn(text: string, { texts }: Reading): Item[] | { error: string } {
  const given = tidy(text).trim()
  if (given === '') return []
  const read = readPhones(given)
  if (!('value' in read)) {
    return { error: 'unread' in read && read.unread.why === 'spreadsheet' ? texts.lostDigits : texts.badPhone }
  }
  const [first, ...more] = read.value
  if (more.length === 0 && first) {
    const isLink = /^[a-z]+:|^https?:/i.test(given) && !first.label
    return [{ text: isLink ? first.number : given, label: first.label }]
  }
  return read.value.map(({ number, label }) => ({ text: number, label }))
}

const oneOf = (items: Item[] | { error: string }, wrong: string): Parsed => {
  if ('error' in items) return items
  return items.length > 1 ? { error: wrong } : { value: items[0]?.text ?? null }
}

export const parseEmail = (text: string, reading: Reading): Parsed =>
  oneOf(emailsIn(text, reading), reading.texts.badEmail)

/** A field for one number takes a text with two, as the API does: its link dials each of them. */
export function parsePhone(text: string, reading: Reading): Parsed {
  const items = phonesIn(text, reading)
  if ('error' in items) return items
  return { value: items.length > 1 ? tidy(text).trim() : (items[0]?.text ?? null) }
}

/** The addresses or numbers of a list; several in one line are several, of which the first takes its place. */
export function parseLines(type: 'email' | 'tel', lines: readonly Line[], reading: Reading): Parsed {
  const items: unknown[] = []
  for (const { text, label, is_primary, stored } of lines) {
    const found = text === stored ? [{ text }] : type === 'email' ? emailsIn(text, reading) : phonesIn(text, reading)
    if ('error' in found) return found
    for (const [at, { text, label: said }] of found.entries()) {
      const rest = { label: said && label === 'work' ? said : label, is_primary: is_primary && at === 0 }
      items.push(type === 'email' ? { email: text, ...rest } : { number: text, ...rest })
    }
  }
  return { value: items }
}

/** An address in one text; one whose parts are not certain stays in one line. */
export function parseAddress(text: string, country: string | undefined, { format }: Reading): Parsed {
  const whole = text.trim()
  if (whole === '') return { value: null }
  const namedHere = (name: string): string | undefined =>
    COUNTRIES.find((code) => code === name || fold(format.countryName(code)) === fold(name))
  const read = readAddress(whole, { country, countryNamed: namedHere })
  if (!('value' in read) || read.value.rest !== undefined) return { value: { ...NOWHERE, line1: whole } }
  const shown = Object.entries(read.value).map(([part, each]) => (part === 'country' ? format.countryName(each) : each))
  // What was written is there, and nothing else.
  const isWhole = wordsOf(shown.join(' ')) === wordsOf(whole)
  return { value: isWhole ? { ...NOWHERE, ...read.value } : { ...NOWHERE, line1: whole } }
}

const NOWHERE = { line1: null, line2: null, city: null, region: null, postal_code: null, country: null }

const wordsOf = (text: string): string => (text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).toSorted().join(' ')
