import { createHash } from 'node:crypto'
import { accessSync, closeSync, constants, mkdirSync, openSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { faultsText, keyFaultsOf } from '../../auth/needed-keys.ts'
import { steadyWriter } from '../../lib/machine/large-files.ts'
import { Problem } from '../../lib/problem.ts'
import { DATABASE } from '../../store/open.ts'
import { DamagedArchive, readArchive, type Sink } from './archive.ts'
import { faultOfCopy, onCopy, readCopy } from './database.ts'
import { MANIFEST, MAX_MANIFEST, type Manifest, parseManifest } from './manifest.ts'
import { damaged, withFiles } from './problems.ts'
import { requireSpace } from './space.ts'
import type { Entry } from './tar.ts'
import { inWorkspace } from './workspace.ts'

export type Verified = { manifest: Manifest; bytes: number }

/**
 * Checks every bit of a backup: takes it apart into a temporary folder, compares the hashes, opens the database there,
 * lets SQLite check it, and compares its rows with the manifest. Throws Problem 409 `backup_damaged`, `not_a_backup`, `newer_backup`
 * or `keys_missing`; 503 if it cannot be read at the moment.
 */
export function verifyBackup(file: string, folder = workingFolder(file)): Verified {
  return unpacked(file, folder, (_, verified) => verified)
}

/** The same for one that was made from the database at a path: equal hashes are as good as to take it out again. */
export function verifyBeside(file: string, database: string): Verified {
  const verified = takeApart(file)
  checkDatabase(file, database, verified.manifest)
  return verified
}

/** Like `verifyBackup`, and runs the job with the temporary folder, which then looks like a data folder. */
export function unpacked<T>(file: string, folder: string, job: (dataDir: string, verified: Verified) => T): T {
  return withFiles(`Reading ${file}`, folder, () => {
    const found = statSync(file, { throwIfNoEntry: false })
    if (!found) throw new Problem(404, 'no_backup', `There is no file ${file}.`)
    if (!found.isFile()) throw notOne(file)
    requireSpace(folder, found.size, 'To check the backup, Dealbox')
    return inWorkspace(folder, (workspace) => {
      const dataDir = join(workspace, 'data')
      mkdirSync(join(dataDir, 'keys'), { recursive: true, mode: 0o700 })
      const verified = takeApart(file, dataDir)
      checkDatabase(file, join(dataDir, DATABASE), verified.manifest)
      checkKeys(file, dataDir)
      return job(dataDir, verified)
    })
  })
}

/** Beside the backup, which is the likeliest place with enough space, unless nothing can be written there. */
export function workingFolder(file: string): string {
  const beside = dirname(resolve(file))
  try {
    accessSync(beside, constants.W_OK)
    return beside
  } catch {
    return tmpdir()
  }
}

/** Reads the whole backup and compares it with its manifest; writes its parts into the folder, if there is one. */
function takeApart(file: string, dataDir?: string): Verified {
  let manifest: Manifest | undefined
  let taken = 0
  let output: number | undefined

  function take(entry: Entry): Sink {
    if (!manifest) return readManifest(entry)
    const part = manifest.parts[taken++]
    if (part?.name !== entry.name || part.bytes !== entry.size || part.mode !== entry.mode)
      throw new DamagedArchive(`it contains ${entry.name}, which is not in its manifest`)
    return takePart(part)
  }

  /** Nobody else can read what is taken out, whatever the backup says. */
  function takePart({ name, mode, sha256 }: Manifest['parts'][number]): Sink {
    output = dataDir === undefined ? undefined : openSync(join(dataDir, name), 'wx', mode & 0o600)
    const write = output === undefined ? undefined : steadyWriter(output)
    const hash = createHash('sha256')
    return (bytes) => {
      if (bytes) {
        hash.update(bytes)
        write?.(bytes)
        return
      }
      close()
      if (hash.digest('hex') !== sha256) throw new DamagedArchive(`${name} is not what was written`)
    }
  }

  function close(): void {
    if (output !== undefined) closeSync(output)
    output = undefined
  }

  function readManifest({ name, size }: Entry): Sink {
    if (name !== MANIFEST || size > MAX_MANIFEST) throw notOne(file)
    const pieces: Buffer[] = []
    return (bytes) => {
      if (bytes) pieces.push(Buffer.from(bytes))
      else manifest = manifestOf(file, Buffer.concat(pieces))
    }
  }

  try {
    const { bytes } = readArchive(file, take)
    if (!manifest) throw notOne(file)
    if (taken < manifest.parts.length) throw new DamagedArchive('parts of it are missing')
    return { manifest, bytes }
  } catch (error) {
    if (!(error instanceof DamagedArchive)) throw error
    throw manifest ? damaged(file, error.message) : notOne(file)
  } finally {
    close()
  }
}

function manifestOf(file: string, bytes: Buffer): Manifest {
  const manifest = parseManifest(bytes)
  if (!manifest) throw damaged(file, 'its manifest cannot be read')
  if (!('newer' in manifest)) return manifest
  throw new Problem(
    409,
    'newer_backup',
    `${file} was made by a newer version of Dealbox (format ${manifest.newer} of backups). Use that version or a newer one.`,
  )
}

function checkDatabase(file: string, database: string, manifest: Manifest): void {
  const fault = faultOfCopy(database)
  if (fault !== undefined) throw damaged(file, `SQLite finds a fault in its database (${fault})`)
  const { schema, installation, rows } = readCopy(database)
  if (schema !== manifest.schema_version || installation !== manifest.installation_id)
    throw damaged(file, 'its database is another one than its manifest says')
  const tables = new Set([...Object.keys(rows), ...Object.keys(manifest.rows)])
  for (const table of tables)
    if (rows[table] !== manifest.rows[table])
      throw damaged(file, `${table} has ${rows[table]} rows and not ${manifest.rows[table]}`)
}

/** Older versions made backups without a key that was lost. */
function checkKeys(file: string, dataDir: string): void {
  const faults = onCopy(join(dataDir, DATABASE), (db) => keyFaultsOf(db, dataDir))
  if (faults.length === 0) return
  throw new Problem(
    409,
    'keys_missing',
    `${basename(file)} cannot be restored as it is: in it ${faultsText(faults)}. Use another backup; docs/backups.md says how to get at what it has.`,
  )
}

const notOne = (file: string): Problem =>
  new Problem(409, 'not_a_backup', `${file} is not a backup of Dealbox, or its beginning is damaged.`)
