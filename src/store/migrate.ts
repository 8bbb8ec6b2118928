import { asset } from '../assets.ts'
import { Problem } from '../lib/problem.ts'
import type { Database } from './driver.ts'
import { fixStatistics } from './statistics.ts'

/** Stands in the header of the file, so that no other program's database is taken for ours. "Deal" in ASCII. */
export const APPLICATION_ID = 0x4465616c

type Migration = (db: Database) => void

/** `migrations[n]` takes a database from schema n + 1 to n + 2; the newest schema is schema.sql. */
export const migrations: readonly Migration[] = []

export const SCHEMA_VERSION = migrations.length + 1

/**
 * Makes a new database, brings an older one up to date, and refuses any other with one clear sentence, before anything
 * is written to it.
 */
export function migrate(db: Database, file: string, steps = migrations): void {
  const newest = steps.length + 1
  const application = db.pragma('application_id', { simple: true })
  const version = versionOf(db)
  if (application === APPLICATION_ID && version === newest) return
  const isNew = application === 0 && version === 0 && isEmpty(db)
  if (!isNew && application !== APPLICATION_ID) {
    throw new Problem(409, 'foreign_file', `${file} is a database of another program, not of Dealbox.`)
  }
  if (version > newest) {
    throw new Problem(
      409,
      'newer_schema',
      `${file} was written by a newer Dealbox (schema ${version}, this one knows ${newest}); start that version or a newer one.`,
    )
  }
  build(db, steps)
}

/** In one transaction: all of it is there afterwards, or nothing. */
function build(db: Database, steps: readonly Migration[]): void {
  // References are checked at the end as a whole: a migration may rebuild tables that others refer to.
  db.pragma('foreign_keys = OFF')
  db.transaction(() => {
    const version = versionOf(db)
    if (version > steps.length) return // another process was faster
    if (version === 0) db.exec(asset('schema.sql').toString())
    else for (const step of steps.slice(version - 1)) step(db)
    if ((db.pragma('foreign_key_check') as unknown[]).length > 0)
      throw new Error('a migration left a dangling reference')
    fixStatistics(db)
    db.pragma(`application_id = ${APPLICATION_ID}`)
    db.pragma(`user_version = ${steps.length + 1}`)
  }).immediate()
  db.pragma('foreign_keys = ON')
}

function versionOf(db: Database): number {
  return db.pragma('user_version', { simple: true }) as number
}

function isEmpty(db: Database): boolean {
  return db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() === 0
}
