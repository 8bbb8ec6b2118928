import type * as v from 'valibot'
import { companyStore } from '../../crm/companies.ts'
import { contactStore } from '../../crm/contacts.ts'
import { dealStore } from '../../crm/deals/deals.ts'
import type { Deps } from '../../deps.ts'
import { filterParameter } from '../../filters/parameter.ts'
import type { Listed, Need, Route } from '../../http/route.ts'
import { UUID } from '../../lib/id.ts'
import { Company, companyRecord } from '../../records/company.ts'
import { Contact, contactRecord } from '../../records/contact.ts'
import { Deal, dealRecord } from '../../records/deal.ts'
import type { Filter } from '../../store/list/conditions.ts'

const MAX_IDS = 100

/** Which of these rows match: a table asks after changes, so that a row says when it no longer does. */
const ids: Filter = {
  type: 'text',
  maxLength: MAX_IDS * 37,
  form: {
    is: (text) => text.split(',').length <= MAX_IDS && text.split(',').every((id) => UUID.test(id)),
    name: `1 to ${MAX_IDS} UUIDs in lower case, with commas between`,
  },
  resolve: (_, value) => [{ column: 'id', operator: 'in', values: String(value).split(','), indexed: true }],
  description: 'Only these of the rows',
}

/**
 * The lists behind the tables: those of the API, and with filters like those of smart lists. They accept `skip`, since a
 * table can be scrolled to its middle and to its end.
 */
export function rowRoutes(deps: Deps): Route<Need>[] {
  const rows = (name: string, plural: string, item: v.GenericSchema, listed: Listed): Route<Need> => ({
    ...listed,
    kind: 'list',
    method: 'get',
    path: `/rows/${plural}`,
    role: 'viewer',
    name,
    summary: `List ${plural} for a table`,
    item,
    skips: true,
  })
  const [contacts, companies, deals] = [contactStore(deps), companyStore(deps), dealStore(deps)]
  return [
    rows('contact', 'contacts', Contact, {
      ...contacts,
      filters: { ...contacts.filters, ids, filter: filterParameter(deps, 'contact') },
      sorts: contactRecord.sorts,
    }),
    rows('company', 'companies', Company, {
      ...companies,
      filters: { ...companies.filters, ids, filter: filterParameter(deps, 'company') },
      sorts: companyRecord.sorts,
    }),
    rows('deal', 'deals', Deal, {
      ...deals,
      filters: { ...deals.filters, ids, filter: filterParameter(deps, 'deal') },
      sorts: dealRecord.sorts,
    }),
  ]
}
