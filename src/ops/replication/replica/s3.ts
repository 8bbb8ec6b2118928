import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { Problem } from '../../../lib/problem.ts'
import { SECOND_MS } from '../../../lib/time.ts'
import type { Account } from '../../backup/places/s3/account.ts'
import { type ClientOptions, s3Client } from '../../backup/places/s3/client.ts'
import { Failed, type Naming } from '../../backup/places/s3/failures.ts'
import { listObjects } from '../../backup/places/s3/objects.ts'
import { textOf } from '../../backup/places/s3/xml.ts'
import { OWN_FOLDER, type ReplicaStorage } from './copy.ts'

/** Longer answers are not waited for: the next question follows soon. */
const PATIENCE_MS = 20 * SECOND_MS
/** There is one more attempt, at once. */
const PAUSES_MS = [SECOND_MS / 2]
const PAGE = 1000
/** What S3 says to the second of two who make the same object. */
const EXISTS = [409, 412]

const OF_OPTIONS: Naming = { region: (region) => `--replica-region ${region}` }

/** A folder in a bucket of S3-compatible storage. */
export function s3Copy(account: Account, options: ClientOptions = {}): ReplicaStorage {
  const client = s3Client(account, { idle_ms: PATIENCE_MS, pauses_ms: PAUSES_MS, naming: OF_OPTIONS, ...options })
  const { name } = client
  const levelOf = (level: number) => `${account.prefix}${level.toString(16).padStart(4, '0')}/`
  const own = `${account.prefix}${OWN_FOLDER}/`

  async function within<T>(signal: AbortSignal | undefined, work: (cut: AbortSignal) => Promise<T>): Promise<T> {
    const late = AbortSignal.timeout(PATIENCE_MS)
    try {
      return await work(signal ? AbortSignal.any([signal, late]) : late)
    } catch (error) {
      signal?.throwIfAborted()
      if (late.aborted) throw new Problem(502, 'place_failed', `${name} does not answer.`)
      throw error instanceof Failed ? error.problem : error
    }
  }

  async function namesBelow(start: string, signal: AbortSignal): Promise<string[]> {
    const objects = await listObjects(client, start, PAGE, signal)
    return objects.map((object) => (textOf(object, 'Key') ?? '').slice(start.length))
  }

  /** The bytes of an object; undefined if there is none. */
  async function read(key: string, headers: Record<string, string>, signal: AbortSignal): Promise<Buffer | undefined> {
    try {
      return await client.ask({ method: 'GET', key, headers, signal }, bytesOf)
    } catch (error) {
      if (error instanceof Failed && error.status === 404 && error.code !== 'NoSuchBucket') return undefined
      throw error
    }
  }

  async function write(key: string, content: Buffer, headers: Record<string, string>, signal: AbortSignal) {
    const body = { text: content, bytes: content.length, sha256: hash('sha256', content) }
    await client.askText({ method: 'PUT', key, headers, body, signal })
  }

  async function createOnce(key: string, content: Buffer, signal: AbortSignal): Promise<boolean> {
    try {
      await write(key, content, { 'if-none-match': '*' }, signal)
      return true
    } catch (error) {
      if (!(error instanceof Failed) || !EXISTS.includes(error.status)) throw error
      // It may be our own, of an attempt whose answer was lost.
      return (await read(key, {}, signal))?.equals(content) === true
    }
  }

  function below(folder: string): ReplicaStorage {
    const { name, files, start, putFile } = s3Copy({ ...account, prefix: `${account.prefix}${folder}/` }, options)
    return { ...copy, name, files, start, putFile }
  }

  const copy: ReplicaStorage = {
    name,
    below,
    files: (level, signal) => within(signal, (cut) => namesBelow(levelOf(level), cut)),
    start: (level, file, bytes, signal) =>
      within(signal, (cut) => read(levelOf(level) + file, { range: `bytes=0-${bytes - 1}` }, cut)),
    putFile: (level, file, content, signal) => within(signal, (cut) => write(levelOf(level) + file, content, {}, cut)),
    own: (signal) => within(signal, (cut) => namesBelow(own, cut)),
    get: (file, signal) => within(signal, (cut) => read(own + file, {}, cut)),
    put: (file, content, signal) => within(signal, (cut) => write(own + file, content, {}, cut)),
    create: (file, content, signal) => within(signal, (cut) => createOnce(own + file, content, cut)),
  }
  return copy
}

/** More than any file of ours has. */
const MOST_BYTES = 16 * 1024 * 1024

async function bytesOf(answer: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MOST_BYTES)
      throw new Problem(502, 'place_failed', 'An object beside the copy is larger than any of Dealbox.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
