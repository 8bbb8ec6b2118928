import { readdirSync, renameSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isEncrypted } from './encryption/header.ts'
import { peekManifest } from './manifest.ts'
import { isEncryptedName, markOf, readName } from './names.ts'
import type { Reason } from './reasons.ts'
import { type Keep, kept } from './retention.ts'
import { inWorkspace } from './workspace.ts'

/** `mark` is of the installation. */
export type Listed = { file: string; made: number; bytes: number; reason: Reason; mark: string }

/**
 * The backups of an installation in a folder, newest first: by their manifests, of which the rest of the file is not read, or
 * by their names if they are encrypted. One that is damaged, or of another version, is none: nobody but a person deletes it.
 */
export function listBackups(folder: string, installation: string): Listed[] {
  const own = markOf(installation)
  return namesIn(folder)
    .flatMap((name) => listed(join(folder, name), name) ?? [])
    .filter(({ mark }) => mark === own)
    .sort((one, other) => other.made - one.made)
}

/** Deletes the backups of this installation that need not be kept; returns their files. */
export function prune(folder: string, installation: string, keep: Keep, timezone: string): string[] {
  const own = listBackups(folder, installation)
  const keeping = kept(own, keep, timezone)
  const deleted = own.filter((each) => !keeping.has(each)).map(({ file }) => file)
  if (deleted.length > 0)
    inWorkspace(folder, (workspace) => {
      for (const file of deleted) moveInto(workspace, file)
    })
  return deleted
}

/** What is removed in steps must not have its name meanwhile: a process that is killed would leave a part of it. */
function moveInto(workspace: string, file: string): void {
  try {
    renameSync(file, join(workspace, basename(file)))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

function listed(file: string, name: string): Listed | undefined {
  const named = readName(name)
  if (!named) return undefined
  try {
    const said = isEncryptedName(name) ? saidByName(file, named) : saidByManifest(file)
    return said && { file, bytes: statSync(file).size, ...said }
  } catch {
    return undefined
  }
}

function saidByManifest(file: string): Omit<Listed, 'file' | 'bytes'> | undefined {
  const manifest = peekManifest(file)
  if (!manifest) return undefined
  const { made_at, reason, installation_id } = manifest
  return { made: Date.parse(made_at), reason, mark: markOf(installation_id) }
}

function saidByName(file: string, { made, reason, mark }: NonNullable<ReturnType<typeof readName>>) {
  return reason !== undefined && mark !== undefined && isEncrypted(file) ? { made, reason, mark } : undefined
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
