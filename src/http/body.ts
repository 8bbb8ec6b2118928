import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Json, readJson } from '../lib/json.ts'
import { Problem } from '../lib/problem.ts'

export const MAX_BODY_BYTES = 1_048_576

/** Checks the media type of a JSON body; a PATCH may also call itself a merge patch. Throws Problem 415. */
export function checkMediaType(req: IncomingMessage): void {
  const encoding = req.headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new Problem(415, 'unsupported_encoding', 'Send the body without a content encoding.', {
      headers: { 'Accept-Encoding': 'identity' },
    })
  }
  const type = req.headers['content-type']
  if (type === 'application/json') return
  const [media = '', ...parameters] = (type ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim())
  const known = media === 'application/json' || (media === 'application/merge-patch+json' && req.method === 'PATCH')
  const utf8 = parameters.every((parameter) => /^charset="?utf-8"?$/.test(parameter) || parameter === '')
  if (known && utf8) return
  throw new Problem(415, 'unsupported_media_type', 'Send the body as Content-Type: application/json in UTF-8.', {
    headers:
      req.method === 'PATCH'
        ? { 'Accept-Patch': 'application/json, application/merge-patch+json' }
        : { Accept: 'application/json' },
  })
}

// The rest of the body is not worth reading, so the connection ends here.
const tooLarge = () =>
  new Problem(413, 'body_too_large', `The body is larger than ${MAX_BODY_BYTES} bytes.`, {
    headers: { Connection: 'close' },
  })

/** The body's bytes. Throws Problem 413 past the limit, 400 when the client ends it early. */
export function readBody(req: IncomingMessage, res: ServerResponse): Promise<Buffer> {
  if (Number(req.headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw tooLarge()
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    req.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > MAX_BODY_BYTES) {
        req.removeAllListeners('data')
        reject(tooLarge())
      } else chunks.push(chunk)
    })
    req.on('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)))
    res.on('close', () => {
      if (!req.complete) reject(new Problem(400, 'incomplete_body', 'The connection ended before the body did.'))
    })
  })
}

/** The body as a JSON object. Throws Problem 400. */
export function parseBody(bytes: Buffer): Json {
  const body = readJson(bytes)
  if (body === null || typeof body !== 'object' || Array.isArray(body))
    throw new Problem(400, 'wrong_root', 'The body has to be a JSON object.')
  return body
}
