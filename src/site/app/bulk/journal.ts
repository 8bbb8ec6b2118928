import { type Deps, once } from '../../../deps.ts'
import type { Caller } from '../../../lib/caller.ts'
import type { FieldError } from '../../../lib/problem.ts'
import { notFound, type Problem } from '../../../lib/problem.ts'
import { DAY_MS, rfc3339 } from '../../../lib/time.ts'
import type { Kind } from './selection.ts'

/** The change of each record: all members are optional. */
export type Change = {
  patch?: Record<string, unknown>
  add_tag_ids?: string[]
  remove_tag_ids?: string[]
  list_id?: string
  /** A static list to take them out of. */
  from_list_id?: string
  /** Of deals: as POST /deals/{id}/close. */
  close?: { reason_id: string }
  delete?: true
  /** Of conversations: each goes to whoever has the fewest open ones. */
  assign_by_load?: true
  /** Of conversations: the mailbox that they go to. */
  mailbox_id?: string
}

export type BulkRow = {
  id: string
  member_id: string
  object: Kind | 'members'
  change: string
  total: number
  done: number
  failed: number
  created_at: number
  finished_at: number | null
  undo_started_at: number | null
  undone_at: number | null
  /** Null while it runs. */
  last_seq: number | null
  /** Of a hand-over: whose records, and the date on which they come back. */
  from_id: string | null
  returns_on: string | null
}

/** `kind` and `to_id` are of hand-overs. */
export type Item = {
  position: number
  record_id: string
  seq: number | null
  is_listed: 0 | 1
  kind: string | null
  to_id: string | null
}

export type HandedItem = { record: string; kind: string; to: string }

/** Of one kind of records. */
export type RecordsRow = BulkRow & { object: Kind }

/** Results that are shown; the counts have all. */
const MAX_SHOWN = 100
/** How long a change can be looked at and undone: as long as events are kept. */
const KEEP_MS = 30 * DAY_MS
const BATCH = 1000

/** Where a change stands that is still running: above all others. */
export const RUNNING = Number.MAX_SAFE_INTEGER - 1

/** The rows of changes of many records, and of their results. */
export const bulkJournal = once(({ db, clock }: Deps) => {
  const insert = db.prepare(
    `INSERT INTO bulk_changes (org_id, id, member_id, object, change, total, done, failed, created_at, from_id, returns_on)
     VALUES (?, ?, ?, ?, ?, ?, 0, 0, ?, ?, ?)`,
  )
  const insertItem = db.prepare(
    'INSERT INTO bulk_rows (org_id, bulk_id, position, record_id, kind, to_id) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const setTotal = db.prepare('UPDATE bulk_changes SET total = ? WHERE org_id = ? AND id = ?')
  const byId = db.prepare('SELECT * FROM bulk_changes WHERE org_id = ? AND id = ?')
  const FIELDS = 'position, record_id, seq, is_listed, kind, to_id'
  const next = db.prepare(
    `SELECT ${FIELDS} FROM bulk_rows WHERE org_id = ? AND bulk_id = ? AND position >= ? ORDER BY position LIMIT ?`,
  )
  const changedBelow = db.prepare(
    `SELECT ${FIELDS} FROM bulk_rows WHERE org_id = ? AND bulk_id = ? AND position < ?
     ORDER BY position DESC LIMIT ?`,
  )
  const note = db.prepare(
    'UPDATE bulk_rows SET seq = ?, is_listed = ?, error = ? WHERE org_id = ? AND bulk_id = ? AND position = ?',
  )
  const noteUndone = db.prepare(
    'UPDATE bulk_rows SET is_undone = ?, error = ? WHERE org_id = ? AND bulk_id = ? AND position = ?',
  )
  const advance = db.prepare(
    `UPDATE bulk_changes SET done = done + @done, failed = failed + @failed, finished_at = @at,
       last_seq = iif(@at IS NULL, NULL, (SELECT last_seq FROM orgs WHERE id = @org))
     WHERE org_id = @org AND id = @id`,
  )
  const newest = db.prepare(
    `SELECT * FROM bulk_changes INDEXED BY bulk_changes_member
     WHERE org_id = ? AND member_id = ? AND coalesce(last_seq, ${RUNNING}) < ? AND created_at >= ?
     ORDER BY id DESC LIMIT ?`,
  )
  const startUndo = db.prepare('UPDATE bulk_changes SET undo_started_at = ? WHERE org_id = ? AND id = ?')
  const endUndo = db.prepare('UPDATE bulk_changes SET undone_at = ? WHERE org_id = ? AND id = ?')
  const errors = db.prepare(
    `SELECT record_id AS id, error FROM bulk_rows
     WHERE org_id = ? AND bulk_id = ? AND error IS NOT NULL AND (seq IS NULL AND is_listed = 0) = ?
     ORDER BY position LIMIT ${MAX_SHOWN}`,
  )
  // What is lent stays known until it came back, and so does who has passed it on.
  const old = db.prepare(
    `SELECT org_id, id FROM bulk_changes AS it WHERE created_at < ? AND (from_id IS NULL OR NOT EXISTS (
       SELECT 1 FROM bulk_changes AS lent INDEXED BY bulk_changes_from
       WHERE lent.org_id = it.org_id AND lent.from_id IS NOT NULL AND lent.returns_on IS NOT NULL
         AND lent.undone_at IS NULL)) LIMIT 1`,
  )
  const removeItems = db.prepare(
    `DELETE FROM bulk_rows WHERE org_id = @org AND bulk_id = @id AND position IN
       (SELECT position FROM bulk_rows WHERE org_id = @org AND bulk_id = @id LIMIT ${BATCH})`,
  )
  const remove = db.prepare('DELETE FROM bulk_changes WHERE org_id = ? AND id = ?')

  function add(
    { org, member }: Caller,
    object: BulkRow['object'],
    change: object,
    total: number,
    lent: { from: string; returnsOn: string | null } | null = null,
  ): string {
    const id = clock.id()
    const [from, returnsOn] = [lent?.from ?? null, lent?.returnsOn ?? null]
    insert.run(org, id, member, object, JSON.stringify(change), total, clock.now(), from, returnsOn)
    return id
  }

  /** Adds records from a position on. */
  function addItems(org: number, id: string, from: number, ids: readonly string[]): void {
    for (const [index, record] of ids.entries()) insertItem.run(org, id, from + index, record, null, null)
  }

  /** The same for a hand-over. */
  function addHanded(org: number, id: string, from: number, items: readonly HandedItem[]): void {
    for (const [index, { record, kind, to }] of items.entries()) insertItem.run(org, id, from + index, record, kind, to)
  }

  const oldest = (): number => clock.now() - KEEP_MS

  const stored = (org: number, id: string) => byId.get(org, id) as BulkRow | undefined

  /** Throws 404, also for a change of somebody else, or of more than 30 days ago. */
  function find({ org, member }: Caller, id: string): BulkRow {
    const row = stored(org, id)
    if (row?.member_id !== member || row.created_at < oldest()) throw notFound()
    return row
  }

  function show(who: Caller, id: string) {
    const row = find(who, id)
    const { total, done, finished_at, undo_started_at, undone_at } = row
    const time = (ms: number | null) => (ms === null ? null : rfc3339(ms))
    return {
      id,
      kind: row.object,
      total,
      done,
      failed_count: row.failed,
      failed: refusals(who.org, id, 1),
      created_at: rfc3339(row.created_at),
      finished_at: time(finished_at),
      undo_started_at: time(undo_started_at),
      undone_at: time(undone_at),
      /** What an undo left as it is, since it was changed again. */
      kept: refusals(who.org, id, 0),
    }
  }

  const refusals = (org: number, id: string, hasNotChanged: 0 | 1): Refusal[] =>
    (errors.all(org, id, hasNotChanged) as { id: string; error: string }[]).map(refusalOf)

  function purge(): 'more' | undefined {
    const found = old.get(oldest()) as { org_id: number; id: string } | undefined
    if (!found) return undefined
    if (removeItems.run({ org: found.org_id, id: found.id }).changes < BATCH) remove.run(found.org_id, found.id)
    return 'more'
  }

  return {
    add,
    addItems,
    addHanded,
    setTotal: (org: number, id: string, total: number): void => void setTotal.run(total, org, id),
    stored,
    find,
    show,
    purge,
    /** Those of the caller below a place among all that they did. */
    newest: ({ org, member }: Caller, below: number, limit: number) =>
      newest.all(org, member, below, oldest(), limit) as BulkRow[],
    next: (org: number, id: string, from: number, limit: number) => next.all(org, id, from, limit) as Item[],
    below: (org: number, id: string, position: number, limit: number) =>
      changedBelow.all(org, id, position, limit) as Item[],
    note: (org: number, id: string, { position, seq, is_listed }: Item, error: Problem | null): void =>
      void note.run(seq, is_listed, storedRefusal(error), org, id, position),
    noteUndone: (org: number, id: string, { position }: Item, error: Problem | null): void =>
      void noteUndone.run(error === null ? 1 : 0, storedRefusal(error), org, id, position),
    advance: (org: number, id: string, done: number, failed: number, isLast: boolean): void =>
      void advance.run({ done, failed, at: isLast ? clock.now() : null, org, id }),
    startUndo: (org: number, id: string): void => void startUndo.run(clock.now(), org, id),
    endUndo: (org: number, id: string): void => void endUndo.run(clock.now(), org, id),
  }
})

/** Why a record of a change of many was left as it was. By its code the browser app says it in the member's language. */
type Refusal = { id: string; code: string; detail: string; errors?: FieldError[] }

/** Of many errors of one record, more are not shown. */
const MAX_ERRORS = 3

/** How the column `error` has it. */
const storedRefusal = (problem: Problem | null): string | null =>
  problem &&
  JSON.stringify({ code: problem.code, detail: problem.message, errors: problem.errors?.slice(0, MAX_ERRORS) })

/** Changes of earlier versions have the sentence alone. */
const refusalOf = ({ id, error }: { id: string; error: string }): Refusal =>
  error.startsWith('{') ? { id, ...JSON.parse(error) } : { id, code: 'unknown', detail: error }
