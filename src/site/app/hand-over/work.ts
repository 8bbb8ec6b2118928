import { type Deps, once } from '../../../deps.ts'
import type { Caller } from '../../../lib/caller.ts'
import { notFound } from '../../../lib/problem.ts'
import { viewStore } from '../../../personal/views.ts'
import { isLive } from '../../../sequences/enrollments/enrollment.ts'
import { enrollmentWriter } from '../../../sequences/enrollments/enrollment-writer.ts'
import { type RecordObject, recordWrites } from '../records.ts'

// What a member has that others can go on with, by kind. Not among it: private views, drafts, tokens, and who wrote a note.

export const KINDS = [
  'deals',
  'tasks',
  'contacts',
  'companies',
  'conversations',
  'meetings',
  'enrollments',
  'lists',
  'views',
] as const
export type WorkKind = (typeof KINDS)[number]

/** Kinds of which something can be finished: that stays, unless it is asked for. */
export const FINISHED = ['deals', 'tasks', 'conversations', 'meetings'] as const
export type FinishedKind = (typeof FINISHED)[number]

type Rows = {
  index: string
  /** The column of who has it. */
  column?: 'owner_id' | 'sender_id'
  /** The rows that are not finished. */
  open?: string
  /** The rows that can be handed over at all. */
  only?: string
}

const ROWS: Record<WorkKind, Rows> = {
  deals: { index: 'deals_owner', open: "status = 'open'" },
  tasks: { index: 'tasks_owner', open: "status = 'open'" },
  contacts: { index: 'contacts_owner' },
  companies: { index: 'companies_owner' },
  conversations: { index: 'conversations_owner', open: "status <> 'closed'" },
  meetings: { index: 'meetings_owner', open: "status = 'scheduled'" },
  enrollments: {
    index: 'enrollments_sender',
    column: 'sender_id',
    only: "status IN ('scheduled', 'active', 'paused')",
  },
  lists: { index: 'lists_owner' },
  views: { index: 'views_owner', only: 'is_shared = 1' },
}

const OBJECTS = {
  deals: 'deal',
  tasks: 'task',
  contacts: 'contact',
  companies: 'company',
  conversations: 'conversation',
  meetings: 'meeting',
  lists: 'list',
} as const satisfies Partial<Record<WorkKind, RecordObject>>

/** By kind; kinds of which there is nothing are left out. */
export type Counts = { [Kind in WorkKind]?: number }

/** One record as it is now. `give` writes its new version and its event. */
export type Held = { holder: unknown; isOpen: boolean; give: (to: string) => void }

export const workOf = once((deps: Deps) => {
  const { db } = deps
  const writes = recordWrites(deps)
  const enrollments = enrollmentWriter(deps)
  const views = viewStore(deps)
  const statements = Object.fromEntries(KINDS.map((kind) => [kind, statementsOf(kind, ROWS[kind])])) as Record<
    WorkKind,
    ReturnType<typeof statementsOf>
  >

  function statementsOf(kind: WorkKind, { index, column = 'owner_id', open = 'TRUE', only = 'TRUE' }: Rows) {
    const from = `FROM ${kind} INDEXED BY ${index} WHERE org_id = @org AND ${column} = @member AND ${only}`
    const next = (which: string) =>
      db.prepare(`SELECT id ${from} AND ${which} AND id > @after ORDER BY id LIMIT @limit`).pluck()
    return {
      count: db.prepare(`SELECT count(*) FILTER (WHERE ${open}) AS open, count(*) AS whole ${from}`),
      open: next(open),
      whole: next('TRUE'),
    }
  }

  function counts(org: number, member: string): { open: Counts; finished: Counts } {
    const all = { open: {} as Counts, finished: {} as Counts }
    for (const kind of KINDS) {
      const { open, whole } = statements[kind].count.get({ org, member }) as { open: number; whole: number }
      if (open > 0) all.open[kind] = open
      if (whole > open) all.finished[kind] = whole - open
    }
    return all
  }

  /** The next ids of a kind after one, oldest record first. */
  const next = (org: number, member: string, kind: WorkKind, which: 'open' | 'whole', after: string, limit: number) =>
    statements[kind][which].all({ org, member, after, limit }) as string[]

  /** Throws 404 for a record that is gone. */
  function held(who: Caller, kind: WorkKind, id: string): Held {
    if (kind === 'views') return heldView(who, id)
    if (kind === 'enrollments') return heldEnrollment(who, id)
    const { find, patch } = writes[OBJECTS[kind]]
    const record = find(who, id)
    return {
      holder: record.owner_id,
      isOpen: isOpen(kind, record.status),
      give: (to) => void patch(who, record, { owner_id: to }),
    }
  }

  function heldView({ org }: Caller, id: string): Held {
    const view = views.shared(org, id)
    return { holder: view.owner_id, isOpen: true, give: (to) => views.give(org, view, to) }
  }

  /** Its next step is as before; the mailbox follows from the sender when it is sent. */
  function heldEnrollment(who: Caller, id: string): Held {
    const enrollment = enrollments.byId(who.org, id)
    if (!enrollment) throw notFound()
    return {
      holder: enrollment.sender_id,
      isOpen: isLive(enrollment),
      give: (to) => void enrollments.save(who, enrollment, { sender_id: to }),
    }
  }

  return { counts, next, held }
})

function isOpen(kind: WorkKind, status: unknown): boolean {
  if (kind === 'deals' || kind === 'tasks') return status === 'open'
  if (kind === 'conversations') return status !== 'closed'
  return kind !== 'meetings' || status === 'scheduled'
}
