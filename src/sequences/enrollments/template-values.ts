import { columns as companyColumns, companyStore } from '../../crm/companies/companies.ts'
import { columns as dealColumns, dealStore } from '../../crm/deals/deals.ts'
import type { Contact } from '../../crm/records/contact.ts'
import { type Deps, once } from '../../deps.ts'
import type { View } from '../../lib/template.ts'
import type { RawRow } from '../../store/columns.ts'
import type { EnrollmentRow } from './enrollment.ts'
import { unsubscribing } from './unsubscribe.ts'

type Ways = { is_primary: boolean }[]

/** What the texts of a step can name, of one enrollment at the moment: see variables.ts. */
export const enrollmentView = once((deps: Deps) => {
  const { db } = deps
  const companies = companyStore(deps)
  const deals = dealStore(deps)
  const { url } = unsubscribing(deps)
  const memberById = db.prepare('SELECT name, email FROM members WHERE org_id = ? AND id = ?')
  const orgById = db.prepare('SELECT name FROM orgs WHERE id = ?')

  return function viewOf(org: number, kept: EnrollmentRow, contact: Contact): View {
    const who = { org, member: null }
    const one = <Shape>(find: (row: string) => RawRow, present: (row: RawRow) => Shape, id: string | null) =>
      id === null ? null : present(find(id))
    const company = one((id) => companies.find(who, id), companyColumns.present, contact.company_id)
    const deal = one((id) => deals.find(who, id), dealColumns.present, kept.deal_id)
    const sender = kept.sender_id === null ? null : (memberById.get(org, kept.sender_id) as Sender)
    return {
      contact: { ...contactView(contact), custom_fields: contact.custom_fields as View },
      company: company && {
        name: company.name,
        website: company.website,
        industry: company.industry,
        phone: company.phone,
        custom_fields: company.custom_fields as View,
      },
      deal: deal && {
        title: deal.title,
        amount: deal.amount,
        currency: deal.currency,
        expected_close_date: deal.expected_close_date,
        custom_fields: deal.custom_fields as View,
      },
      sender: sender && { ...sender, ...namesOf(sender.name) },
      org: orgById.get(org) as { name: string },
      // It is signed, and few texts name it.
      get unsubscribe_url() {
        return url(org, kept)
      },
    }
  }
})

type Sender = { name: string; email: string }

function contactView(contact: Contact): View {
  const { first_name, last_name, name, emails, phones, job_title, timezone, language, website } = contact
  return {
    first_name,
    last_name,
    name,
    email: primary(emails)?.email,
    phone: primary(phones)?.number,
    job_title,
    timezone,
    language,
    website,
  }
}

export const primary = <Way extends Ways[number]>(ways: readonly Way[]): Way | undefined =>
  ways.find(({ is_primary }) => is_primary) ?? ways[0]

/** A member has one name: the last word of several is the last name. */
function namesOf(name: string): { first_name: string; last_name: string } {
  const words = name.trim().split(/\s+/)
  const last = words.length > 1 ? (words.pop() as string) : ''
  return { first_name: words.join(' '), last_name: last }
}
