import { DAY_MS, SECOND_MS } from '../../../../lib/time.ts'
import { type Range, sha256Of } from '../../files/digest.ts'
import { isBackupName, NAME_START } from '../place.ts'
import type { Client } from './client.ts'
import { answerless, Failed } from './failures.ts'
import { type Cut, digestRange, etagOf, rangesOf } from './parts.ts'
import { all, parseXml, textOf } from './xml.ts'

/** Where the SHA-256 of an object is kept, in hexadecimal digits. */
export const SHA256_HEADER = 'x-amz-meta-sha256'

/** Younger uploads may belong to a process that is still sending. */
const STALE_AFTER_MS = DAY_MS
/** A service that is away must not delay the end of the server. */
const ABORT_WITHIN_MS = 10 * SECOND_MS

/** What has to be at the service after an upload. */
export type Sent = { bytes: number; sha256: string; etag: string }

/** Sends a file as an object, in parts if it is large. If it rejects, no parts stay behind as long as the service answers. */
export async function upload(client: Client, file: string, bytes: number, key: string, cut: Cut, signal?: AbortSignal) {
  const ranges = rangesOf(bytes, cut)
  const [whole] = ranges
  if (ranges.length === 1 && whole) return await sendWhole(client, file, whole, key, signal)
  const sha256 = await sha256Of(file, signal)
  const id = await begin(client, key, sha256, signal)
  try {
    const parts: Buffer[] = []
    const etags: string[] = []
    for (const [index, range] of ranges.entries()) {
      const { md5, etag } = await sendPart(client, file, range, { key, id, number: index + 1 }, signal)
      parts.push(md5)
      etags.push(etag)
    }
    await complete(client, key, id, etags, signal)
    return { bytes, sha256, etag: etagOf(parts, true) }
  } catch (error) {
    await abort(client, key, id)
    throw error
  }
}

const TYPE = { 'content-type': 'application/octet-stream' }

async function sendWhole(client: Client, file: string, range: Range, key: string, signal?: AbortSignal): Promise<Sent> {
  const { sha256, md5 } = await digestRange(file, range, signal)
  const bytes = range.end - range.start
  const headers = { ...TYPE, [SHA256_HEADER]: sha256 }
  await client.askText({ method: 'PUT', key, headers, body: { file, range, bytes, sha256 }, signal })
  return { bytes, sha256, etag: etagOf([md5], false) }
}

async function begin(client: Client, key: string, sha256: string, signal?: AbortSignal): Promise<string> {
  const headers = { ...TYPE, [SHA256_HEADER]: sha256 }
  const root = await parseXml(await client.askText({ method: 'POST', key, query: { uploads: '' }, headers, signal }))
  const id = textOf(root, 'InitiateMultipartUploadResult', 'UploadId')
  if (!id) throw answerless(client.name, 'the id of the upload')
  return id
}

type Part = { key: string; id: string; number: number }

async function sendPart(client: Client, file: string, range: Range, { key, id, number }: Part, signal?: AbortSignal) {
  const { sha256, md5 } = await digestRange(file, range, signal)
  const bytes = range.end - range.start
  const query = { partNumber: String(number), uploadId: id }
  const etag = await client.ask(
    { method: 'PUT', key, query, body: { file, range, bytes, sha256 }, signal },
    async (answer) => answer.headers.etag,
  )
  if (!etag) throw answerless(client.name, 'the ETag of a part')
  return { md5, etag }
}

async function complete(client: Client, key: string, id: string, etags: string[], signal?: AbortSignal): Promise<void> {
  const parts = etags.map(
    (etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${escaped(etag)}</ETag></Part>`,
  )
  const text = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`
  try {
    await client.askXml({ method: 'POST', key, query: { uploadId: id }, text, signal })
  } catch (error) {
    // The first attempt may have done it, and only its answer was lost: what is there is compared in any case.
    if (!(error instanceof Failed) || error.code !== 'NoSuchUpload') throw error
  }
}

const escaped = (text: string): string => text.replace(/[&<>]/g, (letter) => `&#${letter.charCodeAt(0)};`)

/** Does what it can: what stays is aborted before a later upload. */
async function abort(client: Client, key: string, id: string): Promise<void> {
  const signal = AbortSignal.timeout(ABORT_WITHIN_MS)
  await client.askText({ method: 'DELETE', key, query: { uploadId: id }, signal }).catch(() => undefined)
}

/**
 * Aborts uploads that were never completed, since their parts cost space: those of this key, and those of other backups
 * that began over a day ago.
 */
export async function abortStale(client: Client, prefix: string, key: string, signal?: AbortSignal): Promise<void> {
  const root = await parseXml(await uploadsText(client, prefix, signal))
  for (const upload of all(root, 'ListMultipartUploadsResult', 'Upload')) {
    const [found = '', id, began = ''] = ['Key', 'UploadId', 'Initiated'].map((name) => textOf(upload, name))
    const isStale = found === key || Date.parse(began) < client.now() - STALE_AFTER_MS
    if (id && isStale && found.startsWith(prefix) && isBackupName(found.slice(prefix.length)))
      await abort(client, found, id)
  }
}

/** Some services have no such list, and some keys may not read it: then nothing can be aborted. */
async function uploadsText(client: Client, prefix: string, signal?: AbortSignal): Promise<string> {
  try {
    const query = { uploads: '', prefix: prefix + NAME_START }
    return await client.askText({ method: 'GET', key: '', query, signal })
  } catch (error) {
    if (error instanceof Failed && (error.code === 'AccessDenied' || [405, 501].includes(error.status))) return ''
    throw error
  }
}
