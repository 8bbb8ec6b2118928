import * as v from 'valibot'
import { binStore } from '../../crm/bin/bin.ts'
import { columns as dealColumns, dealStore } from '../../crm/deals/deals.ts'
import type { Deps } from '../../deps.ts'
import { changeRoute, type Need, type RecordQuery, type Rendered, type Route } from '../../http/route.ts'
import type { Caller } from '../../lib/caller.ts'
import { rfc3339 } from '../../lib/time.ts'
import { kindOf } from './records.ts'
import { undoStore } from './undo/undo.ts'

// Deleted records, for 30 days.

export const binRoutes = (deps: Deps): Route<Need>[] => {
  const { list } = binStore(deps)
  const { restore } = undoStore(deps)
  const deals = dealStore(deps)

  function read({ org }: Caller, { limit, after, cursorAt }: RecordQuery): Rendered {
    const rows = list(org, after?.id ?? '~', limit + 1)
    const shown = rows.slice(0, limit)
    const last = shown.at(-1)
    const next = rows.length > limit && last ? cursorAt({ key: 0, id: last.event_id }) : null
    const data = shown.map(({ event_id, object, record_id, title, member_id, at }) => ({
      event_id,
      record: { kind: kindOf(object), id: record_id, title },
      deleted_by: member_id,
      deleted_at: rfc3339(at),
    }))
    return { json: JSON.stringify({ data, next_cursor: next }), next }
  }

  return [
    {
      kind: 'data',
      method: 'get',
      path: '/bin',
      role: 'member',
      name: 'deleted record',
      summary: 'List deleted records, newest first',
      paged: true,
      read: (who, _, query) => read(who, query),
    },
    {
      kind: 'write',
      method: 'post',
      path: '/bin/:event_id/restore',
      role: 'member',
      name: 'deleted record',
      summary: 'Restore a deleted record',
      returns: v.looseObject({}),
      status: 200,
      find: (_, id) => ({ id, version: 0 }),
      run: ({ who, record }) => restore(who, record.id),
    },
    changeRoute({
      method: 'delete',
      path: '/deals/:id',
      role: 'member',
      name: 'deal',
      summary: 'Delete a deal',
      find: deals.find,
      columns: dealColumns,
      status: 204,
      run: ({ who, record }) => void deals.removeForScreens(who, record),
    }),
  ]
}
