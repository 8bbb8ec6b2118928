import type { Deps } from '../deps.ts'
import type { Caller } from '../lib/caller.ts'
import { conflict } from '../lib/problem.ts'
import { MINUTE_MS } from '../lib/time.ts'
import type { Batch } from '../store/batches.ts'
import { webhookStore } from './webhooks.ts'

/** Deliveries examined before a batch checks its time. */
const MAX_AT_ONCE = 20
/** Nothing is sent during a replay. After one that was interrupted, sending resumes within this time. */
const HOLD_MS = MINUTE_MS

type Stored = { id: string; seq: number; is_waiting: number }

/** Returns the backlog of a webhook, and moves it back to an earlier event. */
export function replayStore(deps: Deps) {
  const { db, clock } = deps
  const { find } = webhookStore(deps)
  const bounds = db.prepare(
    `SELECT last_seq, held_until,
       coalesce((SELECT min(seq) FROM events WHERE events.org_id = orgs.id), last_seq + 1) AS first_seq
     FROM orgs JOIN webhook_states ON webhook_states.org_id = orgs.id WHERE orgs.id = ? AND webhook_id = ?`,
  )
  const waiting = db
    .prepare('SELECT count(*) FROM deliveries INDEXED BY deliveries_status WHERE org_id = ? AND webhook_status = ?')
    .pluck()
  const unseen = db
    .prepare(
      `SELECT count(*) FROM events JOIN webhook_states AS s ON s.org_id = events.org_id
       WHERE events.org_id = ? AND s.webhook_id = ? AND seq > planned_seq`,
    )
    .pluck()
  const newest = db.prepare(
    `SELECT id, seq, status = 'pending' AND leased_until IS NULL AS is_waiting
     FROM deliveries INDEXED BY deliveries_seq
     WHERE org_id = ? AND webhook_id = ? AND seq >= ? AND seq < ? ORDER BY seq DESC LIMIT ${MAX_AT_ONCE}`,
  )
  const remove = db.prepare('DELETE FROM deliveries WHERE org_id = ? AND id = ?')
  const goBack = db.prepare(
    `UPDATE webhook_states SET planned_seq = min(planned_seq, @seq), held_until = max(coalesce(held_until, 0), @hold)
     WHERE org_id = @org AND webhook_id = @id`,
  )
  const endHold = db.prepare(
    'UPDATE webhook_states SET held_until = @before WHERE org_id = @org AND webhook_id = @id AND held_until = @hold',
  )

  const boundsOf = (org: number, id: string) =>
    bounds.get(org, id) as { last_seq: number; first_seq: number; held_until: number | null }

  /** Counts unfinished deliveries, and events of the organisation not yet scanned for the webhook. */
  function backlog(org: number, id: string): { pending: number; unseen_events: number } {
    return {
      pending: waiting.get(org, `${id} pending`) as number,
      unseen_events: unseen.get(org, id) as number, // numbers are missing where a standby took over
    }
  }

  /**
   * Sends every event from `fromSeq` on again, in order and with the same id, if the webhook subscribes to it today.
   * Pending deliveries from there on are not sent twice. Goes back from the newest event in batches, each of which
   * leaves every event either pending or after the position. Throws 404, and 409 if events have expired.
   */
  function replay(batch: Batch, who: Caller, id: string, fromSeq: number): { from_seq: number; to_seq: number } {
    const { org } = who
    const { last_seq, held_until } = batch(() => checked(who, id, fromSeq))
    let below = last_seq + 1
    let hold = 0
    while (below > fromSeq) {
      below = batch((isFull) => {
        let seq = below
        do seq = deletePending(org, id, fromSeq, seq)
        while (seq > fromSeq && !isFull())
        hold = Math.max(held_until ?? 0, clock.now() + HOLD_MS)
        goBack.run({ org, id, seq: seq - 1, hold })
        if (seq === fromSeq) endHold.run({ org, id, hold, before: held_until })
        return seq
      })
    }
    return { from_seq: fromSeq, to_seq: last_seq }
  }

  function checked(who: Caller, id: string, fromSeq: number) {
    find(who, id)
    const found = boundsOf(who.org, id)
    const { last_seq, first_seq } = found
    if (fromSeq > last_seq)
      throw conflict('seq_ahead', `There is no event ${fromSeq} yet; the newest one is ${last_seq}.`)
    if (fromSeq < first_seq)
      throw conflict(
        'events_expired',
        `The events before ${first_seq} are no longer stored. Replay from ${first_seq} on.`,
      )
    return found
  }

  /** Deletes pending deliveries among the newest ones before `below`; returns the seq reached. */
  function deletePending(org: number, id: string, fromSeq: number, below: number): number {
    const found = newest.all(org, id, fromSeq, below) as Stored[]
    for (const each of found) if (each.is_waiting) remove.run(org, each.id)
    return found.length < MAX_AT_ONCE ? fromSeq : (found.at(-1) as Stored).seq
  }

  return { backlog, replay }
}
