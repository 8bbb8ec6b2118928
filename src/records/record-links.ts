import type { Caller } from '../lib/caller.ts'
import * as f from '../lib/fields.ts'
import type { Filter } from '../store/list/conditions.ts'
import * as c from '../store/rows/columns.ts'
import { links } from '../store/rows/links.ts'
import type { Database } from '../store/sqlite/driver.ts'

// The contacts, companies and deals that a note or a task is about: for each kind an array of ids in the record, and a
// link table such as note_contacts.

type Owner = 'note' | 'task'
type Field = 'contact_ids' | 'company_ids' | 'deal_ids'
type Linked = { id: string } & Record<Field, string[]>

const LINKS: Record<Field, { one: string; many: string }> = {
  contact_ids: { one: 'contact', many: 'contacts' },
  company_ids: { one: 'company', many: 'companies' },
  deal_ids: { one: 'deal', many: 'deals' },
}

const linkField = (field: Field) =>
  f.doc(
    f.ids,
    `The ${LINKS[field].many} that the record is about, without duplicates. A PATCH replaces all of them, and [] clears.`,
  )

export const linkFields = {
  contact_ids: linkField('contact_ids'),
  company_ids: linkField('company_ids'),
  deal_ids: linkField('deal_ids'),
}

export const linkColumns = {
  contact_ids: c.json('contact_ids'),
  company_ids: c.json('company_ids'),
  deal_ids: c.json('deal_ids'),
}

/** `contact_id`, `company_id` and `deal_id`. */
export function linkFilters(owner: Owner): Record<string, Filter> {
  const filters = Object.values(LINKS).map(({ one, many }): [string, Filter] => {
    const link = { table: `${owner}_${many}`, key: `${owner}_id`, column: `${one}_id` }
    return [`${one}_id`, { type: 'id', link, description: `A ${one} that the record is about.` }]
  })
  return Object.fromEntries(filters)
}

/** Keeps the link tables in sync with notes or tasks; `save` writes a changed record and its event. */
export function recordLinks<Shape extends Linked>(
  db: Database,
  owner: Owner,
  byId: (who: Caller, id: string) => Shape,
  save: (who: Caller, before: Shape, after: Shape) => void,
) {
  const contacts = linkTable('contact_ids')
  const companies = linkTable('company_ids')
  const deals = linkTable('deal_ids')

  function linkTable(field: Field) {
    const { one, many } = LINKS[field]
    const table = `${owner}_${many}`
    const setRows = links(db, table, `${owner}_id`, `${one}_id`)
    const linked = db.prepare(`SELECT ${owner}_id FROM ${table} WHERE org_id = ? AND ${one}_id = ?`).pluck()

    function set(org: number, after: Shape, before?: Shape): void {
      setRows(org, after.id, before?.[field] ?? [], after[field])
    }

    /** Removes a record, before it is deleted, from all notes or tasks that are about it. */
    function clear(who: Caller, deletedId: string): void {
      for (const id of linked.all(who.org, deletedId) as string[]) {
        const before = byId(who, id)
        save(who, before, { ...before, [field]: before[field].filter((each) => each !== deletedId) })
      }
    }

    return { set, clear }
  }

  function set(org: number, after: Shape, before?: Shape): void {
    for (const table of [contacts, companies, deals]) table.set(org, after, before)
  }

  return { set, clearContact: contacts.clear, clearCompany: companies.clear, clearDeal: deals.clear }
}
