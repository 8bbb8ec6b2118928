import { columns as companyColumns, companyStore } from '../../crm/companies.ts'
import { columns as dealColumns, dealStore } from '../../crm/deals/deals.ts'
import { type Deps, once } from '../../deps.ts'
import type { View } from '../../lib/template.ts'
import { readName } from '../../lib/written/people/names.ts'
import { companyRecord } from '../../records/company.ts'
import { type Contact, contactRecord } from '../../records/contact.ts'
import { dealRecord } from '../../records/deal.ts'
import type { RawRow } from '../../store/rows/columns.ts'
import type { EnrollmentRow } from './enrollment.ts'
import { unsubscribing } from './unsubscribe.ts'

type Ways = { is_primary: boolean }[]

/** What a text is about. Whoever writes it may be a rule, which has no name. */
export type About = { contact: Contact | null; company: string | null; deal: string | null; sender: string | null }

/** The template variables with their current values, without the link for unsubscribing: see variables.ts. */
export const templateView = once((deps: Deps) => {
  const { db } = deps
  const companies = companyStore(deps)
  const deals = dealStore(deps)
  const memberById = db.prepare('SELECT name, email FROM members WHERE org_id = ? AND id = ?')
  const orgById = db.prepare('SELECT name FROM orgs WHERE id = ?')

  return function viewOf(org: number, about: About): View {
    const who = { org, member: null }
    const one = <Shape>(find: (row: string) => RawRow, present: (row: RawRow) => Shape, id: string | null) =>
      id === null ? null : present(find(id))
    const company = one((id) => companies.find(who, id), companyColumns.present, about.company)
    const deal = one((id) => deals.find(who, id), dealColumns.present, about.deal)
    const sender = about.sender === null ? null : (memberById.get(org, about.sender) as Sender)
    const { contact } = about
    return {
      contact: contact && {
        ...recordView(contactRecord, contact),
        email: primary(contact.emails)?.email,
        phone: primary(contact.phones)?.number,
      },
      company: company && recordView(companyRecord, company),
      deal: deal && recordView(dealRecord, deal),
      sender: sender && { ...sender, ...namesOf(sender.name) },
      org: orgById.get(org) as { name: string },
    }
  }
})

/** The same for an enrollment, with its link. */
export const enrollmentView = once((deps: Deps) => {
  const viewOf = templateView(deps)
  const { url } = unsubscribing(deps)

  return function viewOfEnrollment(org: number, kept: EnrollmentRow, contact: Contact): View {
    const about = { contact, company: contact.company_id, deal: kept.deal_id, sender: kept.sender_id }
    return {
      ...viewOf(org, about),
      // A getter, because signing takes time and few texts use it.
      get unsubscribe_url() {
        return url(org, kept)
      },
    }
  }
})

type Sender = { name: string; email: string }

/** The fields that are declared as template fields, and the custom fields. */
function recordView<Shape extends { custom_fields: View }>(
  { templateFields }: { templateFields: (keyof Shape & string)[] },
  record: Shape,
): View {
  const fields = templateFields.map((name) => [name, record[name]])
  return { ...Object.fromEntries(fields), custom_fields: record.custom_fields }
}

export const primary = <Way extends Ways[number]>(ways: readonly Way[]): Way | undefined =>
  ways.find(({ is_primary }) => is_primary) ?? ways[0]

/** Members have a single name. */
function namesOf(name: string): { first_name: string; last_name: string } {
  const { given = '', family = '' } = readName(name) ?? {}
  return given || family ? { first_name: given, last_name: family } : { first_name: name.trim(), last_name: '' }
}
