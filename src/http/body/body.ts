import type { IncomingMessage } from 'node:http'
import { type Json, readJson, readText } from '../../lib/json.ts'
import { Problem } from '../../lib/problem.ts'

const JSON_BODY = 'application/json'
/** Its body is not text: uploads.ts reads it. */
export const FORM = 'multipart/form-data'

/**
 * The media type of a body in UTF-8: JSON, which a PATCH may also call a merge patch, or one of `others`. Throws
 * Problem 415. With `anyCharset`, the others may be in another charset.
 */
export function mediaTypeOf(req: IncomingMessage, others: readonly string[] = [], anyCharset = false): string {
  const encoding = req.headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new Problem(415, 'unsupported_encoding', 'Send the body without a Content-Encoding.', {
      headers: { 'Accept-Encoding': 'identity' },
    })
  }
  const type = req.headers['content-type']
  if (type === JSON_BODY) return JSON_BODY
  const [media = '', ...parameters] = (type ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim())
  const utf8 = parameters.every((parameter) => /^charset="?utf-8"?$/.test(parameter) || parameter === '')
  if (utf8 && (media === JSON_BODY || (media === 'application/merge-patch+json' && req.method === 'PATCH')))
    return JSON_BODY
  const isKnown = utf8 || media === FORM || (anyCharset && parameters.every((each) => CHARSET.test(each)))
  if (isKnown && others.includes(media)) return media
  const taken = [JSON_BODY, ...others]
  throw new Problem(
    415,
    'unsupported_media_type',
    `Send the body with Content-Type: ${taken.join(' or ')}, in UTF-8.`,
    {
      headers:
        req.method === 'PATCH'
          ? { 'Accept-Patch': 'application/json, application/merge-patch+json' }
          : { Accept: taken.join(', ') },
    },
  )
}

const CHARSET = /^$|^charset="?([a-z0-9_.:+-]{1,40})"?$/

/** Returns the charset that the Content-Type states. */
export function charsetOf(req: IncomingMessage): string | undefined {
  const [, ...parameters] = (req.headers['content-type'] ?? '').toLowerCase().split(';')
  return parameters.map((each) => CHARSET.exec(each.trim())?.[1]).find((each) => each !== undefined)
}

/** Parses the body as a JSON object. Throws Problem 400. */
export function parseBody(bytes: Buffer, maxItems?: number): Json {
  const body = readJson(bytes, maxItems)
  if (body === null || typeof body !== 'object' || Array.isArray(body))
    throw new Problem(400, 'wrong_root', 'The body must be a JSON object.')
  return body
}

/** Decodes the body as text. Throws Problem 400 if it is empty or not UTF-8. */
export function parseText(bytes: Buffer, decode: (bytes: Buffer) => string = readText): string {
  const text = decode(bytes)
  if (text.trim() === '') throw new Problem(400, 'empty_body', 'The body is empty. Send a JSON object.')
  return text
}
