import { join } from 'node:path'
import { Problem } from '../lib/problem.ts'
import { type Database, openSqlite } from './driver.ts'

/** A connection that nobody refers to is closed when garbage is collected, and its lock with it. */
const held = new Set<Database>()

/**
 * Makes sure that one server alone runs on a data folder: it holds a second SQLite file under an exclusive
 * transaction. The kernel frees it when the process ends, also after kill -9. Returns the release.
 */
export function lockInstance(dataDir: string): () => void {
  const db = openSqlite(join(dataDir, 'server.lock'), { timeout: 0 })
  try {
    db.pragma('journal_mode = MEMORY') // nothing is written, so that a full disk is no obstacle
    db.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    if ((error as { code?: string }).code !== 'SQLITE_BUSY') throw error
    throw new Problem(
      409,
      'already_running',
      `Another Dealbox server runs on ${dataDir}; stop it, or serve another folder with --data.`,
    )
  }
  held.add(db)
  return () => {
    held.delete(db)
    db.close()
  }
}
