import { setTimeout as pause } from 'node:timers/promises'
import { isPassing, type Readable } from '../../../http/reader.ts'
import { startClock } from '../../../lib/id.ts'
import { Problem } from '../../../lib/problem.ts'
import { keyFileNames, keysFolder } from '../../../store/folder/key-file.ts'
import { isKeyUsed, vault } from '../../../store/folder/vault.ts'
import { type HealthOptions, storageHealth } from '../../../store/health.ts'
import { installationId } from '../../../store/installation.ts'
import type { Store } from '../../../store/open.ts'
import { type Replication, replicationRow } from '../../../store/replication.ts'
import { checkSchema, SCHEMA_VERSION } from '../../../store/schema/migrations.ts'
import type { Connection, Database } from '../../../store/sqlite/driver.ts'
import { watchWallClock } from '../../../store/wall-clock.ts'
import { watchCommits } from '../../../store/watch.ts'
import { openFollowed } from './connection.ts'

/** A store that only reads a copy. */
export type ReaderStore = Store &
  Readable & {
    /** What the copy says of its primary. */
    replication: () => Replication
  }

type ReaderOptions = Pick<HealthOptions, 'report'> & {
  wall?: () => number
  /** Where writes belong, instead of what the copy says. */
  primary?: string | undefined
  /** See `openFollowed`. */
  onLock?: (waitMs: number) => void
}

/** How often the copy is looked at again while anybody waits. */
const LOOK_MS = 5
/** A round of Litestream takes less, unless it has much to catch up on. */
const PATIENCE_MS = 1000
/** How often a new state of the copy is looked for, if anybody wants to know. */
const POLL_MS = 50

/**
 * Does what reads the copy, anew as long as Litestream is replacing it. `between` waits before each time, and rejects if there
 * is nothing to wait for.
 */
export async function untilReadable<T>(job: () => T | Promise<T>, between: () => Promise<unknown>): Promise<T> {
  for (;;) {
    try {
      return await job()
    } catch (error) {
      if (!isPassing(error)) throw error
    }
    await between()
  }
}

/** Opens a copy. Nothing is ever written to it: everything that would write is refused here, whoever asks. */
export function openReader(dataDir: string, file: string, options: ReaderOptions = {}): ReaderStore {
  const { wall = Date.now, report, primary, onLock } = options
  let isServed = false
  const db = openFollowed(file, (opened) => checkVersion(opened, file, isServed), onLock)
  try {
    const row = replicationRow(db)
    const shared = storageHealth({ wall, report })
    const changes = { byOthers: db.dataVersion as () => unknown, byUs: () => 0, commits: () => 0 }
    const commits = watchCommits({ byOthers: lookedAt }, POLL_MS)
    const wallClock = watchWallClock(db, wall, shared.note)
    let known: { state: unknown; replication: Replication } | undefined

    /** For who looks again soon. */
    function lookedAt(): unknown {
      db.enter(false)
      return changes.byOthers()
    }

    function replication(): Replication {
      const state = changes.byOthers()
      if (!known || known.state !== state) known = { state, replication: row.read() }
      return known.replication
    }

    const installation = installationId(db)()
    isServed = true
    const refusal = (): Problem => readOnly(primary ?? addressOf(replication))
    const refuse = (): never => {
      throw refusal()
    }
    return {
      ...{ db, changes, wallClock, replication },
      clock: startClock(wallClock.now),
      installation,
      write: async () => refuse(),
      writeAtOnce: refuse,
      savepoint: refuse,
      accessChanged: refuse,
      accessEpoch: () => 0,
      committed: commits.committed,
      vault: vault(dataDir, undefined, () => refuse()),
      health: { ...shared, refusal },
      upkeep: { isDue: () => false, stepOfCommand: () => true },
      readable: whenReadable(() => db.enter(false)),
      lagMs: () => {
        const { beat_at } = replication()
        return beat_at === null ? undefined : Math.max(0, wallClock.now() - beat_at)
      },
      close: () => {
        commits.stop()
        db.close()
      },
    }
  } catch (error) {
    db.close()
    throw error
  }
}

/** All who wait share each look: what it finds holds for all of them, in the same turn of the event loop. */
function whenReadable(enter: () => void): ReaderStore['readable'] {
  let looking: Promise<void> | undefined

  function nextLook(): Promise<void> {
    looking ??= pause(LOOK_MS).then(() => {
      looking = undefined
      enter()
    })
    return looking
  }

  async function wait(): Promise<void> {
    const until = performance.now() + PATIENCE_MS
    for (;;) {
      try {
        return await nextLook()
      } catch (error) {
        if (!isPassing(error) || performance.now() > until) throw error
      }
    }
  }

  return () => {
    if (looking) return wait()
    try {
      return void enter()
    } catch (error) {
      if (!isPassing(error)) throw error
      return wait()
    }
  }
}

/** Throws Problem 409 if this program cannot read the copy, and 503 if that is so since the primary was updated. */
function checkVersion(db: Connection, file: string, isServed: boolean): void {
  const version = versionOf(db, file, isServed)
  if (version === SCHEMA_VERSION) return
  throw new Problem(
    409,
    'older_schema',
    `${file} is the copy of a database with schema ${version}, and this version of Dealbox reads schema ${SCHEMA_VERSION}. A copy cannot be migrated: update the primary first, and start it; the copy follows.`,
  )
}

function versionOf(db: Connection, file: string, isServed: boolean): number {
  try {
    return checkSchema(db, file)
  } catch (error) {
    if (!isServed || !(error instanceof Problem)) throw error
    const detail =
      'The primary was updated to another version of Dealbox, which this server cannot read. Update it, too.'
    throw new Problem(503, error.code, detail, { headers: { 'Retry-After': '5' } })
  }
}

/** Where the primary answers, as far as the copy can be asked. */
function addressOf(replication: () => Replication): string | null {
  try {
    return replication().primary_url
  } catch {
    return null
  }
}

function readOnly(primary: string | null): Problem {
  const where = primary === null ? 'to the primary' : `to ${primary}`
  return new Problem(503, 'read_only', `This server only reads a copy of the database. Send writes ${where}.`, {
    ...(primary === null ? {} : { headers: { 'Dealbox-Primary': primary } }),
    more: { primary },
  })
}

/** The names of missing keys that tokens, secrets and cursors are read with. They are not in the database. */
export function missingKeys(dataDir: string, db: Database): string[] {
  const names = keyFileNames(dataDir)
  const kids = db
    .prepare('SELECT kid FROM signing_keys WHERE retired_at IS NULL ORDER BY kid')
    .pluck()
    .all() as string[]
  const needed = [...kids.map((kid) => `${kid}.pem`), ...(isKeyUsed(db) ? ['secrets.key'] : []), 'cursor.key']
  return needed.filter((name) => !names.includes(name))
}

/** Throws Problem 409 if keys are missing. */
export function checkReaderKeys(dataDir: string, db: Database): void {
  const missing = missingKeys(dataDir, db)
  if (missing.length > 0) throw keysMissing(dataDir, missing)
}

export const keysMissing = (dataDir: string, names: readonly string[]): Problem =>
  new Problem(
    409,
    'keys_missing',
    `${keysFolder(dataDir)} lacks ${names.join(', ') || 'the keys'}. They are not in the database: copy the folder keys of the primary.`,
  )
