import { asset } from '../assets.ts'
import { Problem } from '../lib/problem.ts'
import type { Database } from './driver.ts'
import { fixStatistics } from './statistics.ts'

/** Stands in the header of the file, so that no other program's database is taken for ours. "Deal" in ASCII. */
export const APPLICATION_ID = 0x4465616c

/** `migrations[n]` takes a database from schema n + 1 to n + 2; the newest schema is schema.sql. */
export const migrations: ((db: Database) => void)[] = []

export const SCHEMA_VERSION = migrations.length + 1

/** Makes a new database, brings an older one up to date, and refuses any other, each with one clear sentence. */
export function migrate(db: Database, file: string): void {
  const application = db.pragma('application_id', { simple: true })
  const version = db.pragma('user_version', { simple: true }) as number
  if (application === APPLICATION_ID && version === SCHEMA_VERSION) return
  if (application === 0 && version === 0 && isEmpty(db)) {
    create(db)
    return
  }
  if (application !== APPLICATION_ID) {
    throw new Problem(409, 'foreign_file', `${file} is a database of another program, not of Dealbox.`)
  }
  if (version > SCHEMA_VERSION) {
    throw new Problem(
      409,
      'newer_schema',
      `${file} was written by a newer Dealbox (schema ${version}, this one knows ${SCHEMA_VERSION}); start that version or a newer one.`,
    )
  }
  upgrade(db, version)
}

function create(db: Database): void {
  inTransaction(db, () => {
    if (!isEmpty(db)) return // another process was faster
    db.exec(asset('schema.sql').toString())
    stamp(db)
  })
}

function upgrade(db: Database, from: number): void {
  // References are checked at the end as a whole: a migration may rebuild tables that others refer to.
  db.pragma('foreign_keys = OFF')
  inTransaction(db, () => {
    for (const step of migrations.slice(from - 1)) step(db)
    if ((db.pragma('foreign_key_check') as unknown[]).length > 0)
      throw new Error('a migration left a dangling reference')
    stamp(db)
  })
  db.pragma('foreign_keys = ON')
}

function inTransaction(db: Database, job: () => void): void {
  db.transaction(job).immediate()
}

function stamp(db: Database): void {
  fixStatistics(db)
  db.pragma(`application_id = ${APPLICATION_ID}`)
  db.pragma(`user_version = ${SCHEMA_VERSION}`)
}

function isEmpty(db: Database): boolean {
  return db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() === 0
}
