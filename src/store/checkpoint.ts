import { type Connection, connection, type Database } from './driver.ts'

/** Pages of the log after which a commit checkpoints by itself, however busy it is. More would make it rarer, and longer than anyone should wait. */
export const MAX_LOG_PAGES = 1000
const IDLE_MS = 100

/**
 * Copies the write-ahead log into the database when there has been no write for a moment. SQLite would do it inside of
 * a commit, every 1,000 pages: then one commit in twenty waits for two more fsyncs, and all of them together take as
 * long as the commits themselves.
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
      note(error) // nothing is lost: the log keeps it, and the next write tries again, or is refused
    }
  }

  function written(): void {
    if (timer) timer.refresh()
    else timer = setTimeout(checkpoint, IDLE_MS).unref()
  }

  return { written, stop: () => clearTimeout(timer) }
}

/** Copies all of the write-ahead log into the database and empties it, so that the next start has nothing to read. */
export function emptyLog(db: Database): void {
  connection(db).pragma('wal_checkpoint(TRUNCATE)')
}
