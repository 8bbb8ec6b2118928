import * as v from 'valibot'
import { type Deps, once } from '../../deps.ts'
import type { Need, Route } from '../../http/route.ts'
import type { Caller } from '../../lib/caller.ts'
import * as f from '../../lib/fields.ts'
import { conflict } from '../../lib/problem.ts'
import { noticeQueue } from '../../personal/notices.ts'
import { type Job, jobQueue } from '../../store/jobs/jobs.ts'
import type { RunKind } from '../../store/jobs/kinds.ts'
import type { Store } from '../../store/open.ts'
import type { Stored } from '../../store/rows/record-store.ts'
import { doEach } from './bulk/each.ts'
import { recordWrites } from './records.ts'
import { sampleRows } from './sample-rows.ts'

// The removal of the sample data that an organisation started with: by a job, through the same functions as any deletion.
// Nothing of it goes to the bin.

export const SAMPLE_REMOVAL = 'remove sample data'
const BATCH = 50

/** In this order: a record goes before those that it refers to, as long as references have to be cleared otherwise. */
const ORDER = [
  'tasks',
  'notes',
  'meetings',
  'conversations',
  'enrollments',
  'lists',
  'deals',
  'contacts',
  'companies',
  'tags',
  'custom-fields',
  'sequences',
  'members',
] as const
type Sampled = (typeof ORDER)[number]

const WRITES = {
  tasks: 'task',
  notes: 'note',
  meetings: 'meeting',
  lists: 'list',
  deals: 'deal',
  contacts: 'contact',
  companies: 'company',
  tags: 'tag',
  'custom-fields': 'custom_field',
} as const

type Edited = 'keep' | 'remove'

export const sampleStore = once((deps: Deps) => {
  const { clock } = deps
  const rows = sampleRows(deps)
  const writes = recordWrites(deps)
  const jobs = jobQueue(deps)
  const notices = noticeQueue(deps)

  function show({ org }: Caller) {
    const left = ORDER.map((object) => ({ kind: object, ...rows.count(org, object) })).filter(({ count }) => count > 0)
    return {
      is_being_removed: rows.isWaiting(org, SAMPLE_REMOVAL),
      count: left.reduce((sum, { count }) => sum + count, 0),
      edited: left.reduce((sum, { edited }) => sum + edited, 0),
      left,
      edited_records: rows.edited(org),
    }
  }

  /** Throws 409 where there is no sample data. */
  function remove(who: Caller, edited: Edited): { count: number } {
    const { count } = show(who)
    if (count === 0) throw conflict('no_sample', 'There is no sample data left.')
    jobs.put(who.org, { kind: SAMPLE_REMOVAL, key: SAMPLE_REMOVAL, payload: { edited, at: 0 }, dueAt: clock.now() })
    return { count }
  }

  /** One batch; puts the job for the next. */
  function run({ org, payload }: Job, store: Store): void {
    const { edited, at } = payload as { edited: Edited; at: number }
    const object = ORDER[at]
    if (!object) {
      notices.put(org, null, { kind: 'sample', is_finished: true })
      return
    }
    const who = { org, member: null }
    if (edited === 'keep') rows.forgetEdited(org, object)
    const items = rows.next(org, object, BATCH)
    // What cannot be removed, such as a member who owns a record of others, stays and is the organisation's own.
    for (const { item } of doEach(store, items, (id) => removeOne(who, object, id))) rows.forget(org, object, item)
    const next = items.length === 0 ? at + 1 : at
    jobs.put(org, { kind: SAMPLE_REMOVAL, key: SAMPLE_REMOVAL, payload: { edited, at: next }, dueAt: clock.now() })
  }

  function removeOne(who: Caller, object: Sampled, id: string): void {
    if (object in WRITES) {
      const { find, remove } = writes[WRITES[object as keyof typeof WRITES]]
      remove?.(who, find(who, id) as Stored)
    } else rows.remove(who.org, object, id)
  }

  return { show, remove, run }
})

const Removal = f.object({ edited: f.oneOf(['keep', 'remove']) })

export const sampleRoutes = (deps: Deps): Route<Need>[] => {
  const { show, remove } = sampleStore(deps)
  const common = { path: '/sample', role: 'owner', name: 'sample data' } as const
  return [
    {
      ...common,
      kind: 'data',
      method: 'get',
      summary: 'What is left of the sample data, and what of it was edited',
      read: (who) => ({ json: JSON.stringify(show(who)) }),
    },
    {
      ...common,
      kind: 'write',
      method: 'delete',
      summary: 'Remove the sample data',
      body: Removal,
      returns: v.looseObject({}),
      status: 202,
      audit: { action: 'sample.removed' },
      run: ({ who, body }) => remove(who, (body as v.InferOutput<typeof Removal>).edited),
    },
  ]
}

export const sampleKind = (deps: Deps): RunKind => ({
  kind: SAMPLE_REMOVAL,
  atOnce: 1,
  run: (job, { store }) => void sampleStore(deps).run(job, store),
})
