import { hash } from 'node:crypto'
import { existsSync, renameSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { version } from '../../assets.ts'
import { faultsText, howToMendKeys, keyFaults } from '../../auth/needed-keys.ts'
import { removeGently } from '../../lib/machine/large-files.ts'
import { Problem } from '../../lib/problem.ts'
import { MIB } from '../../lib/size.ts'
import { rfc3339, SECOND_MS } from '../../lib/time.ts'
import { createPrivateFolder, syncFolder } from '../../store/folder/key-file.ts'
import { DATABASE } from '../../store/open.ts'
import { hashOfFile, type Part, writeArchive } from './archive.ts'
import { type SmallFile, smallFiles, united } from './contents.ts'
import { copyDatabase, onCopy, readCopy, sizeOfDatabase } from './database.ts'
import { encryptNow } from './encryption/encryption.ts'
import { requireMemoryToEncrypt } from './encryption/memory.ts'
import type { Encryption } from './encryption/secrets.ts'
import { MANIFEST, type Manifest, manifestBytes, newManifest } from './manifest.ts'
import { encryptedName, plainName, sealedName } from './names.ts'
import { notWhole, withFiles } from './problems.ts'
import type { Reason } from './reasons.ts'
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
  /** Then it is made and checked in the data folder, and the folder only ever has it encrypted. */
  encryption?: Encryption | undefined
  /** Tries a backup out that is whole and not encrypted yet, with a folder for it. Whatever it finds, the backup is made. */
  tryOut?: ((file: string, workspace: string) => void) | undefined
}

export type Backup = { file: string; bytes: number; manifest: Manifest }

/**
 * Makes a backup and checks it: the file that was written is read again, and its database, of which it has every bit, is
 * opened and compared with its manifest. Only then it gets its name. Others read and write the database meanwhile. Throws
 * Problem and leaves nothing.
 */
export function makeBackup(options: MakeOptions): Backup {
  const { dataDir, folder, name, reason, now, encryption, tryOut } = options
  const plainFolder = encryption ? dataDir : folder
  if (encryption) requireMemoryToEncrypt(encryption) // before all the rest is done
  return withFiles(`A backup in ${folder}`, plainFolder, () => {
    withFiles(`A backup in ${folder}`, folder, () => createPrivateFolder(folder))
    if (name !== undefined) requireFree(join(folder, name)) // a backup may take long
    const bytes = sizeOfDatabase(join(dataDir, DATABASE))
    // Twice: the copy of the database and the file that it is written to, then that file and its encrypted form.
    const purpose = reason === 'migration' ? 'The backup before the migration' : 'A backup'
    requireSpace(plainFolder, 2 * bytes + MIB, purpose)
    if (encryption) requireSpace(folder, bytes + MIB, purpose)
    return inWorkspace(plainFolder, (workspace) => {
      const written = join(workspace, 'backup.tar')
      const copy = join(workspace, DATABASE)
      writeBackup({ dataDir, reason, now }, copy, written)
      const { manifest } = checked(written, copy)
      if (encryption || tryOut) removeGently(copy)
      tryOut?.(written, workspace)
      const nameAt = (at: number): string =>
        encryption ? sealedName(at, reason, manifest.installation_id) : plainName(at)
      const file = freePath(folder, name, now, nameAt)
      if (encryption) seal(written, file, encryption)
      else renameSync(written, file)
      syncFolder(folder)
      return { file, bytes: statSync(file).size, manifest }
    })
  })
}

/** Written beside and flushed; what a process that is killed leaves is removed with the next workspace there. */
function seal(plain: string, file: string, encryption: Encryption): void {
  const folder = dirname(file)
  withFiles(`A backup in ${folder}`, folder, () =>
    inWorkspace(folder, (workspace) => {
      const sealed = join(workspace, encryptedName('backup.tar'))
      encryptNow(plain, sealed, encryption)
      renameSync(sealed, file)
    }),
  )
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
  requireKeys(copy, files, reason)
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

/** A backup that lacks a key of its database could not be restored, and would take the place of one that can. */
function requireKeys(copy: string, files: readonly SmallFile[], reason: Reason): void {
  const read = (name: string) => files.find((file) => file.name === `keys/${name}`)?.content
  const faults = onCopy(copy, (db) => keyFaults(db, read))
  if (faults.length === 0) return
  const nothing =
    reason === 'migration' ? 'Nothing was migrated, since no backup could be made first' : 'No backup was made'
  throw new Problem(
    409,
    'keys_missing',
    `${nothing}: ${faultsText(faults)}, and the backup could not be restored. ${howToMendKeys(faults)}`,
  )
}

const hashOf = (content: Buffer | string): string =>
  typeof content === 'string' ? hashOfFile(content) : hash('sha256', content)

/** A given name must be free; of the others the next second that is. */
function freePath(folder: string, name: string | undefined, now: number, nameAt: (ms: number) => string): string {
  if (name === undefined) {
    let at = now
    while (existsSync(join(folder, nameAt(at)))) at += SECOND_MS
    return join(folder, nameAt(at))
  }
  return requireFree(join(folder, name))
}

function requireFree(path: string): string {
  if (!existsSync(path)) return path
  throw new Problem(409, 'file_exists', `${path} exists. Choose another name; a backup never replaces a file.`)
}
