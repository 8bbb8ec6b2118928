import { actingMember } from '../../../auth/acting.ts'
import { dealStore } from '../../../crm/deals/deals.ts'
import { listChanges } from '../../../crm/list-changes.ts'
import { type Deps, once } from '../../../deps.ts'
import { byLoad } from '../../../inbox/conversations/by-load.ts'
import type { Conversation } from '../../../inbox/conversations/conversation.ts'
import { mailboxMoves } from '../../../inbox/conversations/mailbox-moves.ts'
import type { Caller } from '../../../lib/caller.ts'
import { conflict, Problem } from '../../../lib/problem.ts'
import { noticeQueue } from '../../../personal/notices.ts'
import type { Deal } from '../../../records/deal.ts'
import { type Job, jobQueue } from '../../../store/jobs/jobs.ts'
import type { Store } from '../../../store/open.ts'
import type { Stored } from '../../../store/rows/record-store.ts'
import { handingBack } from '../hand-over/back.ts'
import { handingOver } from '../hand-over/give.ts'
import { recordWrites } from '../records.ts'
import { toldEvents } from '../undo/events.ts'
import { undoStore } from '../undo/undo.ts'
import { bulkChecks } from './checks.ts'
import { doEach, MAX_BATCH } from './each.ts'
import { bulkJournal, type Change, type Item, type RecordsRow } from './journal.ts'
import { isListed, type Kind, OBJECTS, type Selection, selections } from './selection.ts'

export const BULK = 'bulk change'
export const BULK_UNDO = 'bulk undo'

/** What the members of the app need to change many records. */
export const NEEDED = 'member'

/** Ids that are written down in one transaction. */
export const MAX_FOUND = 2000

/** What the job does next: find further records after an id, or change those from a position on. */
type Finding = { selection: Selection; found: number; after: string | null }
type Changing = { from: number; refusal?: string }
type Step = Finding | Changing

export type Asked = Selection & Change & { kind: Kind; expected?: number }

/** Changes many records at once, by a job of many short transactions, and undoes all of it. */
export const bulkStore = once((deps: Deps) => {
  const { db, clock } = deps
  const journal = bulkJournal(deps)
  const select = selections(deps)
  const acting = actingMember(db)
  const writes = recordWrites(deps)
  const events = toldEvents(db)
  const notices = noticeQueue(deps)
  const jobs = jobQueue(deps)
  const deals = dealStore(deps)
  const lists = listChanges(deps)
  const load = byLoad(deps)
  const moves = mailboxMoves(deps)
  const check = bulkChecks(deps)

  /** Throws 422 for a change that no record can take, and 409 `count_changed` if more records match than expected. */
  function start(
    who: Caller,
    { kind, expected, ids, filter, q, list_id, exclude, ...change }: Asked & { to_list_id?: string },
  ) {
    const { to_list_id, ...rest } = change
    const wanted: Change = to_list_id === undefined ? rest : { ...rest, list_id: to_list_id }
    check(who, kind, wanted)
    const selection = Object.fromEntries(
      Object.entries({
        ids: change.assign_by_load && ids ? load.longestFirst(who.org, ids) : ids,
        filter,
        q,
        list_id,
        exclude,
      }).filter(([, value]) => value !== undefined),
    ) as Selection
    const total = select.count(who, kind, selection)
    if (expected !== undefined && total > expected) {
      const detail = `${total} records match now, which is more than the ${expected} that were expected.`
      throw conflict('count_changed', detail, { count: total })
    }
    const id = journal.add(who, kind, wanted, total)
    put(who.org, id, { selection, found: 0, after: null })
    return { id, total }
  }

  const put = (org: number, id: string, step: Step): void =>
    jobs.put(org, { kind: BULK, key: id, payload: step as never, dueAt: clock.now() })

  /** One batch; puts the job for the next. First all records are written down, so that no change moves them. */
  function run({ org, key, payload }: Job, store: Store): void {
    const id = key as string
    const row = journal.stored(org, id) as RecordsRow | undefined
    if (!row) return
    const step = payload as Step
    if ('found' in step) writeDown(row, org, step)
    else changeBatch(row, org, step, store)
  }

  /** Never more than were counted: the member has agreed to that number. */
  function writeDown(
    { id, member_id, object, total }: RecordsRow,
    org: number,
    { selection, found, after }: Finding,
  ): void {
    const who = { org, member: member_id }
    try {
      const ids = select.next(who, object, selection, after, Math.min(MAX_FOUND, total - found))
      journal.addItems(org, id, found, ids)
      const sum = found + ids.length
      const isLast = ids.length === 0 || sum >= total
      if (isLast) journal.setTotal(org, id, sum)
      put(org, id, isLast ? { from: 0 } : { selection, found: sum, after: ids.at(-1) as string })
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      journal.setTotal(org, id, found)
      put(org, id, { from: 0, refusal: `The records could not be found any more: ${error.message}` })
    }
  }

  function changeBatch(row: RecordsRow, org: number, { from, refusal }: Changing, store: Store): void {
    const { id } = row
    const who = { org, member: row.member_id }
    const change = JSON.parse(row.change) as Change
    const refused =
      refusal === undefined ? acting(org, row.member_id, NEEDED) : new Problem(409, 'cannot_find', refusal)
    const items = journal.next(org, id, from, MAX_BATCH)
    const done = doEach(store, items, (item) => {
      if (refused) throw refused
      changeOne(who, row, change, item)
    })
    for (const { item, error } of done)
      journal.note(org, id, error === null ? item : { ...item, seq: null, is_listed: 0 }, error)
    const list = listOf(change)
    if (list !== undefined && done.some(({ item }) => item.is_listed)) lists.touched(who, list)
    const isLast = from + done.length >= row.total
    journal.advance(org, id, done.length, done.filter(({ error }) => error !== null).length, isLast)
    if (!isLast) put(org, id, { from: from + done.length, ...(refusal === undefined ? {} : { refusal }) })
    tell(who, row, { done: from + done.length, is_finished: isLast })
  }

  /** Notes in the item what it did. */
  function changeOne(who: Caller, { object: kind }: RecordsRow, change: Change, item: Item): void {
    const object = OBJECTS[kind]
    const { find, patch, remove } = writes[object]
    const record = find(who, item.record_id)
    const list = listOf(change)
    if (list !== undefined && !lists.exists(who.org, list))
      throw conflict('list_gone', 'The list was deleted meanwhile.')
    const before = events.lastSeq(who.org)
    if (change.delete) remove?.(who, record)
    else if (change.close) deals.close(who, record as Deal, change.close)
    else if (change.mailbox_id !== undefined) moves.toMailbox(who, record as Conversation, change.mailbox_id)
    else {
      const owner = change.assign_by_load ? { owner_id: load.ownerFor(who.org, record as Conversation) } : {}
      const given = { ...change.patch, ...owner, ...tagsOf(record, change) }
      if (Object.keys(given).length > 0) patch(who, record, given)
      if (list !== undefined && isListed(object)) {
        const { add, remove } = lists.of(object)
        item.is_listed = (change.list_id === undefined ? remove : add)(who.org, list, record.id) ? 1 : 0
      }
    }
    item.seq = events.newestOf(who.org, before, record.id)?.seq ?? null
  }

  /** Ends a change where it is: what it has done stays, and can be undone. Throws 404, and 409. */
  function stop(who: Caller, id: string) {
    const row = journal.find(who, id)
    if (row.finished_at !== null) throw conflict('finished_already', 'This change has finished already.')
    if (row.object === 'members') handingOver(deps).stop(who.org, row)
    else {
      jobs.cancel(who.org, BULK, id)
      journal.advance(who.org, id, 0, 0, true)
      tell(who, row as RecordsRow, { done: row.done, is_finished: true })
    }
    return journal.show(who, id)
  }

  /** Starts to undo a finished change. Throws 403, 404, and 409. */
  function undo(who: Caller, id: string) {
    const row = journal.find(who, id)
    if (row.finished_at === null)
      throw conflict('not_finished', 'This change is still running. Undo it when it is done.')
    if (row.undo_started_at !== null) throw conflict('undone_already', 'This change is undone already.')
    if (row.object === 'members') handingBack(deps).undo(who, row)
    else {
      journal.startUndo(who.org, id)
      jobs.put(who.org, { kind: BULK_UNDO, key: id, payload: { below: row.done }, dueAt: clock.now() })
    }
    return journal.show(who, id)
  }

  /** One batch of an undo, the last record first. */
  function runUndo({ org, key, payload }: Job, store: Store): void {
    const id = key as string
    const row = journal.stored(org, id) as RecordsRow | undefined
    if (!row) return
    const { below } = payload as { below: number }
    const who = { org, member: row.member_id }
    const change = JSON.parse(row.change) as Change
    const items = journal.below(org, id, below, MAX_BATCH)
    const refused = acting(org, row.member_id, NEEDED)
    const left = new Set<Item>()
    const done = doEach(store, items, (item) => {
      if (refused && isChanged(item)) throw refused
      if (undoOne(who, row, change, item)) left.add(item)
    })
    for (const { item, error } of done) if (isChanged(item)) journal.noteUndone(org, id, item, error)
    if (done.some(({ item, error }) => error === null && left.has(item))) lists.touched(who, listOf(change) as string)
    const rest = done.at(-1)?.item.position ?? 0
    if (rest > 0) jobs.put(org, { kind: BULK_UNDO, key: id, payload: { below: rest }, dueAt: clock.now() })
    else journal.endUndo(org, id)
    tell(who, row, { undone: row.total - rest, is_finished: rest === 0 })
  }

  /** Returns whether the list has changed. */
  function undoOne(who: Caller, { object: kind }: RecordsRow, change: Change, item: Item): boolean {
    const object = OBJECTS[kind]
    const { record_id, seq } = item
    if (seq !== null) undoStore(deps).undo(who, { seq })
    const list = listOf(change)
    if (item.is_listed === 0 || list === undefined || !isListed(object) || !lists.exists(who.org, list)) return false
    const { add, remove } = lists.of(object)
    return (change.list_id === undefined ? add : remove)(who.org, list, record_id)
  }

  const tell = ({ org, member }: Caller, { id, object, total }: RecordsRow, more: object): void =>
    notices.put(org, member, { kind: 'bulk', id, object, total, ...more })

  return { start, run, stop, undo, runUndo, show: journal.show }
})

/** The list that the records are put into or taken out of. */
const listOf = ({ list_id, from_list_id }: Change): string | undefined => list_id ?? from_list_id

const isChanged = ({ seq, is_listed }: Item): boolean => seq !== null || is_listed === 1

function tagsOf(record: Stored, { add_tag_ids = [], remove_tag_ids = [] }: Change): { tag_ids?: string[] } {
  if (add_tag_ids.length + remove_tag_ids.length === 0) return {}
  const kept = (record.tag_ids as string[]).filter((id) => !remove_tag_ids.includes(id))
  return { tag_ids: [...new Set([...kept, ...add_tag_ids])] }
}
