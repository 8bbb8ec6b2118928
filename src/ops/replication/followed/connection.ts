import { Problem } from '../../../lib/problem.ts'
import { type Connection, openSqlite, type Statement } from '../../../store/sqlite/driver.ts'
import { failureOf } from '../../../store/sqlite/failures.ts'
import { isSameLook, isSettled, isWhole, type Look, lookAt } from './files.ts'
import { leaveLog } from './header.ts'

type Opened = { db: Connection; ino: bigint; waitMs: number; begin: Statement; lock: Statement; commit: Statement }

export type FollowedConnection = Connection & {
  /**
   * Begins to read, if that is possible now. Throws Problem 503 `copy_unavailable` if it is not. Without patience it does
   * not stop the process for a lock.
   */
  enter: (isPatient: boolean) => void
}

/** How long a read that comes after others may stop the process for a lock of Litestream: the first one, of each lock. */
const LOCK_WAIT_MS = 100
/** Litestream may write again while a changed copy is examined. */
const TRIES = 3

/**
 * Opens a copy for reading. All reads of a turn of the event loop share one read transaction: they see one state, and while
 * it is open Litestream waits. Each turn begins with a look at the files, before and after they are locked:
 * - A copy that is not whole is not read, nor locked: Litestream has locked it, or left it in the middle.
 * - Litestream writes past SQLite, which would keep pages that are outdated, since it notices changes only by the first
 *   page. So whenever the file has changed, the pages are dropped.
 * - A copy that was made anew is another file: it is opened, and statements are prepared again when they are next used.
 *
 * `check` is called for every new state before anybody reads it; it throws a Problem if the state must not be read. `onLock`
 * is called before each attempt to lock the copy, with how long that may stop the process.
 */
export function openFollowed(
  file: string,
  check: (db: Connection) => void,
  onLock: (waitMs: number) => void = () => undefined,
): FollowedConnection {
  let opened: Opened | undefined
  /** The connection while the transaction of this turn is open. */
  let current: Connection | undefined
  /** How the copy was when it was read for the last time. */
  let seen: Look | undefined
  let isSeenSettled = false
  let states = 0
  /** Whether Litestream had locked it at the last attempt. */
  let isLocked = false

  function enter(isPatient = true): Connection {
    if (current) return current
    for (let tries = 0; tries < TRIES; tries++) {
      const db = tryToEnter(isPatient)
      if (!db) continue
      current = db
      setImmediate(leave)
      return db
    }
    throw unavailable()
  }

  /** Undefined if the copy has changed meanwhile. */
  function tryToEnter(isPatient: boolean): Connection | undefined {
    const look = lookAt(file)
    if (!look || !isWhole(look, seen)) throw unavailable()
    if (!opened || !seen || !isSeenSettled || !isSameLook(look, seen)) return enterChanged(look, isPatient)
    begin(isPatient)
    const now = lookAt(file)
    if (now && isSameLook(now, seen)) return opened.db
    end()
    return undefined
  }

  function enterChanged(look: Look, isPatient: boolean): Connection | undefined {
    const { db } = reopen(look)
    db.pragma('shrink_memory') // forgets all pages
    begin(isPatient)
    try {
      const now = lookAt(file)
      if (!now || !isSameLook(now, look)) {
        end()
        return undefined
      }
      check(db)
      isSeenSettled = isSettled(now)
      if (!seen || !isSameLook(now, seen)) states++
      seen = now
      return db
    } catch (error) {
      end()
      throw error
    }
  }

  function reopen({ data }: Look): Opened {
    if (opened?.ino === data.ino) return opened
    close()
    try {
      if (!leaveLog(file)) throw unavailable()
      const db = openSqlite(file, { readonly: true, fileMustExist: true, timeout: LOCK_WAIT_MS })
      for (const setting of SETTINGS) db.pragma(setting)
      const [begin, lock, commit] = ['BEGIN', 'PRAGMA schema_version', 'COMMIT'].map((sql) => db.prepare(sql))
      opened = { db, ino: data.ino, waitMs: LOCK_WAIT_MS, begin, lock, commit } as Opened
      return opened
    } catch (error) {
      throw failureOf(error) === 'locked' ? unavailable(error) : error
    }
  }

  /** Locks: BEGIN alone would not. */
  function begin(isPatient: boolean): void {
    const own = opened as Opened
    const waitMs = isPatient && !isLocked ? LOCK_WAIT_MS : 0
    if (own.waitMs !== waitMs) own.db.pragma(`busy_timeout = ${waitMs}`)
    own.waitMs = waitMs
    onLock(waitMs)
    own.begin.run()
    try {
      own.lock.get()
      isLocked = false
    } catch (error) {
      end()
      isLocked = failureOf(error) === 'locked'
      throw isLocked ? unavailable(error) : error
    }
  }

  function end(): void {
    if (opened?.db.inTransaction) opened.commit.run()
  }

  function leave(): void {
    current = undefined
    try {
      end()
    } catch {
      setImmediate(leave) // somebody is still reading rows one by one
    }
  }

  function close(): void {
    opened?.db.close()
    opened = undefined
    current = undefined
  }

  function prepare(sql: string): Statement {
    const modes: ('pluck' | 'raw' | 'safeIntegers')[] = []
    let made: { by: Connection; statement: Statement } | undefined

    function statement(): Statement {
      const db = enter()
      if (made?.by === db) return made.statement
      made = { by: db, statement: modes.reduce((all, mode) => all[mode](), db.prepare(sql)) }
      return made.statement
    }
    function inMode(mode: (typeof modes)[number]): Statement {
      modes.push(mode)
      made = undefined
      return lazy
    }

    const lazy: Statement = {
      run: (...values) => statement().run(...values),
      get: (...values) => statement().get(...values),
      all: (...values) => statement().all(...values),
      iterate: (...values) => statement().iterate(...values),
      pluck: () => inMode('pluck'),
      raw: () => inMode('raw'),
      safeIntegers: () => inMode('safeIntegers'),
    }
    return lazy
  }

  return {
    name: file,
    get open() {
      return opened?.db.open ?? false
    },
    /** The transaction of a turn is none that anybody could roll back. */
    inTransaction: false,
    enter: (isPatient) => void enter(isPatient),
    dataVersion: () => {
      enter()
      return states
    },
    prepare,
    pragma: (source, options) => enter().pragma(source, options),
    exec: refuse,
    function: refuse,
    transaction: ((job: (...given: unknown[]) => unknown) =>
      Object.assign(
        (...given: unknown[]) => {
          enter()
          return job(...given)
        },
        { immediate: refuse },
      )) as unknown as Connection['transaction'],
    close,
  }
}

/** No byte is written through this connection, and no page is kept in a map of the file, whose length changes. */
const SETTINGS = [
  'query_only = ON',
  'trusted_schema = OFF',
  'cache_size = -16000',
  'mmap_size = 0',
  'temp_store = MEMORY',
]

function refuse(): never {
  throw new Error('A copy is only read.')
}

function unavailable(cause?: unknown): Problem {
  const problem = new Problem(
    503,
    'copy_unavailable',
    'The copy of the database that this server reads is being brought up to date. Try again in a moment.',
    { headers: { 'Retry-After': '1' } },
  )
  problem.cause = cause
  return problem
}
