import { connection, type Database } from './driver.ts'

export type Changes = Omit<ReturnType<typeof watchChanges>, 'noted'>

/** Returns a value that changes with each commit by another process or connection. */
export function dataVersion(db: Database): () => unknown {
  const { dataVersion } = connection(db)
  if (dataVersion) return dataVersion
  const version = db.prepare('PRAGMA data_version').pluck()
  return () => version.get()
}

/** Returns a value that changes with each change by this connection, whether committed or not. */
export function totalChanges(db: Database): () => number {
  const total = db.prepare('SELECT total_changes()').pluck()
  return () => total.get() as number
}

/** Detects whether anything in the database may have changed. */
export function watchChanges(db: Database) {
  const read = dataVersion(db)
  let version: unknown
  let isFresh = false

  /**
   * A value that changes with each commit by another process. SQLite takes a file lock to read it, so one read serves
   * all requests of a turn of the event loop; the next turn reads again.
   */
  function byOthers(): unknown {
    if (!isFresh) {
      version = read()
      isFresh = true
      setImmediate(() => {
        isFresh = false
      })
    }
    return version
  }

  let commits = 0

  return {
    byOthers,
    byUs: totalChanges(db),
    /** How often this process has committed: unlike `byUs`, it costs no statement. */
    commits: (): number => commits,
    /** Call this after each COMMIT of this process. */
    noted: (): void => void commits++,
  }
}
