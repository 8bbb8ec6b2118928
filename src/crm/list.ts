import * as v from 'valibot'
import { OBJECTS } from '../filters/catalog.ts'
import { ListFilter } from '../filters/filter.ts'
import * as f from '../lib/fields.ts'
import { fold } from '../lib/pure/fold.ts'
import * as c from '../store/rows/columns.ts'

// 1. The wire form.

export const KINDS = ['static', 'smart'] as const

export const fields = {
  name: f.doc(f.title, 'For example "Customers in Lisbon".'),
  filter: f.doc(
    v.nullable(ListFilter),
    'Filter of a smart list, required there; null for a static list. To write it, the token needs the scope to read the records of `object`, and `rest.crm.companies.read` if it names fields of the company.',
  ),
  description: f.doc(f.nullable(f.longText()), 'Purpose of the list.'),
  owner_id: f.nullable(f.id),
}

export const fixed = {
  object: f.doc(f.oneOf(OBJECTS), 'Type of the records in the list.'),
  kind: f.doc(
    f.oneOf(KINDS),
    'A static list contains the records that are added to it, a smart list the records that match its filter.',
  ),
}

export const List = f.doc(
  f.named(
    'RecordList',
    f.object({
      id: f.id,
      name: fields.name,
      ...fixed,
      filter: fields.filter,
      description: fields.description,
      owner_id: fields.owner_id,
      member_count: f.doc(
        f.nullable(f.count()),
        'Current number of records in the list. For a smart list it changes without a new version. Null in events, and if the token lacks the scope to read the records or those that the filter names, or if counting would test too many records.',
      ),
      ...f.recordFields,
    }),
  ),
  'A list is a set of contacts, companies or deals, selected by hand or by a filter.',
)
export type List = v.InferOutput<typeof List>

// 2. The row.

export const columns = c.columns<List>(
  {
    id: c.plain('id'),
    name: c.text('name'),
    object: c.plain('object'),
    kind: c.plain('kind'),
    filter: c.json('filter'),
    description: c.text('description'),
    owner_id: c.plain('owner_id'),
    member_count: c.computed(),
    created_at: c.time('created_at'),
    updated_at: c.time('updated_at'),
    version: c.integer('version'),
  },
  { name_key: (list) => fold(list.name) },
)
