import { randomUUID } from 'node:crypto'
import { checkOrgNumber } from '../search/search.ts'
import type { Database } from '../sqlite/driver.ts'
import { eraser } from './erase.ts'

// A staged organisation is filled under its own number and replaces another one at the end. Until then its public id is
// not a UUID: no token, link or --org can refer to it.

const PREFIX = 'staged '

/** A condition on orgs for a WHERE clause: not staged. */
export const IS_WHOLE = `state <> 'staged'`

/** The numbers of staged organisations that an interrupted import left behind, or a move that came to nothing. */
export const stagedOrgs = (db: Database): number[] =>
  db
    .prepare(
      `SELECT id FROM orgs WHERE NOT (${IS_WHOLE})
         AND NOT EXISTS (SELECT 1 FROM arrivals WHERE arrivals.org = orgs.id AND arrivals.state <> 'committed')`,
    )
    .pluck()
    .all() as number[]

export type StagedSettings = {
  name: string
  timezone: string
  currency: string
  country?: string | undefined
  public_base_url?: string | undefined
  keep_originals_days?: number | undefined
  keep_originals_mib?: number | undefined
  /** The number of its last event. */
  last_seq: number
}

/** Adds a staged organisation and returns its number. */
export function stageOrg(db: Database, given: StagedSettings, now: number): number {
  const { name, timezone, currency, country = null, public_base_url = null, last_seq } = given
  const { keep_originals_days = null, keep_originals_mib = null } = given
  const { lastInsertRowid } = db
    .prepare(
      `INSERT INTO orgs (public_id, name, timezone, currency, country, public_base_url, keep_originals_days,
         keep_originals_mib, last_seq, created_at, state)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'staged')`,
    )
    .run(
      ...[PREFIX + randomUUID(), name, timezone, currency, country, public_base_url, keep_originals_days],
      ...[keep_originals_mib, last_seq, now],
    )
  return checkOrgNumber(lastInsertRowid)
}

/** Erases an organisation and gives its public id to the staged one. For a transaction without foreign keys. */
export function replaceOrg(db: Database, org: number, staged: number): void {
  const { public_id, created_at, host } = db
    .prepare('SELECT public_id, created_at, host FROM orgs WHERE id = ?')
    .get(org) as { public_id: string; created_at: number; host: string | null }
  eraser(db, org)(() => false)
  db.prepare("UPDATE orgs SET public_id = ?, created_at = ?, host = ?, state = 'open' WHERE id = ?").run(
    ...[public_id, created_at, host, staged],
  )
}
