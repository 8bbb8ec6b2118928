import type { Database } from './driver.ts'

export type Changes = ReturnType<typeof watchChanges>

/** Tells whether anything in the database may have changed since a caller last looked. */
export function watchChanges(db: Database) {
  const dataVersion = db.prepare('PRAGMA data_version').pluck()
  const totalChanges = db.prepare('SELECT total_changes()').pluck()
  let version: unknown
  let isFresh = false

  /**
   * Another value after a commit by another process. SQLite takes and frees a file lock to tell, so one look serves
   * all requests that arrive in one turn of the event loop; the next turn looks again.
   */
  function byOthers(): unknown {
    if (!isFresh) {
      version = dataVersion.get()
      isFresh = true
      setImmediate(() => {
        isFresh = false
      })
    }
    return version
  }

  /** Another value after a change by this process. */
  const byUs = (): unknown => totalChanges.get()

  return { byOthers, byUs }
}
