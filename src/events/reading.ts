import type { Database } from '../store/sqlite/driver.ts'
import { EVENT_COLUMNS, type StoredEvent } from './body.ts'

/** An event with the Idempotency-Key of its request. */
export type KeyedEvent = StoredEvent & { request_key: string | null }

/** Reads the outbox of an organisation in the order of seq, which has no gaps. */
export function eventReader(db: Database) {
  const newest = db.prepare('SELECT last_seq FROM orgs WHERE id = ?').pluck()
  const oldest = db.prepare('SELECT seq FROM events WHERE org_id = ? ORDER BY seq LIMIT 1').pluck()
  const behind = db.prepare(
    `SELECT ${EVENT_COLUMNS}, request_key FROM events WHERE org_id = ? AND seq > ? ORDER BY seq LIMIT ?`,
  )

  return {
    /** The seq of the newest event; 0 before the first. */
    newest: (org: number): number => newest.get(org) as number,
    /** The seq of the oldest event that is still there; that of the next one if there is none. */
    oldest: (org: number): number => (oldest.get(org) as number | undefined) ?? (newest.get(org) as number) + 1,
    after: (org: number, seq: number, limit: number): KeyedEvent[] => behind.all(org, seq, limit) as KeyedEvent[],
  }
}

/** An event of any organisation, and its place in the order of commits. */
export type Committed = StoredEvent & { commit_seq: number; org: string }

/** Reads the events of all organisations in the order of commits, some at a time. */
export function committedEvents(db: Database, count: number): (after: number) => Committed[] {
  const next = db.prepare(
    `SELECT commit_seq, org_id, ${EVENT_COLUMNS} FROM events WHERE commit_seq > ? ORDER BY commit_seq LIMIT ${count}`,
  )
  const publicId = db.prepare('SELECT public_id FROM orgs WHERE id = ?').pluck()
  return (after) =>
    (next.all(after) as (StoredEvent & { commit_seq: number; org_id: number })[]).map(({ org_id, ...event }) => ({
      ...event,
      org: publicId.get(org_id) as string,
    }))
}

export type EventReader = ReturnType<typeof eventReader>
