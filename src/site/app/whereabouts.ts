import { binStore } from '../../cleanup/bin/bin.ts'
import type { Deps } from '../../deps.ts'
import { linkOf } from '../../filters/membership.ts'
import type { DataRoute } from '../../http/route.ts'
import { rfc3339 } from '../../lib/time.ts'
import { askedRecord, type TimelineObject } from './asked-record.ts'

/** What the page of a record has to know beside the record: its static lists, or what became of it. */
export function whereaboutsRoutes(deps: Deps): DataRoute[] {
  const { db } = deps
  const listsOf = (object: TimelineObject) => {
    const { table, key, column } = linkOf(object)
    return db.prepare(`SELECT ${column} FROM ${table} WHERE org_id = ? AND ${key} = ?`).pluck()
  }
  const lists = { contact: listsOf('contact'), company: listsOf('company'), deal: listsOf('deal') }
  const bin = binStore(deps)
  const merge = db
    .prepare('SELECT kept_id FROM merges WHERE org_id = ? AND object = ? AND merged_id = ? AND undone_at IS NULL')
    .pluck()
  const id = (one: string) => ({ schema: { type: 'string' } as const, description: `The ${one} to look for.` })

  return [
    {
      kind: 'data',
      method: 'get',
      path: '/whereabouts',
      role: 'viewer',
      name: 'record',
      summary: 'Get the static lists of a record, or what became of it',
      parameters: { contact_id: id('contact'), company_id: id('company'), deal_id: id('deal') },
      read: ({ org }, _, { given }) => {
        const [object, record] = askedRecord(given)
        const found = bin.ofRecord(org, object, record)
        const deleted = found && {
          event_id: found.event_id,
          by: found.member_id,
          at: rfc3339(found.at),
          title: found.title,
        }
        return {
          json: JSON.stringify({
            list_ids: lists[object].all(org, record),
            deleted: deleted ?? null,
            merged_into: merge.get(org, object, record) ?? null,
          }),
        }
      },
    },
  ]
}
