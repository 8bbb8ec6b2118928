import type { IncomingMessage } from 'node:http'
import type { Caller } from '../lib/caller.ts'
import { Problem } from '../lib/problem.ts'
import { type Answer, SECURITY_HEADERS } from './answer.ts'
import { etag, isUnchanged } from './conditional.ts'
import type { Cursors } from './cursor.ts'
import { readRecordQuery } from './record.ts'
import type { FileRoute, Need } from './route.ts'

type Target = { path: string; query: string; req: IncomingMessage }

/**
 * Types that are data to a browser, which therefore may be sent as what they are; any other is sent as bytes. Although
 * nobody opens a file as a page here, a page that was tricked could load one as a script or a style of its own server, and
 * which types browsers run, render or read as XML is more than a list of those would ever have.
 */
const INERT = new RegExp(
  `^(?:${[
    'text/(?:plain|csv|calendar|vcard|x-vcard|vtt|markdown|rtf)',
    'image/(?:png|jpe?g|gif|webp|avif|heic|heif|bmp|tiff)',
    // Without a plus: whatever ends with +xml is XML.
    '(?:audio|video)/[a-z0-9.-]+',
    'application/(?:pdf|json|zip|gzip|x-gzip|x-7z-compressed|x-rar-compressed|vnd\\.rar|x-tar|rtf|msword|x-subrip)',
    'application/(?:pgp-(?:signature|keys|encrypted)|(?:x-)?pkcs7-(?:mime|signature))',
    'application/vnd\\.(?:ms-(?:excel|powerpoint|word|outlook|project)|openxmlformats-officedocument|oasis\\.opendocument)[a-z0-9.-]*',
  ].join('|')})$`,
  'i',
)

const POLICY = SECURITY_HEADERS.map((value) => (value === "default-src 'none'" ? `${value}; sandbox` : value))

/**
 * Answers with the bytes of a file, whole or one range of them (RFC 9110, section 14). Several ranges are answered with
 * the whole file, as is a range of another version (If-Range). Throws Problem 400 and 416, and any error of the route.
 */
export function answerFile(
  route: FileRoute<Need>,
  who: Caller,
  ids: string[],
  { path, query, req }: Target,
  cursors: Cursors,
): Answer {
  readRecordQuery({}, who.org, path, query, cursors)
  const { name, content_type, size_bytes, sha256, read } = route.find(who, ...ids)
  const headers = ['ETag', etag(sha256), 'Accept-Ranges', 'bytes']
  if (isUnchanged(req.headers['if-none-match'], sha256)) return { status: 304, headers, body: '' }
  headers.push('Content-Disposition', attachmentHeader(name))
  const isRange = req.method === 'GET' && isCurrent(req.headers['if-range'], sha256)
  const range = isRange ? rangeIn(req.headers.range, size_bytes) : undefined
  if (range === 'unsatisfiable') throw unsatisfiable(size_bytes)
  const { start, end } = range ?? { start: 0, end: size_bytes }
  if (range) headers.push('Content-Range', `bytes ${start}-${end - 1}/${size_bytes}`)
  return {
    status: range ? 206 : 200,
    headers,
    security: POLICY,
    type: INERT.test(content_type) ? content_type : 'application/octet-stream',
    body: { bytes: end - start, parts: () => read(start, end) },
  }
}

/** A time in If-Range never matches: files have no Last-Modified. */
const isCurrent = (header: string | string[] | undefined, sha256: string): boolean =>
  header === undefined || header === etag(sha256)

/** Returns the only range; undefined for the whole file, which includes any header that is not a valid range. */
function rangeIn(
  header: string | undefined,
  size: number,
): { start: number; end: number } | 'unsatisfiable' | undefined {
  const [, first, last] = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(header ?? '') ?? []
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined
  if (first === '') {
    if (Number(last) === 0) return 'unsatisfiable'
    return size === 0 ? undefined : { start: Math.max(0, size - Number(last)), end: size }
  }
  if (last !== '' && Number(last) < Number(first)) return undefined
  if (Number(first) >= size) return 'unsatisfiable'
  return { start: Number(first), end: last === '' ? size : Math.min(size, Number(last) + 1) }
}

const unsatisfiable = (size: number) =>
  new Problem(416, 'range_not_satisfiable', `The range begins after the end of the file, which has ${size} bytes.`, {
    headers: { 'Content-Range': `bytes */${size}` },
  })

/** Saved, never shown. The first form is for programs that do not know the second, RFC 8187. */
export function attachmentHeader(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["%\\]/g, '_')
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}
