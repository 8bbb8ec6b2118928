import { createReadStream, existsSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type Backup, makeBackup } from '../backup/make.ts'
import { backupsFolder, noteBackup } from '../backup/state.ts'
import { verifyBackup } from '../backup/verify.ts'
import { usage } from '../config.ts'
import { Problem } from '../lib/problem.ts'
import { sizeText } from '../lib/size.ts'
import { requireDatabase } from '../store/open.ts'
import { backupDir } from './backup-options.ts'
import { type Answer, command, json } from './command.ts'

const STDOUT = '-'

export const backup = command({
  name: 'backup',
  summary: 'Make a backup of a data folder and check it, even while the server runs',
  options: {
    to: {
      type: 'string',
      placeholder: 'DIR|FILE|-',
      help: 'a folder, a new file, or - for standard output; by default the folder of the nightly backups',
    },
    backupDir,
    json,
  },
  run: ({ options }): Promise<Answer | undefined> | Answer => {
    const { data, to } = options
    requireDatabase(data)
    if (to === STDOUT) return toStandardOutput(data, options.json)
    const began = performance.now()
    const place = to === undefined ? { folder: resolve(options.backupDir ?? backupsFolder(data)) } : placeOf(to)
    const made = makeBackup({ ...place, dataDir: data, reason: 'command', now: Date.now() })
    const duration_ms = Math.round(performance.now() - began)
    const { file, bytes, manifest } = made
    // Of one that is somewhere else nobody knows how long it stays there.
    if (to === undefined)
      noteBackup(data, { last: { made_at: manifest.made_at, file, bytes, duration_ms }, failure: null })
    return {
      json: { file, bytes, made_at: manifest.made_at, schema_version: manifest.schema_version, duration_ms },
      text: `Made ${file} (${sizeText(bytes)}) and checked it.`,
      note: `To restore it: dealbox restore ${file} --data ${data}`,
    }
  },
})

/** A folder, or a file that does not exist, in a folder that does. */
function placeOf(to: string): { folder: string; name?: string } {
  const path = resolve(to)
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return { folder: path }
  const folder = dirname(path)
  if (!existsSync(folder)) throw new Problem(404, 'no_folder', `There is no folder ${folder} for the backup.`)
  return { folder, name: basename(path) }
}

/** It is checked as a file first. */
async function toStandardOutput(dataDir: string, asJson: boolean): Promise<undefined> {
  if (asJson) throw usage('--to - writes the backup to standard output, so --json has no place for its result.')
  if (process.stdout.isTTY)
    throw usage('--to - writes the backup to standard output; redirect it into a file or a program.')
  const folder = backupsFolder(dataDir)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const name = `dealbox.to-stdout-${process.pid}`
  rmSync(join(folder, name), { force: true })
  const { file }: Backup = makeBackup({ dataDir, folder, name, reason: 'command', now: Date.now() })
  try {
    await pipeline(createReadStream(file), process.stdout, { end: false })
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code
    throw new Problem(409, 'output_closed', `The backup could not be written to standard output (${reason}).`)
  } finally {
    rmSync(file, { force: true })
  }
}

export const verify = command({
  name: 'verify',
  summary: 'Check every bit of a backup: exit code 0 if it can be restored, otherwise 1',
  args: { backup: 'the file of a backup' },
  options: { json },
  run: ({ args }) => {
    const { manifest, bytes } = verifyBackup(args.backup)
    const { made_at, dealbox_version, schema_version, installation_id, rows, parts } = manifest
    const total = Object.values(rows).reduce((sum, count) => sum + count, 0)
    const keys = parts.filter(({ name }) => name.startsWith('keys/')).length
    return {
      json: { file: args.backup, bytes, made_at, dealbox_version, schema_version, installation_id, rows, keys },
      text: `${args.backup} is whole: made at ${made_at} by Dealbox ${dealbox_version} (schema ${schema_version}), with ${total} rows in ${Object.keys(rows).length} tables and ${keys} ${keys === 1 ? 'key' : 'keys'}.`,
    }
  },
})
