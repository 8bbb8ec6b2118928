import { createReadStream, existsSync, statSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type Answer, command, json } from '../../../command/command.ts'
import { caOption } from '../../../command/trust.ts'
import { Problem, usage } from '../../../lib/problem.ts'
import { sizeText } from '../../../lib/size.ts'
import { createPrivateFolder } from '../../../store/folder/key-file.ts'
import { requireDatabase } from '../../../store/open.ts'
import { SCHEMA_VERSION } from '../../../store/schema/migrations.ts'
import { storageProblem } from '../../../store/sqlite/failures.ts'
import { encryptedStream } from '../encryption/encryption.ts'
import type { Encryption } from '../encryption/secrets.ts'
import { backupsFolder, folderOfCommand, requireKnownFolder } from '../folders.ts'
import { type Backup, makeBackup } from '../make.ts'
import { isEncryptedName } from '../names.ts'
import { isSendingPaused } from '../sending.ts'
import { notedState, noteMade } from '../state.ts'
import { verifyBackup } from '../verify.ts'
import { openWorkspace } from '../workspace.ts'
import { copyBackup } from './backup-copies.ts'
import { backupDir, readCopying } from './backup-options.ts'
import { decryptionOptions, encryptionOptions, placeOptions } from './backup-places.ts'
import { withPlainBackup } from './encrypted-backup.ts'

const STDOUT = '-'

export const backup = command({
  name: 'backup',
  summary: 'Make a backup of a data folder and check it, even while the server runs',
  options: {
    to: {
      type: 'string',
      placeholder: 'DIR|FILE|-',
      help: 'a folder, a new file, or - for standard output; by default the folder of the last backup',
    },
    backupDir,
    ...encryptionOptions,
    ...placeOptions,
    ...caOption,
    json,
  },
  audit: 'backup.made',
  run: async ({ options, write, open }): Promise<Answer | undefined> => {
    const { data, to } = options
    requireDatabase(data)
    const copying = await readCopying(data, options)
    const { encryption } = copying
    /** Not while the clock may be wrong, or cannot be compared with the times in the database. */
    let mayPrune = false

    /**
     * A backup has everything, as an export. To write into an older database would migrate it, so that has no entry; and a
     * full disk, of which the backup may save the data, has no room for one.
     */
    async function noted(answer: Answer, { manifest }: Backup): Promise<Answer> {
      if (manifest.schema_version < SCHEMA_VERSION) return answer
      try {
        return await open((store) => {
          mayPrune = store.wallClock.purgeHeldUntil() === undefined
          return write(store, () => answer)
        })
      } catch (error) {
        const problem = storageProblem(error)
        if (!(problem instanceof Problem) || problem.status !== 503) throw error
        return { ...answer, note: `The audit log has no entry of this. ${problem.message}` }
      }
    }

    if (to === STDOUT) return toStandardOutput(data, options.json, encryption, noted)
    const isPaused = isSendingPaused(data)
    const isKept = isPaused && to === undefined && options.backupDir !== undefined
    const began = performance.now()
    const how = { dataDir: data, reason: 'command' as const, now: Date.now() }
    const place = to === undefined ? usualPlace(data, options.backupDir, encryption) : placeOf(to)
    const made = makeBackup({ ...place, ...how, encryption })
    const duration_ms = Math.round(performance.now() - began)
    const { file, bytes, manifest } = made
    // Of one that is somewhere else nobody knows how long it stays there.
    if (to === undefined) noteMade(data, { made_at: manifest.made_at, file, bytes, duration_ms })
    const answer = {
      json: { file, bytes, made_at: manifest.made_at, schema_version: manifest.schema_version, duration_ms },
      text: `Made ${file} (${sizeText(bytes)}) and checked it.`,
      note: `To restore it: dealbox restore ${file} --data ${data}${encryption ? keyOption(encryption) : ''}${isKept ? KEPT : ''}`,
      audit: { detail: { file, bytes } },
    }
    const done = await noted(answer, made)
    if (to !== undefined || isPaused || copying.places.length === 0) return done
    const reports = await copyBackup(copying, { file, now: how.now, mayPrune })
    const said = reports.map(({ sentence }) => sentence).join('\n')
    if (reports.some(({ ok }) => !ok))
      throw new Problem(502, 'copy_failed', `The backup ${file} was made, but not every place has it.\n${said}`)
    return { ...done, json: { ...answer.json, copies: reports }, text: [answer.text, said].join('\n').trimEnd() }
  },
})

const KEPT =
  '\nIt is in the data folder: --backup-dir may be where the original has its backups, until "dealbox resume-sending". --to chooses another place.'

/** The option that reads an encrypted backup again, for the sentence that names it. */
const keyOption = (encryption: Encryption): string =>
  'passphrase' in encryption ? ' --backup-passphrase-file FILE' : ' --backup-identity-file FILE'

/** Throws Problem 409 if it would be the only one there that is not encrypted: a service has options that commands lack. */
function usualPlace(data: string, given: string | undefined, encryption: Encryption | undefined): { folder: string } {
  const { last } = notedState(data)
  if (!encryption && last && isEncryptedName(last.file))
    throw new Problem(
      409,
      'encryption_missing',
      `The last backup is encrypted (${last.file}), and this one would not be. Add --backup-encrypt as "dealbox serve" has it, or choose another place with --to.`,
    )
  const folder = folderOfCommand(data, given)
  if (given === undefined) requireKnownFolder(data, folder)
  return { folder }
}

/** A folder, or a file that does not exist, in a folder that does. */
function placeOf(to: string): { folder: string; name?: string } {
  const path = resolve(to)
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return { folder: path }
  const folder = dirname(path)
  if (!existsSync(folder)) throw new Problem(404, 'no_folder', `There is no folder ${folder} for the backup.`)
  return { folder, name: basename(path) }
}

/** It is checked as a file first. */
async function toStandardOutput(
  dataDir: string,
  asJson: boolean,
  encryption: Encryption | undefined,
  noted: (answer: Answer, made: Backup) => unknown,
): Promise<undefined> {
  if (asJson) throw usage('--to - writes the backup to standard output, so --json has no place for its result.')
  if (process.stdout.isTTY)
    throw usage('--to - writes the backup to standard output; redirect it into a file or a program.')
  const folder = backupsFolder(dataDir)
  createPrivateFolder(folder)
  const workspace = openWorkspace(folder)
  try {
    const made = makeBackup({ dataDir, folder: workspace.path, reason: 'command', now: Date.now() })
    const { file, bytes } = made
    const source = encryption ? encryptedStream(file, encryption) : createReadStream(file)
    await pipeline(source, process.stdout, { end: false }).catch((error: NodeJS.ErrnoException) => {
      const detail = `The backup could not be written to standard output (${error.code}).`
      throw new Problem(409, 'output_closed', detail)
    })
    await noted({ json: null, text: '', audit: { detail: { file: STDOUT, bytes } } }, made)
  } finally {
    workspace.close()
  }
}

export const verify = command({
  name: 'verify',
  summary: 'Check every bit of a backup: exit code 0 if it can be restored, otherwise 1',
  args: { backup: 'the file of a backup' },
  options: { ...decryptionOptions, json },
  run: async ({ args, options }) => {
    const { manifest, bytes } = await withPlainBackup(args.backup, options, (file) => verifyBackup(file))
    const { made_at, dealbox_version, schema_version, installation_id, rows, parts } = manifest
    const total = Object.values(rows).reduce((sum, count) => sum + count, 0)
    const keys = parts.filter(({ name }) => name.startsWith('keys/')).length
    return {
      json: { file: args.backup, bytes, made_at, dealbox_version, schema_version, installation_id, rows, keys },
      text: `${args.backup} is whole: made at ${made_at} by Dealbox ${dealbox_version} (schema ${schema_version}), with ${total} rows in ${Object.keys(rows).length} tables and ${keys} ${keys === 1 ? 'key' : 'keys'}.`,
    }
  },
})
