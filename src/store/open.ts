import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Clock, MAX_AHEAD_MS, startClock } from '../lib/id.ts'
import { Problem } from '../lib/problem.ts'
import { idleCheckpoint, leftCheckpoint, MAX_LOG_PAGES } from './checkpoint.ts'
import { type CommittedBatch, groupCommit, type LockTimer } from './commit.ts'
import { fenceOfFolder } from './folder/fence.ts'
import { refuseForeignLog } from './folder/foreign-log.ts'
import { createPrivateFolder, hasKeys, keysFolder, makePrivateFile } from './folder/key-file.ts'
import { isServed } from './folder/lock.ts'
import { isCopy, isPromoting } from './folder/marks.ts'
import { finishSwap } from './folder/swap.ts'
import { type Vault, vault, whileNothingIsSealed } from './folder/vault.ts'
import { type HealthOptions, type StorageHealth, storageHealth } from './health.ts'
import { installationId } from './installation.ts'
import { newestId } from './newest.ts'
import { isReplicated } from './replication.ts'
import { migrate, type Versions } from './schema/migrations.ts'
import { type Changes, watchChanges } from './sqlite/changes.ts'
import { type Connection, type Database, openSqlite } from './sqlite/driver.ts'
import { failureOf } from './sqlite/failures.ts'
import { type Upkeep, upkeep } from './upkeep.ts'
import { type WallClock, watchWallClock } from './wall-clock.ts'
import { type Committed, watchCommits } from './watch.ts'
import { checkFence, type HealthyWrite, healthyWrites } from './writes.ts'

export type Store = {
  db: Database
  clock: Clock
  /** The source of the time of `clock`. */
  wallClock: WallClock
  /** Runs the job in the group transaction of this turn of the event loop; resolves after COMMIT. */
  write: HealthyWrite
  /** The same at once, for the last moment of a server. Waits for nothing: throws where `write` would wait. */
  writeAtOnce: <T>(job: () => T) => T
  /** Runs a part of the current transaction; if it throws, this part alone is rolled back. */
  savepoint: <T>(job: () => T) => T
  /** The id of this data folder; tokens are bound to it. */
  installation: string
  /** Call this after every change to tokens, members or keys, so that no cached access outlives it. */
  accessChanged: () => void
  accessEpoch: () => number
  changes: Changes
  /** Notifies listeners of commits, by `write`, by `transaction` and by other processes. */
  committed: Committed
  /** Encrypts secrets that must not be readable from the database alone. */
  vault: Vault
  /** The state of the storage: whether it is damaged, or its disk full. */
  health: StorageHealth
  /** What is done behind the commits; for commands. */
  upkeep: Pick<Upkeep, 'isDue' | 'stepOfCommand'>
  close: () => void
}

/**
 * The store of a command. Its `transaction` blocks the thread while another process writes, and up to ten seconds while the
 * organisation is paused: a server, which has all of its organisations in one thread, must not be able to call it.
 */
export type CommandStore = Store & {
  /** Runs the job at once in its own transaction. */
  transaction: <T>(job: () => T) => T
}

/** Only for src/store and tests. */
export type OpenedStore = CommandStore & { db: Connection }

export type OpenOptions = Partial<HealthOptions> & {
  /** Makes the data folder and the database if they are missing. */
  create?: boolean
  /** For a server: once it is open, no statement blocks on a lock of another process. `write` waits on a timer. */
  neverSleeps?: boolean
  lockTimer?: LockTimer
  /** Called before an older database is migrated; if it throws, nothing is. For a backup. */
  beforeMigration?: ((versions: Versions) => void) | undefined
  /** Whether Litestream does the checkpoints; by default as the last server has noted. */
  isReplicated?: boolean | undefined
  /** Called when nobody empties the write-ahead log, with its bytes; at most once a minute. */
  onLongLog?: ((bytes: number) => void) | undefined
  /** Called after each commit of `write`. */
  measure?: ((batch: CommittedBatch) => void) | undefined
}

/** How long a command waits for a lock of another process: each batch of a busy server may come first. */
const BUSY_TIMEOUT_MS = 30_000

export const DATABASE = 'dealbox.db'

/** Opens the database of a data folder; every acknowledged commit survives a power cut. */
export function openStore(dataDir: string, options: OpenOptions = {}): OpenedStore {
  const { create = false, wall = Date.now, neverSleeps = false, lockTimer, measure } = options
  const file = join(dataDir, DATABASE)
  if (create) makeDataFolder(dataDir)
  else requireDatabase(dataDir)
  const isNew = !existsSync(file)
  // A server looks by itself, once it has the folder.
  if (!options.reserve && (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0 && !isServed(dataDir))
    refuseForeignLog(file)
  const health = storageHealth({ ...options, wall, fence: options.fence ?? fenceOfFolder(dataDir) })
  if (isNew) makePrivateFile(file)
  const db = options.reserve ? openForServer(file, health) : openDatabase(file)
  try {
    migrate(db, file, { wall, before: options.beforeMigration }) // first, since setting pragmas writes to the file, even to one of another program
    setPragmas(db)
    const isLeft = options.isReplicated ?? isReplicated(db, health.note)
    if (isLeft) db.pragma('wal_autocheckpoint = 0')
    const wallClock = watchWallClock(db, wall, health.note)
    const clock = startClock(wallClock.now, newestId(db, wallClock.now() + MAX_AHEAD_MS, health.note))
    const { noted, ...changes } = watchChanges(db)
    const commits = watchCommits(changes)
    const checkpoint = isLeft
      ? leftCheckpoint(db, { note: health.note, onLong: options.onLongLog ?? (() => undefined) })
      : idleCheckpoint(db, health.note)
    const behind = upkeep(db, { isWritable: () => !health.refusal(), note: health.note })
    const onCommit = (batch: CommittedBatch) => {
      noted()
      measure?.(batch)
      checkpoint.written()
      behind.written()
      commits.noted()
      health.written()
    }
    const commit = groupCommit(db, onCommit, lockTimer, () => checkFence(health))
    const onTransaction = () => {
      noted()
      behind.written()
      commits.noted()
    }
    const { write, writeAtOnce, transaction, savepoint } = healthyWrites({
      db,
      commit,
      health,
      onCommit: onTransaction,
    })
    let epoch = 0
    const installation = installationId(db)()
    if (neverSleeps) db.pragma('busy_timeout = 0')
    return {
      db,
      clock,
      wallClock,
      write,
      writeAtOnce,
      transaction,
      savepoint,
      installation,
      accessChanged: () => void epoch++,
      accessEpoch: () => epoch,
      changes,
      committed: commits.committed,
      vault: vault(dataDir, whileNothingIsSealed(db)),
      health,
      upkeep: behind,
      close: () => {
        checkpoint.stop()
        behind.stop()
        commits.stop()
        db.close()
      },
    }
  } catch (error) {
    db.close()
    throw foreignFile(error, file)
  }
}

/** Throws Problem 404 if the folder is missing or not a data folder, and 409 if its database is lost. */
export function requireDatabase(dataDir: string): void {
  finishSwap(dataDir)
  refuseUnusable(dataDir)
  if (existsSync(join(dataDir, DATABASE))) return
  throw new Problem(404, 'no_database', `There is no Dealbox database in ${dataDir}. Create one with "dealbox init".`)
}

/** Whoever else opens it writes to it, and it could not follow any more. */
const ofAnother = (file: string): Problem =>
  new Problem(
    409,
    'is_a_copy',
    `${file} is a copy, which Litestream keeps up to date: only "dealbox serve --follow" may open it. Run this on its primary; docs/readers.md says more.`,
  )

const halfPromoted = (file: string): Problem =>
  new Problem(
    409,
    'half_promoted',
    `The promotion of ${file} was interrupted: start "dealbox serve --follow" as before, which goes on with it.`,
  )

/**
 * A copy is not ours to open. If only the keys of a database are left, it has to be restored: a new one would look like all the data there ever
 * was.
 */
function refuseUnusable(dataDir: string): void {
  const file = join(dataDir, DATABASE)
  if (isCopy(file)) throw ofAnother(file)
  if (isPromoting(file)) throw halfPromoted(file)
  const isThere = existsSync(file)
  if ((isThere && statSync(file).size > 0) || !hasKeys(dataDir)) return
  throw new Problem(
    409,
    'database_lost',
    `${file} is ${isThere ? 'empty' : 'missing'}, although ${keysFolder(dataDir)} contains the keys of a database; restore the database from a backup, or move the keys away to start from scratch.`,
  )
}

function makeDataFolder(dataDir: string): void {
  finishSwap(dataDir)
  refuseUnusable(dataDir)
  try {
    createPrivateFolder(dataDir)
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code
    throw new Problem(409, 'cannot_open', `${dataDir} cannot be created as a data folder (${reason}).`)
  }
}

function openDatabase(file: string): Connection {
  try {
    return openSqlite(file)
  } catch (error) {
    throw foreignFile(error, file)
  }
}

/**
 * A full disk may have no space for the index of the write-ahead log, a file shared with other processes. A server with
 * exclusive access keeps it in memory: until its next start, commands have to wait.
 */
function openForServer(file: string, health: StorageHealth): Connection {
  const db = openDatabase(file)
  try {
    db.pragma('schema_version') // reads
    return db
  } catch (error) {
    db.close()
    if (failureOf(error) !== 'full') throw foreignFile(error, file)
    health.note(error)
  }
  const alone = openDatabase(file)
  alone.pragma('locking_mode = EXCLUSIVE')
  return alone
}

/** Returns a Problem for the error of a file that cannot be opened as a database of Dealbox, else the error itself. */
export function foreignFile(error: unknown, file: string): unknown {
  const code = String((error as { code?: unknown }).code)
  if (code === 'SQLITE_NOTADB') {
    const what = `${file} is not a Dealbox database, or its beginning is damaged`
    return new Problem(409, 'foreign_file', `${what}; restore a backup of the data folder.`)
  }
  if (failureOf(error) === 'damaged') {
    return new Problem(409, 'database_damaged', `${file} is damaged (${code}); restore a backup of the data folder.`)
  }
  if (/^SQLITE_(CANTOPEN|READONLY)/.test(code)) {
    return new Problem(
      409,
      'cannot_open',
      `${file} cannot be opened for writing (${code}); check the owner of the file and its folder.`,
    )
  }
  return error
}

function setPragmas(db: Connection): void {
  db.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`)
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  db.pragma('foreign_keys = ON')
  db.pragma('trusted_schema = OFF')
  db.pragma('cache_size = -16000')
  db.pragma('mmap_size = 0')
  db.pragma('temp_store = MEMORY')
  db.pragma(`wal_autocheckpoint = ${MAX_LOG_PAGES}`)
  db.pragma('journal_size_limit = 67108864')
  // A database that only seems durable is worse than one that does not start.
  const journal = db.pragma('journal_mode', { simple: true })
  const synchronous = db.pragma('synchronous', { simple: true })
  if (journal !== 'wal' || synchronous !== 2) {
    throw new Problem(
      409,
      'not_durable',
      `SQLite runs with journal_mode=${journal} and synchronous=${synchronous}, but must use wal and 2 (FULL). Is the data folder on a network drive?`,
    )
  }
}
