import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { SEQS_PER_EPOCH } from '../../../events/epochs.ts'
import { Problem } from '../../../lib/problem.ts'
import { syncFolder } from '../../../store/folder/key-file.ts'
import { isCopy, isPromoting, positionOf, promotingOf } from '../../../store/folder/marks.ts'
import { lastCommit } from '../../../store/newest.ts'
import { replicationRow } from '../../../store/replication.ts'
import { checkSchema, SCHEMA_VERSION } from '../../../store/schema/migrations.ts'
import { openSqlite } from '../../../store/sqlite/driver.ts'
import { failureOf, reasonOf } from '../../../store/sqlite/failures.ts'
import { isWhole, lookAt, removeLeftovers } from './files.ts'
import { checkReaderKeys } from './reader.ts'
import { faultOfWhole } from './whole.ts'

// How a copy becomes a database of its own. Litestream must not run on it any more.

/** The oldest schema that knows of epochs. */
const FIRST_SCHEMA = 5

const DATABASE = 'dealbox.db'

type Promoted = { epoch: number; url: string | null; now: number; isUnchecked?: boolean }

/**
 * Checks a copy, if that is wanted, and makes it the database of the primary of an epoch. Throws Problem 409 with what is
 * wrong, and leaves it a copy then. It survives a power cut at any moment: whoever promotes again goes on.
 */
export async function promoteCopy(dataDir: string, { epoch, url, now, isUnchecked }: Promoted): Promise<void> {
  const file = join(dataDir, DATABASE)
  if (!isPromoting(file)) {
    const look = isCopy(file) ? lookAt(file) : undefined
    if (!look || !isWhole(look, undefined)) throw torn(file)
    removeLeftovers(file)
    sync(file) // Litestream leaves that to the system
  }
  // One whose promotion was interrupted was checked then, if that was wanted.
  const fault = isUnchecked || isPromoting(file) ? undefined : await faultOfWhole(file)
  if (fault !== undefined) throw unusable(file, fault)
  const db = openSqlite(file, { fileMustExist: true, timeout: 5000 })
  try {
    db.pragma('locking_mode = EXCLUSIVE')
    const version = checkSchema(db, file)
    if (version < FIRST_SCHEMA || version > SCHEMA_VERSION) throw unusable(file, `has schema ${version}`)
    checkReaderKeys(dataDir, db)
    const isFirst = !isPromoting(file)
    if (isFirst) {
      renameSync(positionOf(file), promotingOf(file))
      syncFolder(dirname(file))
    }
    try {
      raiseEpoch(db, epoch, url, now)
    } catch (error) {
      if (isFirst) renameSync(promotingOf(file), positionOf(file)) // it can still be read
      throw failureOf(error) === 'damaged' ? unusable(file, `is damaged (${reasonOf(error)})`) : error
    }
  } finally {
    db.close()
  }
  sync(file)
  rmSync(promotingOf(file))
  syncFolder(dirname(file))
}

function raiseEpoch(db: ReturnType<typeof openSqlite>, epoch: number, url: string | null, now: number): void {
  db.pragma('synchronous = FULL')
  db.transaction(() => {
    db.prepare('UPDATE replication SET epoch = ?, promoted_at = ?, primary_url = ? WHERE singleton = 1').run(
      epoch,
      now,
      url,
    )
    db.prepare(`UPDATE orgs SET last_seq = max(last_seq / ${SEQS_PER_EPOCH} + 1, ?) * ${SEQS_PER_EPOCH}`).run(epoch - 1)
  }).immediate()
}

/** Which primary the database of a folder is of, or is a copy of; undefined if there is none. */
export function epochOf(dataDir: string): number | undefined {
  const file = join(dataDir, DATABASE)
  if (!existsSync(file)) return undefined
  const db = openSqlite(file, { readonly: true })
  try {
    if (checkSchema(db, file) < FIRST_SCHEMA) return 1
    return db.prepare('SELECT epoch FROM replication WHERE singleton = 1').pluck().get() as number
  } finally {
    db.close()
  }
}

/** The epoch and position of a copy whose promotion was interrupted. */
export function halfPromoted(dataDir: string): { epoch: number; commit_seq: number; beat: number } {
  const db = openSqlite(join(dataDir, DATABASE), { fileMustExist: true })
  try {
    const { epoch, beat } = replicationRow(db).read()
    return { epoch, commit_seq: lastCommit(db), beat }
  } finally {
    db.close()
  }
}

/** Whether a database is that of a standby that was promoted. */
export function isPromoted(dataDir: string): boolean {
  const file = join(dataDir, DATABASE)
  return !isCopy(file) && !isPromoting(file) && (epochOf(dataDir) ?? 1) > 1
}

function sync(file: string): void {
  const descriptor = openSync(file, 'r+')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

const unusable = (file: string, what: string): Problem =>
  new Problem(
    409,
    'copy_unusable',
    `${file} ${what}, and was not promoted. Promote another standby, or restore the newest state with "litestream restore".`,
  )

const torn = (file: string): Problem =>
  new Problem(
    409,
    'copy_torn',
    `${file} is not at the end of a transaction, since Litestream was interrupted while it wrote, and was not promoted. Let it follow again, or promote another standby.`,
  )
