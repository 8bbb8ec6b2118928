import type { Deps } from '../deps.ts'
import { startClock } from '../lib/id.ts'
import { resourceDeps } from '../resource-deps.ts'
import { type Inspected, inspectDatabase } from '../store/inspect/inspect.ts'
import { isServed } from '../store/lock.ts'
import { vault } from '../store/vault.ts'
import { type Backup, backupsIn, keyFor } from './backups.ts'

export type Options = {
  dataDir: string
  backupDir: string
  /** Compares indexes with their tables, too. */
  isFull: boolean
  /** In bytes; undefined is the default of `serve`. */
  minFree: number | undefined
  /** In milliseconds. */
  now: () => number
}

/** What the checks look at. Nothing of it is written to. */
export type Patient = Options & {
  isServed: boolean
  database: Inspected
  backups: readonly Backup[]
}

/** Opens a data folder for the checks. Call `close`. */
export function openPatient(options: Options): Patient & { close: () => void } {
  const { dataDir, backupDir } = options
  const isRunning = mayBeServed(dataDir)
  const database = inspectDatabase(dataDir)
  return {
    ...options,
    isServed: isRunning,
    database,
    backups: backupsIn(backupDir, options.now()),
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
  const [newest] = backups
  const keep = 'What can still be read is copied by "dealbox export DIR".'
  return newest
    ? `Stop the server and restore the newest backup: dealbox restore ${newest.path} --data ${dataDir}${keyFor(newest.path)}. ${keep}`
    : `Stop the server and restore a backup of the data folder: dealbox restore BACKUP --data ${dataDir}. ${keep}`
}
