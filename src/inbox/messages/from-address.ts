import { columns as contactColumns, contactStore } from '../../crm/contacts/contacts.ts'
import type { Contact } from '../../crm/records/contact.ts'
import { type Deps, once } from '../../deps.ts'
import type { Caller } from '../../lib/caller.ts'
import { emailKey } from '../../lib/email.ts'
import { field, invalid } from '../../lib/problem.ts'
import { idsOfSearch, searches } from '../../store/list/search.ts'
import type { Author, From } from './message.ts'

const MAX_NAME = 255

/** The authors of messages: members, and contacts, which are found by email or phone, or created. */
export const senders = once((deps: Deps) => {
  const { db } = deps
  const contacts = contactStore(deps)
  const search = searches(db)
  const byEmail = db
    .prepare('SELECT contact_id FROM contact_emails WHERE org_id = ? AND email_key = ? ORDER BY contact_id LIMIT 1')
    .pluck()
  const member = db.prepare('SELECT name, email FROM members WHERE org_id = ? AND id = ?')
  const matching = db
    .prepare(`${idsOfSearch({ kind: 'contact', match: '', query: [] }).sql} ORDER BY found.docid`)
    .pluck()

  const contactById = (who: Caller, id: string): Contact => contactColumns.present(contacts.find(who, id))

  /** Returns the contact with this email or phone, the oldest of several, or a new one. Throws 422. */
  function contactOf(who: Caller, from: From): Contact {
    const { email, phone } = from
    if (!email && !phone) throw invalid(field('/from', 'required', 'must have an email or a phone'))
    const id = (email && byEmail.get(who.org, emailKey(email))) || (phone && byPhone(who, phone))
    return id ? contactById(who, id as string) : meet(who, from)
  }

  function byPhone(who: Caller, phone: string): string | undefined {
    const { values } = idsOfSearch(search(who.org, { search: 'contact', text: phone }))
    const wanted = digitsOf(phone)
    return (matching.all(...values) as string[]).find((id) =>
      contactById(who, id).phones.some(({ number }) => digitsOf(number) === wanted),
    )
  }

  function meet(who: Caller, { email, name, phone }: From): Contact {
    const words = (name ?? '').trim().split(/\s+/)
    const [last_name = null, first_name = null] = words.length > 1 ? [words.pop(), words.join(' ')] : [null, words[0]]
    const given = {
      first_name: shortened(first_name),
      last_name: shortened(last_name),
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

  return { contactById, contactOf, contactAuthor, memberAuthor }
})

const shortened = (name: string | null): string | null => [...(name ?? '')].slice(0, MAX_NAME).join('') || null

/** Numbers that begin with "+" and with "00" are equal. */
const digitsOf = (number: string): string => number.replace(/\(0\)/g, '').replace(/\D/g, '').replace(/^00/, '')
