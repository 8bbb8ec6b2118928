import { emailKey } from '../../crm/records/contact-methods.ts'
import { type Named, recordLookups } from '../../crm/records/record-lookups.ts'
import type { Caller } from '../../lib/caller.ts'
import { toDomain } from '../../lib/domain.ts'
import { fold } from '../../lib/fold.ts'
import { UUID } from '../../lib/id.ts'
import { conflict, field, invalid, Problem } from '../../lib/problem.ts'
import type { Database } from '../../store/driver.ts'
import type { AllWrites } from '../writes.ts'

// What the texts of a file stand for: companies, contacts, members and tags by what people call them. An id is taken as
// it is; whether it is one of the organisation the functions of the store check.

/** Called for each record that a lookup makes. */
export type Made = (object: 'company' | 'tag', record: { id: string; version: number }) => void

export type Lookups = ReturnType<typeof lookups>

export function lookups(db: Database, writes: AllWrites, who: Caller, onMade: Made) {
  const find = recordLookups(db)
  // Many rows say the same. What they found holds for one transaction: then others may have changed it.
  let known = new Map<string, string>()

  function remembered(key: string, look: () => string): string {
    const id = known.get(key) ?? look()
    known.set(key, id)
    return id
  }

  /** By domain or name; `make` is false where a company may not come into being by being named. */
  function company(pointer: string, text: string, make: boolean): string {
    if (UUID.test(text)) return text
    return remembered(`company ${text}`, () => {
      const domain = toDomain(text)
      const byDomain = domain && find.companyOfDomain(who.org, domain)
      if (byDomain) return byDomain
      const found = one(find.companiesNamed(who.org, fold(text)), text, pointer, 'companies', 'its domain')
      if (found) return found
      if (!make) throw unknown(pointer, 'company', text)
      const made = writes.company.create(who, { name: text, ...(domain ? { domains: [domain] } : {}) })
      onMade('company', made)
      return made.id
    })
  }

  /** By email, also one beside a name, else by name; where several have it, the one of the company. */
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
    const found = one(ofCompany.length > 0 ? ofCompany : named, text, pointer, 'contacts', 'its email')
    if (!found) throw unknown(pointer, 'contact', text)
    return found
  }

  function member(pointer: string, text: string): string {
    if (UUID.test(text)) return text
    return remembered(`member ${text}`, () => {
      const email = emailIn(text)
      const byEmail = email && find.memberOfEmail(who.org, email.toLowerCase())
      if (byEmail) return byEmail
      const named = find.members(who.org).filter(({ name }) => fold(name) === fold(text))
      const found = one(named, text, pointer, 'members', 'the email')
      if (!found) throw unknown(pointer, 'member', text)
      return found
    })
  }

  /** By name; the store itself tells of the tag that has it already. */
  function tag(text: string): string {
    if (UUID.test(text)) return text
    return remembered(`tag ${text}`, () => {
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
    /** To be called where a transaction begins, and where something was undone. */
    forget: (): void => {
      known = new Map()
    },
  }
}

/** `Ana Ruiz (ana@example.com)` is how some write a person. */
const emailIn = (text: string): string | undefined => /[^\s<>()[\],;:"]+@[^\s<>()[\],;:"]+/.exec(text)?.[0]

/** The one of that name; of several the one that is written in the same way. */
function one(named: readonly Named[], text: string, pointer: string, many: string, better: string): string | undefined {
  const equal = named.filter(({ name }) => name === text)
  const [found, second] = equal.length > 0 ? equal : named
  if (second) throw several(pointer, many, text, better)
  return found?.id
}

const several = (pointer: string, many: string, text: string, better: string): Problem =>
  invalid(field(pointer, 'ambiguous', `could be several ${many}: "${text}"; give ${better} instead`))

const unknown = (pointer: string, what: string, text: string): Problem =>
  invalid(field(pointer, 'reference_not_found', `is no ${what} of this organisation: "${text}"`))

/** The record that a row stands for is not one but several. */
export const ambiguousMatch = (ids: readonly string[]): Problem =>
  conflict('ambiguous_match', `The row matches several records: ${ids.join(', ')}.`)
