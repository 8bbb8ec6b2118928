import type { Binned, Kept } from '../../crm/binned.ts'
import { listChanges } from '../../crm/list-changes.ts'
import { type Deps, once } from '../../deps.ts'
import type { EventName } from '../../events/names.ts'
import type { Caller } from '../../lib/caller.ts'
import { conflict, notFound, Problem } from '../../lib/problem.ts'
import { DAY_MS, rfc3339 } from '../../lib/time.ts'
import { matches, type Query, wordsOf } from '../../lib/words.ts'
import type { Stored } from '../../store/rows/record-store.ts'
import { type Fields, flatten } from '../merges/fields.ts'
import { wholeRecords } from '../merges/mergeable.ts'
import { referringRecords } from '../merges/referring.ts'
import { undoConflicts } from '../merges/undo-conflicts.ts'
import { type Counts, linksBack } from './links.ts'
import { type LeftOut, presentReferences } from './references.ts'

/** How long deleted records can be restored. */
export const BIN_MS = 30 * DAY_MS
/** Requests wait for at most one batch. */
const BATCH = 200
/** Rows that are compared with words for one page. */
const MAX_SEARCHED = 2000

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

/** `brought` counts what refers to the record again, by object, and the lists that have it. */
export type Restored = { object: Binned; record: Stored; left: LeftOut[]; brought: Counts }

/** What a restore would do now. `refusal` is why the record cannot come back at all. */
export type Outlook = Pick<Restored, 'left' | 'brought'> & { refusal: Problem | null }

export type BinSearch = { object?: Binned | undefined; query?: Query | undefined }

type Plain = 'note' | 'task' | 'meeting'
type Custom = Exclude<Binned, Plain>

/** Deleted records and their return. Call `restore` in a transaction. */
export const binStore = once((deps: Deps) => {
  const { db, clock, outbox } = deps
  const records = referringRecords(deps)
  const { giveBack, count } = linksBack(db, records)
  const present = presentReferences(db)
  const byEvent = db.prepare('SELECT * FROM bin WHERE org_id = ? AND event_id = ? AND at >= ?')
  const byRecord = db.prepare('SELECT * FROM bin WHERE org_id = ? AND record_id = ? AND object = ? AND at >= ?')
  const page = db.prepare(
    `SELECT * FROM bin WHERE org_id = @org AND event_id < @below AND at >= @since AND object = coalesce(@object, object)
     ORDER BY event_id DESC LIMIT @limit`,
  )
  const searched = db.prepare(
    `SELECT event_id, object, title,
       (SELECT group_concat(value ->> '$.email', ' ') FROM json_each(record, '$.emails')) AS emails,
       (SELECT group_concat(value, ' ') FROM json_each(record, '$.domains')) AS domains
     FROM bin WHERE org_id = ? AND event_id < ? AND at >= ? ORDER BY event_id DESC LIMIT ${MAX_SEARCHED}`,
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

  const oldest = (): number => clock.now() - BIN_MS

  /** Undefined for what is not in the bin, or has been there for too long. */
  const find = (org: number, eventId: string) => byEvent.get(org, eventId, oldest()) as BinRow | undefined

  /**
   * Restores a deleted record with its id, its fields and the next version, and the references to it that were not
   * changed since, with a `created` event. `left` lists what could not be given back. Throws 404, and 409 where the record
   * could not exist any more.
   */
  function restore(who: Caller, eventId: string): Restored {
    const row = find(who.org, eventId)
    if (!row) throw notFound()
    const { object, record_id } = row
    const { kept, whole, left } = opened(who.org, row)
    if (isPlain(object)) writePlain(who, object, whole as Stored)
    else writeCustom(who, object, whole as Fields, kept)
    const lists = isPlain(object) ? 0 : backInLists(who, object, record_id, kept)
    const links = giveBack(who, record_id, kept.links)
    remove.run(who.org, eventId)
    const { columns, find: findRecord } = records[object]
    return {
      object,
      record: columns.present(findRecord(who, record_id)),
      left: [...left, ...links.left],
      brought: withLists(links.brought, lists),
    }
  }

  /** The same without writing anything. What its links bring is counted by whether their records are there to take them. */
  function outlook(org: number, row: BinRow): Outlook {
    try {
      const { kept, left } = opened(org, row)
      const lists = (kept.lists ?? []).filter((list) => inLists.exists(org, list)).length
      return { left, brought: withLists(count(org, kept.links), lists), refusal: null }
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      return { left: [], brought: {}, refusal: error }
    }
  }

  /** What the record can be now: its wire form, or the flat fields of one with custom fields. */
  function opened(org: number, row: BinRow): { kept: Kept; whole: Stored | Fields; left: LeftOut[] } {
    const { object } = row
    const kept = JSON.parse(row.kept) as Kept
    const given = JSON.parse(row.record) as Stored
    if (isPlain(object)) {
      const { record, left } = present(org, object, given)
      const isLost = object === 'meeting' && given.has_transcript === true
      return { kept, whole: record, left: isLost ? [...left, leftOut(row, 'has_transcript', 'deleted')] : left }
    }
    const { fields, left } = customs[object].resolve(org, given.id, flatten(given, kept.archived ?? {}), {})
    if (object === 'deal') checkDeal(given, fields)
    const gone = (kept.lists ?? []).filter((list) => !inLists.exists(org, list))
    return {
      kept,
      whole: fields,
      left: [
        ...left.map((each) => ({ object, id: given.id, ...each })),
        ...gone.map((list): LeftOut => ({ object: 'list', id: list, field: 'members', reason: 'deleted' })),
      ],
    }
  }

  function writePlain(who: Caller, object: Plain, record: Stored): void {
    const back = { ...record, updated_at: rfc3339(clock.now()), version: record.version + 1 }
    if (object === 'meeting') Object.assign(back, { has_transcript: false })
    records[object].restore(who.org, back)
    outbox.record(who, `${object}.created` as EventName, back)
  }

  function writeCustom(who: Caller, object: Custom, fields: Fields, { stages = [] }: Kept): void {
    customs[object].whole.restoreDeleted(who, fields)()
    for (const { deal_version, at, from_stage_id: from, to_stage_id: to, member_id } of stages)
      if (hasStage.get(who.org, from) && hasStage.get(who.org, to))
        addStage.run(who.org, fields.id, deal_version, at, from, to, member_id)
  }

  /** Returns in how many. */
  function backInLists(who: Caller, object: Custom, id: string, { lists = [] }: Kept): number {
    const added = lists.filter((list) => inLists.exists(who.org, list) && customs[object].lists.add(who.org, list, id))
    for (const list of added) inLists.touched(who, list)
    return added.length
  }

  /** Returns the newest first. */
  const list = (org: number, below: string, limit: number, object?: Binned): BinRow[] =>
    page.all({ org, below, limit, since: oldest(), object: object ?? null }) as BinRow[]

  /**
   * Those whose title, emails or domains match, the newest first. Not all rows are compared at once: `after` is the last one
   * that was, if there are more.
   */
  function search(org: number, below: string, limit: number, { object, query }: BinSearch) {
    const rows = query ? (searched.all(org, below, oldest()) as Searched[]) : list(org, below, limit + 1, object)
    const isWhole = rows.length < (query ? MAX_SEARCHED : limit + 1)
    const found: BinRow[] = []
    for (const [at, row] of rows.entries()) {
      if (!isFound(row, object, query)) continue
      found.push(query ? (find(org, row.event_id) as BinRow) : (row as BinRow))
      const isLast = isWhole && at === rows.length - 1
      if (found.length === limit) return { rows: found, after: isLast ? undefined : row.event_id }
    }
    return { rows: found, after: isWhole ? undefined : rows.at(-1)?.event_id }
  }

  function purgeOld(): 'more' | undefined {
    return purge.run(oldest(), BATCH).changes === BATCH ? 'more' : undefined
  }

  return {
    restore,
    outlook,
    list,
    search,
    /** The deletion of a record that is in the bin. */
    ofRecord: (org: number, object: string, id: string) =>
      byRecord.get(org, id, object, oldest()) as BinRow | undefined,
    purgeOld,
  }
})

type Searched = { event_id: string; object: Binned; title: string; emails?: string | null; domains?: string | null }

const isFound = ({ title, emails, domains, ...row }: Searched, object?: Binned, query?: Query): boolean =>
  (object === undefined || row.object === object) &&
  (!query || matches(wordsOf([title, emails ?? null, domains ?? null]).join(' '), query))

const leftOut = ({ object, record_id }: BinRow, field: string, reason: string): LeftOut => ({
  object,
  id: record_id,
  field,
  reason,
})

const withLists = (brought: Counts, lists: number): Counts => (lists === 0 ? brought : { ...brought, list: lists })

const isPlain = (object: Binned): object is Plain => object === 'note' || object === 'task' || object === 'meeting'

/** A deal cannot be without its stage, nor a closed one without its reason. */
function checkDeal(before: Stored, fields: Fields): void {
  for (const name of ['stage', 'close_reason_id'])
    if (before[name] !== null && fields[name] === null)
      throw conflict('reference_gone', `The ${name} of this deal was deleted, so the deal cannot come back.`, {
        field: name,
      })
}
