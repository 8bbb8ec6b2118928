import { flagOf, type Options, type Values } from '../../../command/config/options.ts'
import type { Log } from '../../../lib/log.ts'
import { machineZone } from '../../../lib/machine/machine-zone.ts'
import { workOutcomes } from '../../../store/jobs/recurring.ts'
import type { Store } from '../../../store/open.ts'
import { folderOfServer } from '../folders.ts'
import { type Nightly, type NightlyOptions, startNightly } from '../nightly.ts'
import { parseKeep, USUAL_KEEP } from '../retention.ts'
import { NIGHT, parseBackupAt, timeOf } from '../schedule.ts'
import { noteBackup, notedState } from '../state.ts'
import { type Copying, copyBackup, notYetCopied } from './backup-copies.ts'
import { encryptionOptions, placeOptions, readEncryption, readPlaces } from './backup-places.ts'

/** An option of all that make backups. */
export const backupDir = {
  type: 'string',
  placeholder: 'DIR',
  help: 'the folder for backups, by default "backups" in the data folder; other commands take that of the last backup',
} as const

/** Those of a server. */
export const backupOptions = {
  backupAt: {
    type: 'string',
    placeholder: 'TIME',
    default: NIGHT,
    help: 'when to make a backup each night, in the time zone of this machine, such as 03:15; night: between 03:15 and 04:44, at another time for each data folder; or off',
  },
  backupDir,
  backupKeep: {
    type: 'string',
    placeholder: 'COUNTS',
    default: USUAL_KEEP,
    help: 'how many backups to keep: the newest of so many days, weeks and months',
  },
  ...encryptionOptions,
  ...placeOptions,
} as const satisfies Options

/** As they are given; by default no backups are made, for tests. */
export type BackupOptions = {
  [Name in keyof typeof backupOptions]?: Values<typeof backupOptions>[Name] | undefined
}

/** Rejects with a usage Problem. */
export async function readBackups(dataDir: string, options: BackupOptions) {
  return {
    at: parseBackupAt(options.backupAt ?? 'off'),
    folder: folderOfServer(dataDir, options.backupDir),
    keep: parseKeep(options.backupKeep ?? USUAL_KEEP),
    copying: await readCopying(dataDir, options),
  }
}

/** What to do with backups besides keeping them. Rejects with a usage Problem. */
export async function readCopying(dataDir: string, options: BackupOptions): Promise<Copying> {
  const { backupEncrypt = [], backupCopyTo = [], backupS3Region = 'us-east-1', backupCopyKeep = USUAL_KEEP } = options
  const { backupS3, backupS3KeyFile } = options
  const encryption = await readEncryption({ backupEncrypt })
  const given = { backupCopyTo, backupCopyKeep, backupS3, backupS3KeyFile, backupS3Region }
  const places = readPlaces(given, { dataDir, isEncrypted: encryption !== undefined })
  const keep = parseKeep(backupCopyKeep, flagOf('backupCopyKeep'))
  return { dataDir, places, encryption, keep, timezone: machineZone().zone }
}

type Server = {
  store: Store
  log: Log
  dataDir: string
  /** The original may still run, and its copies are not for this one to thin out. */
  isPaused: boolean
}

/** When they are made, and by which clock. */
export const backupTime = (
  { at, copying }: Awaited<ReturnType<typeof readBackups>>,
  { installation }: Pick<Store, 'installation'>,
): { time: string; timezone: string } | undefined =>
  at === null ? undefined : { time: timeOf(at, installation), timezone: copying.timezone }

/** Undefined where no backups are made. */
export function startBackups(
  { isPaused, ...server }: Server,
  { at, copying, ...how }: Awaited<ReturnType<typeof readBackups>>,
): Nightly | undefined {
  if (at === null) return undefined
  const { timezone, encryption } = copying
  const left = isPaused ? undefined : notYetCopied(copying)
  const copy = isPaused ? undefined : copyAndLog(copying, server.log, left)
  const outcome = workOutcomes(server.store)
  return startNightly({
    ...server,
    ...how,
    at: timeOf(at, server.store.installation),
    timezone,
    encryption,
    copy,
    uncopied: left?.file,
    outcome,
  })
}

/**
 * A second attempt is for the places that failed only, and so is the first one for a backup that an earlier server has `left`.
 * Of the same failures, the first one is logged.
 */
export function copyAndLog(
  copying: Copying,
  log: Log,
  left?: ReturnType<typeof notYetCopied>,
): NonNullable<NightlyOptions['copy']> {
  let last = { file: left?.file ?? '', failed: new Map((left?.missing ?? []).map((place) => [place, ''])) }

  return async (file, how) => {
    const isAgain = file === last.file
    const places = isAgain ? copying.places.filter(({ name }) => last.failed.has(name)) : copying.places
    const reports = await copyBackup({ ...copying, places }, { file, ...how })
    const failed = new Map<string, string>()
    for (const { place, ok, sentence, error } of reports) {
      if (ok) log.info({ job: 'backup copy', place }, sentence)
      else failed.set(place, sentence)
      if (!ok && last.failed.get(place) !== sentence) log.error({ job: 'backup copy', place, err: error }, sentence)
    }
    last = { file, failed }
    return failed.size === 0
  }
}

/** Says what is wrong with the time zone of this machine, and notes it for the doctor, who runs elsewhere. */
export function noteZone(dataDir: string, log: Log): string | undefined {
  const { doubt } = machineZone()
  if (doubt !== undefined) log.warn(doubt)
  if (notedState(dataDir).zone_doubt !== doubt) noteBackup(dataDir, { zone_doubt: doubt })
  return doubt
}
