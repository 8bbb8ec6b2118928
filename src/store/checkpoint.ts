import { MIB } from '../lib/size.ts'
import { MINUTE_MS, SECOND_MS } from '../lib/time.ts'
import { type Connection, connection, type Database } from './sqlite/driver.ts'

/**
 * Log pages after which a commit checkpoints itself, however busy the server is. More would make checkpoints rarer, but
 * too slow.
 */
export const MAX_LOG_PAGES = 1000
const IDLE_MS = 100

/** Who copies the write-ahead log into the database. */
export type Checkpoints = { written: () => void; stop: () => void }

/**
 * Copies the write-ahead log into the database after a moment without writes. SQLite would do it within a commit, every
 * 1,000 pages: one commit in twenty would then wait for two more fsyncs, and all of them together would take as long as
 * the commits themselves.
 */
export function idleCheckpoint(db: Connection, note: (error: unknown) => void = () => undefined): Checkpoints {
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

/** From this size on nobody else seems to empty the log: Litestream does at 4 MB, and lets it grow to 60 under load. */
export const LONGEST_LEFT_LOG = 128 * MIB
const LOOK_EVERY_MS = SECOND_MS

export type LeftOptions = {
  note: (error: unknown) => void
  /** Called when the log becomes that long, with its bytes. */
  onLong: (bytes: number) => void
  longest?: number
  now?: () => number
}

/**
 * Leaves the log to Litestream, which copies each commit from it: were it emptied before that, Litestream would have to
 * copy the whole database again. A log that grows nevertheless is checkpointed here, once a minute. Where Litestream runs
 * and is late, that empties nothing; where it does not run, the log starts anew, and the disk does not fill up.
 */
export function leftCheckpoint(
  db: Connection,
  { note, onLong, longest = LONGEST_LEFT_LOG, now = () => performance.now() }: LeftOptions,
): Checkpoints {
  let lookAt = Number.NEGATIVE_INFINITY

  function look(): void {
    const bytes = logSize(db)
    lookAt = now() + (bytes < longest ? LOOK_EVERY_MS : MINUTE_MS)
    if (bytes < longest) return
    onLong(bytes)
    db.pragma('wal_checkpoint(PASSIVE)')
  }

  function written(): void {
    if (now() < lookAt) return
    try {
      look()
    } catch (error) {
      note(error)
    }
  }

  return { written, stop: () => undefined }
}

/** The part of the log that is in use, in bytes: the file may be longer. */
function logSize(db: Connection): number {
  const [{ log }] = db.pragma('wal_checkpoint(NOOP)') as [{ log: number }]
  return log * (db.pragma('page_size', { simple: true }) as number)
}

/** Empties the log, so that the next commit begins another one; false if another process has the database open. */
export function restartLog(db: Database): boolean {
  const [{ busy }] = connection(db).pragma('wal_checkpoint(TRUNCATE)') as [{ busy: number }]
  return busy === 0
}

/** Copies the whole write-ahead log into the database and empties it, so that the next start has nothing to recover. */
export function emptyLog(db: Database): void {
  connection(db).pragma('wal_checkpoint(TRUNCATE)')
}
