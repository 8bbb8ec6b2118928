import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import { type Connection, openSqlite } from '../../src/store/sqlite/driver.ts'

// The schemas of released versions, out of the databases that these versions have left in test/upgrades.

export type Released = {
  version: number
  /** Of schema.sql, as the version has noted it. */
  hash: string
  /** What makes an empty database of this schema, with the rows that it begins with. */
  sql: string
}

let all: readonly Released[] | undefined

/** Of each schema the first release that has it, the oldest first. */
export function releasedSchemas(): readonly Released[] {
  if (all) return all
  const folder = join(import.meta.dirname, '../upgrades')
  const found = globSync('*.db.zst', { cwd: folder })
    .sort((one, other) => one.localeCompare(other, 'en', { numeric: true }))
    .map((name) => schemaOf(zstdDecompressSync(readFileSync(join(folder, name)))))
  all = found.filter(({ version }, at) => version !== found[at - 1]?.version)
  return all
}

export const releasedSchema = (version: number): Released =>
  releasedSchemas().find((each) => each.version === version) as Released

function schemaOf(bytes: Buffer): Released {
  const folder = mkdtempSync(join(tmpdir(), 'dealbox-released-'))
  try {
    const file = join(folder, 'released.db')
    writeFileSync(file, bytes)
    const db = openSqlite(file)
    const version = db.pragma('user_version', { simple: true }) as number
    const hash = db.prepare('SELECT schema_hash FROM installation').pluck().get() as string
    const sql = [...made(db), ...rowsOf(db)].join(';\n')
    db.close()
    return { version, hash, sql }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Everything but what SQLite makes by itself. */
const made = (db: Connection): string[] =>
  db
    .prepare(
      `SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
         AND name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow') ORDER BY rowid`,
    )
    .pluck()
    .all() as string[]

/** How the search index is kept: its own table may only be written through it. */
const SEARCH = `SELECT 'INSERT INTO search (search, rank) VALUES (' || quote(k) || ', ' || quote(v) || ')'
  FROM search_config WHERE k <> 'version'`

/** Statements that write the rows again that schema.sql begins with. */
function rowsOf(db: Connection): string[] {
  const columns = db.prepare("SELECT name FROM pragma_table_info('replication')").pluck().all() as string[]
  const values = columns.map((column) => `quote("${column}")`).join(` || ', ' || `)
  const replication = `SELECT 'INSERT INTO replication VALUES (' || ${values} || ')' FROM replication`
  return [SEARCH, ...(columns.length > 0 ? [replication] : [])].flatMap(
    (each) => db.prepare(each).pluck().all() as string[],
  )
}
