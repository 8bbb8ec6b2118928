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

/** Returns whether an organisation is there: an export that is restored replaces it. */
export function orgExists(db: Database): (org: number) => boolean {
  const one = db.prepare('SELECT 1 FROM orgs WHERE id = ?').pluck()
  return (org) => one.get(org) !== undefined
}

/** The public addresses of all organisations, as far as they are set. */
export function publicUrls(db: Database): () => string[] {
  const all = db.prepare('SELECT public_base_url FROM orgs WHERE public_base_url IS NOT NULL ORDER BY id').pluck()
  return () => all.all() as string[]
}

/** The public addresses that may have a host, of which a browser writes some characters in another way: few of thousands. */
export function publicUrlsWith(db: Database): (host: string) => string[] {
  const some = db
    .prepare(
      `SELECT public_base_url FROM orgs
       WHERE instr(lower(public_base_url), ?) > 0 OR public_base_url GLOB '*[^!-$&-Z_a-z~]*'`,
    )
    .pluck()
  return (host) => some.all(host) as string[]
}

/** Returns how many organisations there are, and of a single one its name and that of its first owner. */
export function soleOrg(db: Database): () => { count: number; name: string | null; owner: string | null } {
  const all = db.prepare(
    `SELECT name, (SELECT members.name FROM members WHERE org_id = orgs.id AND role = 'owner' AND status = 'active'
       ORDER BY members.id LIMIT 1) AS owner
     FROM orgs WHERE ${IS_WHOLE} LIMIT 2`,
  )
  return () => {
    const found = all.all() as { name: string; owner: string | null }[]
    const [only] = found.length === 1 ? found : []
    return { count: found.length, name: only?.name ?? null, owner: only?.owner ?? null }
  }
}
