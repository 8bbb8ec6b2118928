import { LOCK_RETRY_MS, MAX_LOCK_WAIT_MS } from '../../store/commit.ts'
import { type Connection, connection, type Database, openSqlite } from '../../store/sqlite/driver.ts'
import { failureOf } from '../../store/sqlite/failures.ts'

// Second connections to the database of a store, for organisations that move.

/** Reads the database as of one moment for as long as it takes, which one transaction of a store must not. */
export type Reader = {
  db: Database
  /** Everything is read as of now, until `end`. */
  begin: () => void
  end: () => void
  close: () => void
}

export function openReader(db: Database): Reader {
  const own = openSqlite(connection(db).name, { readonly: true })
  own.pragma('busy_timeout = 30000')
  const end = () => void (own.inTransaction && own.exec('COMMIT'))
  return {
    db: own,
    begin: () => {
      end()
      own.exec('BEGIN')
      own.prepare('SELECT count(*) FROM orgs').get() // the moment is that of the first read
    },
    end,
    close: () => {
      end()
      own.close()
    },
  }
}

export type Staging = {
  db: Database
  /** Runs a job in a transaction of its own; waits while another process writes. `isLast`: it survives a power cut, and so do those before it. */
  write: <T>(job: () => T, isLast?: boolean) => Promise<T>
  close: () => void
}

/**
 * Writes rows of a staged organisation in any order: references are not checked, since they are whole at the source. Most of
 * its commits are not synced; the last one is, with all before it. Whoever does the checkpoints of the store does those of
 * these commits, too.
 *
 * `check` throws if nothing may be committed any more. It is asked just before each COMMIT, since a job may have waited for
 * long, and once more after it, as in `groupCommit`.
 */
export function openStaging(db: Database, check: () => void): Staging {
  const own = openSqlite(connection(db).name)
  own.pragma('busy_timeout = 0')
  own.pragma('foreign_keys = OFF')
  own.pragma('trusted_schema = OFF')
  own.pragma('temp_store = MEMORY')
  own.pragma('cache_size = -16000')
  own.pragma(`wal_autocheckpoint = ${connection(db).pragma('wal_autocheckpoint', { simple: true })}`)

  const checked = <T>(job: () => T): T =>
    own
      .transaction(() => {
        const made = job()
        check()
        return made
      })
      .immediate()

  async function write<T>(job: () => T, isLast = false): Promise<T> {
    const until = performance.now() + MAX_LOCK_WAIT_MS
    for (;;) {
      try {
        own.pragma(`synchronous = ${isLast ? 'FULL' : 'NORMAL'}`)
        const made = checked(job)
        check()
        return made
      } catch (error) {
        if (failureOf(error) !== 'locked' || performance.now() > until) throw error
      }
      await new Promise((resolve) => setTimeout(resolve, LOCK_RETRY_MS))
    }
  }

  return { db: own as Connection, write, close: () => own.close() }
}
