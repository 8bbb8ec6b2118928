import * as v from 'valibot'
import type { Deps } from '../../../deps.ts'
import { ListFilter } from '../../../filters/filter.ts'
import type { Need, Route } from '../../../http/route.ts'
import * as f from '../../../lib/fields.ts'
import { field, invalid } from '../../../lib/problem.ts'
import { HOUR_MS } from '../../../lib/time.ts'
import { jsonObject } from '../../../personal/json-object.ts'
import type { Remedy, RunKind } from '../../../store/jobs/kinds.ts'
import type { Recurring } from '../../../store/jobs/recurring-work.ts'
import { type Asked, BULK, BULK_UNDO, bulkStore, NEEDED } from './bulk.ts'
import { bulkJournal } from './journal.ts'
import { KINDS } from './selection.ts'

const Bulk = f.object({
  kind: f.oneOf(KINDS),
  ids: f.optional(f.ids),
  filter: f.optional(f.doc(v.nullable(ListFilter), 'All that match, as in a smart list; null for all.')),
  q: f.optional(f.line()),
  list_id: f.optional(f.doc(f.id, 'Only the members of a list.')),
  exclude: f.optional(f.ids),
  patch: f.optional(jsonObject(262_144, 'As in a PATCH.')),
  add_tag_ids: f.optional(f.ids),
  remove_tag_ids: f.optional(f.ids),
  to_list_id: f.optional(f.doc(f.id, 'A static list to add the records to.')),
  from_list_id: f.optional(f.doc(f.id, 'A static list to take the records out of.')),
  close: f.optional(f.doc(f.object({ reason_id: f.id }), 'Closes deals as won or lost, after the reason.')),
  delete: f.optional(v.literal(true)),
  assign_by_load: f.optional(
    f.doc(
      v.literal(true),
      'Gives conversations, the longest wait first, each to the active member with the fewest open ones; never to a viewer.',
    ),
  ),
  mailbox_id: f.optional(f.doc(f.id, 'The mailbox that conversations go to.')),
  expected: f.optional(f.doc(f.count(), 'How many records the member has seen: more are 409 `count_changed`.')),
})

export const bulkRoutes = (deps: Deps): Route<Need>[] => {
  const { start, stop, undo, show } = bulkStore(deps)
  const common = { role: NEEDED, name: 'bulk change' } as const
  return [
    {
      ...common,
      kind: 'write',
      method: 'post',
      path: '/bulk',
      summary: 'Change many records at once',
      body: Bulk,
      returns: v.looseObject({}),
      status: 202,
      run: ({ who, body }) => {
        const { filter, ...given } = body as v.InferOutput<typeof Bulk>
        const isAll = filter !== undefined || given.q !== undefined || given.list_id !== undefined
        if ((given.ids === undefined) !== isAll)
          throw invalid(field('', 'required', 'must have either ids, or filter, q or list_id'))
        return start(who, { ...given, ...(filter ? { filter } : {}) } as Asked)
      },
    },
    {
      ...common,
      kind: 'data',
      method: 'get',
      path: '/bulk/:id',
      summary: 'How far a change of many records is',
      read: (who, [id]) => ({ json: JSON.stringify(show(who, id as string)) }),
    },
    {
      ...common,
      kind: 'write',
      method: 'post',
      path: '/bulk/:id/stop',
      summary: 'Stop a change of many records where it is',
      returns: v.looseObject({}),
      status: 200,
      find: (_, id) => ({ id, version: 0 }),
      run: ({ who, record }) => stop(who, record.id),
    },
    {
      ...common,
      kind: 'write',
      method: 'post',
      path: '/bulk/:id/undo',
      summary: 'Undo a change of many records',
      returns: v.looseObject({}),
      status: 202,
      find: (_, id) => ({ id, version: 0 }),
      run: ({ who, record }) => undo(who, record.id),
    },
  ]
}

export function bulkKinds(deps: Deps): RunKind[] {
  const { run, runUndo } = bulkStore(deps)
  return [
    { kind: BULK, atOnce: 1, run: (job, { store }) => void run(job, store) },
    { kind: BULK_UNDO, atOnce: 1, run: (job, { store }) => void runUndo(job, store) },
  ]
}

/** A change whose job is dropped is finished: its counts show how far it came. */
export function bulkRemedies(deps: Deps): Record<string, Remedy> {
  const { advance, endUndo } = bulkJournal(deps)
  return { [BULK]: { drop: (org, id) => advance(org, id, 0, 0, true) }, [BULK_UNDO]: { drop: endUndo } }
}

export const bulkWork = (deps: Deps): Recurring => ({
  name: 'forget bulk changes',
  everyMs: HOUR_MS,
  frees: true,
  run: bulkJournal(deps).purge,
})
