import { randomUUID } from 'node:crypto'
import type { Database } from './driver.ts'
import { eraser } from './erase.ts'
import { checkOrgNumber } from './search.ts'

// A staged organisation is filled under its own number and replaces another one at the end. Until then its public id is
// not a UUID: no token, link or --org can refer to it.

const PREFIX = 'staged '

/** A condition on orgs for a WHERE clause: not staged. */
export const IS_WHOLE = `public_id NOT LIKE '${PREFIX}%'`

/** The numbers of staged organisations, including those left behind by an interrupted import. */
export const stagedOrgs = (db: Database): number[] =>
  db.prepare(`SELECT id FROM orgs WHERE NOT ${IS_WHOLE}`).pluck().all() as number[]

export type StagedSettings = {
  name: string
  timezone: string
  currency: string
  public_base_url?: string | undefined
  /** The number of its last event. */
  last_seq: number
}

/** Adds a staged organisation and returns its number. */
export function stageOrg(db: Database, given: StagedSettings, now: number): number {
  const { name, timezone, currency, public_base_url = null, last_seq } = given
  const { lastInsertRowid } = db
    .prepare(
      `INSERT INTO orgs (public_id, name, timezone, currency, public_base_url, last_seq, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(PREFIX + randomUUID(), name, timezone, currency, public_base_url, last_seq, now)
  return checkOrgNumber(lastInsertRowid)
}

/** Erases an organisation and gives its public id to the staged one. For a transaction without foreign keys. */
export function replaceOrg(db: Database, org: number, staged: number): void {
  const { public_id, created_at } = db.prepare('SELECT public_id, created_at FROM orgs WHERE id = ?').get(org) as {
    public_id: string
    created_at: number
  }
  eraser(db, org)(() => false)
  db.prepare('UPDATE orgs SET public_id = ?, created_at = ? WHERE id = ?').run(public_id, created_at, staged)
}
