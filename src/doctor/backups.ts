import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isEncryptedName, readName } from '../backup/names.ts'
import { newestFirst } from '../backup/retention.ts'

export type Backup = { path: string; made: number }

/**
 * The backups in a folder, the newest first, and those last that are dated in the future; by their names alone: "dealbox
 * verify" reads them.
 */
export function backupsIn(folder: string, now: number): Backup[] {
  let names: string[]
  try {
    names = readdirSync(folder)
  } catch {
    return [] // there is none yet, or nobody may read it: the check says that there is no backup
  }
  return names
    .flatMap((name) => {
      const named = readName(name)
      return named ? [{ path: join(folder, name), made: named.made }] : []
    })
    .sort(newestFirst(now))
}

/** What a command needs besides the name of a backup. */
export const keyFor = (path: string): string =>
  isEncryptedName(path) ? ' --backup-passphrase-file FILE (or --backup-identity-file FILE)' : ''
