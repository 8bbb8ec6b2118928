import { statSync } from 'node:fs'
import { join } from 'node:path'
import { Problem } from '../../../lib/problem.ts'
import { refuseForeignLog } from '../../../store/folder/foreign-log.ts'
import { DATABASE, foreignFile, requireDatabase } from '../../../store/open.ts'
import { checkSchema, SCHEMA_VERSION } from '../../../store/schema/migrations.ts'
import { type Connection, type Database, openSqlite } from '../../../store/sqlite/driver.ts'
import { failureOf, isWithoutMemory, NO_SHARED_MEMORY, reasonOf } from '../../../store/sqlite/failures.ts'

/** A database that is looked at and not written to. Without `db` it cannot be read; `problem` says why, or what it is. */
export type Inspected = {
  db: Database | undefined
  /** The version of its schema, as far as it is known. */
  version: number | undefined
  /** Whether its tables are those of this version. */
  isCurrent: boolean
  problem: Problem | undefined
  close: () => void
}

const PATIENCE_MS = 5000

/** Of these the pages can be checked, although the tables are not known. */
const READABLE = ['newer_schema', 'other_schema']

export const logBytes = (dataDir: string): number =>
  statSync(join(dataDir, `${DATABASE}-wal`), { throwIfNoEntry: false })?.size ?? 0

export const databaseBytes = (dataDir: string): number =>
  statSync(join(dataDir, DATABASE), { throwIfNoEntry: false })?.size ?? 0

/**
 * Opens a database without changing it, also beside a server. Whoever closes a database last copies its log into it, so
 * with a log it is opened for reading. Without one, a connection that only reads would leave an empty log behind.
 */
export function inspectDatabase(dataDir: string, isServed: boolean): Inspected {
  let db: Connection | undefined
  const found = (more: Partial<Inspected>): Inspected => ({
    ...{ db, version: undefined, isCurrent: false, problem: undefined, close: () => db?.close() },
    ...more,
  })
  const file = join(dataDir, DATABASE)
  try {
    requireDatabase(dataDir)
    if (!isServed) refuseForeignLog(file)
    db = openSqlite(file, { readonly: logBytes(dataDir) > 0, fileMustExist: true, timeout: PATIENCE_MS })
    db.pragma('query_only = ON')
    db.pragma('trusted_schema = OFF')
    const version = checkSchema(db, file)
    if (version > 0) return found({ version, isCurrent: version === SCHEMA_VERSION })
    return found({
      problem: new Problem(409, 'database_empty', `${file} has no tables yet; the next start makes them.`),
    })
  } catch (error) {
    const problem = problemOf(error, file)
    if (db && READABLE.includes(problem.code)) return found({ problem })
    db?.close()
    return { db: undefined, version: undefined, isCurrent: false, problem, close: () => undefined }
  }
}

function problemOf(error: unknown, file: string): Problem {
  const known = foreignFile(error, file)
  if (known instanceof Problem) return known
  if (failureOf(error) === 'locked')
    return new Problem(
      503,
      'busy',
      `${file} is locked: another command writes, or a server was started on a full disk.`,
    )
  if (isWithoutMemory(error)) return new Problem(503, 'no_shared_memory', `${NO_SHARED_MEMORY} (${reasonOf(error)})`)
  if (String((error as { code?: unknown }).code).startsWith('SQLITE_'))
    return new Problem(503, 'storage_failed', `${file} cannot be read (${reasonOf(error)}).`)
  throw error
}

/** What the file itself stores; other PRAGMAs are set by each process that opens it. */
export function storedFormat(db: Database): { journal_mode: string; encoding: string; page_size: number } {
  const read = (name: string) => (db as Connection).pragma(name, { simple: true })
  return {
    journal_mode: read('journal_mode') as string,
    encoding: read('encoding') as string,
    page_size: read('page_size') as number,
  }
}

const isSqliteError = (error: unknown): boolean => String((error as { code?: unknown }).code).startsWith('SQLITE_')

/** What is wrong with the pages of the file, in sentences of SQLite: at most so many, or those of one table. `isFull` also compares indexes with rows. */
export function pageErrors(db: Database, isFull: boolean, most: number | string = 20): string[] {
  try {
    const rows = (db as Connection).pragma(`${isFull ? 'integrity_check' : 'quick_check'}(${most})`) as object[]
    const lines = rows.flatMap((row) => String(Object.values(row)[0]).split('\n'))
    return lines.filter((line) => line !== 'ok' && line !== '' && !line.startsWith('*** in database '))
  } catch (error) {
    if (!isSqliteError(error) || failureOf(error) === 'locked') throw error
    return [reasonOf(error)] // so damaged that the check itself stops
  }
}

/** The rows that refer to a row that does not exist, by table. */
export const danglingReferences = (db: Database): { table: string; target: string; count: number }[] =>
  db
    .prepare(
      `SELECT "table", parent AS target, count(*) AS count FROM pragma_foreign_key_check
       GROUP BY 1, 2 ORDER BY 1, 2`,
    )
    .all() as never
