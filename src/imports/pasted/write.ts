import * as v from 'valibot'
import { type Deps, once } from '../../deps.ts'
import type { Caller } from '../../lib/caller.ts'
import * as f from '../../lib/fields.ts'
import type { Json } from '../../lib/json.ts'
import { Problem } from '../../lib/problem.ts'
import { fold } from '../../lib/pure/fold.ts'
import { recordLookups } from '../../records/record-lookups.ts'
import { countryOf } from '../../store/orgs/orgs.ts'
import type { Stored } from '../../store/rows/record-store.ts'
import { joined } from '../csv/cells/draft-values.ts'
import type { Given } from '../writable.ts'
import { allWrites } from '../writes.ts'

const Fields = f.doc(v.record(v.string(), v.unknown()), 'As in the API: its rules and its errors.')

export const PersonGiven = f.object({
  contact: Fields,
  to_contact_id: f.optional(
    f.doc(f.id, 'Adds to this contact what it lacks. What it has otherwise becomes a line of the note.'),
  ),
  company: f.optional(
    f.doc(
      f.object({ name: f.line(), domain: f.optional(f.domain) }),
      'The company with this name or domain; it is made if there is none.',
    ),
  ),
  note: f.optional(f.doc(f.longText(), 'A note about the contact.')),
  allow_duplicate: f.optional(f.doc(v.boolean(), 'Accepts an email that another contact has.')),
})
export type PersonGiven = v.InferOutput<typeof PersonGiven>

export type PersonMade = { id: string; name: string; result: 'created' | 'updated' | 'unchanged'; fields: string[] }

/** Makes contacts with their companies and notes, all or none of them. Call this in a transaction. */
export const peopleMaker = once((deps: Deps) => {
  const { db } = deps
  const writes = allWrites(deps)
  const find = recordLookups(db)
  const country = countryOf(db)

  /** Each record has a key of its own, so that each of them is taken back. Throws what a store refuses, with the person. */
  function make(who: Caller, people: readonly PersonGiven[]): PersonMade[] {
    let count = 0
    const next = (): Caller => (who.key === undefined ? who : { ...who, key: `${who.key}.${++count}` })
    return people.map((person, index) => {
      try {
        return makeOne(next, person)
      } catch (error) {
        throw error instanceof Problem ? ofPerson(error, index) : error
      }
    })
  }

  function makeOne(next: () => Caller, person: PersonGiven): PersonMade {
    const { contact, to_contact_id: to, allow_duplicate = false } = person
    // Wrong fields are refused before anything is written for them.
    const given = writes.contact.check(contact as Given, to === undefined)
    const company_id = person.company === undefined ? undefined : companyOf(next, person.company)
    const wanted = company_id === undefined ? given : { ...given, company_id }
    if (to !== undefined) return addTo(next, writes.contact.find(next(), to), wanted, person)
    const made = writes.contact.create(next(), wanted, { allow_duplicate })
    noteOn(next, made, person.note)
    return { id: made.id, name: made.name as string, result: 'created', fields: [] }
  }

  function companyOf(next: () => Caller, { name, domain }: NonNullable<PersonGiven['company']>): string {
    const { org } = next()
    const [named] = find.companiesNamed(org, fold(name))
    const found = named?.id ?? (domain === undefined ? undefined : find.companyOfDomain(org, domain))
    return found ?? writes.company.create(next(), { name, ...(domain === undefined ? {} : { domains: [domain] }) }).id
  }

  /** What a contact lacks is added; nothing that it has is changed, and nothing that was written is lost. */
  function addTo(next: () => Caller, before: Stored, given: Given, person: PersonGiven): PersonMade {
    const patch: Given = {}
    const others: string[] = []
    for (const [name, value] of Object.entries(given)) {
      if (value === null || name === 'owner_id') continue
      const now = before[name] as Json
      if (Array.isArray(value)) patch[name] = added(now as Json[], value, country(next().org))
      else if (name === 'custom_fields') patch[name] = { ...(value as Given), ...(now as Given) }
      else if (now === null || now === '') patch[name] = value
      else if (name !== 'company_id' && JSON.stringify(now) !== JSON.stringify(value)) others.push(textOf(name, value))
    }
    const after = writes.contact.patch(next(), before, patch, {
      allow_duplicate: person.allow_duplicate ?? false,
    })
    noteOn(next, after, [person.note, ...others].filter(Boolean).join('\n'))
    const fields = Object.keys(patch).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    const result = fields.length > 0 || others.length > 0 || person.note ? 'updated' : 'unchanged'
    return { id: after.id, name: after.name as string, result, fields }
  }

  function noteOn(next: () => Caller, { id }: Stored, body: string | undefined): void {
    if (body?.trim()) writes.note.create(next(), { body, contact_ids: [id] })
  }

  return { make }
})

/** The one that is primary stays so. */
const added = (now: readonly Json[], more: readonly Json[], country: string | undefined): Json[] =>
  joined(
    now,
    now.length === 0 ? more : more.map((each) => (isObject(each) ? { ...each, is_primary: false } : each)),
    country,
  )

const isObject = (value: Json): value is Given => value !== null && typeof value === 'object' && !Array.isArray(value)

const textOf = (name: string, value: Json): string =>
  `${name}: ${isObject(value) ? Object.values(value).filter(Boolean).join(', ') : String(value)}`

/** The fields of a person, below their place in the body. */
function ofPerson({ status, code, message, errors, more }: Problem, index: number): Problem {
  const own = errors?.map((each) => ({ ...each, pointer: `/people/${index}/contact${each.pointer}` }))
  return new Problem(status, code, message, { ...(own ? { errors: own } : {}), more: { ...more, index } })
}
