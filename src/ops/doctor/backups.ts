import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { NeededKey } from '../../auth/needed-keys.ts'
import { SECRETS_KEY } from '../../store/folder/key-file.ts'
import { peekManifest } from '../backup/manifest.ts'
import { isEncryptedName, readName } from '../backup/names.ts'
import { newestFirst } from '../backup/retention.ts'

export type Backup = {
  path: string
  made: number
  /** Names of keys that it should have and has not: it cannot be restored. Reads its beginning, unless it is encrypted. */
  lacks: () => readonly string[]
}

/**
 * The backups in a folder, the newest first, and those last that are dated in the future; by their names alone: "dealbox
 * verify" reads them.
 */
export function backupsIn(folder: string, now: number, needed: readonly NeededKey[] = []): Backup[] {
  let names: string[]
  try {
    names = readdirSync(folder)
  } catch {
    return [] // there is none yet, or nobody may read it: the check says that there is no backup
  }
  return names
    .flatMap((name) => {
      const named = readName(name)
      if (!named) return []
      const path = join(folder, name)
      return [{ path, made: named.made, lacks: () => lackingIn(path, named.made, needed) }]
    })
    .sort(newestFirst(now))
}

/** Tables whose rows have secrets that only keys/secrets.key opens. */
const SEALED = ['webhook_states', 'mailbox_grants']

function lackingIn(path: string, made: number, needed: readonly NeededKey[]): string[] {
  const manifest = manifestOf(path)
  if (!manifest) return []
  const { rows, parts } = manifest
  const has = new Set(parts.map(({ name }) => name))
  const lacking = needed.filter(({ name, since }) => since <= made && !has.has(`keys/${name}`)).map(({ name }) => name)
  if (SEALED.some((table) => rows[table]) && !has.has(`keys/${SECRETS_KEY}`)) lacking.push(SECRETS_KEY)
  const isWithout = ![...has].some((name) => name.endsWith('.pem'))
  return lacking.length === 0 && rows.signing_keys && isWithout ? ['the keys that sign tokens'] : lacking
}

/** Undefined for one that is damaged or encrypted: "dealbox verify" reads it. */
function manifestOf(path: string) {
  try {
    return peekManifest(path)
  } catch {
    return undefined
  }
}

/** The newest that can be restored, as far as can be said without reading it; undefined if there is none. */
export const newestUsable = (backups: readonly Backup[]): Backup | undefined =>
  backups.find(({ lacks }) => lacks().length === 0)

/** The option by which a command reads an encrypted backup, for the sentence that names the command. */
export const keyFor = (path: string): string =>
  isEncryptedName(path) ? ' --backup-passphrase-file FILE (or --backup-identity-file FILE)' : ''
