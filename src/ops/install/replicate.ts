import { join, posix } from 'node:path'
import { command, json } from '../../command/command.ts'
import { flagOf } from '../../command/config/options.ts'
import { caOption } from '../../command/trust.ts'
import { usage } from '../../lib/problem.ts'
import { decryptionOptions, readDecryption } from '../backup/commands/backup-places.ts'
import { type ReplicaPlace, readReplica, replicaOptions } from '../replication/commands/replica-options.ts'
import { folderOfEpoch } from '../replication/epochs.ts'
import { fetchFiles } from '../replication/files.ts'
import { epochOf } from '../replication/followed/promotion.ts'
import { litestreamTexts } from './litestream.ts'
import { DATA, USER } from './unit.ts'

export const replicate = command({
  name: 'replicate',
  summary:
    'Run Litestream as a service beside that of Dealbox, or print its files; fetch keys and settings for a standby',
  options: {
    print: { type: 'boolean', help: 'only print the files of Litestream, also for Docker, and change nothing' },
    fetch: {
      type: 'boolean',
      help: 'write the keys and settings beside the replica into the data folder of a standby',
    },
    user: { type: 'string', placeholder: 'NAME', default: USER, help: 'user of the service, that of Dealbox' },
    ...replicaOptions,
    ...caOption,
    ...decryptionOptions,
    data: { type: 'string', placeholder: 'DIR', default: DATA, help: 'the data folder' },
    json,
  },
  run: async ({ options }) => {
    const { print, user, data } = options
    const found = readReplica(data, options)
    if (!found || options.replica === undefined)
      throw usage(`${flagOf('replica')} is missing: it says where the replica is.`)
    if (options.fetch) {
      const decryption = await readDecryption(options)
      if (!decryption)
        throw usage(
          `${flagOf('backupPassphraseFile')} or ${flagOf('backupIdentityFile')} is missing: the keys and settings are encrypted.`,
        )
      const fetched = await fetchFiles(data, found.copy, decryption)
      return { json: fetched, text: fetchedText(fetched, data) }
    }
    const given = { place: placeOfEpoch(found.place, epochOf(data) ?? 1), user, replica: options.replica }
    const ca = 'folder' in found.place ? undefined : options.ca
    const files = litestreamTexts(data, { ...given, keyFile: options.replicaKeyFile, ca })
    if (print) return { json: { files }, text: Object.entries(files).map(asPrinted).join('\n').trimEnd() }
    if (data !== DATA)
      throw usage(`The data folder of the service is ${DATA}. ${flagOf('print')} shows files for others.`)
    const { checkMachine, installLitestream } = await import('./steps.ts')
    checkMachine('dealbox replicate --print')
    const done = installLitestream(files)
    return { json: { done }, text: done.join('\n') }
  },
})

/** Each primary has a folder of its own, so that Litestream of an old one never writes into the copy of the new one. */
function placeOfEpoch(place: ReplicaPlace, epoch: number): ReplicaPlace {
  const folder = folderOfEpoch(epoch)
  return 'folder' in place ? { folder: join(place.folder, folder) } : { ...place, path: posix.join(place.path, folder) }
}

const asPrinted = ([path, text]: [string, string]): string => `# ${path}\n${text}`

function fetchedText({ written, left }: { written: string[]; left: string[] }, data: string): string {
  const what = written.length === 0 ? 'All files were there already.' : `Wrote ${written.join(', ')} into ${data}.`
  return left.length === 0 ? what : `${what} Left ${left.join(', ')} as it is.`
}
