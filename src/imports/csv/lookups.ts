import type { Caller } from '../../lib/caller.ts'
import { toDomain } from '../../lib/domain.ts'
import { emailKey } from '../../lib/email.ts'
import { UUID } from '../../lib/id.ts'
import type { Json } from '../../lib/json.ts'
import { conflict, field, invalid, Problem, usage } from '../../lib/problem.ts'
import { fold, uniqueName } from '../../lib/pure/fold.ts'
import { likelyNames } from '../../lib/written/people/name-fields.ts'
import type { ExternalIds } from '../../records/external-ids.ts'
import { type Named, recordLookups } from '../../records/record-lookups.ts'
import type { Stored } from '../../store/rows/record-store.ts'
import type { Database } from '../../store/sqlite/driver.ts'
import type { AllWrites } from '../writable.ts'
import { namesIn } from './cells/values.ts'
import type { Rules } from './rules.ts'

// Resolves names in a file to companies, contacts, members and tags. An id is used unchanged; the stores check whether
// it belongs to the organisation.

/** Called for each record that a lookup creates. */
export type Made = (object: 'company' | 'contact' | 'tag', record: { id: string; version: number }) => void

export type Lookups = ReturnType<typeof lookups>

type Options = {
  writes: AllWrites
  rules: Rules
  ids: ExternalIds
  /** The product that the file is from. */
  source: string
  onMade: Made
}

export function lookups(db: Database, who: Caller, { writes, rules, ids, source, onMade }: Options) {
  const find = recordLookups(db)
  // Many rows contain the same text. Results are cached for one transaction, since others may change the records after
  // it.
  let cache = new Map<string, string>()

  function cached(key: string, lookup: () => string): string {
    const id = cache.get(key) ?? lookup()
    cache.set(key, id)
    return id
  }

  /** Finds a record by its id in the product that the file is from. Throws 422 for an id of several products. */
  function ofId(pointer: string, object: 'company' | 'contact' | 'deal', text: string): string | undefined {
    const [found, second] = ids.find(who.org, object, text.normalize('NFC'), source)
    if (second) throw several(pointer, 'records of several products', text, '--source NAME')
    return found?.id
  }

  /** Finds the record with one of these ids, if it came in with it. Throws 422 if there is none and no other way to find it. */
  function firstOf(
    pointer: string,
    object: 'company' | 'contact' | 'deal',
    given: readonly string[],
    isLast: boolean,
  ): string | undefined {
    for (const id of given) {
      const found = ofId(pointer, object, id)
      if (found) return found
    }
    if (isLast && given[0] !== undefined) throw unknown(pointer, object, given.join('; '))
    return undefined
  }

  /** Finds what remains of a record with this name that was merged into another one. */
  function mergedAs(object: 'company' | 'contact', name: string): string | undefined {
    const [found, second] = ids.keptOf(who.org, object, name.normalize('NFC'))
    return second ? undefined : found
  }

  /** Finds a company by domain, name or external id; creates it if `mayMake`. */
  function company(pointer: string, text: string, mayMake: boolean): string {
    if (UUID.test(text)) return text
    return cached(`company ${text}`, () => {
      const domain = toDomain(text)
      const byDomain = domain && find.companyOfDomain(who.org, domain)
      if (byDomain) return byDomain
      const named = pick(find.companiesNamed(who.org, fold(text)), text, pointer, 'companies', 'its domain')
      const found = named ?? mergedAs('company', text) ?? ofId(pointer, 'company', text)
      if (found) return found
      const isMade = (rules.unknownCompanies ?? 'make') === 'make'
      if (!mayMake || !isMade || FOREIGN_ID.test(text)) throw unknown(pointer, 'company', text)
      const given = { name: text, ...(domain ? { domains: [domain] } : {}) }
      return made(pointer, 'company', () => writes.company.create(who, given))
    })
  }

  /**
   * Finds a contact by email, which may be part of the text, by external id or by name; of several, the one at the
   * company. Creates it if the rules and `mayMake` say so.
   */
  function contact(pointer: string, text: string, companyId: Json | undefined, mayMake: boolean): string {
    if (UUID.test(text)) return text
    const email = emailIn(text)
    if (email) {
      const [found, second] = find.contactsOfEmail(who.org, emailKey(email), 2)
      if (second) throw several(pointer, 'contacts', text, 'its id')
      if (found) return found
    }
    const byId = ofId(pointer, 'contact', text)
    if (byId) return byId
    const name = withoutEmail(text)
    // Somebody of this name with another address is somebody else.
    const namesakes = find.contactsNamed(who.org, fold(email ? name : text))
    const named = email ? namesakes.filter(({ id }) => !find.hasEmail(who.org, id)) : namesakes
    const ofCompany = named.filter(({ company_id }) => company_id !== null && company_id === companyId)
    const found = pick(ofCompany.length > 0 ? ofCompany : named, text, pointer, 'contacts', 'its email')
    const known = found ?? (email ? undefined : mergedAs('contact', text))
    if (known) return known
    if (!mayMake || rules.unknownContacts !== 'make' || FOREIGN_ID.test(text)) throw unknown(pointer, 'contact', text)
    const given = {
      ...(name ? likelyNames(name) : {}),
      ...(email ? { emails: [{ email }] } : {}),
      ...(typeof companyId === 'string' ? { company_id: companyId } : {}),
    }
    return made(pointer, 'contact', () => writes.contact.create(who, given))
  }

  /** Finds a deal by title. */
  function deal(pointer: string, text: string): string | undefined {
    if (UUID.test(text)) return text
    const [found, second] = find.dealsTitled(who.org, fold(text))
    if (second) throw several(pointer, 'deals', text, 'its id')
    return found?.id ?? ofId(pointer, 'deal', text)
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
      const byEmail = email && find.memberOfEmail(who.org, emailKey(email))
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

  const tagNamed = (name: string): string | undefined =>
    UUID.test(name) ? name : find.tagNamed(who.org, uniqueName(name))

  /** The names of tags that the texts of cells have. Throws 422 for a text with two readings. */
  function tagsIn(pointer: string, texts: readonly string[]): string[] {
    return texts.flatMap((text, index) => namesIn(`${pointer}/${index}`, text, tagNamed).map(({ name }) => name))
  }

  /** Finds a tag by name, or makes it. */
  const tag = (pointer: string, name: string): string =>
    cached(`tag ${name}`, () => tagNamed(name) ?? made(pointer, 'tag', () => writes.tag.create(who, { name })))

  return {
    firstOf,
    ofId,
    company,
    contact,
    deal,
    member,
    owner,
    tagsIn,
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
  const id = find.memberOfEmail(org, emailKey(text)) ?? text
  const member = find.members(org).find((each) => each.id === id)
  if (member?.status === 'active') return id
  throw usage(`--unknown-owner must be the email or the id of an active member; "${text}" is neither.`)
}
