import type { Deps } from '../../deps.ts'
import type { Caller } from '../../lib/caller.ts'
import { timeOfId } from '../../lib/id.ts'
import { notFound } from '../../lib/problem.ts'
import { rfc3339 } from '../../lib/time.ts'
import type { Changes, Fields } from './fields.ts'
import type { Moved } from './links.ts'
import type { MergedLists } from './lists.ts'
import type { MergeObject } from './undo-conflicts.ts'

/** A merge of two records. The id of the merged one returns 404 until the merge is undone. */
export type Merge = {
  id: string
  object: MergeObject
  kept_id: string
  merged_id: string
  /** The member who merged them; null if it was not a member. */
  member_id: string | null
  merged_at: string
  undone_at: string | null
}

/**
 * What undoing a merge requires: the merged record, the changes of the remaining one, and the references that were
 * moved.
 */
export type Undo = { merged: Fields; changes: Changes; lists: MergedLists; moved: Moved[] }

type Row = Omit<Merge, 'merged_at' | 'undone_at'> & { merged_at: number; undone_at: number | null; undo: string }

const ABOVE_ALL_IDS = '~'
const PAGE = 50

/** The merges of an organisation, stored in the same transactions as the records. */
export function mergeJournal({ db, clock }: Pick<Deps, 'db' | 'clock'>) {
  const insert = db.prepare(
    `INSERT INTO merges (org_id, id, object, kept_id, merged_id, member_id, merged_at, undo)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const close = db.prepare("UPDATE merges SET undone_at = ?, undo = '{}' WHERE org_id = ? AND id = ?")
  const byId = db.prepare('SELECT * FROM merges WHERE org_id = ? AND id = ?')
  const page = db.prepare('SELECT * FROM merges WHERE org_id = ? AND id < ? ORDER BY id DESC LIMIT ?')
  const pageOfKept = db.prepare(
    `SELECT * FROM merges INDEXED BY merges_kept
     WHERE org_id = ? AND object = ? AND kept_id = ? AND id < ? ORDER BY id DESC LIMIT ?`,
  )
  const lastInto = db
    .prepare(
      `SELECT id FROM merges INDEXED BY merges_kept
       WHERE org_id = ? AND object = ? AND kept_id = ? AND undone_at IS NULL ORDER BY id DESC LIMIT 1`,
    )
    .pluck()
  const into = db
    .prepare(
      `SELECT merged_id FROM merges INDEXED BY merges_kept
       WHERE org_id = ? AND object = ? AND kept_id = ? AND undone_at IS NULL ORDER BY id DESC`,
    )
    .pluck()
  const ofMerged = db.prepare(
    `SELECT * FROM merges INDEXED BY merges_merged
     WHERE org_id = ? AND object = ? AND merged_id = ? ORDER BY id DESC`,
  )
  const awayOf = db
    .prepare(
      `SELECT id FROM merges INDEXED BY merges_merged
       WHERE org_id = ? AND object = ? AND merged_id = ? AND undone_at IS NULL`,
    )
    .pluck()

  function add(who: Caller, given: Pick<Merge, 'object' | 'kept_id' | 'merged_id'>, undo: Undo): Merge {
    const id = clock.id()
    const [at, { object, kept_id, merged_id }] = [timeOfId(id), given]
    insert.run(who.org, id, object, kept_id, merged_id, who.member, at, JSON.stringify(undo))
    return { id, object, kept_id, merged_id, member_id: who.member, merged_at: rfc3339(at), undone_at: null }
  }

  /** Throws 404. */
  function find(who: Caller, id: string): Merge {
    return present(rowOf(who, id))
  }

  function undoOf(who: Caller, id: string): Undo {
    return JSON.parse(rowOf(who, id).undo)
  }

  function rowOf(who: Caller, id: string): Row {
    const row = byId.get(who.org, id) as Row | undefined
    if (!row) throw notFound()
    return row
  }

  /** Returns the latest merges first: those into one record, or all; `below` is the last id of the previous page. */
  function list(
    who: Caller,
    { of, below = ABOVE_ALL_IDS, limit = PAGE }: { of?: [MergeObject, string]; below?: string; limit?: number } = {},
  ): Merge[] {
    const rows = of ? pageOfKept.all(who.org, ...of, below, limit) : page.all(who.org, below, limit)
    return (rows as Row[]).map(present)
  }

  /** Ends a merge that was undone, and deletes its copy of the record. */
  function end(who: Caller, id: string): Merge {
    close.run(clock.now(), who.org, id)
    return find(who, id)
  }

  return {
    add,
    find,
    undoOf,
    list,
    end,
    /** The latest merge into a record that was not undone. */
    lastInto: (org: number, object: MergeObject, id: string) => lastInto.get(org, object, id) as string | undefined,
    /** The records that are merged into one, the latest first. */
    into: (org: number, object: MergeObject, id: string) => into.all(org, object, id) as string[],
    /** All merges of a record into others, the latest first. */
    ofMerged: (org: number, object: MergeObject, id: string) => (ofMerged.all(org, object, id) as Row[]).map(present),
    /** The merge that removed a record and was not undone. */
    awayOf: (org: number, object: MergeObject, id: string) => awayOf.get(org, object, id) as string | undefined,
  }
}

const present = ({ id, object, kept_id, merged_id, member_id, merged_at, undone_at }: Row): Merge => ({
  id,
  object,
  kept_id,
  merged_id,
  member_id,
  merged_at: rfc3339(merged_at),
  undone_at: undone_at === null ? null : rfc3339(undone_at),
})
