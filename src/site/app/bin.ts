import * as v from 'valibot'
import { BIN_MS, type BinRow, binStore } from '../../cleanup/bin/bin.ts'
import { BINNED } from '../../crm/binned.ts'
import { columns as dealColumns, dealStore } from '../../crm/deals/deals.ts'
import type { Deps } from '../../deps.ts'
import { changeRoute, type Need, type RecordQuery, type Rendered, type Route } from '../../http/route.ts'
import type { Caller } from '../../lib/caller.ts'
import { PATHS } from '../../lib/pure/nouns.ts'
import { rfc3339 } from '../../lib/time.ts'
import { queryOf } from '../../lib/words.ts'
import { undoStore } from './undo/undo.ts'

// Deleted records, for 30 days.

/** What comes back with a record, for people: a transcript is part of its meeting, a message of its conversation. */
const TOLD = ['contact', 'company', 'deal', 'note', 'task', 'meeting', 'conversation', 'list'] as const

const told = (brought: Record<string, number>): Record<string, number> =>
  Object.fromEntries(TOLD.flatMap((object) => (brought[object] ? [[PATHS[object], brought[object]]] : [])))

const KINDS = Object.fromEntries(BINNED.map((object) => [PATHS[object], object]))

const parameters = {
  kind: { schema: { type: 'string' as const, enum: Object.keys(KINDS) }, description: 'Of one kind.' },
  q: {
    schema: { type: 'string' as const, maxLength: 255 },
    description: 'Words of the title, an email or a domain. A page may then have fewer records than its limit.',
  },
}

export const binRoutes = (deps: Deps): Route<Need>[] => {
  const { search, outlook } = binStore(deps)
  const { restore } = undoStore(deps)
  const deals = dealStore(deps)

  function read({ org }: Caller, { given, limit, after: from, cursorAt }: RecordQuery): Rendered {
    const q = given.get('q')?.trim()
    const object = KINDS[given.get('kind') ?? '']
    const { rows, after } = search(org, from?.id ?? '~', limit, { object, query: q ? queryOf(q) : undefined })
    const next = after === undefined ? null : cursorAt({ key: 0, id: after })
    return { json: JSON.stringify({ data: rows.map((row) => shown(org, row)), next_cursor: next }), next }
  }

  function shown(org: number, row: BinRow) {
    const { event_id, object, record_id, title, member_id, at } = row
    const { brought, left, refusal } = outlook(org, row)
    return {
      event_id,
      record: { kind: PATHS[object], id: record_id, title },
      deleted_by: member_id,
      deleted_at: rfc3339(at),
      kept_until: rfc3339(at + BIN_MS),
      /** What a restore would do now: whose references come back, by kind, what is left out, and why it is refused. */
      brings: told(brought),
      left,
      refusal: refusal && { code: refusal.code, detail: refusal.message, ...refusal.more },
    }
  }

  return [
    {
      kind: 'data',
      method: 'get',
      path: '/bin',
      role: 'member',
      name: 'deleted record',
      summary: 'List deleted records, newest first, and what a restore would bring',
      paged: true,
      parameters,
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
      run: ({ who, record }) => {
        const { brought, ...restored } = restore(who, record.id)
        return { ...restored, brought: told(brought) }
      },
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
