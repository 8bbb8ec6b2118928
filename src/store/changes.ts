import type { Database } from './driver.ts'

export type Changes = ReturnType<typeof watchChanges>

/** Another value after a commit by another process or connection. */
export function dataVersion(db: Database): () => unknown {
  const version = db.prepare('PRAGMA data_version').pluck()
  return () => version.get()
}

/** Another value after a change by this connection, whether it is committed or not. */
export function totalChanges(db: Database): () => unknown {
  const total = db.prepare('SELECT total_changes()').pluck()
  return () => total.get()
}

/** Tells whether anything in the database may have changed since a caller last looked. */
export function watchChanges(db: Database) {
  const look = dataVersion(db)
  let version: unknown
  let isFresh = false

  /**
   * Another value after a commit by another process. SQLite takes and frees a file lock to tell, so one look serves
   * all requests that arrive in one turn of the event loop; the next turn looks again.
   */
  function byOthers(): unknown {
    if (!isFresh) {
      version = look()
      isFresh = true
      setImmediate(() => {
        isFresh = false
      })
    }
    return version
  }

  return { byOthers, byUs: totalChanges(db) }
}
