import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { localProblem } from '../../files/full-disk.ts'
import { wholeFile } from '../../files/whole-file.ts'
import { type BackupPlace, copyChanged, copyDiffers, noSuchCopy, requireBackupName } from '../place.ts'
import type { Account } from './account.ts'
import { type ClientOptions, s3Client } from './client.ts'
import { Failed } from './failures.ts'
import { listCopies } from './objects.ts'
import { type Cut, USUAL_CUT } from './parts.ts'
import { abortStale, type Sent, SHA256_HEADER, upload } from './upload.ts'

export type S3Options = ClientOptions & {
  cut?: Cut
  /** The objects of a page of a list; S3 allows 1,000. */
  pageSize?: number
}

/** A bucket of an S3-compatible service, or a folder in it. */
export function s3Place(
  account: Account,
  { cut = USUAL_CUT, pageSize = 1000, ...options }: S3Options = {},
): BackupPlace {
  const client = s3Client(account, options)
  const { name: place } = client
  const { prefix } = account

  async function put(file: string, name: string, signal?: AbortSignal): Promise<void> {
    requireBackupName(name)
    const { size } = await stat(file)
    const key = prefix + name
    // First, since a request without a body gets a clear answer where the keys or the bucket are wrong.
    await abortStale(client, prefix, key, signal)
    const sent = await upload(client, file, size, key, cut, signal)
    if (await hasArrived(key, sent, signal)) return
    await client.askText({ method: 'DELETE', key, signal })
    throw copyDiffers(place, name)
  }

  /** By the size and the ETag. Services that encrypt have other ETags: there the object is read back. */
  async function hasArrived(key: string, { bytes, etag, sha256 }: Sent, signal?: AbortSignal): Promise<boolean> {
    const { headers } = await client.ask({ method: 'HEAD', key, signal }, async (answer) => answer)
    if (Number(headers['content-length']) !== bytes) return false
    if (headers.etag?.replaceAll('"', '') === etag) return true
    const read = await client.ask({ method: 'GET', key, expected: bytes, signal }, async (answer) => {
      const hash = createHash('sha256')
      for await (const chunk of answer as AsyncIterable<Buffer>) hash.update(chunk)
      return hash.digest('hex')
    })
    return read === sha256
  }

  async function get(name: string, toFile: string, signal?: AbortSignal): Promise<void> {
    requireBackupName(name)
    const key = prefix + name
    const { headers } = await client
      .ask({ method: 'HEAD', key, signal }, async (answer) => answer)
      .catch((error) => {
        throw error instanceof Failed && error.status === 404 ? noSuchCopy(place, name) : error
      })
    const expected = Number(headers['content-length'])
    await wholeFile(toFile, async (temporary) => {
      const read = await client.ask({ method: 'GET', key, expected, signal }, (answer) => save(answer, temporary))
      const stored = headers[SHA256_HEADER]
      // An object that somebody has put there otherwise has no hash.
      if (stored !== undefined && stored !== read) throw copyChanged(place, name)
    }).catch((error) => {
      throw localProblem(error, toFile)
    })
  }

  async function remove(name: string, signal?: AbortSignal): Promise<void> {
    requireBackupName(name)
    await client.askText({ method: 'DELETE', key: prefix + name, signal })
  }

  const list = (signal?: AbortSignal) => listCopies(client, prefix, pageSize, signal)
  return { name: place, kind: 's3', put: plain(put), list: plain(list), get: plain(get), remove: plain(remove) }
}

/** Returns the SHA-256. A repeated attempt begins the file anew. */
async function save(answer: IncomingMessage, file: string): Promise<string> {
  const hash = createHash('sha256')
  answer.on('data', (chunk) => hash.update(chunk))
  await pipeline(answer, createWriteStream(file, { flags: 'w', mode: 0o600, flush: true }))
  return hash.digest('hex')
}

/** Callers get the Problem of a failure. */
function plain<A extends unknown[], T>(work: (...args: A) => Promise<T>): (...args: A) => Promise<T> {
  return (...args) =>
    work(...args).catch((error) => {
      throw error instanceof Failed ? error.problem : error
    })
}
