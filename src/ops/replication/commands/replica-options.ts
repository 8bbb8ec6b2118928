import { isAbsolute, relative, resolve } from 'node:path'
import { flagOf, type Options, type Values } from '../../../command/config/options.ts'
import { isLocal } from '../../../http/listener/screens-url.ts'
import { usage } from '../../../lib/problem.ts'
import { FILE_OR_RECIPIENT, readEncryption } from '../../backup/commands/backup-places.ts'
import { readSecretFile } from '../../backup/files/secret-file.ts'
import { parseAddress, readKeys } from '../../backup/places/s3/account.ts'
import type { ReplicaStorage } from '../replica/copy.ts'
import { folderCopy } from '../replica/folder.ts'
import { s3Copy } from '../replica/s3.ts'

// Options about the copy that Litestream keeps, for the server that is replicated and for those who follow it.

/** Where the service of systemd needs to know which of the two a value is. */
export const FOLDER_OR_URL = 'DIR|URL'

export const replicaOptions = {
  replica: {
    type: 'string',
    placeholder: FOLDER_OR_URL,
    help: 'where Litestream keeps the replica: a folder, or S3-compatible storage such as https://s3.example.com/BUCKET/FOLDER',
  },
  replicaKeyFile: {
    type: 'string',
    placeholder: 'FILE',
    help: 'its keys: [default], aws_access_key_id = ... and aws_secret_access_key = ... (chmod 600)',
  },
  replicaRegion: { type: 'string', placeholder: 'REGION', default: 'us-east-1', help: 'its region' },
} as const satisfies Options

export const replicatedOptions = {
  replicated: {
    type: 'boolean',
    help: 'leave checkpoints to Litestream, which replicates the database (docs/replication.md)',
  },
  ...replicaOptions,
  replicaEncrypt: {
    type: 'strings',
    placeholder: FILE_OR_RECIPIENT,
    help: 'put the keys and settings beside the replica, encrypted: with the file of a passphrase, or for recipients of age (age1...)',
  },
} as const satisfies Options

/** As they are given; nothing is replicated by default. */
export type ReplicatedOptions = {
  [Name in keyof typeof replicatedOptions]?: Values<typeof replicatedOptions>[Name] | undefined
}

export type ReplicaOptions = Pick<ReplicatedOptions, keyof typeof replicaOptions>

/** Where a copy is, as Litestream has to be told. */
export type ReplicaPlace = { folder: string } | { endpoint: string; bucket: string; path: string; region: string }

/** A copy that can be asked; `place` is undefined for storage that only Litestream reaches, such as SFTP. */
export type Replica = { copy: ReplicaStorage; place: ReplicaPlace }

/** A place in the words of Litestream. */
export function urlOf(place: ReplicaPlace): string {
  if ('folder' in place) return `file://${place.folder}`
  const { endpoint, bucket, path, region } = place
  return `s3://${bucket}/${path}?${new URLSearchParams({ endpoint, region })}`
}

/** Undefined if none is named. Throws a usage Problem. */
export function readReplica(dataDir: string, options: ReplicaOptions): Replica | undefined {
  const { replica, replicaKeyFile } = options
  if (replica === undefined) {
    if (replicaKeyFile !== undefined) throw usage(`${flagOf('replica')} is missing: it says where the replica is.`)
    return undefined
  }
  if (/^https?:\/\//.test(replica)) return readS3({ ...options, replica })
  if (/^[a-z0-9+.-]+:\/\//i.test(replica))
    throw usage(
      `${flagOf('replica')} ${replica} is neither a folder nor a https:// address. Leave it out for storage of other kinds, which Dealbox cannot ask.`,
    )
  const folder = resolve(replica)
  const inside = relative(resolve(dataDir), folder)
  if (!inside.startsWith('..') && !isAbsolute(inside))
    throw usage(`${flagOf('replica')} ${replica} is in the data folder; a replica is on another machine or disk.`)
  return { copy: folderCopy(folder), place: { folder } }
}

function readS3(options: ReplicaOptions & { replica: string }): Replica {
  const { replica, replicaKeyFile, replicaRegion: region = 'us-east-1' } = options
  const flag = flagOf('replica')
  if (replicaKeyFile === undefined)
    throw usage(`${flagOf('replicaKeyFile')} is missing: ${flag} ${replica} needs keys.`)
  if (!/^[a-z0-9-]{1,32}$/.test(region)) throw usage(`${flagOf('replicaRegion')} "${region}" is not a region.`)
  const address = parseAddress(flag, replica)
  if (address.prefix === '')
    throw usage(`${flag} ${replica} needs a folder in the bucket, such as ${replica.replace(/\/$/, '')}/crm.`)
  if (address.endpoint.protocol === 'http:' && !isLocal(replica))
    throw usage(`${flag} ${replica} would send all data in clear text: use https://.`)
  const keys = readKeys(flagOf('replicaKeyFile'), replicaKeyFile)
  if (!/^\s*\[default\]\s*$/m.test(readSecretFile(flagOf('replicaKeyFile'), replicaKeyFile)))
    throw usage(`${flagOf('replicaKeyFile')} ${replicaKeyFile} needs [default] as its first line, for Litestream.`)
  const { endpoint, bucket, prefix } = address
  const place = { endpoint: endpoint.origin, bucket, path: prefix.replace(/\/$/, ''), region }
  return { copy: s3Copy({ ...address, keys, region }), place }
}

/** What a server does for its copy; undefined if it is not replicated. Rejects with a usage Problem. */
export async function readReplicated(dataDir: string, options: ReplicatedOptions) {
  const { replicated = false, replicaEncrypt = [] } = options
  const found = readReplica(dataDir, options)
  const copy = found?.copy
  const encryption = await readEncryption({ backupEncrypt: replicaEncrypt }, 'replicaEncrypt')
  if (!replicated && copy) throw usage(`${flagOf('replica')} needs ${flagOf('replicated')}.`)
  if (encryption && !copy)
    throw usage(`${flagOf('replicaEncrypt')} needs ${flagOf('replica')}: the keys and settings are put there.`)
  return replicated ? { copy, encryption, replicaUrl: found && urlOf(found.place) } : undefined
}
