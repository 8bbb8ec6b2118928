import { phoneKeys, readPhonesIn } from '../../lib/written/people/phone-countries.ts'
import { countryOf } from '../orgs/orgs.ts'
import type { Database } from '../sqlite/driver.ts'
import type { Comparison, Condition, Filter } from './conditions.ts'
import { idsOfSearch, searches } from './search.ts'

// Records by a phone number in any notation. The search index finds the few that may have it; then all that belongs to the
// number is compared.

type Kind = 'contact' | 'company'

const PLACES: Record<Kind, Pick<Comparison, 'column' | 'json'>> = {
  contact: { column: 'phones', json: { path: '$.number', each: true } },
  company: { column: 'phone' },
}

/** The value of a filter by phone. */
export const PHONE_FORM = {
  is: (text: string): boolean => !text.startsWith(' ') && 'value' in readPhonesIn(text, { isSeen: true }),
  name: 'a phone number, such as %2B49301234567',
}

/** The conditions that a record of this kind has a number. */
export function phoneConditions(kind: Kind, text: string, country: string | undefined): Condition[] {
  const keys = phoneKeys(text, country)
  const compared = { operator: 'eq' as const, values: keys.slice(0, 1), indexed: false }
  return [
    { search: kind, text: sought(text, country) },
    { ...PLACES[kind], ...compared, phone: { country: country ?? null } },
  ]
}

/** The number that is looked for in the index, as one of any country if it may be one. */
function sought(text: string, country: string | undefined): string {
  const read = readPhonesIn(text, { ...(country === undefined ? {} : { country }), isSeen: true })
  const [first] = 'value' in read ? read.value : []
  return first ? (first.international ?? first.dialled) : text
}

/** The filter of a list by a number. */
export function phoneFilter(db: Database, kind: Kind): Filter {
  const country = countryOf(db)
  return {
    type: 'text',
    maxLength: 50,
    form: PHONE_FORM,
    resolve: ({ org }, text) => phoneConditions(kind, text as string, country(org)),
    description:
      "A number in any notation: `%2B49301234567` also finds `030 / 123 45-67` in an organisation in Germany. Without the code of a country it is one of the organisation's.",
  }
}

/** Returns the ids of up to `limit` contacts with a number, the oldest first. */
export function contactsOfPhone(db: Database): (org: number, text: string, limit?: number) => string[] {
  const search = searches(db)
  const country = countryOf(db)
  const found = idsOfSearch({ kind: 'contact', match: '', query: [] }).sql
  const matching = db
    .prepare(
      `SELECT id FROM contacts WHERE org_id = ? AND id IN (${found})
         AND EXISTS (SELECT 1 FROM json_each(phones) AS item WHERE has_phone(item.value ->> '$.number', ?, ?))
       ORDER BY id LIMIT ?`,
    )
    .pluck()
  return (org, text, limit = -1) => {
    const own = country(org)
    const keys = phoneKeys(text, own)
    const { values } = idsOfSearch(search(org, { search: 'contact', text: sought(text, own) }))
    return matching.all(org, ...values, own ?? null, JSON.stringify(keys), limit) as string[]
  }
}
