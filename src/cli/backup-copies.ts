import { basename, dirname, join } from 'node:path'
import { encryptedName, encryptFile } from '../backup/encryption/encryption.ts'
import type { Encryption } from '../backup/encryption/secrets.ts'
import { type CopyReport, copyToPlaces } from '../backup/places/copies.ts'
import type { Place } from '../backup/places/place.ts'
import { type Keep, kept } from '../backup/retention.ts'
import { type BackupState, lastBackup, noteBackup } from '../backup/state.ts'
import { openWorkspace } from '../backup/workspace.ts'
import { rfc3339 } from '../lib/time.ts'

export type Copying = {
  dataDir: string
  places: readonly Place[]
  /** Of the copies; the backup itself stays as it is. */
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

/** Copies a backup to the places, encrypted if asked for, and notes in the data folder how it went at each. */
export async function copyBackup(copying: Copying, job: CopyJob): Promise<CopyReport[]> {
  const { places, encryption, dataDir, keep, timezone } = copying
  const { file, now, mayPrune, signal } = job
  if (places.length === 0) return []
  const workspace = encryption && openWorkspace(dirname(file))
  try {
    const name = encryption ? encryptedName(basename(file)) : basename(file)
    const sent = workspace ? join(workspace.path, name) : file
    if (encryption) await encryptFile(file, sent, encryption, signal)
    const keepNames = mayPrune ? (names: readonly string[]) => namesToKeep(names, keep, timezone) : allOf
    const reports = await copyToPlaces({ file: sent, name, places, keep: keepNames, ...(signal && { signal }) })
    note(dataDir, reports, name, now)
    return reports
  } finally {
    workspace?.close()
  }
}

const allOf = (names: readonly string[]): readonly string[] => names

function namesToKeep(names: readonly string[], keep: Keep, timezone: string): string[] {
  const copies = names.map((name) => ({ name, made: timeOf(name), reason: 'nightly' as const }))
  return [...kept(copies, keep, timezone)].map(({ name }) => name)
}

/** When a backup was made, by its name such as dealbox-20261123T031500Z.tar. */
const timeOf = (name: string): number =>
  Date.parse(name.slice(8, 24).replace(/^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3:$4:$5Z'))

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
  noteBackup(dataDir, { copies: [...known.filter(({ place }) => !tried.has(place)), ...copies] })
}
