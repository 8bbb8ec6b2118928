import type { Database } from './driver.ts'
import { IS_WHOLE } from './staged.ts'

/** `id` is the internal number, `public_id` the id in the API. */
export type Org = {
  id: number
  public_id: string
  name: string
  timezone: string
  currency: string
  last_seq: number
}

const COLUMNS = 'id, public_id, name, timezone, currency, last_seq'

/** The row of an existing organisation. */
export const orgOf = (db: Database, org: number): Org =>
  db.prepare(`SELECT ${COLUMNS} FROM orgs WHERE id = ?`).get(org) as Org

/** All organisations of a data folder, except those being restored. */
export const allOrgs = (db: Database): Org[] =>
  db.prepare(`SELECT ${COLUMNS} FROM orgs WHERE ${IS_WHOLE} ORDER BY id`).all() as Org[]
