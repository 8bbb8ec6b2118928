import { closeSync, existsSync, openSync, readSync, rmSync, statSync } from 'node:fs'
import { Problem } from '../../lib/problem.ts'
import { makePrivateFile } from '../../store/folder/key-file.ts'
import { type Connection, openSqlite } from '../../store/sqlite/driver.ts'
import { failureOf, reasonOf, storageProblem } from '../../store/sqlite/failures.ts'

// The database in a backup: a copy of its own, as of one moment.

/** How long a copy waits for a lock, such as that of another process that opens the database. */
const PATIENCE_MS = 30_000

export type Copied = { schema: number; installation: string; rows: Record<string, number> }

/** Copies a database as of one moment into a new file, on a connection of its own: others write meanwhile. */
export function copyDatabase(file: string, target: string): void {
  try {
    copy(file, target, 'NORMAL')
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'SQLITE_IOERR_SHMSIZE') throw error
    // The disk of the database has no space for the index of the log; see `openForServer`.
    copyAlone(file, target, error)
  }
}

/** Where that is not possible either, as beside a server, it is said that the disk of the server is full. */
function copyAlone(file: string, target: string, first: unknown): void {
  rmSync(target, { force: true })
  try {
    copy(file, target, 'EXCLUSIVE')
  } catch {
    throw storageProblem(first)
  }
}

function copy(file: string, target: string, lockingMode: 'NORMAL' | 'EXCLUSIVE'): void {
  const db = openSqlite(file, { fileMustExist: true, timeout: PATIENCE_MS })
  try {
    db.pragma(`locking_mode = ${lockingMode}`)
    makePrivateFile(target)
    withoutFlushing(db, () => void db.prepare('VACUUM INTO ?').run(target))
  } finally {
    db.close()
  }
}

/** The copy is temporary, and to flush all of it at once would make the commits of others wait. */
function withoutFlushing(db: Connection, job: () => void): void {
  db.pragma('synchronous = OFF')
  try {
    job()
  } finally {
    db.pragma('synchronous = FULL') // the last connection writes the log back into the database when it is closed
  }
}

/** An upper bound of the size of a copy. */
export const sizeOfDatabase = (file: string): number =>
  [file, `${file}-wal`].reduce((sum, each) => sum + (statSync(each, { throwIfNoEntry: false })?.size ?? 0), 0)

/**
 * Changes with each commit to a database. Not with what a program has written and never committed, which stays in the log
 * if the program is killed.
 */
export function stampOfDatabase(file: string): string {
  const db = openSqlite(file, { fileMustExist: true, timeout: PATIENCE_MS })
  try {
    db.pragma('schema_version') // opens the log
    const [{ log }] = db.pragma('wal_checkpoint(NOOP)') as [{ log: number }]
    const { size, mtimeMs } = statSync(file)
    return `${size} ${mtimeMs} ${log > 0 ? `${log} of ${generationOf(`${file}-wal`)}` : 'none'}`
  } finally {
    db.close()
  }
}

/** A log that begins anew has another number in its header. */
function generationOf(log: string): string {
  const salt = Buffer.alloc(8)
  const file = openSync(log, 'r')
  try {
    readSync(file, salt, 0, salt.length, 16)
    return salt.toString('hex')
  } finally {
    closeSync(file)
  }
}

/** What a copy contains: to write it down, and to compare it later. Works with every schema that there was. */
export function readCopy(file: string): Copied {
  return onCopy(file, (db) => ({
    schema: db.pragma('user_version', { simple: true }) as number,
    installation: db.prepare('SELECT id FROM installation').pluck().get() as string,
    rows: Object.fromEntries(
      tablesOf(db).map((table) => [table, db.prepare(`SELECT count(*) FROM "${table}"`).pluck().get() as number]),
    ),
  }))
}

/**
 * What is wrong inside of a copy, in the words of SQLite; undefined if it is whole. On a connection that may write:
 * integrity_check leaves out constraints on another.
 */
export function faultOfCopy(file: string): string | undefined {
  try {
    return onCopy(file, faultOf, false)
  } catch (error) {
    if (failureOf(error) === 'damaged') return reasonOf(error)
    throw error
  }
}

function faultOf(db: Connection): string | undefined {
  const [first] = db.pragma('integrity_check(1)') as { integrity_check: string }[]
  if (first?.integrity_check !== 'ok') return first?.integrity_check ?? 'integrity_check has no result'
  const [dangling] = db.pragma('foreign_key_check') as { table: string; parent: string }[]
  return dangling && `a row of ${dangling.table} refers to one of ${dangling.parent} that is not there`
}

/**
 * Throws Problem 409 if another process has the database open: it would go on with the files that are being replaced, and
 * delete the log of the new database when it ends.
 */
export function refuseIfOpen(file: string): void {
  if (!existsSync(file)) return
  const db = openSqlite(file, { timeout: 0 })
  try {
    db.pragma('locking_mode = EXCLUSIVE')
    db.exec('BEGIN EXCLUSIVE; COMMIT')
  } catch (error) {
    if (failureOf(error) !== 'locked') return // it is damaged, which is why it is being replaced
    throw new Problem(409, 'database_in_use', `Another process uses ${file}. Wait until it ends, and try again.`)
  } finally {
    db.close()
  }
}

/** A copy has no log, so it can be read without writing anything. */
export function onCopy<T>(file: string, job: (db: Connection) => T, readonly = true): T {
  const db = openSqlite(file, { fileMustExist: true, readonly })
  try {
    return job(db)
  } finally {
    db.close()
  }
}

/** Without the tables that the search index keeps for itself. */
const tablesOf = (db: Connection): string[] =>
  db
    .prepare(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY name",
    )
    .pluck()
    .all() as string[]
