import { statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Problem } from '../../../lib/problem.ts'
import { DAY_MS, rfc3339 } from '../../../lib/time.ts'
import { encryptFile } from '../encryption/encryption.ts'
import type { Encryption } from '../encryption/secrets.ts'
import { encryptedName, isEncryptedName, readName } from '../names.ts'
import { type CopyReport, copyToPlaces } from '../places/copies.ts'
import type { BackupPlace } from '../places/place.ts'
import { type Keep, kept } from '../retention.ts'
import { requireSpace } from '../space.ts'
import { type BackupState, lastBackup, noteBackup, noteRuns } from '../state.ts'
import { inWorkspaceOfServer } from '../workspace.ts'

export type Copying = {
  dataDir: string
  places: readonly BackupPlace[]
  /** Of a backup that is not encrypted, such as one from before the option. */
  encryption: Encryption | undefined
  keep: Keep
  timezone: string
}

export type CopyJob = {
  file: string
  now: number
  /** False while the clock may be wrong: then nothing is removed. */
  mayPrune: boolean
  signal?: AbortSignal
}

/** Copies a backup to the places as it is, or encrypted if it should be and is not, and notes in the data folder how it went at each. */
export async function copyBackup(copying: Copying, job: CopyJob): Promise<CopyReport[]> {
  const { places, dataDir, keep, timezone } = copying
  const { file, now, mayPrune, signal } = job
  if (places.length === 0) return []
  const encryption = isEncryptedName(file) ? undefined : copying.encryption
  const name = encryption ? encryptedName(basename(file)) : basename(file)
  const keepNames = mayPrune ? (names: readonly string[]) => namesToKeep(names, keep, timezone, now) : allOf
  const send = (sent: string) => copyToPlaces({ file: sent, name, places, keep: keepNames, ...(signal && { signal }) })
  const reports = await (encryption ? encrypted({ file, name, encryption, signal }, send) : send(file)).catch(
    (error) => {
      signal?.throwIfAborted()
      return places.map((place) => failedBefore(place, error))
    },
  )
  note(dataDir, reports, name, now)
  return reports
}

type Plain = { file: string; name: string; encryption: Encryption; signal: AbortSignal | undefined }

/** Does a job with the encrypted file, which is gone afterwards. */
function encrypted<T>({ file, name, encryption, signal }: Plain, job: (sealed: string) => Promise<T>): Promise<T> {
  return inWorkspaceOfServer(dirname(file), async (folder) => {
    requireSpace(folder, statSync(file).size, 'To encrypt a copy of a backup, Dealbox')
    const sealed = join(folder, name)
    await encryptFile(file, sealed, encryption, signal)
    return job(sealed)
  })
}

/** What kept all places from their copies, such as a full disk, is tried again as what keeps one. */
function failedBefore({ name: place }: BackupPlace, error: unknown): CopyReport {
  const known = error instanceof Problem
  return { place, ok: false, sentence: known ? error.message : NOT_ENCRYPTED, ...(known ? {} : { error }) }
}

const NOT_ENCRYPTED = 'The backup could not be encrypted for its copies; the log has the reason.'

const allOf = (names: readonly string[]): readonly string[] => names

function namesToKeep(names: readonly string[], keep: Keep, timezone: string, now: number): string[] {
  const copies = names.map((name) => ({ name, made: readName(name)?.made ?? 0, reason: 'nightly' as const }))
  return [...kept(copies, keep, timezone, now)].map(({ name }) => name)
}

/**
 * The last backup and the places that do not have it, as after a restart or where a place is new; undefined if there is
 * none, or all have it.
 */
export function notYetCopied({ dataDir, places }: Copying): { file: string; missing: string[] } | undefined {
  const state = lastBackup(dataDir)
  if (!state.last) return undefined
  const { file } = state.last
  const names = [basename(file), encryptedName(basename(file))]
  const has = (place: string) => state.copies?.some((copy) => copy.place === place && names.includes(copy.file ?? ''))
  const missing = places.map(({ name }) => name).filter((name) => !has(name))
  return missing.length > 0 ? { file, missing } : undefined
}

/** One that was not tried for so long is not in use any more. */
const FORGET_AFTER_MS = 30 * DAY_MS

/** Replaces what is known of the places that were tried. */
function note(dataDir: string, reports: readonly CopyReport[], name: string, now: number): void {
  const known = lastBackup(dataDir).copies ?? []
  const before = new Map(known.map((each) => [each.place, each]))
  const tried = new Set(reports.map(({ place }) => place))
  const at = rfc3339(now)
  const copies: NonNullable<BackupState['copies']> = reports.map(({ place, ok, sentence }) => {
    const { file, copied_at } = ok
      ? { file: name, copied_at: at }
      : (before.get(place) ?? { file: null, copied_at: null })
    return { place, file, copied_at, tried_at: at, error: ok ? null : sentence }
  })
  const others = known.filter(
    ({ place, tried_at }) => !tried.has(place) && now - Date.parse(tried_at) < FORGET_AFTER_MS,
  )
  noteBackup(dataDir, { copies: [...others, ...copies] })
  noteRuns(dataDir, ...copies.map(({ place, error }) => ({ kind: 'copy' as const, at, place, error })))
}
