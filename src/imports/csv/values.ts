import { toDomain } from '../../lib/domain.ts'
import { fold } from '../../lib/fold.ts'
import { unguarded as withoutGuard } from '../../lib/formula.ts'
import type { Json } from '../../lib/json.ts'
import { field, invalid, type Problem } from '../../lib/problem.ts'
import { isTwofoldDay, type Order, readDay, readMoment } from './dates.ts'
import type { Field, Kind, Label } from './fields.ts'
import { countryCode, languageTag } from './names.ts'
import { currencyOf, type Decimal, isCurrencySign, isExact, isTwofold, readNumber } from './numbers.ts'
import { zoneNamed } from './zones.ts'

// Converts the text of a cell to a value for the body of a create. Throws Problem 422 for unreadable text; invalid
// values, such as a negative amount, are left to the schema of the field.

/** The format of a column as detected from its cells, and the organisation's currency and time zone. */
export type NumberFormat = {
  decimal?: Decimal | undefined
  order?: Order | undefined
  currency: string
  timezone: string
}

const refused = (code: string, message: string): Problem => invalid(field('', code, message))

const quoted = (text: string): string => `"${text.length > 60 ? `${text.slice(0, 59)}…` : text}"`

/** Returns the text of a cell without the escape that exports put before what a spreadsheet would run as a formula. */
export const unguarded = (text: string): string => withoutGuard(text).trim()

/**
 * What people and programs write into a cell that has no value; Outlook writes a day of zeros, and Salesforce an id of
 * zeros.
 */
const BLANK = /^(?:0{15}(?:AAA)?|n\/a|n\.a\.|#n\/a|none|null|nil|\(none\)|\(blank\)|[-–—]+|0+([/.-])0+\1(?:0+))$/i

/** Whether a cell has no value. */
export const isBlank = (text: string): boolean => text === '' || BLANK.test(text)

/** Kinds whose texts refer to records, which are looked up. */
export const LINKS: ReadonlySet<Kind> = new Set<Kind>([
  'company',
  'contact',
  'member',
  'tags',
  'stage',
  'pipeline',
  'status',
  'reason',
])

/** Reads a cell with content, for a field with one value. */
export function readValue({ kind, options }: Field, text: string, format: NumberFormat): Json {
  switch (kind) {
    case 'amount':
    case 'number':
      return numberIn(text, format.decimal)
    case 'count':
      return wholeNumber(text, format.decimal)
    case 'currency':
      return currencyOf(text, format.currency) ?? text
    case 'date':
      return dayIn(text, format.order)
    case 'time':
      return momentIn(text, format)
    case 'flag':
      return flagIn(text)
    case 'consent':
      return isRefusal(text)
    case 'country':
      return countryCode(text)
    case 'language':
      return languageTag(text)
    case 'zone':
      return zoneNamed(text)
    case 'url':
      return withScheme(text)
    case 'choice':
      return options?.get(fold(text)) ?? text
    default:
      return text.includes(GOOGLE) ? trimmed(text.split(GOOGLE)).join(', ') : text
  }
}

/** What Google writes between the values of a cell. */
const GOOGLE = ':::'

const trimmed = (parts: readonly string[]): string[] => parts.map((part) => part.trim())

function numberIn(text: string, decimal: Decimal | undefined): number {
  const found = readNumber(text, decimal)
  if (!found || (found.unit !== '' && !isCurrencySign(found.unit) && currencyOf(found.unit, '') === undefined)) {
    throw refused('invalid_number', `must be a number, not ${quoted(text)}`)
  }
  if (!decimal && isTwofold(text)) {
    throw refused('ambiguous', `${quoted(text)} is ambiguous; use --decimal point or --decimal comma`)
  }
  if (!isExact(found.digits)) {
    throw refused('inexact', `must have at most 15 significant digits; ${quoted(text)} has more`)
  }
  return Number(found.digits)
}

/** In a count, a sign before three digits groups thousands. */
function wholeNumber(text: string, decimal: Decimal | undefined): number {
  return isTwofold(text) ? Number(text.replace(/\D/g, '')) : numberIn(text, decimal)
}

/** Returns the currency written next to an amount. */
export function currencyBeside(text: string, format: NumberFormat): string | undefined {
  const unit = readNumber(text, format.decimal)?.unit
  if (!unit) return undefined
  const currency = currencyOf(unit, format.currency)
  if (currency) return currency
  throw refused(
    'ambiguous',
    `${quoted(unit)} is the symbol of several currencies; add a column with the currency codes`,
  )
}

function dayIn(text: string, order: Order | undefined): string {
  const day = readDay(text, order)
  if (!day) throw refused('invalid_date', `must be a valid date, not ${quoted(text)}`)
  if (!order && isTwofoldDay(text)) throw twofoldDay(text)
  return day
}

const twofoldDay = (text: string) =>
  refused('ambiguous', `${quoted(text)} is ambiguous; use --dates dmy or --dates mdy`)

/** Without an offset, the time is in the organisation's time zone. */
function momentIn(text: string, { order, timezone }: NumberFormat): string {
  const moment = readMoment(text, order)
  if (!moment) throw refused('invalid_time', `must be a date with a time, not ${quoted(text)}`)
  if (!order && isTwofoldDay(text)) throw twofoldDay(text)
  if (moment.offset !== '') return moment.local + moment.offset
  return Temporal.PlainDateTime.from(moment.local).toZonedDateTime(timezone).toInstant().toString()
}

const YES = new Set('true, yes, y, 1, x, on, ja, j, wahr, oui, o, vrai, si, s, verdadero, checked, ✓, ☑'.split(', '))
const NO = new Set(['false', 'no', 'n', '0', 'off', 'nein', 'falsch', 'non', 'faux', 'falso', 'unchecked'])

function flagIn(text: string): boolean {
  const word = fold(text)
  if (!YES.has(word) && !NO.has(word)) throw refused('invalid_flag', `must be yes or no, not ${quoted(text)}`)
  return YES.has(word)
}

const REFUSED = /^(?:unsubscribed?|opt(?:ed)?[ -]?out|do not .+|abgemeldet|desabonne|desinscrit|no contactar|baja)$/
const NOT_REFUSED =
  /^(?:subscribed|opt(?:ed)?[ -]?in|no consent|not subscribed|pending .+|bounced|archived|never subscribed|marketing contact|non-marketing contact)$/

/**
 * Whether a contact must not be contacted, by a flag or by the state of a subscription. Without a consent to mailings
 * nobody has refused to be written to.
 */
function isRefusal(text: string): boolean {
  const word = fold(text)
  if (REFUSED.test(word)) return true
  return NOT_REFUSED.test(word) ? false : flagIn(text)
}

const withScheme = (text: string): string =>
  !/^[a-z][a-z0-9+.-]*:/i.test(text) && toDomain(text.split(/[/?#:]/)[0] as string) ? `https://${text}` : text

/** Returns the host name, also from a web address. */
function domainIn(text: string): string {
  const host = text
    .replace(/^[a-z][a-z0-9+.-]*:\/\//i, '')
    .replace(/^www\./i, '')
    .split(/[/?#:]/)[0] as string
  return toDomain(host) ?? text
}

/** Reads a cell for a field with several values. Google separates them by `:::`. */
export function readValues({ kind, options }: Field, text: string, label: Label = 'work'): Json[] {
  const parts = trimmed(kind === 'emails' ? text.split(GOOGLE).flatMap(apart) : text.split(/:::|[;,|\n]/)).filter(
    (part) => !isBlank(part),
  )
  switch (kind) {
    case 'emails':
      return emailsIn(parts).map((email) => ({ email, label }))
    case 'tags':
      return parts.flatMap(tagIn)
    case 'phones':
      return parts.map((number) => ({ number, label }))
    case 'domains':
      return parts.map(domainIn)
    case 'choices':
      return parts.map((part) => options?.get(fold(part)) ?? part)
    default:
      return parts
  }
}

/** The addresses of a cell. White space separates them, too, and nothing does so in angle brackets. */
function apart(text: string): string[] {
  const parts = ['']
  for (const [index, chunk] of text.split('<').entries()) {
    const end = chunk.lastIndexOf('>') + 1
    const [first, ...more] = chunk.slice(end).split(/[;,|\s]+/)
    parts.push(`${parts.pop()}${index > 0 ? '<' : ''}${chunk.slice(0, end)}${first}`)
    for (const part of more) parts.push(part)
  }
  return parts
}

/** Google marks its own groups with an asterisk; every contact is in `* myContacts`. */
function tagIn(text: string): string[] {
  const [, group] = /^\* (.+)$/.exec(text) ?? []
  if (group === undefined) return [text]
  return /^(?:my ?contacts|other contacts)$/i.test(group) ? [] : [group]
}

/** Extracts the address from `Ana Ruiz <ana@example.com>`; other text next to an address is rejected by the field. */
function emailsIn(parts: readonly string[]): string[] {
  const emails = parts.map((part) => (/<([^<>]+)>/.exec(part)?.[1] ?? part).replace(/^mailto:/i, ''))
  const hasAddress = parts.some((part) => part.includes('<'))
  return hasAddress ? emails.filter((email) => email.includes('@')) : emails
}

/** Returns the label for a text such as Google's `* Work`. */
export function labelOf(text: string): Label {
  const words = fold(text)
  if (words === '' || /work|business|office|main|arbeit|geschaft|dienst|buro|pro|bureau|trabajo|oficina/.test(words)) {
    return 'work'
  }
  return /home|priv|personal|perso|domicil|maison|casa|particular/.test(words) ? 'home' : 'other'
}

/** Splits `Ana Ruiz`, `Ruiz, Ana` and `Ludwig van Beethoven` into first and last name. */
export function splitName(text: string): { first_name?: string; last_name?: string } {
  const [before = '', after] = text.split(/,(.*)/s).map((part) => part.trim())
  if (after) return { first_name: after, ...(before ? { last_name: before } : {}) }
  const words = before.split(/\s+/)
  if (words.length === 1) return { first_name: before }
  const particle = words.findIndex((word, index) => index > 0 && index < words.length - 1 && /^\p{Ll}/u.test(word))
  const last = particle > 0 ? particle : words.length - 1
  return { first_name: words.slice(0, last).join(' '), last_name: words.slice(last).join(' ') }
}
