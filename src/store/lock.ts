import { join } from 'node:path'
import { Problem } from '../lib/problem.ts'
import { type Connection, openSqlite } from './driver.ts'

/** A connection that nobody refers to is closed when garbage is collected, and its lock with it. */
const held = new Set<Connection>()

/**
 * Makes sure that one server alone runs on a data folder. The kernel frees the lock when the process ends, also after
 * kill -9. Returns the release; throws Problem 409.
 */
export function lockInstance(dataDir: string): () => void {
  const release = lockFile(join(dataDir, 'server.lock'))
  if (release) return release
  throw new Problem(
    409,
    'already_running',
    `Another Dealbox server runs on ${dataDir}; stop it, or serve another folder with --data.`,
  )
}

/** The same for a command that brings an export back. */
export function lockRestore(dataDir: string): () => void {
  const release = lockFile(join(dataDir, 'restore.lock'))
  if (release) return release
  throw new Problem(409, 'restore_running', `Another export is being brought back into ${dataDir}; wait for its end.`)
}

/** Holds an SQLite file under an exclusive transaction; undefined where another process does. */
function lockFile(path: string): (() => void) | undefined {
  const db = openSqlite(path, { timeout: 0 })
  try {
    db.pragma('journal_mode = MEMORY') // nothing is written, so that a full disk is no obstacle
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
