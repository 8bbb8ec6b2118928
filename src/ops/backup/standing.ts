import { readName } from './names.ts'
import type { BackupState } from './state.ts'

// How the copies of backups stand at the places that a server is configured with.

/** `label` is for those who may not see where it is: folder_1 is the first folder. */
export type PlaceLabel = { name: string; label: string }

export type Standing = {
  label: string
  /** When the backup was made whose copy is the newest there; undefined if there is none. */
  made: number | undefined
  /** Whether the last attempt failed. */
  isFailing: boolean
}

export function labelled(places: readonly { name: string; kind: string }[]): PlaceLabel[] {
  return places.map(({ name, kind }, index) => {
    const number = places.slice(0, index + 1).filter((each) => each.kind === kind).length
    return { name, label: `${kind}_${number}` }
  })
}

export function standingOf({ copies = [] }: BackupState, places: readonly PlaceLabel[]): Standing[] {
  return places.map(({ name, label }) => {
    const found = copies.find(({ place }) => place === name)
    return { label, made: found && copiedBackup(found), isFailing: (found?.error ?? null) !== null }
  })
}

/** When the backup was made of which a place has a copy. */
export const copiedBackup = ({ file }: { file: string | null }): number | undefined =>
  file === null ? undefined : readName(file)?.made
