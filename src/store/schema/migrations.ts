import { randomUUID } from 'node:crypto'
import { asset } from '../../assets.ts'
import { Problem } from '../../lib/problem.ts'
import type { Connection } from '../sqlite/driver.ts'
import { failureOf } from '../sqlite/failures.ts'
import { addServers } from './schema-5.ts'
import { addTrust } from './schema-6.ts'
import { fixStatistics } from './statistics.ts'

/** Written to the header of the file, to distinguish it from databases of other programs. "Deal" in ASCII. */
export const APPLICATION_ID = 0x4465616c

export type Schema = {
  version: number
  /** The hash of its SQL without comments and white space. A database stores the hash of its schema. */
  hash: string
  /** Migrates a database from the previous schema; references are checked after the last step. */
  step?: (db: Connection) => void
}

/**
 * The released schemas that can be migrated, which never change again, and the newest, which is schema.sql. After a change of
 * schema.sql, a test shows what to put here.
 */
export const SCHEMAS: readonly Schema[] = [
  { version: 4, hash: '021cf96c4d081c22' },
  { version: 5, hash: '786af98d378fa48e', step: addServers },
  { version: 6, hash: '4f919c17c3051c7c', step: addTrust },
]

const newestOf = (schemas: readonly Schema[]): Schema => schemas.at(-1) as Schema

export const SCHEMA_VERSION = newestOf(SCHEMAS).version

/** The versions of a schema before and after a migration. */
export type Versions = { from: number; to: number }

type Options = {
  wall?: () => number
  schemas?: readonly Schema[]
  /** Called before an older database is changed. */
  before?: ((versions: Versions) => void) | undefined
}

/**
 * Makes a new database or migrates an older one, and refuses any other with one clear sentence, before anything is
 * written to it.
 */
export function migrate(
  db: Connection,
  file: string,
  { wall = Date.now, schemas = SCHEMAS, before }: Options = {},
): void {
  const from = checkSchema(db, file, schemas)
  const to = newestOf(schemas).version
  if (from === to) return
  const isNew = from === 0
  if (!isNew) before?.({ from, to })
  try {
    build(db, wall, schemas)
  } catch (error) {
    throw isNew || failureOf(error) ? error : failed(file, from, to, error)
  }
}

/** The transaction was rolled back. */
function failed(file: string, from: number, to: number, error: unknown): Problem {
  const problem = new Problem(
    500,
    'migration_failed',
    `${file} could not be migrated from schema ${from} to ${to} (${(error as Error).message}). It is as it was before: the older version of Dealbox still works with it.`,
  )
  problem.cause = error
  return problem
}

/** Returns the version of a database; 0 for an empty file. Throws Problem 409 if this program cannot use it. */
export function checkSchema(db: Connection, file: string, schemas: readonly Schema[] = SCHEMAS): number {
  const application = db.pragma('application_id', { simple: true })
  const version = versionOf(db)
  const isNew = application === 0 && version === 0 && isEmpty(db)
  if (!isNew && application !== APPLICATION_ID) {
    throw new Problem(409, 'foreign_file', `${file} is a database of another program, not of Dealbox.`)
  }
  const newest = newestOf(schemas).version
  if (version > newest) {
    throw new Problem(
      409,
      'newer_schema',
      `${file} was written by a newer version of Dealbox (schema ${version}, this version supports ${newest}); use that version or a newer one.`,
    )
  }
  if (!isNew && version < (schemas[0] as Schema).version) {
    throw new Problem(
      409,
      'too_old_schema',
      `${file} has schema ${version}, of a version of Dealbox before 0.4.0, which was never published. Start Dealbox 0.5.0 with it once, which migrates it, and then this version.`,
    )
  }
  if (!isNew && hashOf(db) !== schemas.find((each) => each.version === version)?.hash) {
    throw new Problem(
      409,
      'other_schema',
      `${file} was created by an unreleased version of Dealbox with other tables; to move an organisation to a new data folder, use "dealbox export DIR" of that version and "dealbox import DIR" of this one.`,
    )
  }
  return version
}

/** Runs in one transaction: all or nothing. */
function build(db: Connection, wall: () => number, schemas: readonly Schema[]): void {
  const { version: newest, hash } = newestOf(schemas)
  // References are checked as a whole at the end: a migration may rebuild tables that others refer to.
  db.pragma('foreign_keys = OFF')
  db.transaction(() => {
    const version = versionOf(db)
    if (version >= newest) return // another process was faster
    if (version === 0) {
      db.exec(asset('schema.sql').toString())
      const install = db.prepare(
        'INSERT INTO installation (singleton, id, schema_hash, created_at) VALUES (1, ?, ?, ?)',
      )
      install.run(randomUUID(), hash, wall())
    } else {
      for (const schema of schemas) if (schema.version > version) schema.step?.(db)
      db.prepare('UPDATE installation SET schema_hash = ?').run(hash)
    }
    if ((db.pragma('foreign_key_check') as unknown[]).length > 0)
      throw new Error('a migration left a dangling reference')
    fixStatistics(db)
    db.pragma(`application_id = ${APPLICATION_ID}`)
    db.pragma(`user_version = ${newest}`)
  }).immediate()
  db.pragma('foreign_keys = ON')
}

/** Undefined if the database is older than these hashes. */
function hashOf(db: Connection): unknown {
  try {
    return db.prepare('SELECT schema_hash FROM installation').pluck().get()
  } catch (error) {
    if ((error as { code?: string }).code === 'SQLITE_ERROR') return undefined // no such table or column
    throw error
  }
}

function versionOf(db: Connection): number {
  return db.pragma('user_version', { simple: true }) as number
}

function isEmpty(db: Connection): boolean {
  return db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() === 0
}
