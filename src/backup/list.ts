import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { removeGently } from '../lib/large-files.ts'
import { type Manifest, peekManifest } from './manifest.ts'
import { type Keep, kept } from './retention.ts'

export type Listed = { file: string; made: number; bytes: number; reason: Manifest['reason']; installation: string }

const NAME = /^dealbox-\d{8}T\d{6}Z\.tar$/

/** The backups in a folder by their names and manifests, newest first; the rest of each file is not read. */
export function listBackups(folder: string): Listed[] {
  return namesIn(folder)
    .filter((name) => NAME.test(name))
    .flatMap((name) => {
      const file = join(folder, name)
      const manifest = peek(file)
      if (!manifest) return [] // that of another version, or damaged: nobody but a person deletes it
      const { made_at, reason, installation_id } = manifest
      return [{ file, made: Date.parse(made_at), bytes: statSync(file).size, reason, installation: installation_id }]
    })
    .sort((one, other) => other.made - one.made)
}

/** Deletes the backups of this installation that need not be kept; returns their files. */
export function prune(folder: string, installation: string, keep: Keep, timezone: string): string[] {
  const own = listBackups(folder).filter((each) => each.installation === installation)
  const keeping = kept(own, keep, timezone)
  const deleted = own.filter((each) => !keeping.has(each)).map(({ file }) => file)
  for (const file of deleted) removeGently(file)
  return deleted
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

function peek(file: string): Manifest | undefined {
  try {
    return peekManifest(file)
  } catch {
    return undefined
  }
}
