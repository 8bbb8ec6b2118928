import type { Json } from '../../../lib/json.ts'
import { readEmails } from '../../../lib/written/people/emails.ts'
import { internationalOf, type Phone, readPhonesIn } from '../../../lib/written/people/phone-countries.ts'
import { readPhones } from '../../../lib/written/people/phones.ts'
import { readDomains, readWebAddress } from '../../../lib/written/people/web.ts'
import { type Context, mapped, type Reading } from '../../../lib/written/reading.ts'
import type { Label } from '../columns/field.ts'
import { only } from './figures.ts'

// Converts the text of a cell to the emails, phones, host names and web addresses in it. Throws Problem 422 for a text that has
// no reading, or several.

const EMAIL = { code: 'invalid_email', one: 'an email address' }
const PHONE = { code: 'invalid_phone', one: 'a phone number' }
const DOMAIN = { code: 'invalid_domain', one: 'a host name' }
const WEB = { code: 'invalid_url', one: 'a web address' }

/** `said`: the label that the column has, or another one beside it; the usual one is that of the cell, or work. */
export function emailsIn(text: string, context: Context, said: Label | undefined): Json[] {
  const emails = only(readEmails, text, context, EMAIL, (all) => all.map(({ email }) => email).join(', '))
  return emails.map(({ email, label = 'work' }) => ({ email, label: said ?? label }))
}

export function phonesIn(text: string, context: Context, said: Label | undefined): Json[] {
  const phones = only(readPhonesAsWritten, text, context, PHONE, (all) => all.map(shownPhone).join(', '))
  return phones.map((phone) => ({ number: lasting(phone, context), label: said ?? phone.label ?? 'work' }))
}

/** What may be a number of a town, or one without its 0, stays as it is written, which says as much. */
const readPhonesAsWritten = (text: string, context: Context): Reading<readonly Phone[]> => {
  const reading = readPhonesIn(text, context)
  return 'value' in reading ? reading : readPhonesIn(text, { ...context, isSeen: true })
}

/** Returns a sentence about a number that could be two, in a column in which others have their 0. */
export function unsurePhone(text: string, context: Context): string | undefined {
  const reading = context.trunk === 'kept' ? readPhonesIn(text, context) : undefined
  if (!reading || !('either' in reading)) return undefined
  const all = reading.either.map((phones) => phones.map(shownPhone).join(', '))
  return `is kept as it is written, since it is ambiguous: ${all.join(' or ')}`
}

export const domainsIn = (text: string): Json[] => [...only(readDomains, text, {}, DOMAIN, (all) => all.join(', '))]

export const webAddressIn = (text: string): string => only(readWebAddress, text, {}, WEB, String)

/** For a field with one email. */
export const emailIn = (text: string, context: Context): string =>
  only(
    (given, known) => single(readEmails(given, known), given),
    text,
    context,
    EMAIL,
    ({ email }) => email,
  ).email

/** For a field with one phone. It keeps several as they are written, since all are found and the first is dialled. */
export function phoneIn(text: string, context: Context): string {
  const phones = only(readPhonesAsWritten, text, context, PHONE, (all) => all.map(shownPhone).join(', '))
  return phones.length > 1 ? text : lasting(phones[0] as Phone, context)
}

function single<T>(reading: Reading<readonly T[]>, text: string): Reading<T> {
  if ('value' in reading && reading.value.length > 1) return { unread: { part: text, why: 'several' } }
  return mapped(reading, ([first]) => first as T)
}

/** As it is written, unless only its column says what is meant. */
function lasting({ number, international, extension }: Phone, { country }: Context): string {
  const read = readPhones(number)
  const alone = 'value' in read ? internationalOf(read.value[0]?.dialled ?? '', { country }) : undefined
  if (international === undefined || alone === international) return number
  return extension === undefined ? international : `${international} ext. ${extension}`
}

export const shownPhone = ({ international, dialled, extension }: Phone): string =>
  `${international ?? `${dialled} without a code`}${extension === undefined ? '' : ` ext. ${extension}`}`
