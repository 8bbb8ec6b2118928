import { Problem } from '../../../lib/problem.ts'
import { readName } from '../names.ts'

/** A copy of a backup at a place; `time` is when it arrived there, in milliseconds. */
export type BackupCopy = { name: string; bytes: number; time: number }

/**
 * A second place for backups. Everything rejects with a Problem whose sentence names the place, or with the reason of the
 * signal. Files of other names are neither listed nor removed.
 */
export type BackupPlace = {
  /** For people: the folder, or the address. */
  name: string
  kind: 'folder' | 's3'
  /** Copies a file, and compares what arrived with it. If it rejects, there is no copy of that name that is not whole. */
  put: (file: string, name: string, signal?: AbortSignal) => Promise<void>
  /** Sorted by name, which begins with the time of the backup. */
  list: (signal?: AbortSignal) => Promise<BackupCopy[]>
  /** Copies it back. If it rejects, nothing is left. */
  get: (name: string, toFile: string, signal?: AbortSignal) => Promise<void>
  /** Also resolves if there is no such copy. */
  remove: (name: string, signal?: AbortSignal) => Promise<void>
}

/** What all names of backups begin with. */
export const NAME_START = 'dealbox-'

export const isBackupName = (name: string): boolean => readName(name) !== undefined

/** Throws Problem 404 for other names: a place never touches the files of others. */
export function requireBackupName(name: string): void {
  if (!isBackupName(name)) throw new Problem(404, 'no_such_copy', `"${name}" is not the name of a backup.`)
}

export const byName = (a: BackupCopy, b: BackupCopy): number => (a.name < b.name ? -1 : Number(a.name > b.name))

/** 404: the place has no copy of that name. */
export const noSuchCopy = (place: string, name: string): Problem =>
  new Problem(404, 'no_such_copy', `${place} has no copy ${name}.`)

/** What arrived is not what was sent. */
export const copyDiffers = (place: string, name: string): Problem =>
  new Problem(502, 'copy_differs', `What arrived at ${place} differs from ${name}, and does not count as a copy.`)

/** A copy is not what it was when it arrived. */
export const copyChanged = (place: string, name: string): Problem =>
  new Problem(502, 'copy_differs', `The copy ${name} at ${place} was changed or damaged after it arrived.`)
