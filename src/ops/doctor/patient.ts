import { resourceDeps } from '../../app/deps.ts'
import { neededKeys } from '../../auth/needed-keys.ts'
import type { Deps } from '../../deps.ts'
import { startClock } from '../../lib/id.ts'
import { isServed } from '../../store/folder/lock.ts'
import { vault } from '../../store/folder/vault.ts'
import { type Backup, backupsIn, keyFor, newestUsable } from './backups.ts'
import { type Inspected, inspectDatabase, pageErrors } from './inspect/inspect.ts'
import { areOthersWhole } from './inspect/search-state.ts'

export type Options = {
  dataDir: string
  backupDir: string
  /** Compares indexes with their tables, too. */
  isFull: boolean
  /** In bytes; undefined is the default of `serve`. */
  minFree: number | undefined
  /** The notice that this version is old, if it is at that time. */
  versionAge?: (now: number) => string | undefined
  /** In milliseconds. */
  now: () => number
}

/** What the checks look at. Nothing of it is written to. */
export type Patient = Options & {
  isServed: boolean
  database: Inspected
  backups: readonly Backup[]
  /** What is wrong with the pages of the database, in sentences of SQLite. */
  pageErrors: () => readonly string[]
  /** Whether all that is damaged is of the search, which can be built anew from the rest. */
  isSearchDamaged: () => boolean
}

/** Opens a data folder for the checks. Call `close`. */
export function openPatient(options: Options): Patient & { close: () => void } {
  const { dataDir, backupDir } = options
  const isRunning = mayBeServed(dataDir)
  const database = inspectDatabase(dataDir, isRunning)
  let errors: readonly string[] | undefined
  let isOfSearch: boolean | undefined
  const errorsOf = () => (errors ??= database.db ? pageErrors(database.db, options.isFull) : [])
  const isSearchDamaged = ({ db, isCurrent }: Inspected): boolean =>
    db !== undefined && isCurrent && errorsOf().length > 0 && areOthersWhole(db, options.isFull)
  return {
    ...options,
    isServed: isRunning,
    database,
    backups: backupsIn(backupDir, options.now(), neededKeys(database.db)),
    pageErrors: errorsOf,
    isSearchDamaged: () => (isOfSearch ??= isSearchDamaged(database)),
    close: database.close,
  }
}

/** If it cannot be determined, the check of the server says so, and nothing is done that a server could mind. */
function mayBeServed(dataDir: string): boolean {
  try {
    return isServed(dataDir)
  } catch {
    return true
  }
}

/** The stores of resources on the database that is looked at; only for reading. */
export function depsOf({ dataDir, now, database }: Patient): Deps {
  const db = database.db
  if (!db) throw new Error('The database was not opened.')
  return resourceDeps({ db, clock: startClock(now), vault: vault(dataDir) })
}

/** How to get back what a damaged or lost database had. */
export function howToRestore({ backups, dataDir }: Pick<Patient, 'backups' | 'dataDir'>): string {
  const newest = newestUsable(backups)
  const keep = 'What can still be read is copied by "dealbox export DIR".'
  return newest
    ? `Stop the server and restore the newest backup: dealbox restore ${newest.path} --data ${dataDir}${keyFor(newest.path)}. ${keep}`
    : `Stop the server and restore a backup of the data folder: dealbox restore BACKUP --data ${dataDir}. ${keep}`
}
