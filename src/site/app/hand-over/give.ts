import type { Member } from '../../../crm/members/members.ts'
import { memberSettings } from '../../../crm/members/settings.ts'
import { type Deps, once } from '../../../deps.ts'
import type { Caller } from '../../../lib/caller.ts'
import { conflict, type Problem } from '../../../lib/problem.ts'
import { noticeQueue } from '../../../personal/notices.ts'
import { notificationStore } from '../../../personal/notifications.ts'
import { type Job, jobQueue } from '../../../store/jobs/jobs.ts'
import type { Store } from '../../../store/open.ts'
import { doEach, MAX_BATCH } from '../bulk/each.ts'
import { type BulkRow, bulkJournal, type Item } from '../bulk/journal.ts'
import { toldEvents } from '../undo/events.ts'
import { type Agreed, type Asked, handOverChecks, receiverStates } from './asked.ts'
import { awayStore } from './away.ts'
import { handingRights } from './rights.ts'
import { type Counts, type FinishedKind, type WorkKind, workOf } from './work.ts'

export const HAND_OVER = 'hand over'

/** Ids that are written down in one transaction. */
const MAX_FOUND = 2000

/** First all records are written down, kind by kind, and then changed from a position on. */
type Finding = { at: number; ofKind: number; found: number; after: string }
type Changing = { from: number }

/** Gives what a member has to others, as one change of many records. */
export const handingOver = once((deps: Deps) => {
  const { db, clock } = deps
  const { check } = handOverChecks(deps)
  const journal = bulkJournal(deps)
  const work = workOf(deps)
  const away = awayStore(deps)
  const refusalOf = handingRights(db)
  const { refusal } = receiverStates(db)
  const jobs = jobQueue(deps)
  const notices = noticeQueue(deps)
  const { handedOver } = notificationStore(deps)
  const events = toldEvents(db)
  const nameOf = db.prepare('SELECT name FROM members WHERE org_id = ? AND id = ?').pluck()
  const given = db.prepare(
    `SELECT to_id, kind, count(*) AS count FROM bulk_rows
     WHERE org_id = ? AND bulk_id = ? AND seq IS NOT NULL GROUP BY to_id, kind`,
  )

  /** Throws 403, 409 and 422: then nothing is handed over, and nobody deactivated. Call this in a transaction. */
  function start(store: Store, who: Caller, from: Member, asked: Asked) {
    const { total, ...agreed } = check(who, from, asked)
    if (asked.deactivate && from.status === 'active')
      (agreed as Agreed).was = memberSettings(store).set(who.org, from.email, { status: 'deactivated' }).version
    const returnsOn = asked.returns_on ?? null
    const id = journal.add(who, 'members', agreed, total, { from: from.id, returnsOn })
    put(who.org, id, { at: 0, ofKind: 0, found: 0, after: '' })
    if (returnsOn !== null) away.plan(who.org, id, returnsOn)
    notices.put(who.org, null, { kind: 'members' })
    return { id, total, counts: agreed.counts }
  }

  const put = (org: number, id: string, step: Finding | Changing): void =>
    jobs.put(org, { kind: HAND_OVER, key: id, payload: step, dueAt: clock.now() })

  /** One batch; puts the job for the next. */
  function run({ org, key, payload }: Job, store: Store): void {
    const row = journal.stored(org, key as string)
    if (!row) return
    if ('found' in (payload as Finding)) writeDown(org, row, payload as Finding)
    else giveBatch(org, row, payload as Changing, store)
  }

  function writeDown(org: number, { id, from_id, change }: BulkRow, { at, ofKind, found, after }: Finding): void {
    const { to, finished, counts } = JSON.parse(change) as Agreed
    const kinds = (Object.keys(counts) as WorkKind[]).filter((kind) => counts[kind] !== 0)
    const kind = kinds[at]
    if (kind === undefined) {
      beginGiving(org, id, found)
      return
    }
    const which = finished.includes(kind as FinishedKind) ? 'whole' : 'open'
    const limit = Math.min(MAX_FOUND, (counts[kind] as number) - ofKind)
    const ids = work.next(org, from_id as string, kind, which, after, limit)
    const receivers = to[kind] as string[]
    // The turns go on from kind to kind, so that the first receiver does not get the one that is left over of each.
    const before = kinds.slice(0, at).reduce((sum, each) => sum + (counts[each] as number), 0)
    const items = ids.map((record, index) => ({ record, kind, to: turnOf(receivers, before + ofKind + index) }))
    journal.addHanded(org, id, found, items)
    const sum = found + ids.length
    if (ids.length === MAX_FOUND)
      put(org, id, { at, ofKind: ofKind + ids.length, found: sum, after: ids.at(-1) as string })
    else if (at + 1 < kinds.length) put(org, id, { at: at + 1, ofKind: 0, found: sum, after: '' })
    else beginGiving(org, id, sum)
  }

  function beginGiving(org: number, id: string, total: number): void {
    journal.setTotal(org, id, total)
    put(org, id, { from: 0 })
  }

  function giveBatch(org: number, row: BulkRow, { from }: Changing, store: Store): void {
    const { id, member_id, total } = row
    const who = { org, member: member_id, isSummed: true } as const
    const refused = refusalOf(org, row)
    const states = new Map<string, Problem | undefined>()
    const stateOf = (to: string) => {
      if (!states.has(to)) states.set(to, refusal(org, to))
      return states.get(to)
    }
    const done = doEach(store, journal.next(org, id, from, MAX_BATCH), (item) => {
      const problem = refused ?? stateOf(item.to_id as string)
      if (problem) throw problem
      giveOne(who, row, item)
    })
    for (const { item, error } of done) journal.note(org, id, error === null ? item : { ...item, seq: null }, error)
    const isLast = from + done.length >= total
    journal.advance(org, id, done.length, done.filter(({ error }) => error !== null).length, isLast)
    if (isLast) tell(org, row)
    else put(org, id, { from: from + done.length })
  }

  /** Notes in the item what it did. */
  function giveOne(who: Caller, { from_id }: BulkRow, item: Item): void {
    const { holder, give } = work.held(who, item.kind as WorkKind, item.record_id)
    if (holder !== from_id) throw conflict('changed_since', 'Somebody else has it by now.')
    give(item.to_id as string)
    item.seq = events.lastSeq(who.org)
  }

  /** Ends one that is still running. */
  function stop(org: number, row: BulkRow): void {
    jobs.cancel(org, HAND_OVER, row.id)
    journal.advance(org, row.id, 0, 0, true)
    tell(org, row)
  }

  /** Each receiver is told once, of all that they got; and pages read anew who has what. */
  function tell(org: number, { id, member_id, from_id, returns_on }: BulkRow): void {
    const rows = given.all(org, id) as { to_id: string; kind: WorkKind; count: number }[]
    const title = nameOf.get(org, from_id) as string
    for (const [to, of] of Map.groupBy(rows, ({ to_id }) => to_id)) {
      const counts: Counts = Object.fromEntries(of.map(({ kind, count }) => [kind, count]))
      const detail = { counts, ...(returns_on === null ? {} : { until: returns_on }) }
      handedOver(org, to, member_id, { record: id, title, detail })
    }
    notices.put(org, null, { kind: 'members' })
  }

  return { start, run, stop }
})

/** Evenly by count, and always the same one for a position. */
const turnOf = (receivers: readonly string[], position: number): string =>
  receivers[position % receivers.length] as string
