import { columns as contactColumns, contactStore } from '../../crm/contacts.ts'
import { type Deps, once } from '../../deps.ts'
import type { Caller } from '../../lib/caller.ts'
import { localeOf } from '../../lib/country.ts'
import { emailKey } from '../../lib/email.ts'
import { field, invalid } from '../../lib/problem.ts'
import { readName } from '../../lib/written/people/names.ts'
import type { Contact } from '../../records/contact.ts'
import { contactsOfPhone } from '../../store/list/phones.ts'
import { countryOf } from '../../store/orgs/orgs.ts'
import type { Author, From } from './message.ts'

const MAX_NAME = 255

/** The authors of messages: members, and contacts, which are found by email or phone, or created. */
export const senders = once((deps: Deps) => {
  const { db } = deps
  const contacts = contactStore(deps)
  const byPhone = contactsOfPhone(db)
  const country = countryOf(db)
  const byEmail = db
    .prepare('SELECT contact_id FROM contact_emails WHERE org_id = ? AND email_key = ? ORDER BY contact_id LIMIT 1')
    .pluck()
  const member = db.prepare('SELECT name, email FROM members WHERE org_id = ? AND id = ?')
  const contactById = (who: Caller, id: string): Contact => contactColumns.present(contacts.find(who, id))

  /** Returns the contact with this email or phone, the oldest of several, or a new one. Throws 422. */
  function contactOf(who: Caller, from: From): Contact {
    const { email, phone } = from
    if (!email && !phone) throw invalid(field('/from', 'required', 'must have an email or a phone'))
    return known(who, from) ?? meet(who, from)
  }

  /** The same, if there is one. */
  function known(who: Caller, { email, phone }: From): Contact | undefined {
    const id = (email && byEmail.get(who.org, emailKey(email))) || (phone && byPhone(who.org, phone, 1)[0])
    return id ? contactById(who, id as string) : undefined
  }

  function meet(who: Caller, { email, name, phone }: From): Contact {
    const given = {
      ...namesOf(name ?? '', country(who.org)),
      emails: email ? [{ email, label: 'work' as const, is_primary: true }] : [],
      phones: phone ? [{ number: phone, label: 'work' as const, is_primary: true }] : [],
      source: 'inbox',
    }
    return contacts.create(who, given, { incomplete: true })
  }

  function contactAuthor(contact: Contact, from: From | undefined): Author {
    const primary = <Way extends { is_primary: boolean }>(ways: Way[]) => ways.find(({ is_primary }) => is_primary)
    return {
      type: 'contact',
      id: contact.id,
      name: from?.name || contact.name,
      email: from?.email ?? primary(contact.emails)?.email ?? null,
      phone: from?.phone ?? primary(contact.phones)?.number ?? null,
    }
  }

  function memberAuthor({ org, member: id }: Caller): Author {
    if (id === null) return { type: 'system', id: null, name: null, email: null, phone: null }
    const { name, email } = member.get(org, id) as { name: string; email: string }
    return { type: 'member', id, name, email, phone: null }
  }

  return { contactById, contactOf, known, contactAuthor, memberAuthor }
})

/** The author of a mail that has no contact. */
export const stranger = (from: { email: string; name: string | null } | null): Author => ({
  type: 'system',
  id: null,
  name: from?.name ?? null,
  email: from?.email ?? null,
  phone: null,
})

/** A name that is not that of one person, such as of a company, is a last name: nobody is greeted by it. */
function namesOf(name: string, country: string | undefined): { first_name: string | null; last_name: string | null } {
  const { given, family, company } = readName(name, { locale: country && localeOf(country) }) ?? {
    company: name.includes('@') ? '' : name.trim(),
  }
  const isPerson = given !== undefined || family !== undefined
  return { first_name: shortened(given ?? null), last_name: shortened((isPerson ? family : company) ?? null) }
}

const shortened = (name: string | null): string | null => [...(name ?? '')].slice(0, MAX_NAME).join('') || null
