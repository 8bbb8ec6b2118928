import type { Database } from './driver.ts'
import { IS_WHOLE } from './staged.ts'

/** `id` is its number in the store, `public_id` its id outside. */
export type Org = {
  id: number
  public_id: string
  name: string
  timezone: string
  currency: string
  last_seq: number
}

const COLUMNS = 'id, public_id, name, timezone, currency, last_seq'

/** The row of an organisation that there is. */
export const orgOf = (db: Database, org: number): Org =>
  db.prepare(`SELECT ${COLUMNS} FROM orgs WHERE id = ?`).get(org) as Org

/** All organisations of a data folder, but for those that are being restored. */
export const allOrgs = (db: Database): Org[] =>
  db.prepare(`SELECT ${COLUMNS} FROM orgs WHERE ${IS_WHOLE} ORDER BY id`).all() as Org[]
