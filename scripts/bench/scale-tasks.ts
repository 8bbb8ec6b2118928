import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { resourceDeps } from '../../src/app/deps.ts'
import { recurringWork } from '../../src/cli/serve/recurring.ts'
import { DAY_MS } from '../../src/lib/time.ts'
import { screensWork } from '../../src/site/app/jobs.ts'
import { DATABASE, openStore } from '../../src/store/open.ts'
import { SCHEMAS } from '../../src/store/schema/migrations.ts'
import { type Connection, openSqlite } from '../../src/store/sqlite/driver.ts'
import { forget, type Timed, timed } from './scale-process.ts'

/** What each command pays before it does anything: opening the database. */
export async function opening(folder: string): Promise<{ cold: Timed; warm: Timed }> {
  const open = () => openStore(folder).close()
  forget(folder)
  return { cold: await timed(open), warm: await timed(open) }
}

export type Piece = { name: string; everyS: number; runs: number; longestMs: number } & Timed

/** One round of the work that a server repeats: its runs, each of which no request can interrupt. */
export async function recurring(folder: string): Promise<Piece[]> {
  const store = openStore(folder)
  try {
    const work = [...recurringWork({ keepEventsMs: 30 * DAY_MS }), ...screensWork(resourceDeps(store))]
    const found: Piece[] = []
    for (const { name, everyMs, run } of work) {
      let runs = 0
      let longestMs = 0
      const all = await timed(() => {
        for (let goesOn = true; goesOn && runs < 5000; runs++) {
          const from = performance.now()
          goesOn = store.transaction(() => run(store)) !== undefined
          longestMs = Math.max(longestMs, performance.now() - from)
        }
      })
      found.push({ ...all, name, everyS: everyMs / 1000, runs, longestMs })
    }
    return found
  } finally {
    store.close()
  }
}

/** The checks of SQLite over all pages, indexes and references. */
export async function checks(folder: string): Promise<Record<'quick' | 'full' | 'references', Timed>> {
  const db = openSqlite(join(folder, DATABASE), { readonly: true })
  const sound = (check: string, expected: unknown[]) =>
    timed(() => {
      const rows = db.pragma(check) as object[]
      const is = JSON.stringify(rows.flatMap((row) => Object.values(row)))
      if (is !== JSON.stringify(expected)) throw new Error(`${check}: ${is.slice(0, 500)}`)
    })
  try {
    return {
      quick: await sound('quick_check', ['ok']),
      full: await sound('integrity_check', ['ok']),
      references: await sound('foreign_key_check', []),
    }
  } finally {
    db.close()
  }
}

/** Makes the tables those of the previous schema, as a released version would have left them. */
function unmigrate(folder: string): void {
  const db = openSqlite(join(folder, DATABASE))
  const previous = SCHEMAS.length - 1
  try {
    if (db.pragma('user_version', { simple: true }) === previous) return // an interrupted run
    db.pragma('foreign_keys = OFF') // a table that others refer to is made anew
    db.pragma('legacy_alter_table = ON')
    db.exec('BEGIN')
    UNDO[SCHEMAS.length]?.(db)
    db.pragma(`user_version = ${previous}`)
    db.prepare('UPDATE installation SET schema_hash = ?').run(SCHEMAS[previous - 1]?.hash)
    db.exec('COMMIT')
  } finally {
    db.close()
  }
}

/** What takes the last step of src/store/schema/migrations.ts back. */
const UNDO: Record<number, (db: Connection) => void> = {
  5: (db) => {
    const added =
      'replication departures departing_changes arrivals arriving_audit former_token_keys former_signing_keys'
    for (const table of added.split(' ')) db.exec(`DROP TABLE ${table}`)
    db.exec('DROP INDEX jobs_failed; DROP INDEX IF EXISTS deals_closed')
    // A check names the columns, so that they cannot be dropped one by one.
    const sql = db.prepare("SELECT sql FROM sqlite_schema WHERE name = 'orgs'").pluck().get() as string
    const before = sql.replace(/,\s*(?:--[^\n]*\n\s*)*state TEXT[\s\S]*$/, ') STRICT')
    db.exec(before.replace(/^CREATE TABLE "?orgs"?/, 'CREATE TABLE orgs_before')) // quoted after a renaming
    const columns = (db.pragma('table_info(orgs_before)') as { name: string }[]).map(({ name }) => name).join(', ')
    db.exec(`INSERT INTO orgs_before SELECT ${columns} FROM orgs; DROP TABLE orgs`)
    db.exec('ALTER TABLE orgs_before RENAME TO orgs')
  },
}

/** The migration itself; the backup before it takes as long as any. */
export async function migration(folder: string): Promise<Timed | undefined> {
  if (!UNDO[SCHEMAS.length]) return undefined
  unmigrate(folder)
  return timed(() => openStore(folder).close())
}

type Dealbox = (...argv: string[]) => { file?: string; bytes?: number }

/** A backup, which is checked, and the same as a restore checks it. */
export async function backup(
  folder: string,
  dealbox: Dealbox,
): Promise<{ mb: number; made: number; verified: number }> {
  const to = join(folder, 'backups')
  try {
    const made = await timed(() => dealbox('backup', '--data', folder, '--to', to))
    const { file = '', bytes = 0 } = made.value
    const verified = await timed(() => dealbox('verify', file))
    return { mb: bytes / 1e6, made: made.seconds, verified: verified.seconds }
  } finally {
    rmSync(to, { recursive: true, force: true })
  }
}
