import { firstIdAt, MAX_AHEAD_MS } from '../../lib/id.ts'
import type { Store } from '../../store/open.ts'
import { notStaged } from '../../store/orgs/org-states.ts'

/** How long events are kept unless the server is told otherwise. */
export const USUAL_RETENTION_DAYS = 30

/** Batch size: requests wait for at most one batch. */
const BATCH = 200

/** The result of a purge: 'more' if it should be called again soon. */
type Purged = 'more' | undefined

/**
 * Deletes events older than `keepMs`: they can no longer be pulled or replayed. An event whose time is too far ahead
 * was written while the clock was wrong: it is deleted with the event after it.
 */
export function purgeEvents({ db, clock }: Pick<Store, 'db' | 'clock'>, keepMs: number): Purged {
  const now = clock.now()
  const oldest = db
    .prepare(
      `SELECT commit_seq, at FROM events WHERE at <= ? AND ${notStaged('events.org_id')} ORDER BY commit_seq LIMIT ?`,
    )
    .all(now + MAX_AHEAD_MS, BATCH) as { commit_seq: number; at: number }[]
  const firstKept = oldest.findIndex(({ at }) => at >= now - keepMs)
  const last = (firstKept < 0 ? oldest : oldest.slice(0, firstKept)).at(-1)
  if (!last) return undefined
  const { changes } = db
    .prepare(
      `DELETE FROM events WHERE commit_seq IN (SELECT commit_seq FROM events
         WHERE commit_seq <= ? AND ${notStaged('events.org_id')} ORDER BY commit_seq LIMIT ?)`,
    )
    .run(last.commit_seq, BATCH)
  return changes === BATCH ? 'more' : undefined
}

type DeletedDelivery = { webhook_id: string; object_id: string; status: string; is_ordered: number }

/**
 * Deletes deliveries older than `keepMs` that are not in flight, and those of deleted webhooks. If one was still
 * pending, the next one of its record becomes due. Deliveries dated in the future are deleted once their event is.
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
  const orphaned = orphanedWebhooks({ db })
  // From one organisation with deliveries to the next: of many, few have webhooks.
  const nextOrg = db.prepare('SELECT min(org_id) FROM deliveries WHERE org_id > ?').pluck()
  const isStaged = db.prepare("SELECT 1 FROM orgs WHERE id = ? AND state = 'staged'")
  let room = BATCH
  for (let org = nextOrg.get(0) as number | null; org !== null; org = nextOrg.get(org) as number | null) {
    if (isStaged.get(org) !== undefined) continue
    const deleted = old.all({ org, before, most: room }) as DeletedDelivery[]
    deleted.push(...(ahead.all({ org, ahead: firstAhead, most: room - deleted.length }) as DeletedDelivery[]))
    room -= deleted.length
    for (const { webhook_id, object_id, status, is_ordered } of deleted)
      if (status === 'pending' && is_ordered === 1) promote.run({ now, org, webhook_id, object_id })
    for (const webhook of orphaned(org)) room -= ofWebhook.run({ org, webhook, most: room }).changes
    if (room === 0) return 'more'
  }
  return undefined
}

/** Finds deleted webhooks that still have deliveries. Jumps through the index from one webhook to the next. */
function orphanedWebhooks({ db }: Pick<Store, 'db'>): (org: number) => string[] {
  const next = db
    .prepare('SELECT min(webhook_id) FROM deliveries INDEXED BY deliveries_webhook WHERE org_id = ? AND webhook_id > ?')
    .pluck()
  const exists = db.prepare('SELECT 1 FROM webhooks WHERE org_id = ? AND id = ?').pluck()
  return (org) => {
    const found: string[] = []
    for (let id = next.get(org, '') as string | null; id !== null; id = next.get(org, id) as string | null)
      if (!exists.get(org, id)) found.push(id)
    return found
  }
}
