import { type Deps, once } from '../../../deps.ts'
import type { Caller } from '../../../lib/caller.ts'
import { notFound } from '../../../lib/problem.ts'
import { DAY_MS, rfc3339 } from '../../../lib/time.ts'
import type { Kind } from './selection.ts'

/** The change of each record: all members are optional. */
export type Change = {
  patch?: Record<string, unknown>
  add_tag_ids?: string[]
  remove_tag_ids?: string[]
  list_id?: string
  /** Of deals: as POST /deals/{id}/close. */
  close?: { reason_id: string }
  delete?: true
}

export type BulkRow = {
  id: string
  member_id: string
  object: Kind
  change: string
  total: number
  done: number
  failed: number
  created_at: number
  finished_at: number | null
  undo_started_at: number | null
  undone_at: number | null
}

export type Item = { position: number; record_id: string; seq: number | null; is_listed: 0 | 1 }

/** Results that are shown; the counts have all. */
const MAX_SHOWN = 100
/** How long a change can be looked at and undone: as long as events are kept. */
const KEEP_MS = 30 * DAY_MS
const BATCH = 1000

/** The rows of changes of many records, and of their results. */
export const bulkJournal = once(({ db, clock }: Deps) => {
  const insert = db.prepare(
    `INSERT INTO bulk_changes (org_id, id, member_id, object, change, total, done, failed, created_at)
     VALUES (?, ?, ?, ?, ?, ?, 0, 0, ?)`,
  )
  const insertItem = db.prepare('INSERT INTO bulk_rows (org_id, bulk_id, position, record_id) VALUES (?, ?, ?, ?)')
  const setTotal = db.prepare('UPDATE bulk_changes SET total = ? WHERE org_id = ? AND id = ?')
  const byId = db.prepare('SELECT * FROM bulk_changes WHERE org_id = ? AND id = ?')
  const FIELDS = 'position, record_id, seq, is_listed'
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
    'UPDATE bulk_changes SET done = done + ?, failed = failed + ?, finished_at = ? WHERE org_id = ? AND id = ?',
  )
  const startUndo = db.prepare('UPDATE bulk_changes SET undo_started_at = ? WHERE org_id = ? AND id = ?')
  const endUndo = db.prepare('UPDATE bulk_changes SET undone_at = ? WHERE org_id = ? AND id = ?')
  const errors = db.prepare(
    `SELECT record_id AS id, error AS detail FROM bulk_rows
     WHERE org_id = ? AND bulk_id = ? AND error IS NOT NULL AND (seq IS NULL AND is_listed = 0) = ?
     ORDER BY position LIMIT ${MAX_SHOWN}`,
  )
  const old = db.prepare('SELECT org_id, id FROM bulk_changes WHERE created_at < ? LIMIT 1')
  const removeItems = db.prepare(
    `DELETE FROM bulk_rows WHERE org_id = @org AND bulk_id = @id AND position IN
       (SELECT position FROM bulk_rows WHERE org_id = @org AND bulk_id = @id LIMIT ${BATCH})`,
  )
  const remove = db.prepare('DELETE FROM bulk_changes WHERE org_id = ? AND id = ?')

  function add({ org, member }: Caller, object: Kind, change: Change, total: number): string {
    const id = clock.id()
    insert.run(org, id, member, object, JSON.stringify(change), total, clock.now())
    return id
  }

  /** Adds records from a position on. */
  function addItems(org: number, id: string, from: number, ids: readonly string[]): void {
    for (const [index, record] of ids.entries()) insertItem.run(org, id, from + index, record)
  }

  const stored = (org: number, id: string) => byId.get(org, id) as BulkRow | undefined

  /** Throws 404, also for a change of somebody else. */
  function find({ org, member }: Caller, id: string): BulkRow {
    const row = stored(org, id)
    if (row?.member_id !== member) throw notFound()
    return row as BulkRow
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
      failed: errors.all(who.org, id, 1) as { id: string; detail: string }[],
      created_at: rfc3339(row.created_at),
      finished_at: time(finished_at),
      undo_started_at: time(undo_started_at),
      undone_at: time(undone_at),
      /** What an undo left as it is, since it was changed again. */
      kept: errors.all(who.org, id, 0) as { id: string; detail: string }[],
    }
  }

  function purge(): 'more' | undefined {
    const found = old.get(clock.now() - KEEP_MS) as { org_id: number; id: string } | undefined
    if (!found) return undefined
    if (removeItems.run({ org: found.org_id, id: found.id }).changes < BATCH) remove.run(found.org_id, found.id)
    return 'more'
  }

  return {
    add,
    addItems,
    setTotal: (org: number, id: string, total: number): void => void setTotal.run(total, org, id),
    stored,
    find,
    show,
    purge,
    next: (org: number, id: string, from: number, limit: number) => next.all(org, id, from, limit) as Item[],
    below: (org: number, id: string, position: number, limit: number) =>
      changedBelow.all(org, id, position, limit) as Item[],
    note: (org: number, id: string, { position, seq, is_listed }: Item, error: string | null): void =>
      void note.run(seq, is_listed, error, org, id, position),
    noteUndone: (org: number, id: string, { position }: Item, error: string | null): void =>
      void noteUndone.run(error === null ? 1 : 0, error, org, id, position),
    advance: (org: number, id: string, done: number, failed: number, isLast: boolean): void =>
      void advance.run(done, failed, isLast ? clock.now() : null, org, id),
    startUndo: (org: number, id: string): void => void startUndo.run(clock.now(), org, id),
    endUndo: (org: number, id: string): void => void endUndo.run(clock.now(), org, id),
  }
})
