import { notStaged } from './orgs/org-states.ts'
import type { Database } from './sqlite/driver.ts'

/** A stored response to an Idempotency-Key; `headers` is JSON, and `body` may be encrypted. */
export type StoredAnswer = { fingerprint: string; status: number; headers: string; body: string }

/** The owner of a key. */
type Owner = { org: number; caller: string; key: string }

/** The stored responses for repeated requests. */
export function storedAnswers(db: Database) {
  const stored = db.prepare(
    'SELECT fingerprint, status, headers, body FROM idempotency WHERE org_id = ? AND caller = ? AND key = ? AND created_at > ?',
  )
  const insert = db.prepare(
    `INSERT OR REPLACE INTO idempotency (org_id, caller, key, fingerprint, status, headers, body, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )

  /** The response if it was stored after a time. */
  const find = ({ org, caller, key }: Owner, after: number): StoredAnswer | undefined =>
    stored.get(org, caller, key, after) as StoredAnswer | undefined

  function keep({ org, caller, key }: Owner, { fingerprint, status, headers, body }: StoredAnswer, now: number): void {
    insert.run(org, caller, key, fingerprint, status, headers, body, now)
  }

  return { find, keep }
}

/** Sets the time of responses stored later than `latest` to now. */
export function capAnswerTimes(db: Database, now: number, latest: number): void {
  db.prepare('UPDATE idempotency SET created_at = ? WHERE created_at > ?').run(now, latest)
}

/** Deletes up to `max` responses stored until a time; returns their number. */
export function deleteAnswers(db: Database, until: number, max: number): number {
  const { changes } = db
    .prepare(
      `DELETE FROM idempotency WHERE (org_id, caller, key) IN
         (SELECT org_id, caller, key FROM idempotency WHERE created_at <= ?
           AND ${notStaged('idempotency.org_id')} LIMIT ?)`,
    )
    .run(until, max)
  return changes
}
