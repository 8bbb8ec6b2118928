import { movedTables } from '../../src/ops/moves/moved-tables.ts'
import { type OpenedStore, openStore } from '../../src/store/open.ts'
import { allOrgsEver } from '../../src/store/orgs/orgs.ts'

// Rows in every table of an organisation, and whether another database has the same.

/** What differs on purpose: sealed anew, and done by the servers themselves. */
const OWN = [
  'former_signing_keys',
  'jobs',
  'deliveries',
  'webhook_states',
  'idempotency',
  'events',
  'deals',
  'sessions',
]

type Column = { name: string; type: string; notnull: number; hidden: number }

/** Adds a row with simple values to each table without one, an open session, and so many copies of a deal. */
export function fillEmptyTables(store: OpenedStore, sessionHash: string, deals: number): void {
  const { db, clock } = store
  const [org, member] = db.prepare('SELECT org_id, id FROM members ORDER BY id LIMIT 1').raw().get() as [number, string]
  const now = clock.now()
  store.transaction(() => {
    db.prepare(
      'INSERT INTO sessions (org_id, id, hash, member_id, created_at, seen_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
    ).run(org, clock.id(), sessionHash, member, now, now, now + 1e9)
    const columns = (db.pragma('table_info(deals)') as Column[]).map(({ name }) => name)
    const copy = db.prepare(
      `INSERT INTO deals (${columns.join(', ')}) SELECT ${columns.map((name) => (name === 'id' ? '?' : name === 'external_id' ? 'NULL' : name)).join(', ')}
       FROM deals WHERE org_id = ? ORDER BY id LIMIT 1`,
    )
    for (let count = 0; count < deals; count++) copy.run(clock.id(), org)
  })
  db.pragma('foreign_keys = OFF')
  for (const { name, columns, key } of movedTables(db)) {
    if (db.prepare(`SELECT 1 FROM ${name} LIMIT 1`).get() !== undefined || name === 'former_signing_keys') continue
    const sql = db.prepare('SELECT sql FROM sqlite_schema WHERE name = ?').pluck().get(name) as string
    const types = new Map((db.pragma(`table_info(${name})`) as Column[]).map((column) => [column.name, column]))
    const given = columns.filter((column) => key.includes(column) || types.get(column)?.notnull === 1)
    const values = given.map((column) => simplest(store, sql, types.get(column) as Column, member))
    const marks = given.map(() => '?').join(', ')
    db.prepare(`INSERT INTO ${name} (org_id, ${given.map((each) => `"${each}"`).join(', ')}) VALUES (?, ${marks})`).run(
      org,
      ...values,
    )
  }
  sealSecrets(store)
  db.pragma('foreign_keys = ON')
}

/** What each text is encrypted for; see src/store/folder/sealed.ts. */
const SEALED = [
  ['mailboxes', 'smtp_secret', "'mailbox ' || id || ' smtp'"],
  ['mailboxes', 'imap_secret', "'mailbox ' || id || ' imap'"],
  ['mailboxes', 'oauth_secret', "'mailbox ' || id || ' oauth'"],
  ['mailbox_grants', 'refresh_token', "'mailbox ' || mailbox_id || ' refresh token'"],
  ['mailbox_grants', 'access_token', "'mailbox ' || mailbox_id || ' access token'"],
  ['credentials', 'totp', "'second factor ' || member_id"],
  ['idempotency', 'body', "'answer ' || key"],
] as const

/** Fills every column that may be encrypted. */
function sealSecrets({ db, vault }: OpenedStore): void {
  for (const [table, column, purpose] of SEALED)
    for (const each of db.prepare(`SELECT DISTINCT ${purpose} FROM ${table}`).pluck().all() as string[])
      db.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${purpose} = ?`).run(vault.seal(each, `${each}!`), each)
}

/** The columns in which an encrypted text cannot be read, or is another one than `sealSecrets` has put there. */
export function wrongSecrets({ db, vault }: OpenedStore, org: number): string[] {
  return SEALED.flatMap(([table, column, purpose]) => {
    const sql = `SELECT ${purpose} AS purpose, ${column} AS sealed FROM ${table} WHERE org_id = ? AND ${column} NOT LIKE '{%'`
    const all = db.prepare(sql).all(org) as { purpose: string; sealed: string }[]
    const isRight = all.length > 0 && all.every(({ purpose, sealed }) => vault.open(purpose, sealed) === `${purpose}!`)
    return isRight ? [] : [`${table}.${column}`]
  })
}

function simplest({ clock }: OpenedStore, sql: string, { name, type }: Column, member: string): unknown {
  if (name === 'member_id') return member
  if (name === 'kind' && sql.includes('sign_in_links')) return 'sign_in' // the simplest of its kinds
  if (name === 'secrets') return ''
  if (name === 'expires_at') return clock.now() + 1e9 // what has expired is removed meanwhile
  if (name === 'tag_ids') return '[]'
  if (name === 'status' && sql.includes('disabled_reason')) return 'paused' // a webhook
  const choice = new RegExp(`\\b${name} IN \\(\\s*(?:'(\\w+)'|(\\d))`).exec(sql)
  if (choice) return choice[1] ?? Number(choice[2])
  if (sql.includes(`json_valid(${name})`)) return '{}'
  if (name === 'id' || name.endsWith('_id')) return clock.id()
  return type === 'INTEGER' ? clock.now() : name === 'body' ? '' : 'x'
}

/** The tables whose rows differ between two data folders; without what servers change by themselves. */
export function compareTables(from: string, to: string, publicId: string): string[] {
  const [one, other] = [openStore(from), openStore(to)]
  try {
    const rowsOf = ({ db }: OpenedStore) => {
      const org = allOrgsEver(db).find(({ public_id }) => public_id === publicId)?.id
      return movedTables(db).flatMap(({ name, source, columns }) => {
        const shown = columns
          .filter((column) => !/_secret$|_token$|^totp$/.test(column))
          .map((each) => `quote("${each}")`)
        if (OWN.includes(name) || shown.length === 0) return []
        const rows = db
          .prepare(`SELECT ${shown.join(" || ',' || ")} FROM ${source} WHERE org_id = ? ORDER BY 1`)
          .pluck()
          .all(org)
        return [[name, rows.length, rows.join('\n')] as const]
      })
    }
    const there = new Map(rowsOf(other).map(([name, , rows]) => [name, rows]))
    return rowsOf(one).flatMap(([name, count, rows]) =>
      count > 0 && there.get(name) === rows ? [] : [`${name} ${count}`],
    )
  } finally {
    one.close()
    other.close()
  }
}
