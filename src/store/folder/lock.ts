import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Problem } from '../../lib/problem.ts'
import { type Connection, openSqlite } from '../sqlite/driver.ts'

/** An unreferenced connection is closed by garbage collection, which releases its lock. */
const held = new Set<Connection>()

const SERVER_LOCK = 'server.lock'
/** Somebody may look at the lock for a moment, see `isServed`. */
const LOOK_MS = 250

/**
 * Ensures that only one server runs on a data folder. The operating system releases the lock when the process ends,
 * even after kill -9. Returns a function that releases it; throws Problem 409.
 */
export function lockInstance(dataDir: string): () => void {
  const release = lockFile(join(dataDir, SERVER_LOCK), LOOK_MS)
  if (release) return release
  throw new Problem(
    409,
    'already_running',
    `Another Dealbox server is running on ${dataDir}. Stop it, or use another folder with --data.`,
  )
}

/** As `lockInstance`, for a command that migrates the database. */
export function lockMigration(dataDir: string): () => void {
  const release = lockFile(join(dataDir, SERVER_LOCK), LOOK_MS)
  if (release) return release
  throw new Problem(
    409,
    'server_running',
    `A server of an older version runs on ${dataDir}, and this command would migrate the database under it. Nothing was changed: restart the server with this version first, or use the version of the server.`,
  )
}

/** Whether a server runs on a data folder. */
export function isServed(dataDir: string): boolean {
  const path = join(dataDir, SERVER_LOCK)
  if (!existsSync(path)) return false
  const db = openSqlite(path, { readonly: true, timeout: 0 })
  try {
    db.pragma('schema_version')
    return false
  } catch (error) {
    if ((error as { code?: string }).code === 'SQLITE_BUSY') return true
    throw error
  } finally {
    db.close()
  }
}

/** As `lockInstance`, for a command that restores an export. */
export function lockRestore(dataDir: string): () => void {
  const release = lockFile(join(dataDir, 'restore.lock'))
  if (release) return release
  throw new Problem(
    409,
    'restore_running',
    `Another export is being restored into ${dataDir}. Wait until that is done.`,
  )
}

/** As `lockInstance`, for a command that moves an organisation to another server; undefined if one does. */
export const tryLockMove = (dataDir: string): (() => void) | undefined => lockFile(join(dataDir, 'move.lock'))

/** The same; throws Problem 409. */
export function lockMove(dataDir: string): () => void {
  const release = tryLockMove(dataDir)
  if (release) return release
  throw new Problem(409, 'move_running', `Another organisation is moving from ${dataDir}. Wait until that is done.`)
}

/** Marks a temporary folder as used, until the process ends; undefined if another process uses it. */
export const lockFolder = (folder: string): (() => void) | undefined => lockFile(join(folder, 'in-use.lock'))

/** Locks an SQLite file by an exclusive transaction; undefined if another process has locked it. */
function lockFile(path: string, timeout = 0): (() => void) | undefined {
  const db = openSqlite(path, { timeout })
  try {
    db.pragma('journal_mode = MEMORY') // writes nothing, so that it works on a full disk
    db.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    if ((error as { code?: string }).code === 'SQLITE_BUSY') return undefined
    throw error
  }
  held.add(db)
  return () => {
    held.delete(db)
    db.close()
  }
}
