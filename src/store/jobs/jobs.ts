import type { Json } from '../../lib/json.ts'
import type { Store } from '../open.ts'
import { isOpen, notStaged } from '../orgs/org-states.ts'
import { totalChanges } from '../sqlite/changes.ts'
import type { Database } from '../sqlite/driver.ts'
import type { Jump } from '../wall-clock.ts'
import { MAX_PAUSE_MS, pauseAfter, WAITING } from './job-attempts.ts'
import { jobLanes, type Places } from './job-lanes.ts'

/** Work for a later time. `tries` includes the attempt that it is handed out for. */
export type Job = {
  org: number
  id: string
  kind: string
  /** The subject of the job: there is at most one job per kind and key. */
  key: string | null
  /** Jobs of one lane share a few of the places of their kind; '' for kinds without lanes. */
  lane: string
  payload: Json
  dueAt: number
  tries: number
  /** The end of the lease of a job that runs outside of a transaction; null for one that runs inside. */
  leasedUntil: number | null
  /** Its attempt was counted before it was taken: see `begin`. */
  isCounted?: true
}

export type NewJob = { kind: string; key?: string; lane?: string; payload: Json; dueAt: number }

export type DueJob = Pick<Job, 'org' | 'id' | 'dueAt' | 'tries'>

export type JobQueue = ReturnType<typeof jobQueue>

const MAX_ERROR = 500

const LEASE_ENDED = 'It was not completed within its lease; the server may have stopped.'
const NOT_ENDED = 'It was begun and not completed; the server may have ended in the middle of it.'

const FIELDS =
  'org_id AS org, id, kind, key, lane, payload, due_at AS dueAt, tries, leased_until AS leasedUntil' as const

const IS_OPEN = isOpen('jobs.org_id')
const IS_HERE = notStaged('jobs.org_id')

/** The writes of this process: all puts, and what happened to jobs since one was last taken. */
type Written = {
  puts: number
  taken?: { job: Job; changesBefore: number; jobRows: number; again?: string }
}

const written = new WeakMap<Database, Written>()

function writtenInto(db: Database): Written {
  const entry = written.get(db) ?? { puts: 0 }
  written.set(db, entry)
  return entry
}

/** A number that changes with each `put` of this process, even if it was rolled back. */
export const putsInto = (db: Database): number => writtenInto(db).puts

/** Jobs as rows. All functions are synchronous and run in the caller's transaction. */
export function jobQueue({ db, clock }: Pick<Store, 'db' | 'clock'>) {
  const wrote = writtenInto(db)
  const changesSoFar = totalChanges(db)
  const insert = db.prepare(
    `INSERT INTO jobs (org_id, id, kind, key, lane, payload, due_at, tries, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, 0, ?)
     ON CONFLICT (org_id, kind, key) WHERE key IS NOT NULL DO UPDATE
     SET lane = excluded.lane, payload = excluded.payload, due_at = excluded.due_at, tries = 0, last_error = NULL, failed_at = NULL`,
  )
  const removeKey = db.prepare('DELETE FROM jobs WHERE org_id = ? AND kind = ? AND key = ?')
  const dueOfKind = db.prepare(
    `SELECT ${FIELDS} FROM jobs WHERE kind = ? AND due_at <= ? AND ${WAITING} AND ${IS_OPEN} ORDER BY due_at, id LIMIT ?`,
  )
  const dueOne = db.prepare(
    `SELECT ${FIELDS} FROM jobs WHERE org_id = ? AND id = ? AND due_at <= ? AND ${WAITING} AND ${IS_OPEN}`,
  )
  const begunOne = db.prepare(
    `SELECT ${FIELDS} FROM jobs WHERE org_id = ? AND id = ? AND tries > 0 AND ${WAITING} AND ${IS_OPEN}`,
  )
  const earliest = db
    .prepare(`SELECT due_at FROM jobs WHERE kind = ? AND ${WAITING} AND ${IS_OPEN} ORDER BY due_at, id LIMIT 1`)
    .pluck()
  const remove = db.prepare('DELETE FROM jobs WHERE org_id = ? AND id = ?')
  const delay = db.prepare('UPDATE jobs SET due_at = ? WHERE org_id = ? AND id = ? AND due_at <= ?')
  const delayKey = db.prepare('UPDATE jobs SET due_at = ? WHERE org_id = ? AND kind = ? AND key = ? AND due_at <= ?')
  const lease = db.prepare('UPDATE jobs SET leased_until = ?, tries = tries + 1 WHERE org_id = ? AND id = ?')
  const removeLeased = db.prepare('DELETE FROM jobs WHERE org_id = ? AND id = ? AND leased_until = ? AND tries = ?')
  const unlease = db.prepare('UPDATE jobs SET leased_until = NULL WHERE org_id = ? AND id = ? AND leased_until = ?')
  const endLeases = db.prepare(
    `UPDATE jobs SET leased_until = ? WHERE leased_until > ? AND leased_until IS NOT NULL AND ${IS_HERE}`,
  )
  const expired = db.prepare(
    `SELECT ${FIELDS} FROM jobs WHERE leased_until <= ? AND leased_until IS NOT NULL AND ${IS_HERE}
     ORDER BY leased_until LIMIT ?`,
  )
  const earliestEnd = db
    .prepare(
      `SELECT leased_until FROM jobs WHERE leased_until IS NOT NULL AND ${IS_HERE} ORDER BY leased_until LIMIT 1`,
    )
    .pluck()
  const again = db.prepare(
    `UPDATE jobs SET due_at = ?, tries = ?, leased_until = NULL, last_error = ?, failed_at = ?
     WHERE org_id = ? AND id = ? AND leased_until IS ? AND tries = ? AND due_at = ?`,
  )

  const moveLane = db.prepare('UPDATE jobs SET lane = ? WHERE org_id = ? AND kind = ? AND key = ?')
  const hurryLane = db.prepare(
    `UPDATE jobs SET due_at = ? WHERE org_id = ? AND kind = ? AND lane = ? AND lane <> '' AND due_at > ? AND ${WAITING}`,
  )
  const lanes = jobLanes<Row & { due_at: number }>(db, FIELDS)
  const moveBack = db.prepare(
    `UPDATE jobs SET due_at = max(?, due_at + ?) WHERE kind = ? AND due_at > ? AND ${WAITING}`,
  )

  /**
   * Adds a job. One with the same key replaces the time and payload of the first and resets its tries; a running one
   * runs again.
   */
  function put(org: number, { kind, key: given, lane = '', payload, dueAt }: NewJob): void {
    const key = given ?? null
    const [id, now, text] = [clock.id(), clock.now(), JSON.stringify(payload)]
    const { changes } = insert.run(org, id, kind, key, lane, text, dueAt, now)
    wrote.puts++
    const { taken } = wrote
    if (!taken) return
    taken.jobRows += changes
    const { job } = taken
    if (job.org !== org || job.kind !== kind || job.key !== key) return
    if (JSON.stringify(job.payload) === text) taken.again = id
    else if (key !== null) delete taken.again // this one has replaced it
  }

  /** Removes a job, if any. A running one finishes and is not retried. */
  function cancel(org: number, kind: string, key: string): boolean {
    const { changes } = removeKey.run(org, kind, key)
    if (wrote.taken) wrote.taken.jobRows += changes
    return changes > 0
  }

  /** The due jobs of a kind, ordered by time. */
  function due(kind: string, limit: number): DueJob[] {
    return dueOfKind.all(kind, clock.now(), limit) as Row[]
  }

  /**
   * Counts an attempt in a transaction of its own, before the one that takes the job: if it ends the process, the job waits
   * until `dueAt`. After the last attempt the row stays, marked as failed.
   */
  function begin(
    { org, id }: DueJob,
    dueAt: number,
    maxTries: number,
  ): { job: Job; next: 'begun' | 'given up' } | undefined {
    const now = clock.now()
    const row = dueOne.get(org, id, now) as Row | undefined
    if (!row) return undefined
    const isLast = row.tries >= maxTries
    const [due, tries, failedAt] = isLast ? [row.dueAt, row.tries, now] : [dueAt, row.tries + 1, null]
    again.run(due, tries, NOT_ENDED, failedAt, org, id, null, row.tries, row.dueAt)
    return { job: { ...jobOf(row), tries }, next: isLast ? 'given up' : 'begun' }
  }

  /** Takes a job out of the queue to run it in the current transaction; undefined if it is not due, and was not begun. */
  function take(org: number, id: string, isBegun = false): Job | undefined {
    const row = (isBegun ? begunOne.get(org, id) : dueOne.get(org, id, clock.now())) as Row | undefined
    if (!row) return undefined
    remove.run(org, id)
    const job: Job = isBegun ? { ...jobOf(row), isCounted: true } : { ...jobOf(row), tries: row.tries + 1 }
    wrote.taken = { job, changesBefore: changesSoFar(), jobRows: 0 }
    return job
  }

  /**
   * Call this after a job was taken and run. If it did nothing but put itself again, due at once, it would loop, so it
   * is delayed. Returns whether it was.
   */
  function putOffIdle({ org, kind, key }: Job, pauseMs: number): boolean {
    const { taken } = wrote
    delete wrote.taken
    if (taken?.again === undefined) return false
    if (changesSoFar() - taken.changesBefore > taken.jobRows) return false
    const now = clock.now()
    const row =
      key === null ? delay.run(now + pauseMs, org, taken.again, now) : delayKey.run(now + pauseMs, org, kind, key, now)
    return row.changes > 0
  }

  /** Leases due jobs, to run them outside of a transaction; with `places`, only those of lanes with a free one. */
  function claim(kind: string, limit: number, leaseMs: number, places?: Places): Job[] {
    const now = clock.now()
    const rows = places ? lanes.due(kind, now, limit, places) : (dueOfKind.all(kind, now, limit) as Row[])
    return rows.map((row) => {
      lease.run(now + leaseMs, row.org, row.id)
      return { ...jobOf(row), tries: row.tries + 1, leasedUntil: now + leaseMs }
    })
  }

  /** Removes a finished job, unless it was put again in the meantime. Does nothing if its lease has ended. */
  function finish({ org, id, tries, leasedUntil }: Job): void {
    if (removeLeased.run(org, id, leasedUntil, tries).changes === 0) unlease.run(org, id, leasedUntil)
  }

  /**
   * Schedules another attempt after a pause; after the last one the row stays, marked as failed, for people to see.
   * Returns which.
   */
  function fail(job: Job, error: unknown, maxTries: number, random: () => number): 'again' | 'given up' {
    const { org, id, tries, leasedUntil } = job
    const now = clock.now()
    const isLast = tries >= maxTries
    const stored = leasedUntil === null && !job.isCounted ? tries - 1 : tries
    const { changes } = again.run(
      isLast ? job.dueAt : now + pauseAfter(tries, random),
      tries,
      textOf(error),
      isLast ? now : null,
      org,
      id,
      leasedUntil,
      stored,
      job.dueAt,
    )
    if (changes === 0 && leasedUntil !== null) unlease.run(org, id, leasedUntil) // put again in the meantime
    return isLast ? 'given up' : 'again'
  }

  /**
   * Returns jobs whose lease has ended to the queue, or marks them as failed. Returns these jobs. They pause as after a
   * failure: a server that is killed again and again would else use up all their tries within minutes.
   */
  function releaseExpired(limit: number, maxTriesOf: (kind: string) => number, random: () => number): Job[] {
    const now = clock.now()
    return (expired.all(now, limit) as Row[]).map((row) => {
      const failedAt = row.tries >= maxTriesOf(row.kind) ? now : null
      const dueAt = failedAt === null ? now + pauseAfter(row.tries, random) : row.dueAt
      again.run(dueAt, row.tries, LEASE_ENDED, failedAt, row.org, row.id, row.leasedUntil, row.tries, row.dueAt)
      return jobOf(row)
    })
  }

  /** After the clock was set back: jobs that were due soon stay due in the same time. Does nothing if it went ahead. */
  function setBack(kind: string, { from, to }: Jump): void {
    if (to < from) moveBack.run(to, to - from, kind, from - MAX_PAUSE_MS)
  }

  /** Moves a job to another lane. */
  function setLane(org: number, kind: string, key: string, lane: string): void {
    moveLane.run(lane, org, kind, key)
  }

  /** Makes the waiting jobs of a lane due at once, since what they waited for has come. */
  function hurry(org: number, kind: string, lane: string): void {
    const now = clock.now()
    if (hurryLane.run(now, org, kind, lane, now).changes > 0) wrote.puts++
  }

  /** Call this at the start of a server: it is the only one, so all running jobs were abandoned by a previous one. */
  function abandonAll(): void {
    const now = clock.now()
    endLeases.run(now, now)
  }

  return {
    put,
    cancel,
    abandonAll,
    setBack,
    setLane,
    hurry,
    due,
    begin,
    take,
    putOffIdle,
    claim,
    finish,
    fail,
    releaseExpired,
    /** The time of the next job of a kind; undefined if there is none. */
    nextDueAt: (kind: string, places?: Places): number | undefined =>
      places ? lanes.nextDueAt(kind, places) : (earliest.get(kind) as number | undefined),
    nextLeaseEnd: (): number | undefined => earliestEnd.get() as number | undefined,
  }
}

type Row = Omit<Job, 'payload'> & { payload: string }

function jobOf(row: Row): Job {
  return { ...row, payload: JSON.parse(row.payload) }
}

/** The stored text of an error. */
export function textOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, MAX_ERROR)
}
