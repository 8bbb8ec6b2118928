import { type Connection, connection, type Database } from './driver.ts'

/**
 * Log pages after which a commit checkpoints itself, however busy the server is. More would make checkpoints rarer, but
 * too slow.
 */
export const MAX_LOG_PAGES = 1000
const IDLE_MS = 100

/**
 * Copies the write-ahead log into the database after a moment without writes. SQLite would do it within a commit, every
 * 1,000 pages: one commit in twenty would then wait for two more fsyncs, and all of them together would take as long as
 * the commits themselves.
 */
export function idleCheckpoint(
  db: Connection,
  note: (error: unknown) => void = () => undefined,
): { written: () => void; stop: () => void } {
  let timer: NodeJS.Timeout | undefined

  function checkpoint(): void {
    timer = undefined
    try {
      db.pragma('wal_checkpoint(PASSIVE)')
    } catch (error) {
      note(error) // nothing is lost: the log still has it, and the next write tries again, or is refused
    }
  }

  function written(): void {
    if (timer) timer.refresh()
    else timer = setTimeout(checkpoint, IDLE_MS).unref()
  }

  return { written, stop: () => clearTimeout(timer) }
}

/** Copies the whole write-ahead log into the database and empties it, so that the next start has nothing to recover. */
export function emptyLog(db: Database): void {
  connection(db).pragma('wal_checkpoint(TRUNCATE)')
}
