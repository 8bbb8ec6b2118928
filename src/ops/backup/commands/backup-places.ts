import { isAbsolute, relative, resolve } from 'node:path'
import { flagOf, type Options, type Values } from '../../../command/config/options.ts'
import { isLocal } from '../../../http/listener/screens-url.ts'
import { usage } from '../../../lib/problem.ts'
import { checkKeys } from '../encryption/encryption.ts'
import {
  type Decryption,
  type Encryption,
  readIdentities,
  readNewPassphrase,
  readPassphrase,
} from '../encryption/secrets.ts'
import { folderPlace } from '../places/folder.ts'
import type { BackupPlace } from '../places/place.ts'
import { parseAddress, readKeys } from '../places/s3/account.ts'
import { s3Place } from '../places/s3/s3.ts'
import { USUAL_KEEP } from '../retention.ts'

// Options about encrypted backups and second places, for the commands that make, verify and restore backups.

/** Where the service of systemd needs to know which of the two a value is. */
export const FILE_OR_RECIPIENT = 'FILE|age1...'

export const encryptionOptions = {
  backupEncrypt: {
    type: 'strings',
    placeholder: FILE_OR_RECIPIENT,
    help: 'encrypt backups and their copies: the file of a passphrase, or recipients of age (age1...)',
  },
} as const satisfies Options

export const placeOptions = {
  backupCopyTo: {
    type: 'strings',
    placeholder: 'DIR',
    help: 'copy each backup to this folder of another disk, such as a mounted share; may be given several times',
  },
  backupCopyKeep: {
    type: 'string',
    placeholder: 'COUNTS',
    default: USUAL_KEEP,
    help: 'how many copies each place keeps, as --backup-keep',
  },
  backupS3: {
    type: 'string',
    placeholder: 'URL',
    help: 'copy each backup to S3-compatible storage, such as https://s3.example.com/BUCKET/FOLDER',
  },
  backupS3KeyFile: {
    type: 'string',
    placeholder: 'FILE',
    help: 'its keys: aws_access_key_id = ... and aws_secret_access_key = ... (chmod 600)',
  },
  backupS3Region: { type: 'string', placeholder: 'REGION', default: 'us-east-1', help: 'its region' },
} as const satisfies Options

export const decryptionOptions = {
  backupPassphraseFile: {
    type: 'string',
    placeholder: 'FILE',
    help: 'the file of the passphrase, for a backup that is encrypted with one',
  },
  backupIdentityFile: {
    type: 'string',
    placeholder: 'FILE',
    help: 'the identity of age (AGE-SECRET-KEY-1...), for a backup that is encrypted for a recipient',
  },
} as const satisfies Options

/** Undefined if backups are not to be encrypted. Rejects with a usage Problem. */
export async function readEncryption(
  { backupEncrypt: given }: Values<typeof encryptionOptions>,
  option: string = 'backupEncrypt',
): Promise<Encryption | undefined> {
  const [first, ...others] = given
  if (first === undefined) return undefined
  const flag = flagOf(option)
  if (!given.every((each) => each.startsWith('age1'))) {
    if (others.length > 0) throw usage(`${flag} takes one file of a passphrase, or recipients (age1...), not both.`)
    return readNewPassphrase(flag, first)
  }
  const encryption = { recipients: given }
  await checkKeys(flag, { encryption })
  return encryption
}

/** Undefined if no option is given. Rejects with a usage Problem. */
export async function readDecryption({
  backupPassphraseFile,
  backupIdentityFile,
}: Values<typeof decryptionOptions>): Promise<Decryption | undefined> {
  if (backupPassphraseFile === undefined && backupIdentityFile === undefined) return undefined
  const [passphrase, identity] = [flagOf('backupPassphraseFile'), flagOf('backupIdentityFile')]
  if (backupIdentityFile === undefined) return readPassphrase(passphrase, backupPassphraseFile as string)
  if (backupPassphraseFile !== undefined) throw usage(`Only one of ${passphrase} and ${identity} can be given.`)
  const decryption = readIdentities(identity, backupIdentityFile)
  await checkKeys(`${identity} ${backupIdentityFile}`, { decryption })
  return decryption
}

/** The second places of the backups of a data folder. `isEncrypted` is whether they are. Throws a usage Problem. */
export function readPlaces(
  options: Values<typeof placeOptions>,
  { dataDir, isEncrypted }: { dataDir: string; isEncrypted: boolean },
): BackupPlace[] {
  const folders = options.backupCopyTo.map((folder) => {
    const path = relative(resolve(dataDir), resolve(folder))
    if (!path.startsWith('..') && !isAbsolute(path))
      throw usage(`${flagOf('backupCopyTo')} ${folder} is in the data folder; a second place is on another disk.`)
    return folderPlace({ folder, dataDir })
  })
  return [...folders, ...readS3(options, isEncrypted)]
}

function readS3(options: Values<typeof placeOptions>, isEncrypted: boolean): BackupPlace[] {
  const { backupS3, backupS3KeyFile, backupS3Region: region } = options
  const flag = flagOf('backupS3')
  if (backupS3 === undefined) {
    if (backupS3KeyFile !== undefined) throw usage(`${flag} is missing: it says where to copy the backups to.`)
    return []
  }
  if (backupS3KeyFile === undefined) throw usage(`${flagOf('backupS3KeyFile')} is missing: ${flag} needs keys.`)
  if (!/^[a-z0-9-]{1,32}$/.test(region)) throw usage(`${flagOf('backupS3Region')} "${region}" is not a region.`)
  const address = parseAddress(flag, backupS3)
  if (address.endpoint.protocol === 'http:' && !isLocal(backupS3) && !isEncrypted)
    throw usage(
      `${flag} ${backupS3} would send all data and keys in clear text: use https://, or ${flagOf('backupEncrypt')}.`,
    )
  const keys = readKeys(flagOf('backupS3KeyFile'), backupS3KeyFile)
  return [s3Place({ ...address, keys, region })]
}
