import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { SEQS_PER_EPOCH } from '../../events/epochs.ts'
import type { CommandStore } from '../../store/open.ts'
import { replicationRow } from '../../store/replication.ts'
import { openSqlite } from '../../store/sqlite/driver.ts'
import { failureOf } from '../../store/sqlite/failures.ts'

// A backup may be older than the last promotion. Restored as it is, it would be the database of a primary that was replaced,
// by itself, and would give its events the numbers of others. docs/decisions/043-failover.md

const DATABASE = 'dealbox.db'

/** What a database that is replaced says of the primary that it was of. */
export type Former = {
  epoch: number
  promoted_at: number | null
  primary_url: string | null
  /** The greatest number of an event of any organisation. */
  lastSeq: number
}

/** The schema may be one that knows nothing of primaries. */
const FIRST: Former = { epoch: 1, promoted_at: null, primary_url: null, lastSeq: 0 }

/** Undefined if there is no database, or none that can be read. Nobody else may have it open. */
export function formerPrimary(dataDir: string): Former | undefined {
  const file = join(dataDir, DATABASE)
  if (!existsSync(file)) return undefined
  const db = openSqlite(file, { fileMustExist: true, timeout: 0 }) // one that only reads would leave files behind
  try {
    db.pragma('locking_mode = EXCLUSIVE')
    return formerIn(db)
  } catch (error) {
    if (failureOf(error)) return undefined // it is damaged, which is why it is being replaced
    throw error
  } finally {
    db.close()
  }
}

function formerIn(db: CommandStore['db']): Former | undefined {
  const hasTable = db.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?')
  if (hasTable.get('installation') === undefined) return undefined // an empty file, or that of another program
  if (hasTable.get('replication') === undefined) return FIRST
  const { epoch, promoted_at, primary_url } = replicationRow(db).read()
  return { epoch, promoted_at, primary_url, lastSeq: lastSeqIn(db) }
}

const lastSeqIn = (db: CommandStore['db']): number =>
  (db.prepare('SELECT max(last_seq) FROM orgs').pluck().get() as number | null) ?? 0

/**
 * Lets a restored database go on as the primary that it takes the place of, or that it is of itself if that is a later one.
 * Its events begin with a range of numbers that nobody has used. Returns its epoch; where no standby was ever promoted,
 * nothing changes.
 */
export function goOnAs(
  former: Former | undefined,
  { db, transaction }: Pick<CommandStore, 'db' | 'transaction'>,
): number {
  const own = replicationRow(db).read()
  const epoch = Math.max(own.epoch, former?.epoch ?? 1)
  if (epoch === 1) return epoch
  const used = Math.floor(Math.max(lastSeqIn(db), former?.lastSeq ?? 0) / SEQS_PER_EPOCH)
  transaction(() => {
    if (former && former.epoch > own.epoch)
      db.prepare('UPDATE replication SET epoch = ?, promoted_at = ?, primary_url = ? WHERE singleton = 1').run(
        ...[former.epoch, former.promoted_at, former.primary_url],
      )
    db.prepare('UPDATE orgs SET last_seq = ?').run(Math.max(used + 1, epoch) * SEQS_PER_EPOCH)
  })
  return epoch
}
