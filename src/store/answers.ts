import type { Database } from './driver.ts'

/** An answer that was given to an Idempotency-Key; `headers` is JSON, and `body` may be sealed. */
export type KeptAnswer = { fingerprint: string; status: number; headers: string; body: string }

/** Whose key it is. */
type Owner = { org: number; token: string; key: string }

/** The answers that are kept for repeated requests. */
export function keptAnswers(db: Database) {
  const stored = db.prepare(
    'SELECT fingerprint, status, headers, body FROM idempotency WHERE org_id = ? AND token_id = ? AND key = ? AND created_at > ?',
  )
  const insert = db.prepare(
    `INSERT OR REPLACE INTO idempotency (org_id, token_id, key, fingerprint, status, headers, body, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )

  /** One that was kept after a time. */
  const find = ({ org, token, key }: Owner, after: number): KeptAnswer | undefined =>
    stored.get(org, token, key, after) as KeptAnswer | undefined

  function keep({ org, token, key }: Owner, { fingerprint, status, headers, body }: KeptAnswer, now: number): void {
    insert.run(org, token, key, fingerprint, status, headers, body, now)
  }

  return { find, keep }
}

/** Counts answers as kept now that were kept later than `latest`. */
export function capAnswerTimes(db: Database, now: number, latest: number): void {
  db.prepare('UPDATE idempotency SET created_at = ? WHERE created_at > ?').run(now, latest)
}

/** Deletes answers that were kept until a time, `most` of them; answers how many it was. */
export function forgetAnswers(db: Database, until: number, most: number): number {
  const { changes } = db
    .prepare(
      `DELETE FROM idempotency WHERE (org_id, token_id, key) IN
         (SELECT org_id, token_id, key FROM idempotency WHERE created_at <= ? LIMIT ?)`,
    )
    .run(until, most)
  return changes
}
