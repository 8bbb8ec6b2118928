import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isEncryptedName, readName } from '../backup/names.ts'

export type Backup = { path: string; at: number }

/** The backups in a folder, the newest first, by their names alone: "dealbox verify" reads them. */
export function backupsIn(folder: string): Backup[] {
  let names: string[]
  try {
    names = readdirSync(folder)
  } catch {
    return [] // there is none yet, or nobody may read it: the check says that there is no backup
  }
  return names
    .flatMap((name) => {
      const named = readName(name)
      return named ? [{ path: join(folder, name), at: named.made }] : []
    })
    .sort((a, b) => b.at - a.at)
}

/** What a command needs besides the name of a backup. */
export const keyFor = (path: string): string =>
  isEncryptedName(path) ? ' --backup-passphrase-file FILE (or --backup-identity-file FILE)' : ''
