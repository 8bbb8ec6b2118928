import { type Head, rawField, readHead } from './head.ts'
import { readStructured, type Structured } from './params.ts'

// Splits a mail into parts (RFC 2046). Not done by the library: it processes each line separately, which takes 48
// seconds and gigabytes for 25 MiB of text in short lines, and it drops the raw bytes needed to detect a charset.

/** A container of parts: `kind` is the subtype, such as "alternative". */
export type Multipart = { kind: string; parent: Multipart | null; structured: Structured }

/** A part without subparts. Its body lies between `start` and `end` in the source; `isLast` if nothing follows it. */
export type Leaf = {
  head: Head
  type: string
  contentType: Structured
  disposition: Structured
  start: number
  end: number
  isLast: boolean
  parent: Multipart | null
}

export type Mime = { head: Head; root: Multipart | null; leaves: Leaf[]; isCut: boolean }

const DASH = 0x2d
export const MAX_LEAVES = 2000
const MAX_DEPTH = 200
/** RFC 2046 allows boundaries of 70 characters. */
const MAX_DELIMITER = 1000

type Open = { multipart: Multipart; boundary: string; shadowed: number | undefined }

/** Scans the source once: a line that begins with two dashes may delimit any of the open multiparts. */
export function splitMime(source: Buffer): Mime {
  const open: Open[] = []
  const levels = new Map<string, number>()
  const initials = new Uint8Array(256)
  const leaves: Leaf[] = []
  let isCut = false
  /**
   * The part that the current lines belong to: a leaf, or the preamble of a multipart; undefined if they are ignored.
   */
  let current: { leaf: Leaf; multipart: Multipart | null } | undefined

  function levelOf(line: string): { level: number; closes: boolean } | undefined {
    const level = levels.get(line.slice(2))
    if (level !== undefined) return { level, closes: false }
    const closed = line.endsWith('--') ? levels.get(line.slice(2, -2)) : undefined
    return closed === undefined ? undefined : { level: closed, closes: true }
  }
  const lineOf = (at: number, end: number) => source.toString('latin1', at, Math.min(end, at + MAX_DELIMITER)).trimEnd()
  const isDelimiter = (at: number): boolean => {
    const found = source.indexOf(0x0a, at)
    return source[at + 1] === DASH && levelOf(lineOf(at, found < 0 ? source.length : found)) !== undefined
  }

  function begin(at: number): Head {
    const head = readHead(source, at, isDelimiter)
    const parent = open.at(-1)?.multipart ?? null
    const contentType = readStructured(rawField(head, 'content-type') ?? '')
    const kind = /^multipart\/(.{1,100})$/.exec(contentType.value)?.[1]
    const boundary = kind && (contentType.params.get('boundary')?.trimEnd() || boundaryIn(source, head.bodyAt))
    const isMultipart = Boolean(boundary) && open.length < MAX_DEPTH
    const multipart = isMultipart ? { kind: kind as string, parent, structured: contentType } : null
    current = { leaf: leafOf(head, contentType, parent, source.length), multipart }
    if (multipart) {
      open.push({ multipart, boundary: boundary as string, shadowed: levels.get(boundary as string) })
      levels.set(boundary as string, open.length - 1)
      initials[(boundary as string).charCodeAt(0)] = 1
    }
    return head
  }
  function end(at: number, isOwnPart: boolean): void {
    // The preamble only says that this is a mail with parts. If there are no parts, it is the whole content.
    if (!current || (current.multipart && isOwnPart)) return
    const { leaf, multipart } = current
    leaf.end = Math.max(at, leaf.start)
    leaf.isLast = leaf.end === source.length
    if (multipart) leaf.type = 'text/plain'
    leaves.push(leaf)
  }
  function close(level: number): void {
    while (open.length > level) {
      const { boundary, shadowed } = open.pop() as Open
      if (shadowed === undefined) levels.delete(boundary)
      else levels.set(boundary, shadowed)
    }
  }

  const head = begin(0)
  const root = open[0]?.multipart ?? null
  let at = head.bodyAt
  while (open.length > 0 && at < source.length) {
    if (source[at] !== DASH || source[at + 1] !== DASH) {
      const found = source.indexOf('\n--', at)
      if (found < 0) break
      at = found + 1
    }
    // The byte after the dashes rules out most lines that are not delimiters.
    if (!initials[source[at + 2] ?? 0]) {
      at += 2
      continue
    }
    const found = source.indexOf(0x0a, at)
    const next = found < 0 ? source.length : found + 1
    const delimiter = levelOf(lineOf(at, next))
    if (delimiter) {
      const { level, closes } = delimiter
      end(endBefore(source, at), current?.multipart === open[level]?.multipart)
      current = undefined
      isCut = leaves.length >= MAX_LEAVES
      if (isCut) break
      close(closes ? level : level + 1)
      at = closes ? next : begin(next).bodyAt
    } else at = next
  }
  end(source.length, false)
  return { head, root, leaves, isCut }
}

/** The line break before a delimiter is part of the delimiter. */
function endBefore(source: Buffer, at: number): number {
  let end = at
  if (source[end - 1] === 0x0a) end--
  if (source[end - 1] === 0x0d) end--
  return end
}

/** Guesses a boundary that the headers do not name: the first line of the body, if it looks like a delimiter. */
function boundaryIn(source: Buffer, bodyAt: number): string | undefined {
  const [, boundary] = /^\s{0,20}--(\S[^\r\n]{0,69})\r*\n/.exec(source.toString('latin1', bodyAt, bodyAt + 200)) ?? []
  return boundary?.trimEnd()
}

function leafOf(head: Head, contentType: Structured, parent: Multipart | null, end: number): Leaf {
  const disposition = readStructured(rawField(head, 'content-disposition') ?? '')
  const start = head.bodyAt
  const type = typeOf(contentType, disposition, parent)
  return { head, type, contentType, disposition, start, end, isLast: true, parent }
}

function typeOf({ value, params }: Structured, disposition: Structured, parent: Multipart | null): string {
  if (/^[a-z0-9!#$&^_.+-]{1,63}\/[a-z0-9!#$&^_.+-]{1,63}$/.test(value)) return value
  if (value === 'text' || value === 'plain') return 'text/plain'
  if (value === 'html') return 'text/html'
  const isFile = disposition.value === 'attachment' || disposition.params.has('filename') || params.has('name')
  if (isFile || value !== '') return isFile ? 'application/octet-stream' : 'text/plain'
  return parent?.kind === 'digest' ? 'message/rfc822' : 'text/plain'
}

/** Returns the decoded bytes of a part, from at most `maxRaw` bytes of the source. */
export function bodyOf(source: Buffer, leaf: Leaf, maxRaw = Number.POSITIVE_INFINITY): Buffer {
  const raw = source.subarray(leaf.start, Math.min(leaf.end, leaf.start + maxRaw))
  const encoding = encodingOf(leaf)
  if (encoding === 'base64') return fromBase64(raw)
  if (encoding === 'quoted-printable') return fromQuotedPrintable(raw)
  return raw
}

function encodingOf({ head }: Leaf): string {
  const [encoding = ''] =
    /[a-z0-9-]+/.exec((rawField(head, 'content-transfer-encoding') ?? '').toLowerCase().replace(/\([^()]*\)/g, '')) ??
    []
  return encoding
}

/** About how many bytes a part has, without decoding it: 57 in a line of 76 characters of base64 and its end. */
export const decodedSize = (leaf: Leaf): number =>
  Math.round((leaf.end - leaf.start) * (encodingOf(leaf) === 'base64' ? 57 / 78 : 1))

/** Decodes base64. Some programs pad each line: decoding restarts after the padding. */
function fromBase64(raw: Buffer): Buffer {
  const padding = raw.indexOf(0x3d)
  const hasMore = padding >= 0 && /[^=\s]/.test(raw.toString('latin1', padding, padding + 1000))
  if (!hasMore) return Buffer.from(raw.toString('latin1'), 'base64')
  const bytes = Buffer.allocUnsafe(raw.length)
  let length = 0
  let bits = 0
  let count = 0
  for (const byte of raw) {
    const value = BASE64[byte] as number
    if (byte === 0x3d) count = 0
    else if (value >= 0) {
      bits = ((bits << 6) | value) & 0x3fff
      count += 6
      if (count < 8) continue
      count -= 8
      bytes[length++] = bits >> count
    }
  }
  return bytes.subarray(0, length)
}

const BASE64 = new Int8Array(256).fill(-1)
for (const [value, sign] of [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].entries())
  BASE64[sign.charCodeAt(0)] = value

/**
 * Decodes quoted-printable. Invalid codes stay unchanged. Trailing spaces are dropped, since they were added in
 * transit.
 */
function fromQuotedPrintable(raw: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(raw.length)
  let length = 0
  let spaces = 0
  for (let at = 0; at < raw.length; at++) {
    const byte = raw[at] as number
    if (byte === 0x3d) {
      const code = hexAt(raw, at + 1)
      const next = code < 0 ? afterSoftBreak(raw, at + 1) : at + 3
      if (next > 0) {
        if (code >= 0) bytes[length++] = code
        spaces = 0
        at = next - 1
        continue
      }
    } else if (byte === 0x20 || byte === 0x09) spaces++
    else if (byte === 0x0a || byte === 0x0d) {
      length -= spaces
      spaces = 0
    } else spaces = 0
    bytes[length++] = byte
  }
  return bytes.subarray(0, length)
}

const hexDigit = (byte: number | undefined): number =>
  byte === undefined
    ? -1
    : byte >= 48 && byte <= 57
      ? byte - 48
      : (byte | 32) >= 97 && (byte | 32) <= 102
        ? (byte | 32) - 87
        : -1

function hexAt(raw: Buffer, at: number): number {
  const high = hexDigit(raw[at])
  const low = hexDigit(raw[at + 1])
  return high < 0 || low < 0 ? -1 : high * 16 + low
}

/** Returns the start of the next line if only spaces follow the "=" on this line, else 0. */
function afterSoftBreak(raw: Buffer, at: number): number {
  let end = at
  while (end - at < 100 && (raw[end] === 0x20 || raw[end] === 0x09 || raw[end] === 0x0d)) end++
  if (end >= raw.length) return raw.length
  return raw[end] === 0x0a ? end + 1 : 0
}
