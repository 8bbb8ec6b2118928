import { renameSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Problem } from '../../lib/problem.ts'
import { DAY_MS, HOUR_MS, rfc3339 } from '../../lib/time.ts'
import { decryptNow } from './encryption/encryption.ts'
import { MEMORY_SHORT } from './encryption/memory.ts'
import type { Encryption } from './encryption/secrets.ts'
import { listBackups } from './list.ts'
import { isEncryptedName } from './names.ts'
import { openRestored } from './open-restored.ts'
import { DAMAGED, withFiles } from './problems.ts'
import { requireSpace } from './space.ts'
import { type BackupState, lastBackup } from './state.ts'
import { unpacked } from './verify.ts'
import { inWorkspace } from './workspace.ts'

export type DrillOptions = {
  dataDir: string
  folder: string
  installation: string
  now: number
  encryption?: Encryption | undefined
}

type Drill = NonNullable<BackupState['drill']>

/** A drill is due a week after the last one, also when a night comes a little earlier. */
const DRILL_EVERY_MS = 7 * DAY_MS - 12 * HOUR_MS

/**
 * The newest backup, if a drill of it is due in this night: a week after the last one, or at once if that failed with
 * another backup. It is not `readable` if this server cannot decrypt it: then the one that is made in this night is
 * tried, before it is encrypted.
 */
export function dueForDrill({ dataDir, folder, installation, now, encryption }: DrillOptions) {
  const { drill } = lastBackup(dataDir)
  const since = drill ? now - Date.parse(drill.at) : Number.POSITIVE_INFINITY
  const isRecent = since >= 0 && since < DRILL_EVERY_MS
  if (isRecent && drill?.error === null) return undefined
  const newest = newestFor({ folder, installation, now, encryption })
  return isRecent && newest?.isReadable && drill?.file === newest.file ? undefined : newest
}

/** The newest backup, and whether this server can decrypt it. */
export function newestFor({ folder, installation, now, encryption }: Omit<DrillOptions, 'dataDir'>) {
  const file = newestIn(folder, installation, now)
  return file === undefined ? undefined : { file, isReadable: canRead(file, encryption) }
}

/** The last backup, if the last drill failed with another one: it shows whether that was the fault of one backup. */
export function dueAgain({ last, drill }: BackupState, encryption: Encryption | undefined): string | undefined {
  if (!last || !drill?.error || drill.file === last.file) return undefined
  return canRead(last.file, encryption) ? last.file : undefined
}

const canRead = (file: string, encryption: Encryption | undefined): boolean =>
  !isEncryptedName(file) || (encryption !== undefined && 'passphrase' in encryption)

/**
 * Restores a backup into a temporary folder. One that is damaged gets another name, so that nobody counts on it. Undefined
 * if it is encrypted with another passphrase than that of today, or there is not enough memory to decrypt it.
 */
export function drillOf(file: string, options: DrillOptions): Drill | undefined {
  const { result, error } = timed(file, options.now, () => {
    if (isEncryptedName(file)) restoreDecrypted(file, options)
    else restoreForDrill(file, options.folder)
  })
  if (NOT_TRIED.includes(codeOf(error))) return undefined
  if (codeOf(error) === DAMAGED) setAside(file)
  return result
}

function setAside(file: string): void {
  try {
    renameSync(file, `${file}.damaged`)
  } catch {
    // Where nothing can be written, the next backup fails as well, and says why.
  }
}

/** The same with a backup that is being made. Its name comes later. */
export const drillOfNew = (file: string, workspace: string, now: number): Omit<Drill, 'file'> =>
  timed(file, now, () => restoreForDrill(file, workspace)).result

const NOT_TRIED = ['wrong_passphrase', 'wrong_identity', MEMORY_SHORT]

function timed(file: string, now: number, job: () => void): { result: Drill; error?: unknown } {
  const began = performance.now()
  const done = (error: string | null): Drill => ({
    ...{ at: rfc3339(now), file, error },
    duration_ms: Math.round(performance.now() - began),
  })
  try {
    job()
    return { result: done(null) }
  } catch (error) {
    return { result: done((error as Error).message), error }
  }
}

/** In the data folder: that of the backups may be on another disk, which has them encrypted only. */
function restoreDecrypted(file: string, { dataDir, encryption }: DrillOptions): void {
  if (!encryption || !('passphrase' in encryption)) throw new Error(`${file} cannot be decrypted`)
  const { passphrase } = encryption
  withFiles(`Reading ${file}`, dataDir, () => {
    requireSpace(dataDir, statSync(file).size, 'To decrypt the backup, Dealbox')
    inWorkspace(dataDir, (workspace) => {
      const plain = join(workspace, basename(file).replace(/\.age$/, ''))
      decryptNow(file, plain, { passphrase })
      restoreForDrill(plain, workspace)
    })
  })
}

const restoreForDrill = (file: string, folder: string): void =>
  unpacked(file, folder, (restored, { manifest }) => openRestored(file, restored, manifest, () => undefined))

function newestIn(folder: string, installation: string, now: number): string | undefined {
  try {
    return listBackups(folder, installation, now)[0]?.file
  } catch {
    return undefined // making the next one says what is wrong with the folder
  }
}

const codeOf = (error: unknown): string => (error instanceof Problem ? error.code : 'failed')
