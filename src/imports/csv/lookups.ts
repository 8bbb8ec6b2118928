import { type Named, recordLookups } from '../../crm/records/record-lookups.ts'
import type { Caller } from '../../lib/caller.ts'
import { toDomain } from '../../lib/domain.ts'
import { emailKey } from '../../lib/email.ts'
import { fold } from '../../lib/fold.ts'
import { UUID } from '../../lib/id.ts'
import { conflict, field, invalid, Problem } from '../../lib/problem.ts'
import type { Database } from '../../store/driver.ts'
import type { AllWrites } from '../writes.ts'

// Resolves names in a file to companies, contacts, members and tags. An id is used unchanged; the stores check whether
// it belongs to the organisation.

/** Called for each record that a lookup creates. */
export type Made = (object: 'company' | 'tag', record: { id: string; version: number }) => void

export type Lookups = ReturnType<typeof lookups>

export function lookups(db: Database, writes: AllWrites, who: Caller, onMade: Made) {
  const find = recordLookups(db)
  // Many rows contain the same text. Results are cached for one transaction, since others may change the records after
  // it.
  let cache = new Map<string, string>()

  function cached(key: string, lookup: () => string): string {
    const id = cache.get(key) ?? lookup()
    cache.set(key, id)
    return id
  }

  /** Finds a company by domain or name; creates it unless `make` is false. */
  function company(pointer: string, text: string, make: boolean): string {
    if (UUID.test(text)) return text
    return cached(`company ${text}`, () => {
      const domain = toDomain(text)
      const byDomain = domain && find.companyOfDomain(who.org, domain)
      if (byDomain) return byDomain
      const found = pick(find.companiesNamed(who.org, fold(text)), text, pointer, 'companies', 'its domain')
      if (found) return found
      if (!make) throw unknown(pointer, 'company', text)
      const made = writes.company.create(who, { name: text, ...(domain ? { domains: [domain] } : {}) })
      onMade('company', made)
      return made.id
    })
  }

  /** Finds a contact by email, which may be part of the text, else by name; of several, the one at the company. */
  function contact(pointer: string, text: string, companyId: unknown): string {
    if (UUID.test(text)) return text
    const email = emailIn(text)
    if (email) {
      const [found, second] = find.contactsOfEmail(who.org, emailKey(email), 2)
      if (second) throw several(pointer, 'contacts', text, 'its id')
      if (found) return found
    }
    const named = find.contactsNamed(who.org, fold(text))
    const ofCompany = named.filter(({ company_id }) => company_id !== null && company_id === companyId)
    const found = pick(ofCompany.length > 0 ? ofCompany : named, text, pointer, 'contacts', 'its email')
    if (!found) throw unknown(pointer, 'contact', text)
    return found
  }

  function member(pointer: string, text: string): string {
    if (UUID.test(text)) return text
    return cached(`member ${text}`, () => {
      const email = emailIn(text)
      const byEmail = email && find.memberOfEmail(who.org, email.toLowerCase())
      if (byEmail) return byEmail
      const named = find.members(who.org).filter(({ name }) => fold(name) === fold(text))
      const found = pick(named, text, pointer, 'members', 'the email')
      if (!found) throw unknown(pointer, 'member', text)
      return found
    })
  }

  /** Finds a tag by name: the store rejects a duplicate with the id of the existing tag. */
  function tag(text: string): string {
    if (UUID.test(text)) return text
    return cached(`tag ${text}`, () => {
      try {
        const made = writes.tag.create(who, { name: text })
        onMade('tag', made)
        return made.id
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
    tags: (texts: readonly string[]): string[] => [...new Set(texts.map(tag))],
    /** Call this when a transaction begins, and after a rollback. */
    forget: (): void => {
      cache = new Map()
    },
  }
}

/** Finds the address in texts such as `Ana Ruiz (ana@example.com)`. */
const emailIn = (text: string): string | undefined => /[^\s<>()[\],;:"]+@[^\s<>()[\],;:"]+/.exec(text)?.[0]

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
