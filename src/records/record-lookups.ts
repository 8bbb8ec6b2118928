import { TABLES } from '../lib/pure/nouns.ts'
import type { Database } from '../store/sqlite/driver.ts'
import { phoneBook } from './phone-book.ts'

export type Named = { id: string; name: string }
export type Member = Named & { status: 'active' | 'deactivated' }

/** The maximum number of records returned for one name. */
const MAX_NAMED = 50
const ALL = -1

/** Returns the ids of up to `limit` contacts with an email, given as its `emailKey`. */
export function contactsOfEmail(db: Database): (org: number, key: string, limit?: number) => string[] {
  const ofEmail = db.prepare('SELECT contact_id FROM contact_emails WHERE org_id = ? AND email_key = ? LIMIT ?').pluck()
  return (org, key, limit = ALL) => ofEmail.all(org, key, limit) as string[]
}

/** Finds contacts, companies and members by their name, email or domain. */
export function recordLookups(db: Database) {
  const companyOfDomain = db.prepare('SELECT company_id FROM company_domains WHERE org_id = ? AND domain = ?').pluck()
  const companiesNamed = db.prepare(
    `SELECT id, name FROM companies WHERE org_id = ? AND name_key = ? LIMIT ${MAX_NAMED}`,
  )
  const contactsNamed = db.prepare(
    `SELECT id, name, company_id FROM contacts WHERE org_id = ? AND name_key = ? LIMIT ${MAX_NAMED}`,
  )
  const dealsTitled = db.prepare(`SELECT id FROM deals WHERE org_id = ? AND title_key = ? LIMIT ${MAX_NAMED}`)
  const emailOf = db.prepare('SELECT 1 FROM contact_emails WHERE org_id = ? AND contact_id = ? LIMIT 1').pluck()
  const noteOf = Object.fromEntries(
    (['contact', 'company', 'deal'] as const).map((object) => [
      object,
      db
        .prepare(
          `SELECT note_id FROM note_${TABLES[object]} AS link JOIN notes
             ON notes.org_id = link.org_id AND notes.id = link.note_id
           WHERE link.org_id = ? AND link.${object}_id = ? AND notes.body = ? LIMIT 1`,
        )
        .pluck(),
    ]),
  )
  const nameOf = {
    contact: db.prepare('SELECT name FROM contacts WHERE org_id = ? AND id = ?').pluck(),
    company: db.prepare('SELECT name FROM companies WHERE org_id = ? AND id = ?').pluck(),
  }
  const tagNamed = db.prepare('SELECT id FROM tags WHERE org_id = ? AND name_key = ?').pluck()
  const memberOfEmail = db.prepare('SELECT id FROM members WHERE org_id = ? AND email = ?').pluck()
  const members = db.prepare('SELECT id, name, status FROM members WHERE org_id = ?')
  const books = new Map<number, ReturnType<typeof phoneBook>>()

  return {
    companyOfDomain: (org: number, domain: string) => companyOfDomain.get(org, domain) as string | undefined,
    /** `nameKey` is the folded name. */
    companiesNamed: (org: number, nameKey: string) => companiesNamed.all(org, nameKey) as Named[],
    contactsNamed: (org: number, nameKey: string) =>
      contactsNamed.all(org, nameKey) as (Named & { company_id: string | null })[],
    dealsTitled: (org: number, titleKey: string) => dealsTitled.all(org, titleKey) as { id: string }[],
    contactsOfEmail: contactsOfEmail(db),
    /** In any notation. */
    contactsOfPhone: (org: number, number: string): string[] => {
      const book = books.get(org) ?? phoneBook(db, org)
      books.set(org, book)
      return book(number)
    },
    /** Of a record that was found. */
    nameOf: (object: keyof typeof nameOf, org: number, id: string) => nameOf[object].get(org, id) as string,
    hasEmail: (org: number, contact: string) => emailOf.get(org, contact) === 1,
    /** A note about the record with exactly this text. */
    noteOf: (object: 'contact' | 'company' | 'deal', org: number, id: string, body: string) =>
      noteOf[object]?.get(org, id, body) as string | undefined,
    /** `nameKey` is that of `uniqueName`. */
    tagNamed: (org: number, nameKey: string) => tagNamed.get(org, nameKey) as string | undefined,
    memberOfEmail: (org: number, email: string) => memberOfEmail.get(org, email) as string | undefined,
    members: (org: number) => members.all(org) as Member[],
  }
}
