import { hash } from 'node:crypto'
import { rmSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { Problem } from '../../lib/problem.ts'
import { DATABASE } from '../../store/open.ts'
import type { Versions } from '../../store/schema/migrations.ts'
import { digestOf, smallFiles } from './contents.ts'
import { stampOfDatabase } from './database.ts'
import type { Encryption } from './encryption/secrets.ts'
import { backupsFolder, folderOfCommand } from './folders.ts'
import { makeBackup } from './make.ts'
import { isEncryptedName } from './names.ts'
import { withFiles } from './problems.ts'
import { type BackupState, noteBackup, notedState, noteMade } from './state.ts'

type Options = {
  dataDir: string
  folder: string
  encryption?: Encryption | undefined
  /** Whether it is the last backup from now on: not if it is beside those of the nights. */
  isLast: boolean
  /** `isAgain`: an earlier attempt to migrate has made that backup, and nothing has changed since then. */
  tell: (file: string, versions: Versions, isAgain: boolean) => void
}

/**
 * Returns what to do before an older database is migrated: it makes a backup and tells its name. Without a backup there is
 * no migration. A service that fails is started again every few seconds, so the backup of an earlier attempt is used as
 * long as it has what is there.
 */
export function backUpFirst({ dataDir, folder: given, encryption, isLast, tell }: Options) {
  const folder = resolve(given)

  return (versions: Versions): void => {
    const stamp = withFiles(`A backup in ${folder}`, folder, () => stampOf(dataDir))
    const { migration } = notedState(dataDir)
    const isThere = migration?.stamp === stamp && isUsable(migration, folder, encryption !== undefined)
    tell(isThere ? migration.file : make(stamp), versions, isThere)
  }

  function make(stamp: string): string {
    const began = performance.now()
    const how = { dataDir, folder, reason: 'migration' as const, now: Date.now(), encryption }
    const { file, bytes, manifest } = makeBackup(how)
    const last = { made_at: manifest.made_at, file, bytes, duration_ms: Math.round(performance.now() - began) }
    const migration = { file, bytes, stamp }
    const isNoted = isLast ? noteMade(dataDir, last, { migration }) : noteBackup(dataDir, { migration })
    if (isNoted) return file
    rmSync(file) // or the next attempt would add another one, and so on
    throw notNoted(dataDir)
  }
}

/** What a backup has: the database as far as it is committed, keys and settings. */
const stampOf = (dataDir: string): string =>
  hash('sha256', `${stampOfDatabase(join(dataDir, DATABASE))} ${digestOf(smallFiles(dataDir))}`)

function isUsable({ file, bytes }: NonNullable<BackupState['migration']>, folder: string, isEncrypted: boolean) {
  const isAsked = dirname(file) === folder && isEncryptedName(file) === isEncrypted
  return isAsked && statSync(file, { throwIfNoEntry: false })?.size === bytes
}

const notNoted = (dataDir: string): Problem =>
  new Problem(
    503,
    'storage_full',
    `The backup before the migration cannot be noted in ${dataDir}, and nothing was migrated. Free some space there, and check the owner of the folder.`,
  )

/**
 * It is plain, so it stays beside the plain database. Where a server with its options has its own backups is not forgotten
 * for that, nor that they are encrypted.
 */
export function backupOfCommand(dataDir: string): (versions: Versions) => void {
  const folder = backupsFolder(dataDir)
  const { last } = notedState(dataDir)
  const isAlike = folderOfCommand(dataDir, undefined) === resolve(folder) && !(last && isEncryptedName(last.file))
  return backUpFirst({
    ...{ dataDir, folder, isLast: isAlike },
    tell: (backup, { from, to }, isAgain) => {
      const made = isAgain
        ? `An earlier attempt has made a backup from before: ${backup}`
        : `A backup from before is ${backup}`
      process.stderr.write(`Migrating the database from schema ${from} to ${to}. ${made}.\n`)
    },
  })
}
