import { hash } from 'node:crypto'
import { chmodSync, existsSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { version } from '../assets.ts'
import { Problem } from '../lib/problem.ts'
import { MIB } from '../lib/size.ts'
import { rfc3339, SECOND_MS } from '../lib/time.ts'
import { copyDatabase, readCopy, sizeOfDatabase } from '../store/backup.ts'
import { createPrivateFolder, syncFolder } from '../store/key-file.ts'
import { DATABASE } from '../store/open.ts'
import { hashOfFile, type Part, writeArchive } from './archive.ts'
import { smallFiles, united } from './contents.ts'
import { MANIFEST, type Manifest, manifestBytes, newManifest, type Reason } from './manifest.ts'
import { notWhole, withFiles } from './problems.ts'
import { requireSpace } from './space.ts'
import { type Verified, verifyBeside } from './verify.ts'
import { inWorkspace } from './workspace.ts'

export type MakeOptions = {
  dataDir: string
  /** The folder for the backup, which is made if it is missing. */
  folder: string
  /** The name of the file; by default the time in UTC, by which backups are told apart. */
  name?: string | undefined
  reason: Reason
  /** Epoch milliseconds. */
  now: number
}

export type Backup = { file: string; bytes: number; manifest: Manifest }

/**
 * Makes a backup and checks it: the file that was written is read again, and its database, of which it has every bit, is
 * opened and compared with its manifest. Only then it gets its name. Others read and write the database meanwhile. Throws
 * Problem and leaves nothing.
 */
export function makeBackup({ dataDir, folder, name, reason, now }: MakeOptions): Backup {
  return withFiles(`A backup in ${folder}`, () => {
    createPrivateFolder(folder)
    const database = join(dataDir, DATABASE)
    // Twice: the copy of the database, and the file that it is written to.
    const purpose = reason === 'migration' ? 'The backup before the migration' : 'A backup'
    requireSpace(folder, 2 * sizeOfDatabase(database) + MIB, purpose)
    return inWorkspace(folder, (workspace) => {
      const written = join(workspace, 'backup.tar')
      const copy = join(workspace, DATABASE)
      writeBackup({ dataDir, reason, now }, copy, written)
      const { manifest, bytes } = checked(written, copy)
      const file = freePath(folder, name, now)
      renameSync(written, file)
      syncFolder(folder)
      return { file, bytes, manifest }
    })
  })
}

function checked(written: string, copy: string): Verified {
  try {
    return verifyBeside(written, copy)
  } catch (error) {
    throw notWhole(error)
  }
}

function writeBackup(
  { dataDir, reason, now }: Pick<MakeOptions, 'dataDir' | 'reason' | 'now'>,
  copy: string,
  written: string,
): void {
  const before = smallFiles(dataDir)
  copyDatabase(join(dataDir, DATABASE), copy)
  const files = united(before, smallFiles(dataDir))
  chmodSync(copy, 0o600)
  const { schema, installation, rows } = readCopy(copy)
  const parts: Part[] = [
    { name: DATABASE, mode: 0o600, size: statSync(copy).size, content: copy },
    ...files.map((file) => ({ ...file, size: file.content.length })),
  ]
  const manifest = manifestBytes(
    newManifest({
      dealbox_version: version,
      schema_version: schema,
      installation_id: installation,
      made_at: rfc3339(now),
      reason,
      parts: parts.map(({ name, mode, size, content }) => ({ name, bytes: size, mode, sha256: hashOf(content) })),
      rows,
    }),
  )
  const first = { name: MANIFEST, mode: 0o600, size: manifest.length, content: manifest }
  writeArchive(written, [first, ...parts], Math.floor(now / SECOND_MS))
}

const hashOf = (content: Buffer | string): string =>
  typeof content === 'string' ? hashOfFile(content) : hash('sha256', content)

/** 20261123T031500Z, for names of files. */
export const stampOf = (ms: number): string => `${rfc3339(ms).slice(0, 19).replace(/[-:]/g, '')}Z`

const nameAt = (ms: number): string => `dealbox-${stampOf(ms)}.tar`

/** A given name must be free; of the others the next second that is. */
function freePath(folder: string, name: string | undefined, now: number): string {
  if (name === undefined) {
    let at = now
    while (existsSync(join(folder, nameAt(at)))) at += SECOND_MS
    return join(folder, nameAt(at))
  }
  const path = join(folder, name)
  if (!existsSync(path)) return path
  throw new Problem(409, 'file_exists', `${path} exists. Choose another name; a backup never replaces a file.`)
}
