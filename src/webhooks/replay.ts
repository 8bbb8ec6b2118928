import type { Deps } from '../deps.ts'
import type { Caller } from '../lib/caller.ts'
import { conflict } from '../lib/problem.ts'
import { webhookStore } from './webhooks.ts'

/** Returns the backlog of a webhook, and moves it back to an earlier event. */
export function replayStore(deps: Deps) {
  const { db } = deps
  const { find } = webhookStore(deps)
  const bounds = db.prepare(
    `SELECT last_seq, planned_seq,
       coalesce((SELECT min(seq) FROM events WHERE events.org_id = orgs.id), last_seq + 1) AS first_seq
     FROM orgs JOIN webhook_states ON webhook_states.org_id = orgs.id WHERE orgs.id = ? AND webhook_id = ?`,
  )
  const waiting = db
    .prepare('SELECT count(*) FROM deliveries INDEXED BY deliveries_status WHERE org_id = ? AND webhook_status = ?')
    .pluck()
  const forget = db.prepare(
    `DELETE FROM deliveries WHERE org_id = +@org AND id IN
       (SELECT id FROM deliveries INDEXED BY deliveries_status
        WHERE org_id = +@org AND webhook_status = +@pending AND seq >= +@seq AND leased_until IS NULL)`,
  )
  const goBack = db.prepare(
    'UPDATE webhook_states SET planned_seq = min(planned_seq, ?) WHERE org_id = ? AND webhook_id = ?',
  )

  const boundsOf = (org: number, id: string) =>
    bounds.get(org, id) as { last_seq: number; planned_seq: number; first_seq: number }

  /** Counts unfinished deliveries, and events of the organisation not yet scanned for the webhook. */
  function backlog(org: number, id: string): { pending: number; unseen_events: number } {
    const { last_seq, planned_seq } = boundsOf(org, id)
    return { pending: waiting.get(org, `${id} pending`) as number, unseen_events: last_seq - planned_seq }
  }

  /**
   * Sends every event from `fromSeq` on again, in order and with the same id, if the webhook subscribes to it today.
   * Pending deliveries from there on are not sent twice. Throws 404, and 409 if events have expired.
   */
  function replay(who: Caller, id: string, fromSeq: number): { from_seq: number; to_seq: number } {
    find(who, id)
    const { last_seq, first_seq } = boundsOf(who.org, id)
    if (fromSeq > last_seq)
      throw conflict('seq_ahead', `There is no event ${fromSeq} yet; the newest one is ${last_seq}.`)
    if (fromSeq < first_seq)
      throw conflict(
        'events_expired',
        `The events before ${first_seq} are no longer stored. Replay from ${first_seq} on.`,
      )
    forget.run({ org: who.org, pending: `${id} pending`, seq: fromSeq })
    goBack.run(fromSeq - 1, who.org, id)
    return { from_seq: fromSeq, to_seq: last_seq }
  }

  return { backlog, replay }
}
