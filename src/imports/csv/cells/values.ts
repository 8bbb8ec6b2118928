import { unguarded as withoutGuard } from '../../../lib/formula.ts'
import type { Json } from '../../../lib/json.ts'
import { type FieldError, field, invalid, Problem } from '../../../lib/problem.ts'
import { fold } from '../../../lib/pure/fold.ts'
import { currenciesOf } from '../../../lib/written/figures/currencies.ts'
import { type Item, readList, type ValueOf } from '../../../lib/written/lists.ts'
import { isEmptyText, isNoValue } from '../../../lib/written/no-value.ts'
import type { Context } from '../../../lib/written/reading.ts'
import type { Field, Kind, Label } from '../columns/field.ts'
import { amountIn, countIn, dayIn, flagIn, momentIn, numberIn } from './figures.ts'
import { countryCode, languageTag } from './names.ts'
import { domainsIn, emailIn, emailsIn, phoneIn, phonesIn, webAddressIn } from './reach.ts'
import { zoneNamed } from './zones.ts'

// Converts the text of a cell to a value for the body of a create. Throws Problem 422 for unreadable text; invalid
// values, such as a negative amount, are left to the schema of the field.

/** Returns the text of a cell without the escape that exports put before what a spreadsheet would run as a formula. */
export const unguarded = (text: string): string => withoutGuard(text).trim()

/** Whether a cell has no value, in a column of figures or days. */
export const isBlank = (text: string): boolean => isEmptyText(text) || isNoValue(text)

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

/** Reads a cell with content, for a field with one value. `isOurs`: a column of our own export, in which a text is itself. */
export function readValue({ kind, options }: Field, text: string, context: Context, isOurs = false): Json {
  switch (kind) {
    case 'amount':
      return amountIn(text, context).amount
    case 'number':
      return numberIn(text, context)
    case 'count':
      return countIn(text, context)
    case 'currency':
      return currencyIn(text, context) ?? text
    case 'date':
      return dayIn(text, context)
    case 'time':
      return momentIn(text, context)
    case 'flag':
      return flagIn(text, context)
    case 'consent':
      return isRefusal(text)
    case 'country':
      return countryCode(text)
    case 'language':
      return languageTag(text)
    case 'zone':
      return zoneNamed(text)
    case 'url':
      return webAddressIn(text)
    case 'email':
      return emailIn(text, context)
    case 'phone':
      return phoneIn(text, context)
    case 'choice':
      return options?.get(fold(text)) ?? text
    default:
      return !isOurs && text.includes(GOOGLE) ? trimmed(text.split(GOOGLE)).join(', ') : text
  }
}

/** What Google writes between the values of a cell. */
const GOOGLE = ':::'

const trimmed = (parts: readonly string[]): string[] => parts.map((part) => part.trim())

/** The one currency of a code, a sign or a word. */
export function currencyIn(text: string, context: Context): string | undefined {
  const [code, other] = currenciesOf(text, context)
  return other === undefined ? code : undefined
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

/** A cell with more pieces that cannot be read as a whole is refused as a whole: each piece would have a problem of its own. */
const MOST_PARTS = 100

/**
 * What a cell has of emails, phones or host names, and the problems of what cannot be read. `isValue` leaves out words for
 * nothing.
 */
export function readReach(
  { kind }: Field,
  text: string,
  context: Context,
  isValue: (part: string) => boolean,
  label?: Label,
): [Json[], FieldError[]] {
  const read = (part: string): Json[] =>
    kind === 'emails'
      ? emailsIn(part, context, label)
      : kind === 'phones'
        ? phonesIn(part, context, label)
        : domainsIn(part)
  const problemsOf = (part: string): [Json[], FieldError[]] => {
    try {
      return [read(part), []]
    } catch (error) {
      if (error instanceof Problem) return [[], error.errors ?? []]
      throw error
    }
  }
  const whole = problemsOf(text)
  const parts = text.split(kind === 'phones' ? /:::|[;|\n]/ : /:::|[;,|\s]/).filter((part) => isValue(part.trim()))
  if (whole[1].length === 0 || parts.length > MOST_PARTS || (parts.length === 1 && parts[0] === text)) return whole
  const all = parts.map(problemsOf)
  // Of "ana@firm,example" neither part is meant: the first one would be an address that mail never reaches.
  const isCut = kind === 'emails' && all.some(([, errors]) => errors.length > 0) && all.flat(2).some(isBare)
  return !isCut && all.some(([some]) => some.length > 0)
    ? [all.flatMap(([some]) => some), all.flatMap(([, errors]) => errors)]
    : whole
}

/** An email with a host without a dot. */
const isBare = (value: Json | FieldError): boolean =>
  typeof value === 'object' && value !== null && 'email' in value && /@[^.[]+$/.test(String(value.email))

/** The names in a text. Throws 422 for a text with two readings. */
export function namesIn(pointer: string, text: string, known: ValueOf): readonly Item[] {
  const read = readList(text, known)
  if ('value' in read) return read.value
  if ('unread' in read) throw invalid(field(pointer, 'wrong_type', 'must be a list of names'))
  const readings = read.either.map((items) => items.map(({ name }) => JSON.stringify(name)).join(' and '))
  throw invalid(
    field(
      pointer,
      'ambiguous',
      `is ambiguous: it can be ${readings.join(', or ')}; put a name that contains a separator in quotes`,
    ),
  )
}

/** The options of a field that a text names; what is none stays as it is. */
export const optionsIn = ({ options }: Field, text: string): string[] =>
  namesIn('', text, (name) => options?.get(fold(name))).map(({ name, value }) => value ?? name)

/** Returns the label for a text such as Google's `* Work`. */
export function labelOf(text: string): Label {
  const words = fold(text)
  if (words === '' || /work|business|office|main|arbeit|geschaft|dienst|buro|pro|bureau|trabajo|oficina/.test(words)) {
    return 'work'
  }
  return /home|priv|personal|perso|domicil|maison|casa|particular/.test(words) ? 'home' : 'other'
}
