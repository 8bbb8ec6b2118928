import { usage } from '../../config.ts'
import { type Named, recordLookups } from '../../crm/records/record-lookups.ts'
import type { Stored } from '../../http/route.ts'
import type { Caller } from '../../lib/caller.ts'
import { toDomain } from '../../lib/domain.ts'
import { emailKey } from '../../lib/email.ts'
import { fold } from '../../lib/fold.ts'
import { UUID } from '../../lib/id.ts'
import type { Json } from '../../lib/json.ts'
import { conflict, field, invalid, Problem } from '../../lib/problem.ts'
import type { Database } from '../../store/driver.ts'
import type { AllWrites } from '../writes.ts'
import type { Rules } from './rules.ts'
import { splitName } from './values.ts'

// Resolves names in a file to companies, contacts, members and tags. An id is used unchanged; the stores check whether
// it belongs to the organisation.

/** Called for each record that a lookup creates. */
export type Made = (object: 'company' | 'contact' | 'tag', record: { id: string; version: number }) => void

export type Lookups = ReturnType<typeof lookups>

type Options = { writes: AllWrites; rules: Rules; onMade: Made }

export function lookups(db: Database, who: Caller, { writes, rules, onMade }: Options) {
  const find = recordLookups(db)
  // Many rows contain the same text. Results are cached for one transaction, since others may change the records after
  // it.
  let cache = new Map<string, string>()

  function cached(key: string, lookup: () => string): string {
    const id = cache.get(key) ?? lookup()
    cache.set(key, id)
    return id
  }

  /** Finds a company by domain, name or external id; creates it if `mayMake`. */
  function company(pointer: string, text: string, mayMake: boolean): string {
    if (UUID.test(text)) return text
    return cached(`company ${text}`, () => {
      const domain = toDomain(text)
      const byDomain = domain && find.companyOfDomain(who.org, domain)
      if (byDomain) return byDomain
      const found = pick(find.companiesNamed(who.org, fold(text)), text, pointer, 'companies', 'its domain')
      const known = found ?? find.ofExternalId('company', who.org, text)
      if (known) return known
      const isMade = (rules.unknownCompanies ?? 'make') === 'make'
      if (!mayMake || !isMade || FOREIGN_ID.test(text)) throw unknown(pointer, 'company', text)
      const given = { name: text, ...(domain ? { domains: [domain] } : {}) }
      return made(pointer, 'company', () => writes.company.create(who, given))
    })
  }

  /**
   * Finds a contact by email, which may be part of the text, by external id or by name; of several, the one at the
   * company. Creates it if the rules say so.
   */
  function contact(pointer: string, text: string, companyId: Json | undefined): string {
    if (UUID.test(text)) return text
    const email = emailIn(text)
    if (email) {
      const [found, second] = find.contactsOfEmail(who.org, emailKey(email), 2)
      if (second) throw several(pointer, 'contacts', text, 'its id')
      if (found) return found
    }
    const byId = find.ofExternalId('contact', who.org, text)
    if (byId) return byId
    const name = withoutEmail(text)
    // Somebody of this name with another address is somebody else.
    const namesakes = find.contactsNamed(who.org, fold(email ? name : text))
    const named = email ? namesakes.filter(({ id }) => !find.hasEmail(who.org, id)) : namesakes
    const ofCompany = named.filter(({ company_id }) => company_id !== null && company_id === companyId)
    const found = pick(ofCompany.length > 0 ? ofCompany : named, text, pointer, 'contacts', 'its email')
    if (found) return found
    if (rules.unknownContacts !== 'make' || FOREIGN_ID.test(text)) throw unknown(pointer, 'contact', text)
    const given = {
      ...(name ? splitName(name) : {}),
      ...(email ? { emails: [{ email }] } : {}),
      ...(typeof companyId === 'string' ? { company_id: companyId } : {}),
    }
    return made(pointer, 'contact', () => writes.contact.create(who, given))
  }

  function made(pointer: string, object: 'company' | 'contact' | 'tag', create: () => Stored): string {
    const record = refusedAs(pointer, `cannot become a ${object}`, create)
    onMade(object, record)
    return record.id
  }

  function member(pointer: string, text: string): string {
    if (UUID.test(text)) return text
    return cached(`member ${text}`, () => {
      const email = emailIn(text)
      const byEmail = email && find.memberOfEmail(who.org, email.toLowerCase())
      if (byEmail) return byEmail
      const name = withoutEmail(text)
      const named = find.members(who.org).filter((each) => fold(each.name) === fold(email ? name : text))
      const found = pick(named, text, pointer, 'members', 'the email')
      if (!found) throw unknown(pointer, 'member', text)
      return found
    })
  }

  /** Finds a member; without an active one, the member who owns the records of unknown owners, and `instead` is called. */
  function owner(pointer: string, text: string, instead: (reason: string) => void): string {
    const { unknownOwner } = rules
    if (unknownOwner === undefined) return member(pointer, text)
    const known = find.members(who.org)
    try {
      const id = member(pointer, text)
      if (known.some((each) => each.id === id && each.status === 'active')) return id
      instead(`is not an active member of this organisation: "${text}"`)
    } catch (error) {
      const [first] = (error instanceof Problem && error.errors) || []
      if (first?.code !== 'reference_not_found') throw error
      instead(first.message)
    }
    return unknownOwner
  }

  /** Finds a tag by name: the store rejects a duplicate with the id of the existing tag. */
  function tag(pointer: string, text: string): string {
    if (UUID.test(text)) return text
    return cached(`tag ${text}`, () => {
      try {
        return made(pointer, 'tag', () => writes.tag.create(who, { name: text }))
      } catch (error) {
        const { duplicate_id } = (error instanceof Problem && error.more) || {}
        if (typeof duplicate_id === 'string') return duplicate_id
        throw error
      }
    })
  }

  return {
    company,
    contact,
    member,
    owner,
    tags: (pointer: string, texts: readonly string[]): string[] => [
      ...new Set(texts.map((text, index) => tag(`${pointer}/${index}`, text))),
    ],
    /** Call this when a transaction begins, and after a rollback. */
    forget: (): void => {
      cache = new Map()
    },
  }
}

/** Finds the address in texts such as `Ana Ruiz (ana@example.com)`. */
const emailIn = (text: string): string | undefined => /[^\s<>()[\],;:"]+@[^\s<>()[\],;:"]+/.exec(text)?.[0]

/** Returns `Ana Ruiz` for `Ana Ruiz (ana@example.com)`. */
const withoutEmail = (text: string): string =>
  text
    .replace(emailIn(text) ?? '', '')
    .replace(/[<([]\s*[>)\]]/, '')
    .trim()

/** Ids of accounts and contacts of Salesforce, and record ids of HubSpot: no record gets such a name. */
const FOREIGN_ID = /^(?:00[13][A-Za-z0-9]{12}(?:[A-Za-z0-9]{3})?|\d{8,})$/

/** Runs the creation of a referenced record. What it refuses is an error of the field that refers to it. */
export function refusedAs<T>(pointer: string, what: string, create: () => T): T {
  try {
    return create()
  } catch (error) {
    if (!(error instanceof Problem) || !error.errors) throw error
    const reasons = error.errors.map(({ pointer, message }) => `${pointer.slice(1)} ${message}`)
    throw invalid(field(pointer, error.code, `${what}: ${reasons.join('; ')}`))
  }
}

/** Returns the record with this name; of several, the one spelled exactly the same. */
function pick(
  named: readonly Named[],
  text: string,
  pointer: string,
  many: string,
  better: string,
): string | undefined {
  const equal = named.filter(({ name }) => name === text)
  const [found, second] = equal.length > 0 ? equal : named
  if (second) throw several(pointer, many, text, better)
  return found?.id
}

const several = (pointer: string, many: string, text: string, better: string): Problem =>
  invalid(field(pointer, 'ambiguous', `matches several ${many}: "${text}"; use ${better} instead`))

const unknown = (pointer: string, what: string, text: string): Problem =>
  invalid(field(pointer, 'reference_not_found', `does not match any ${what} of this organisation: "${text}"`))

/** Returns the Problem for a row that matches several records. */
export const ambiguousMatch = (ids: readonly string[]): Problem =>
  conflict('ambiguous_match', `The row matches several records: ${ids.join(', ')}.`)

/** Returns the id of an active member by its id or email. Throws a usage Problem. */
export function ownerNamed(db: Database, org: number, text: string): string {
  const find = recordLookups(db)
  const id = find.memberOfEmail(org, fold(text)) ?? text
  const member = find.members(org).find((each) => each.id === id)
  if (member?.status === 'active') return id
  throw usage(`--unknown-owner must be the email or the id of an active member; "${text}" is neither.`)
}
