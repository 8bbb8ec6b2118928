import type * as v from 'valibot'
import type { Deps } from '../../deps.ts'
import type { Route } from '../../http/route.ts'
import * as f from '../../lib/fields.ts'
import type { Filter } from '../../store/list/conditions.ts'
import { listing } from '../../store/list/page.ts'
import * as c from '../../store/rows/columns.ts'
import type { Stored } from '../../store/settings/table.ts'

// Close reasons are settings: the API reads them, and the settings document writes them (settings.ts).

// 1. The wire form.

export const CloseReason = f.doc(
  f.object({
    id: f.id,
    name: f.doc(f.title, 'Display name, for example "Price too high".'),
    outcome: f.doc(f.oneOf(['won', 'lost']), 'Outcome of the deals that are closed with this reason.'),
    position: f.doc(f.count(), 'Position in the list, starting at 0.'),
    is_active: f.doc(f.flag, 'Whether deals can be closed with this reason.'),
    ...f.recordFields,
  }),
  'A close reason explains why a deal was won or lost.',
)
export type CloseReason = v.InferOutput<typeof CloseReason>

const filters: Record<string, Filter> = {
  include_inactive: {
    type: 'flag',
    disablesDefault: 'is_active',
    description: 'With `true`, includes inactive reasons.',
  },
}

// 2. The row.

/** Includes columns that the API does not return. */
export type CloseReasonRow = Stored & {
  key: string
  name: string
  outcome: CloseReason['outcome']
  position: number
  is_active: boolean
}

export const rowColumns = c.columns<CloseReasonRow>({
  id: c.plain('id'),
  key: c.plain('key'),
  name: c.text('name'),
  outcome: c.plain('outcome'),
  position: c.integer('position'),
  is_active: c.bool('is_active'),
  created_at: c.time('created_at'),
  updated_at: c.time('updated_at'),
  version: c.integer('version'),
})

export const columns = c.only<CloseReason>(rowColumns, Object.keys(CloseReason.entries))

// 3. The statements, and 4. the route, which is only a list.

export const closeReasons = ({ db }: Deps): Route[] => {
  const order = { sort: { column: 'position' }, descending: false }
  const spec = { columns, filters, sorts: {}, order }
  const { list } = listing(db, { table: 'close_reasons', ...spec })
  return [
    {
      kind: 'list',
      method: 'get',
      path: '/close-reasons',
      scope: 'rest.crm.deals.read',
      name: 'close reason',
      summary: 'List close reasons',
      description: 'Returns the close reasons in the order of their position. `POST /deals/{id}/close` requires one.',
      item: CloseReason,
      list,
      ...spec,
    },
  ]
}
