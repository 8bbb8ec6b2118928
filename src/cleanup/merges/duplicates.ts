import { asciiDigits } from '../../lib/digits.ts'
import { notFound } from '../../lib/problem.ts'
import { contactsOfPhone } from '../../store/list/phones.ts'
import type { Database } from '../../store/sqlite/driver.ts'
import type { MergeObject } from './undo-conflicts.ts'

/** Another record that may be a duplicate, and what the two have in common. */
export type Duplicate = { id: string; reasons: Reason[] }
type Reason = 'email' | 'phone' | 'name' | 'domain' | 'website'

type Contact = { name_key: string; company_id: string | null; phones: string }
type Company = { name_key: string; website_host: string | null }
type Match = [Reason, string[]]

/** Per reason: a name that many records share means little. */
const MAX_FOUND = 100

/**
 * Finds possible duplicates of a record: contacts with the same email, phone, or name and company; companies
 * with the same name or website host, or whose domain is the website host of the other. Sorts by the number of reasons,
 * descending, then by age, oldest first. Throws 404.
 */
export function duplicates(db: Database): (org: number, object: MergeObject, id: string) => Duplicate[] {
  const contact = db.prepare('SELECT name_key, company_id, phones FROM contacts WHERE org_id = ? AND id = ?')
  const company = db.prepare('SELECT name_key, website_host FROM companies WHERE org_id = ? AND id = ?')
  const withEmail = db
    .prepare(
      `SELECT other.contact_id FROM contact_emails AS own JOIN contact_emails AS other
         ON other.org_id = own.org_id AND other.email_key = own.email_key
       WHERE own.org_id = ? AND own.contact_id = ? LIMIT ${MAX_FOUND}`,
    )
    .pluck()
  const withName = db
    .prepare(
      `SELECT id FROM contacts INDEXED BY contacts_name
       WHERE org_id = ? AND name_key = ? AND company_id IS ? LIMIT ${MAX_FOUND}`,
    )
    .pluck()
  const companyWithName = db
    .prepare(`SELECT id FROM companies INDEXED BY companies_name WHERE org_id = ? AND name_key = ? LIMIT ${MAX_FOUND}`)
    .pluck()
  const withHost = db
    .prepare(
      `SELECT id FROM companies INDEXED BY companies_website WHERE org_id = ? AND website_host = ? LIMIT ${MAX_FOUND}`,
    )
    .pluck()
  const withHostOfDomain = db
    .prepare(
      `SELECT other.id FROM company_domains AS own JOIN companies AS other INDEXED BY companies_website
         ON other.org_id = own.org_id AND other.website_host = own.domain
       WHERE own.org_id = ? AND own.company_id = ? LIMIT ${MAX_FOUND}`,
    )
    .pluck()
  const withDomain = db.prepare('SELECT company_id FROM company_domains WHERE org_id = ? AND domain = ?').pluck()
  const withPhone = contactsOfPhone(db)

  function ofContact(org: number, id: string): Match[] | undefined {
    const own = contact.get(org, id) as Contact | undefined
    return (
      own && [
        ['email', withEmail.all(org, id) as string[]],
        ['phone', numbersIn(own.phones).flatMap((number) => withPhone(org, number, MAX_FOUND))],
        ['name', withName.all(org, own.name_key, own.company_id) as string[]],
      ]
    )
  }

  function ofCompany(org: number, id: string): Match[] | undefined {
    const own = company.get(org, id) as Company | undefined
    const host = own?.website_host ?? null
    return (
      own && [
        ['name', companyWithName.all(org, own.name_key) as string[]],
        ['website', host === null ? [] : (withHost.all(org, host) as string[])],
        ['domain', withHostOfDomain.all(org, id) as string[]],
        ['domain', host === null ? [] : (withDomain.all(org, host) as string[])],
      ]
    )
  }

  return function find(org, object, id) {
    const found = object === 'contact' ? ofContact(org, id) : ofCompany(org, id)
    if (!found) throw notFound()
    const reasonsOf = new Map<string, Set<Reason>>()
    for (const [reason, ids] of found)
      for (const each of ids) if (each !== id) reasonsOf.set(each, (reasonsOf.get(each) ?? new Set()).add(reason))
    return [...reasonsOf]
      .map(([each, reasons]) => ({ id: each, reasons: [...reasons] }))
      .sort((one, other) => other.reasons.length - one.reasons.length || (one.id < other.id ? -1 : 1))
  }
}

/** Numbers of three digits, such as that of the police, belong to nobody. */
const numbersIn = (phones: string): string[] =>
  (JSON.parse(phones) as { number: string }[])
    .map(({ number }) => number)
    .filter((number) => (asciiDigits(number).match(/\d/g) ?? []).length > 3)
