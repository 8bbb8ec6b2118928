import { readdirSync, renameSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isEncrypted } from './encryption/header.ts'
import { peekManifest } from './manifest.ts'
import { isEncryptedName, markOf, readName } from './names.ts'
import type { Reason } from './reasons.ts'
import { type Keep, kept, newestFirst } from './retention.ts'
import { inWorkspace } from './workspace.ts'

/** `mark` is of the installation. */
export type Listed = { file: string; made: number; bytes: number; reason: Reason; mark: string }

/**
 * The backups of an installation in a folder, newest first, and those last that are dated in the future: by their manifests,
 * of which the rest of the file is not read, or by their names if they are encrypted. One that is damaged, or of another
 * version, is none: nobody but a person deletes it.
 */
export function listBackups(folder: string, installation: string, now: number): Listed[] {
  const own = markOf(installation)
  return namesIn(folder)
    .flatMap((name) => listed(join(folder, name), name) ?? [])
    .filter(({ mark }) => mark === own)
    .sort(newestFirst(now))
}

type PruneOptions = {
  folder: string
  installation: string
  keep: Keep
  timezone: string
  now: number
  /** Those from before are not looked at. */
  since?: number | undefined
  /** The file that was just made, which is kept in any case. */
  made?: string | undefined
}

/** Deletes the backups of this installation that need not be kept; returns their files. */
export function prune({ folder, installation, keep, timezone, now, since = 0, made }: PruneOptions): string[] {
  const own = listBackups(folder, installation, now).filter((each) => each.made >= since)
  const keeping = kept(own, keep, timezone, now)
  const deleted = own.flatMap((each) => (keeping.has(each) || each.file === made ? [] : [each.file]))
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
