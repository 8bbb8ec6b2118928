import { closeSync, openSync, readSync, statSync, utimesSync } from 'node:fs'
import { positionOf } from '../../../store/folder/marks.ts'
import { openSqlite } from '../../../store/sqlite/driver.ts'
import { isWhole, lookAt } from './files.ts'

/** In the header of a database: 1 is a rollback journal, 2 a write-ahead log. */
const READ_VERSION_AT = 19
const WRITE_AHEAD_LOG = 2
const LOCK_WAIT_MS = 5000

/**
 * Litestream restores a copy with the header of the primary, which has a write-ahead log: whoever reads such a file holds a
 * lock on it all the time, which Litestream would wait for, and never sees what is written past the log. So the header is
 * changed to that of a rollback journal, as Litestream itself does as soon as it writes the first page. This is the only
 * byte of a copy that Dealbox writes, once for each copy. Returns false if the copy is not whole now.
 */
export function leaveLog(file: string): boolean {
  if (!hasLog(file)) return true
  const db = openSqlite(file, { fileMustExist: true, timeout: LOCK_WAIT_MS })
  try {
    db.pragma('locking_mode = EXCLUSIVE')
    db.pragma('schema_version') // locks: Litestream waits from here on
    const look = lookAt(file)
    if (!look || !isWhole(look, undefined)) return false
    db.pragma('journal_mode = MEMORY') // without a file that a crash would leave behind
    // Still under the lock: the position counts for the file as it is now. Times are set by the millisecond.
    const after = Math.ceil(statSync(file).mtimeMs + 1) / 1000
    utimesSync(positionOf(file), after, after)
    return true
  } finally {
    db.close()
  }
}

function hasLog(file: string): boolean {
  const descriptor = openSync(file, 'r')
  try {
    const byte = Buffer.alloc(1)
    return readSync(descriptor, byte, 0, 1, READ_VERSION_AT) === 1 && byte[0] === WRITE_AHEAD_LOG
  } finally {
    closeSync(descriptor) // drops all locks of this process on the file: call it only while none is held
  }
}
