import { memberSettings } from '../../../crm/members/settings.ts'
import { type Deps, once } from '../../../deps.ts'
import { auditLog } from '../../../events/audit/log.ts'
import { dateIn } from '../../../lib/calendar/days.ts'
import type { Caller } from '../../../lib/caller.ts'
import { conflict } from '../../../lib/problem.ts'
import { noticeQueue } from '../../../personal/notices.ts'
import { notificationStore } from '../../../personal/notifications.ts'
import { type Job, jobQueue } from '../../../store/jobs/jobs.ts'
import type { Store } from '../../../store/open.ts'
import { orgOf } from '../../../store/orgs/orgs.ts'
import { doEach, MAX_BATCH } from '../bulk/each.ts'
import { type BulkRow, bulkJournal, type Item } from '../bulk/journal.ts'
import type { Agreed } from './asked.ts'
import { awayStore, HAND_BACK } from './away.ts'
import { handingOver } from './give.ts'
import { handingRights } from './rights.ts'
import { type Counts, type WorkKind, workOf } from './work.ts'

export const HAND_OVER_UNDO = 'hand over undo'

type Person = { name: string; email: string; status: string; version: number }
/** `below` is the position that the next batch ends before. `now` comes back before its date. */
type Step = { below?: number; now?: true }

/** Brings back what was handed over: by an undo, or on the date of return. */
export const handingBack = once((deps: Deps) => {
  const { db, clock, references } = deps
  const journal = bulkJournal(deps)
  const work = workOf(deps)
  const away = awayStore(deps)
  const giving = handingOver(deps)
  const refusalOf = handingRights(db)
  const jobs = jobQueue(deps)
  const notices = noticeQueue(deps)
  const { handOverEnded, returned } = notificationStore(deps)
  const person = db.prepare('SELECT name, email, status, version FROM members WHERE org_id = ? AND id = ?')
  const receivers = db
    .prepare('SELECT DISTINCT to_id FROM bulk_rows WHERE org_id = ? AND bulk_id = ? AND seq IS NOT NULL')
    .pluck()
  const backCounts = db.prepare(
    `SELECT kind, count(*) AS count FROM bulk_rows
     WHERE org_id = ? AND bulk_id = ? AND is_undone = 1 AND seq IS NOT NULL GROUP BY kind`,
  )
  const handedOn = db.prepare(
    `SELECT its.id, handed.to_id AS holder FROM bulk_rows AS handed INDEXED BY bulk_rows_handed
     JOIN bulk_changes AS its ON its.org_id = handed.org_id AND its.id = handed.bulk_id
     WHERE handed.org_id = ? AND handed.record_id = ? AND handed.to_id IS NOT NULL AND handed.seq IS NOT NULL
       AND handed.is_undone = 0 AND its.from_id = ? AND its.id > ? ORDER BY its.id LIMIT 1`,
  )

  /** Starts to undo one that has finished. Throws 403. */
  function undo({ org }: Caller, row: BulkRow): void {
    const { id, done } = row
    const refused = refusalOf(org, row)
    if (refused) throw refused
    journal.startUndo(org, id)
    away.cancel(org, id)
    jobs.put(org, { kind: HAND_OVER_UNDO, key: id, payload: { below: done }, dueAt: clock.now() })
  }

  /** One batch of an undo, the last record first. */
  function runUndo({ org, key, payload }: Job, store: Store): void {
    const row = journal.stored(org, key as string)
    if (!row) return
    const who = { org, member: row.member_id, isSummed: true } as const
    const refused = refusalOf(org, row)
    if (!refused) activateAgain(store, who, row)
    const rest = backBatch(store, who, row, (payload as Step).below as number, (item) => {
      if (refused) throw refused
      backOne(who, row, item, false)
    })
    if (rest > 0) jobs.put(org, { kind: HAND_OVER_UNDO, key: row.id, payload: { below: rest }, dueAt: clock.now() })
    else end(org, row)
  }

  /** Whoever was deactivated with the same change becomes active, unless somebody has changed them since. */
  function activateAgain(store: Store, { org, member }: Caller, { from_id, change }: BulkRow): void {
    const { was } = JSON.parse(change) as Agreed
    const { email, status, version } = person.get(org, from_id) as Person
    if (was === undefined || was !== version || status === 'active') return
    memberSettings(store).set(org, email, { status: 'active' })
    auditLog(store).record({
      org,
      actor: { type: 'member', member: member as string, via: 'undo' },
      action: 'member.changed',
      record: from_id,
      detail: { fields: ['status'], status: 'active' },
    })
  }

  /** One batch of a return. By nobody: the member who handed over may have left. */
  function runReturn({ org, key, payload }: Job, store: Store): void {
    const row = journal.stored(org, key as string)
    if (!row?.returns_on) return
    const { below, now } = payload as Step
    if (below === undefined) {
      // The organisation may be in another zone by now.
      const today = dateIn(orgOf(db, org).timezone, clock.now())
      if (!now && today < row.returns_on) {
        away.plan(org, row.id, row.returns_on)
        return
      }
      if (row.finished_at === null) giving.stop(org, row)
      journal.startUndo(org, row.id)
    }
    const who = { org, member: null, isSummed: true } as const
    const { status, name } = person.get(org, row.from_id) as Person
    const from = below ?? (journal.stored(org, row.id) as BulkRow).done
    const isBack = status === 'active'
    const rest = isBack ? backBatch(store, who, row, from, (item) => backOne(who, row, item, true)) : 0
    if (rest > 0) {
      jobs.put(org, { kind: HAND_BACK, key: row.id, payload: { below: rest }, dueAt: clock.now() })
      return
    }
    end(org, row)
    const rows = backCounts.all(org, row.id) as { kind: WorkKind; count: number }[]
    const counts: Counts = Object.fromEntries(rows.map(({ kind, count }) => [kind, count]))
    if (isBack && rows.length > 0)
      returned(org, row.from_id as string, { record: row.id, title: name, detail: { counts } })
  }

  /** Returns how many are left before it. */
  function backBatch(
    store: Store,
    { org }: Caller,
    { id, from_id }: BulkRow,
    below: number,
    back: (item: Item) => void,
  ): number {
    const items = journal.below(org, id, below, MAX_BATCH)
    const done = references.returning(from_id as string, () =>
      doEach(store, items, (item) => {
        if (item.seq !== null) back(item)
      }),
    )
    for (const { item, error } of done) if (item.seq !== null) journal.noteUndone(org, id, item, error)
    return done.at(-1)?.item.position ?? 0
  }

  /**
   * Somebody may have given it to another one since: then it stays there. But who was lent it may have handed it over in turn.
   * What was finished meanwhile stays with who has finished it, unless all is undone.
   */
  function backOne(who: Caller, { id, from_id }: BulkRow, item: Item, isReturn: boolean): void {
    const { holder, isOpen, give } = work.held(who, item.kind as WorkKind, item.record_id)
    const isStill = isReturn ? isLentOn(who.org, id, item, holder) : holder === item.to_id
    if (!isStill) throw conflict('changed_since', 'Somebody else was given it since.')
    if (isReturn && !isOpen) throw conflict('finished', 'It was finished meanwhile.')
    give(from_id as string)
  }

  function isLentOn(org: number, id: string, { record_id, to_id }: Item, holder: unknown): boolean {
    for (let [at, change] = [to_id as string, id]; at !== holder; ) {
      const next = handedOn.get(org, record_id, at, change) as { id: string; holder: string } | undefined
      if (!next) return false
      ;[at, change] = [next.holder, next.id]
    }
    return true
  }

  function end(org: number, { id }: BulkRow): void {
    journal.endUndo(org, id)
    handOverEnded(org, receivers.all(org, id) as string[], id)
    notices.put(org, null, { kind: 'members' })
  }

  return { undo, runUndo, runReturn, end }
})
