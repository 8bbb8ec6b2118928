import { randomUUID } from 'node:crypto'
import type { Database } from './driver.ts'
import { eraser } from './erase.ts'

// An organisation that is being filled under a number of its own, to take the place of another in the end. Its public id
// is no UUID until then: no token, link or --org names it.

const PREFIX = 'staged '

/** Of orgs, for a WHERE: those that are whole. */
export const IS_WHOLE = `public_id NOT LIKE '${PREFIX}%'`

/** The numbers of those that are not, or that an end in the middle has left. */
export const stagedOrgs = (db: Database): number[] =>
  db.prepare(`SELECT id FROM orgs WHERE NOT ${IS_WHOLE}`).pluck().all() as number[]

export type StagedSettings = {
  name: string
  timezone: string
  currency: string
  public_base_url?: string | undefined
  /** Of its last event. */
  last_seq: number
}

/** Adds one; answers its number. */
export function stageOrg(db: Database, given: StagedSettings, now: number): number {
  const { name, timezone, currency, public_base_url = null, last_seq } = given
  const { lastInsertRowid } = db
    .prepare(
      `INSERT INTO orgs (public_id, name, timezone, currency, public_base_url, last_seq, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(PREFIX + randomUUID(), name, timezone, currency, public_base_url, last_seq, now)
  return Number(lastInsertRowid)
}

/** Erases an organisation, and gives its public id to the one that was staged. For a transaction without foreign keys. */
export function replaceOrg(db: Database, org: number, staged: number): void {
  const { public_id, created_at } = db.prepare('SELECT public_id, created_at FROM orgs WHERE id = ?').get(org) as {
    public_id: string
    created_at: number
  }
  eraser(db, org)(() => false)
  db.prepare('UPDATE orgs SET public_id = ?, created_at = ? WHERE id = ?').run(public_id, created_at, staged)
}
