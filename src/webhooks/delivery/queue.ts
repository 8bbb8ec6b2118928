import type { Deps } from '../../deps.ts'
import { EVENT_COLUMNS, eventJson, type StoredEvent } from '../../events/body.ts'
import { eventsOf } from '../../events/names.ts'
import { timeOfId } from '../../lib/id.ts'
import { MINUTE_MS } from '../../lib/time.ts'
import { isOpen, notStaged } from '../../store/orgs/org-states.ts'
import { TEST, type Try } from '../deliveries.ts'
import type { DeliveryDecision, Health } from './retry-policy.ts'

/** The destination of a delivery; the secrets are sealed. */
export type Receiver = { org: number; id: string; url: string; secrets: string }

/** An active webhook with its delivery state. */
export type Target = Receiver &
  Health & {
    event_types: string
    planned_seq: number
    last_seq: number
    status: string
    /** When its earliest delivery is due. */
    due_at: number | null
  }

/** A delivery taken for an attempt. */
export type Taken = {
  org: number
  id: string
  webhook_id: string
  event_id: string
  seq: number | null
  type: string
  object_id: string
  tries: string
  failures: number
  is_ordered: number
  body: string | null
}

type PlannedEvent = Pick<StoredEvent, 'seq' | 'id' | 'type' | 'object_id'>

/** Events scanned for one webhook at a time, so that requests are not blocked. */
const MAX_PLANNED = 500
/** Events read per query: usually one of the first is wanted. */
const READ_AT_ONCE = 20
/** Longer than an attempt, which ends within 15 s. */
const LEASE_MS = MINUTE_MS
/** Attempts stored per delivery. */
const MAX_TRIES = 30

/** The statements of webhook delivery: from the outbox to deliveries, and from one attempt to the next. */
export function deliveryQueue({ db, clock }: Pick<Deps, 'db' | 'clock'>) {
  const FIELDS = 'org_id AS org, id, webhook_id, event_id, seq, type, object_id, tries, failures, is_ordered, body'
  const targets = db.prepare(
    `SELECT w.org_id AS org, w.id, url, event_types, status, secrets, planned_seq, last_seq,
       failures, failing_since, held_until, last_success_at, last_failure_at,
       (SELECT min(due_at) FROM deliveries AS d INDEXED BY deliveries_due
        WHERE d.org_id = w.org_id AND d.webhook_id = w.id AND due_at IS NOT NULL) AS due_at
     FROM webhooks AS w
     JOIN webhook_states AS s ON s.org_id = w.org_id AND s.webhook_id = w.id
     JOIN orgs AS o ON o.id = w.org_id
     WHERE status = 'active' AND o.state = 'open'`,
  )
  const testTargets = db.prepare(
    `SELECT ${FIELDS} FROM deliveries INDEXED BY deliveries_tests WHERE type = '${TEST}' AND due_at <= ? AND ${isOpen('deliveries.org_id')}
     ORDER BY due_at LIMIT ?`,
  )
  const receiver = db.prepare(
    `SELECT w.org_id AS org, w.id, url, secrets FROM webhooks AS w
     JOIN webhook_states AS s ON s.org_id = w.org_id AND s.webhook_id = w.id WHERE w.org_id = ? AND w.id = ?`,
  )
  const due = db.prepare(
    `SELECT ${FIELDS} FROM deliveries INDEXED BY deliveries_due
     WHERE org_id = ? AND webhook_id = ? AND due_at <= ? ORDER BY due_at, id LIMIT ?`,
  )
  const behind = db.prepare(
    'SELECT seq, id, type, object_id FROM events WHERE org_id = ? AND seq > ? ORDER BY seq LIMIT ?',
  )
  const event = db.prepare(`SELECT ${EVENT_COLUMNS} FROM events WHERE org_id = ? AND seq = ?`)
  const firstOfRecord = db.prepare(
    `SELECT id, due_at, leased_until FROM deliveries INDEXED BY deliveries_record
     WHERE org_id = ? AND webhook_id = ? AND object_id = ? AND status = 'pending' AND is_ordered = 1
     ORDER BY seq LIMIT 1`,
  )
  const ofSeq = db.prepare('SELECT id, status, tries FROM deliveries WHERE org_id = ? AND webhook_id = ? AND seq = ?')
  const insert = db.prepare(
    `INSERT INTO deliveries (org_id, id, webhook_id, event_id, seq, type, object_id, status, tries, failures,
       is_ordered, leased_until, created_at, updated_at, version)
     VALUES (?, ?, ?, ?, ?, ?, ?, 'pending', '[]', 0, 1, ?, ?, ?, 1)
     ON CONFLICT (org_id, webhook_id, seq) WHERE seq IS NOT NULL DO NOTHING`,
  )
  const again = db.prepare(
    `UPDATE deliveries SET status = 'pending', failures = 0, is_ordered = 1, due_at = NULL, leased_until = @lease,
       updated_at = @now, version = version + 1 WHERE org_id = @org AND id = @id`,
  )
  const lease = db.prepare('UPDATE deliveries SET due_at = NULL, leased_until = ? WHERE org_id = ? AND id = ?')
  const makeDue = db.prepare('UPDATE deliveries SET due_at = ? WHERE org_id = ? AND id = ?')
  const planned = db.prepare('UPDATE webhook_states SET planned_seq = ? WHERE org_id = ? AND webhook_id = ?')
  const finish = db.prepare(
    `UPDATE deliveries SET status = ?, tries = ?, failures = ?, due_at = ?,
       leased_until = NULL, updated_at = ?, version = version + 1
     WHERE org_id = ? AND id = ? AND leased_until IS NOT NULL`,
  )
  const health = db.prepare(
    `UPDATE webhook_states SET failures = @failures, failing_since = @failing_since, held_until = @held_until,
       last_success_at = @last_success_at, last_failure_at = @last_failure_at
     WHERE org_id = @org AND webhook_id = @id`,
  )
  const healthOf = db.prepare(
    `SELECT failures, failing_since, held_until, last_success_at, last_failure_at FROM webhook_states
     WHERE org_id = ? AND webhook_id = ?`,
  )
  const hurry = db.prepare(
    `UPDATE deliveries SET due_at = +@now WHERE org_id = +@org AND webhook_id = +@id AND due_at > +@now`,
  )
  const leased = db
    .prepare(
      `SELECT id FROM deliveries INDEXED BY deliveries_status
     WHERE org_id = ? AND webhook_status = ? AND leased_until IS NOT NULL`,
    )
    .pluck()
  const webhooks = db.prepare(`SELECT org_id AS org, id FROM webhooks WHERE ${notStaged('webhooks.org_id')}`)
  const release = db.prepare('UPDATE deliveries SET due_at = ?, leased_until = NULL WHERE org_id = ? AND id = ?')

  /** Takes up to `most` due deliveries. */
  function take({ org, id }: { org: number; id: string }, now: number, most: number): Taken[] {
    const taken = due.all(org, id, now, most) as Taken[]
    for (const each of taken) lease.run(now + LEASE_MS, org, each.id)
    return taken
  }

  function takeTests(now: number, most: number): Taken[] {
    const taken = testTargets.all(now, most) as Taken[]
    for (const each of taken) lease.run(now + LEASE_MS, each.org, each.id)
    return taken
  }

  /**
   * Returns the seq of the first event after `seq` with a subscription, and the last seq that was scanned without one.
   */
  function firstWanted(target: Target, seq: number): { wanted: number | undefined; seq: number } {
    const wanted = eventsOf(JSON.parse(target.event_types))
    let last = seq
    let seen = 0
    for (const each of eventsBehind(target.org, seq)) {
      if (wanted.has(each.type)) return { wanted: each.seq, seq: last }
      last = each.seq
      seen++
    }
    // The newest events may have been purged: then nothing is left to scan.
    return { wanted: undefined, seq: seen < MAX_PLANNED ? Math.max(last, target.last_seq) : last }
  }

  function* eventsBehind(org: number, seq: number): Generator<PlannedEvent> {
    let last = seq
    for (let read = 0; read < MAX_PLANNED; read += READ_AT_ONCE) {
      const events = behind.all(org, last, READ_AT_ONCE) as PlannedEvent[]
      yield* events
      if (events.length < READ_AT_ONCE) return
      last = (events.at(-1) as PlannedEvent).seq
    }
  }

  /**
   * Creates deliveries for the events after `from` and takes up to `most` of them. A delivery waits if an earlier one
   * of the same record is pending. Once `most` are taken, the remaining events are left for later.
   */
  function plan(target: Target, from: number, now: number, most: number): Taken[] {
    const { org, id: webhook } = target
    const wanted = eventsOf(JSON.parse(target.event_types))
    const taken: Taken[] = []
    let seq = from
    for (const each of eventsBehind(org, from)) {
      if (wanted.has(each.type)) {
        const waits = firstOfRecord.get(org, webhook, each.object_id) !== undefined
        if (!waits && taken.length === most) break
        const made = deliver(target, each, now, waits ? null : now + LEASE_MS)
        if (made && !waits) taken.push(made)
      }
      seq = each.seq
    }
    if (seq > target.planned_seq) planned.run(seq, org, webhook)
    return taken
  }

  /** Returns the delivery of an event: a new one, or on a replay the finished one. Undefined if it is still pending. */
  function deliver(
    target: Target,
    { seq, id: event, type, object_id: object }: PlannedEvent,
    now: number,
    lease: number | null,
  ) {
    const { org, id: webhook } = target
    const fixed = { org, webhook_id: webhook, event_id: event, seq, type, object_id: object }
    const start = { failures: 0, is_ordered: 1, body: null }
    const id = clock.id()
    const isNew = insert.run(org, id, webhook, event, seq, type, object, lease, timeOfId(id), now).changes === 1
    if (isNew) return { ...fixed, ...start, id, tries: '[]' }
    const existing = ofSeq.get(org, webhook, seq) as { id: string; status: string; tries: string }
    if (existing.status === 'pending') return undefined
    again.run({ org, id: existing.id, lease, now })
    return { ...fixed, ...start, id: existing.id, tries: existing.tries }
  }

  /** Returns the body: always the same bytes for the same event. Undefined if the event has expired. */
  function bodyOf({ org, seq, body }: Taken): string | undefined {
    if (seq === null) return body as string
    const stored = event.get(org, seq) as StoredEvent | undefined
    return stored && eventJson(stored)
  }

  /** Records an attempt and the decision; a finished delivery makes the next one of its record due. */
  function recordResult(taken: Taken, attempt: Try, decision: DeliveryDecision, now: number): void {
    const { org, id } = taken
    const tries = taken.tries === '[]' ? [attempt] : [...JSON.parse(taken.tries), attempt].slice(-MAX_TRIES)
    const { status, failures, dueAt } = decision
    finish.run(status, JSON.stringify(tries), failures, dueAt, now, org, id)
    if (status !== 'pending' && taken.is_ordered === 1) promote(taken, now)
  }

  function promote({ org, webhook_id, object_id }: Taken, now: number): void {
    const next = firstOfRecord.get(org, webhook_id, object_id) as
      | { id: string; due_at: number | null; leased_until: number | null }
      | undefined
    if (next && next.due_at === null && next.leased_until === null) makeDue.run(now, org, next.id)
  }

  /** Makes due again what was in flight when the last process ended. Only one server runs on a data folder. */
  function recover(now: number): void {
    for (const webhook of webhooks.all() as { org: number; id: string }[]) {
      for (const id of leased.all(webhook.org, `${webhook.id} pending`) as string[]) release.run(now, webhook.org, id)
    }
  }

  return {
    targets: () => targets.all() as Target[],
    receiver: (org: number, id: string) => receiver.get(org, id) as Receiver | undefined,
    hasTests: (now: number): boolean => testTargets.get(now, 1) !== undefined,
    firstWanted,
    take,
    takeTests,
    plan,
    bodyOf,
    recordResult,
    /** Makes it due again without recording an attempt. */
    release: ({ org, id }: Taken, dueAt: number): void => void release.run(dueAt, org, id),
    recover,
    health: (org: number, id: string) => healthOf.get(org, id) as Health | undefined,
    setHealth: (org: number, id: string, after: Health): void => void health.run({ ...after, org, id }),
    hurry: (org: number, id: string, now: number): void => void hurry.run({ now, org, id }),
  }
}

export type DeliveryQueue = ReturnType<typeof deliveryQueue>
