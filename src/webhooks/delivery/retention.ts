import { firstIdAt, MAX_AHEAD_MS } from '../../lib/id.ts'
import type { Store } from '../../store/open.ts'

/** So many rows at a time, so that no request waits long for it. */
const BATCH = 200

/** What a purge answers: whether it is to be called again soon. */
type Purged = 'more' | undefined

/**
 * Events older than `keepMs`: nobody can pull or replay them any longer. One that is ahead of the clock by more than ids
 * may be was written while the clock was wrong: it goes with the one behind it.
 */
export function purgeEvents({ db, clock }: Pick<Store, 'db' | 'clock'>, keepMs: number): Purged {
  const now = clock.now()
  const oldest = db
    .prepare('SELECT commit_seq, at FROM events WHERE at <= ? ORDER BY commit_seq LIMIT ?')
    .all(now + MAX_AHEAD_MS, BATCH) as { commit_seq: number; at: number }[]
  const kept = oldest.findIndex(({ at }) => at >= now - keepMs)
  const last = (kept < 0 ? oldest : oldest.slice(0, kept)).at(-1)
  if (!last) return undefined
  const { changes } = db
    .prepare(
      'DELETE FROM events WHERE commit_seq IN (SELECT commit_seq FROM events WHERE commit_seq <= ? ORDER BY commit_seq LIMIT ?)',
    )
    .run(last.commit_seq, BATCH)
  return changes === BATCH ? 'more' : undefined
}

type Gone = { webhook_id: string; object_id: string; status: string; is_ordered: number }

/**
 * Deliveries that are as old, but not while they are on their way, and those of webhooks that were deleted. Where one
 * was still pending, the next of its record has its turn. Those ahead of the clock go when their event has gone.
 */
export function purgeDeliveries({ db, clock }: Pick<Store, 'db' | 'clock'>, keepMs: number): Purged {
  const now = clock.now()
  const before = firstIdAt(now - keepMs)
  const firstAhead = firstIdAt(now + MAX_AHEAD_MS)
  const old = db.prepare(
    `DELETE FROM deliveries WHERE org_id = @org AND id IN
       (SELECT id FROM deliveries WHERE org_id = @org AND id < @before AND leased_until IS NULL ORDER BY id LIMIT @most)
     RETURNING webhook_id, object_id, status, is_ordered`,
  )
  const ahead = db.prepare(
    `DELETE FROM deliveries WHERE org_id = @org AND id IN
       (SELECT id FROM deliveries AS d WHERE org_id = @org AND id >= @ahead AND leased_until IS NULL
          AND NOT EXISTS (SELECT 1 FROM events WHERE org_id = d.org_id AND seq = d.seq) ORDER BY id LIMIT @most)
     RETURNING webhook_id, object_id, status, is_ordered`,
  )
  const promote = db.prepare(
    `UPDATE deliveries SET due_at = @now WHERE due_at IS NULL AND leased_until IS NULL AND org_id = @org AND id =
       (SELECT id FROM deliveries INDEXED BY deliveries_record
        WHERE org_id = @org AND webhook_id = @webhook_id AND object_id = @object_id AND status = 'pending'
          AND is_ordered = 1 ORDER BY seq LIMIT 1)`,
  )
  const ofWebhook = db.prepare(
    `DELETE FROM deliveries WHERE org_id = @org AND id IN
       (SELECT id FROM deliveries INDEXED BY deliveries_webhook WHERE org_id = @org AND webhook_id = @webhook LIMIT @most)`,
  )
  let room = BATCH
  for (const org of db.prepare('SELECT id FROM orgs').pluck().all() as number[]) {
    const gone = old.all({ org, before, most: room }) as Gone[]
    gone.push(...(ahead.all({ org, ahead: firstAhead, most: room - gone.length }) as Gone[]))
    room -= gone.length
    for (const { webhook_id, object_id, status, is_ordered } of gone)
      if (status === 'pending' && is_ordered === 1) promote.run({ now, org, webhook_id, object_id })
    for (const webhook of orphaned({ db }, org)) room -= ofWebhook.run({ org, webhook, most: room }).changes
    if (room === 0) return 'more'
  }
  return undefined
}

/** Webhooks that deliveries name and that are no more; from one to the next by the index, past all between. */
function orphaned({ db }: Pick<Store, 'db'>, org: number): string[] {
  const next = db
    .prepare('SELECT min(webhook_id) FROM deliveries INDEXED BY deliveries_webhook WHERE org_id = ? AND webhook_id > ?')
    .pluck()
  const exists = db.prepare('SELECT 1 FROM webhooks WHERE org_id = ? AND id = ?').pluck()
  const found: string[] = []
  for (let id = next.get(org, '') as string | null; id !== null; id = next.get(org, id) as string | null)
    if (!exists.get(org, id)) found.push(id)
  return found
}
