import { type Deps, once } from '../../deps.ts'
import type { EventName } from '../../events/names.ts'
import type { Stored } from '../../http/route.ts'
import type { Caller } from '../../lib/caller.ts'
import { conflict, notFound } from '../../lib/problem.ts'
import { DAY_MS, rfc3339 } from '../../lib/time.ts'
import type { RawRow } from '../../store/columns.ts'
import type { Binned, Kept } from '../binned.ts'
import { listChanges } from '../list-changes.ts'
import { type Fields, flatten } from '../merges/fields.ts'
import { wholeRecords } from '../merges/mergeable.ts'
import { referringRecords } from '../merges/referring.ts'
import { undoConflicts } from '../merges/undo-conflicts.ts'
import { linksBack } from './links.ts'
import { type LeftOut, presentReferences } from './references.ts'

/** How long deleted records can be restored. */
export const BIN_MS = 30 * DAY_MS
/** Requests wait for at most one batch. */
const BATCH = 200

export type BinRow = {
  event_id: string
  object: Binned
  record_id: string
  title: string
  member_id: string
  at: number
  record: string
  kept: string
}

export type Restored = { object: Binned; record: Stored; left: LeftOut[] }

type Plain = 'note' | 'task' | 'meeting'
type Custom = Exclude<Binned, Plain>

/** Deleted records and their return. Call `restore` in a transaction. */
export const binStore = once((deps: Deps) => {
  const { db, clock, outbox } = deps
  const records = referringRecords(deps)
  const giveBack = linksBack(records)
  const present = presentReferences(db)
  const byEvent = db.prepare('SELECT * FROM bin WHERE org_id = ? AND event_id = ?')
  const page = db.prepare(
    `SELECT event_id, object, record_id, title, member_id, at FROM bin
     WHERE org_id = ? AND event_id < ? ORDER BY event_id DESC LIMIT ?`,
  )
  const remove = db.prepare('DELETE FROM bin WHERE org_id = ? AND event_id = ?')
  const purge = db.prepare(
    'DELETE FROM bin WHERE (org_id, event_id) IN (SELECT org_id, event_id FROM bin WHERE at < ? LIMIT ?)',
  )
  const addStage = db.prepare(
    `INSERT INTO deal_stage_changes (org_id, deal_id, deal_version, at, from_stage_id, to_stage_id, member_id)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  )
  const hasStage = db.prepare('SELECT 1 FROM stages WHERE org_id = ? AND id = ?').pluck()
  const inLists = listChanges(deps)
  const customs = { contact: custom('contact'), company: custom('company'), deal: custom('deal') }

  function custom(object: Custom) {
    const { custom: values, resolve } = undoConflicts(db, object)
    return {
      whole: wholeRecords(deps, object, records[object], values),
      resolve,
      lists: inLists.of(object),
    }
  }

  /**
   * Restores a deleted record with its id, its fields and the next version, and the references to it that were not
   * changed since, with a `created` event. `left` lists what could not be given back. Throws 404, and 409 where the record
   * could not exist any more.
   */
  function restore(who: Caller, eventId: string): Restored {
    const row = byEvent.get(who.org, eventId) as BinRow | undefined
    if (!row) throw notFound()
    const { object, record_id } = row
    const kept = JSON.parse(row.kept) as Kept
    const stored = JSON.parse(row.record) as Stored
    const left = isPlain(object) ? restorePlain(who, object, stored) : restoreCustom(who, object, stored, kept)
    left.push(...giveBack(who, record_id, kept.links))
    remove.run(who.org, eventId)
    const { columns, find } = records[object]
    return { object, record: columns.present(find(who, record_id) as RawRow) as Stored, left }
  }

  function restorePlain(who: Caller, object: Plain, given: Stored): LeftOut[] {
    const { record, left } = present(who.org, object, given)
    const back = { ...record, updated_at: rfc3339(clock.now()), version: record.version + 1 }
    if (object === 'meeting') {
      const meeting = back as unknown as Stored & { has_transcript: boolean }
      if (meeting.has_transcript) left.push({ object, id: back.id, field: 'has_transcript', reason: 'deleted' })
      meeting.has_transcript = false
    }
    records[object].restore(who.org, back as never)
    outbox.record(who, `${object}.created` as EventName, back)
    return left
  }

  function restoreCustom(who: Caller, object: Custom, given: Stored, { archived = {}, lists = [], stages = [] }: Kept) {
    const { whole, resolve, lists: ofObject } = customs[object]
    const { fields, left } = resolve(who.org, given.id, flatten(given, archived), {})
    if (object === 'deal') checkDeal(given, fields)
    whole.restoreDeleted(who, fields)()
    for (const { deal_version, at, from_stage_id: from, to_stage_id: to, member_id } of stages)
      if (hasStage.get(who.org, from) && hasStage.get(who.org, to))
        addStage.run(who.org, given.id, deal_version, at, from, to, member_id)
    const out: LeftOut[] = left.map((each) => ({ object, id: given.id, ...each }))
    for (const list of lists) {
      if (!inLists.exists(who.org, list)) out.push({ object: 'list', id: list, field: 'members', reason: 'deleted' })
      else if (ofObject.add(who.org, list, given.id)) inLists.touched(who, list)
    }
    return out
  }

  /** Returns the newest first. */
  const list = (org: number, below: string, limit: number): Omit<BinRow, 'record' | 'kept'>[] =>
    page.all(org, below, limit) as BinRow[]

  function purgeOld(): 'more' | undefined {
    return purge.run(clock.now() - BIN_MS, BATCH).changes === BATCH ? 'more' : undefined
  }

  return { restore, list, purgeOld }
})

const isPlain = (object: Binned): object is Plain => object === 'note' || object === 'task' || object === 'meeting'

/** A deal cannot be without its stage, nor a closed one without its reason. */
function checkDeal(before: Stored, fields: Fields): void {
  for (const name of ['stage', 'close_reason_id'])
    if (before[name] !== null && fields[name] === null)
      throw conflict('reference_gone', `The ${name} of this deal was deleted, so the deal cannot come back.`, {
        field: name,
      })
}
