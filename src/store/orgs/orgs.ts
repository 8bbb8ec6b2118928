import { countryOfZone } from '../../lib/country.ts'
import type { Database } from '../sqlite/driver.ts'
import type { OrgState } from './org-states.ts'
import { IS_WHOLE } from './staged.ts'

/** `id` is the internal number, `public_id` the id in the API. */
export type Org = {
  id: number
  public_id: string
  name: string
  timezone: string
  currency: string
  country: string | null
  last_seq: number
  state: OrgState
  moved_to: string | null
  host: string | null
}

const COLUMNS = 'id, public_id, name, timezone, currency, country, last_seq, state, moved_to, host'

/** The row of an existing organisation. */
export const orgOf = (db: Database, org: number): Org =>
  db.prepare(`SELECT ${COLUMNS} FROM orgs WHERE id = ?`).get(org) as Org

/** Returns the country of an organisation: as set, or that of its time zone. */
export function countryOf(db: Database): (org: number) => string | undefined {
  const row = db.prepare('SELECT country, timezone FROM orgs WHERE id = ?')
  return (org) => {
    const { country, timezone } = row.get(org) as Pick<Org, 'country' | 'timezone'>
    return country ?? countryOfZone(timezone)
  }
}

/** All organisations of a data folder, except those being restored or received, and those that have moved away. */
export const allOrgs = (db: Database): Org[] => allOrgsEver(db).filter(({ state }) => state !== 'moved')

/** The same with those that have moved to another server. */
export const allOrgsEver = (db: Database): Org[] =>
  db.prepare(`SELECT ${COLUMNS} FROM orgs WHERE ${IS_WHOLE} ORDER BY id`).all() as Org[]

/** Gives an organisation a host name, or none. */
export const setHost = (db: Database, org: number, host: string | null): void =>
  void db.prepare('UPDATE orgs SET host = ? WHERE id = ?').run(host, org)

/** Returns whether an organisation is there: an export that is restored replaces it. */
export function orgExists(db: Database): (org: number) => boolean {
  const one = db.prepare('SELECT 1 FROM orgs WHERE id = ?').pluck()
  return (org) => one.get(org) !== undefined
}

/** The public addresses of all organisations, as far as they are set. */
export function publicUrls(db: Database): () => string[] {
  const all = db
    .prepare(`SELECT public_base_url FROM orgs WHERE public_base_url IS NOT NULL AND ${IS_WHOLE} ORDER BY id`)
    .pluck()
  return () => all.all() as string[]
}

/** The addresses of organisations that may have a host, of which a browser writes some characters in another way: few of thousands. */
export function publicUrlsWith(db: Database): (host: string) => string[] {
  const some = db
    .prepare(
      `SELECT public_base_url FROM orgs
       WHERE instr(lower(public_base_url), ?) > 0 OR public_base_url GLOB '*[^!-$&-Z_a-z~]*'`,
    )
    .pluck()
  const withHost = db.prepare('SELECT 1 FROM orgs WHERE host = ?')
  return (host) => {
    const own = withHost.get(host) === undefined ? [] : [`https://${host}`]
    return [...(some.all(host) as string[]), ...own]
  }
}

/** Whether a data folder has no organisation, one, or several. Those that have moved away do not count. */
export function orgCount(db: Database): () => 'none' | 'one' | 'several' {
  const some = db.prepare(`SELECT id FROM orgs WHERE ${IS_WHOLE} AND state <> 'moved' LIMIT 2`)
  return () => (['none', 'one', 'several'] as const)[some.all().length] as 'none' | 'one' | 'several'
}
