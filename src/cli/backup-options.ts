import { resolve } from 'node:path'
import { startNightly } from '../backup/nightly.ts'
import { type Keep, parseKeep, USUAL_KEEP } from '../backup/retention.ts'
import { machineTimezone, parseBackupAt, type TimeOfDay } from '../backup/schedule.ts'
import { backupsFolder } from '../backup/state.ts'
import type { Log } from '../http/log.ts'
import type { Store } from '../store/open.ts'

/** An option of all that make backups. */
export const backupDir = {
  type: 'string',
  placeholder: 'DIR',
  help: 'the folder for backups, by default "backups" in the data folder',
} as const

/** Those of a server. */
export const backupOptions = {
  backupAt: {
    type: 'string',
    placeholder: 'TIME',
    default: '03:15',
    help: 'when to make a backup each night, in the time zone of this machine, or off',
  },
  backupDir,
  backupKeep: {
    type: 'string',
    placeholder: 'COUNTS',
    default: USUAL_KEEP,
    help: 'how many backups to keep: the newest of so many days, weeks and months',
  },
} as const

/** As they are given; by default no backups are made, for tests. */
export type BackupOptions = {
  backupAt?: string | undefined
  backupDir?: string | undefined
  backupKeep?: string | undefined
}

/** Throws a usage Problem. */
export function readBackups(
  dataDir: string,
  options: BackupOptions,
): { at: TimeOfDay | null; folder: string; keep: Keep } {
  return {
    at: parseBackupAt(options.backupAt ?? 'off'),
    folder: resolve(options.backupDir ?? backupsFolder(dataDir)),
    keep: parseKeep(options.backupKeep ?? USUAL_KEEP),
  }
}

/** Returns what ends it. */
export function startBackups(
  server: { store: Store; log: Log; dataDir: string },
  { at, ...how }: ReturnType<typeof readBackups>,
): () => Promise<void> {
  if (at === null) return () => Promise.resolve()
  return startNightly({ ...server, ...how, at, timezone: machineTimezone() }).stop
}
