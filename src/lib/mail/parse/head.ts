import { decodeText } from './charset.ts'

// The headers of a mail or of one of its parts: read as bytes (one Latin-1 character each), and decoded on demand.

/** Further fields are skipped. */
const MAX_FIELDS = 20_000
/** Longer fields are cut. */
const MAX_FIELD_CHARS = 65_536

/**
 * `fields` by name in lower case, unfolded, not yet decoded. `trace` has those of TRACED in their order, the topmost
 * first.
 */
export type Head = { fields: Map<string, string[]>; trace: [name: string, value: string][]; bodyAt: number }

/** What servers put on top of a mail: its order is that of the servers. */
const TRACED = new Set(['received', 'authentication-results'])
const MAX_TRACE = 100

/**
 * Reads fields up to an empty line, or up to the line where `isEnd` detects another part. A line that is not a field is
 * skipped if a field follows, and else begins the body.
 */
export function readHead(source: Buffer, start: number, isEnd: (lineAt: number) => boolean = () => false): Head {
  const fields = new Map<string, string[]>()
  const trace: Head['trace'] = []
  let count = 0
  let at = start
  let field: string[] = []
  let length = 0

  function endField(): void {
    if (field.length === 0) return
    const line = field.join('')
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).trimEnd().toLowerCase()
    const value = line
      .slice(colon + 1)
      .replace(/[\0-\u001f]+/g, ' ')
      .trim()
    const same = fields.get(name)
    if (same) same.push(value)
    else fields.set(name, [value])
    if (TRACED.has(name) && trace.length < MAX_TRACE) trace.push([name, value])
    field = []
    length = 0
    count++
  }

  while (at < source.length) {
    const [end, next] = lineAt(source, at)
    if (end === at) {
      endField()
      return { fields, trace, bodyAt: next }
    }
    if (source[at] === DASH && isEnd(at)) break
    const isFolded = source[at] === 0x20 || source[at] === 0x09
    // The rest of a field that is too long is dropped, as are the fields beyond MAX_FIELDS.
    if (isFolded && field.length > 0) {
      if (length < MAX_FIELD_CHARS) {
        const more = source.toString('latin1', at, Math.min(end, at + MAX_FIELD_CHARS - length))
        field.push(more)
        length += more.length
      }
    } else if (!isFolded && isField(source, at, end)) {
      endField()
      if (count < MAX_FIELDS) {
        field = [source.toString('latin1', at, Math.min(end, at + MAX_FIELD_CHARS))]
        length = field[0]!.length
      }
    } else if (count < MAX_FIELDS && !goesOn(source, next)) {
      endField()
      return { fields, trace, bodyAt: at }
    }
    at = next
  }
  endField()
  return { fields, trace, bodyAt: at }
}

const DASH = 0x2d

/** Returns the end of the line, without its line break, and the start of the next one. */
function lineAt(source: Buffer, at: number): [end: number, next: number] {
  const found = source.indexOf(0x0a, at)
  if (found < 0) return [source.length, source.length]
  let end = found
  while (end > at && source[end - 1] === 0x0d) end--
  return [end, found + 1]
}

/** Whether the line begins with a name of printable characters and a colon. */
function isField(source: Buffer, at: number, end: number): boolean {
  const stop = Math.min(end, at + 200)
  for (let index = at; index < stop; index++) {
    const byte = source[index] as number
    if (byte === 0x3a) return index > at
    if (byte === 0x20 || byte === 0x09) {
      const colon = source.subarray(index, stop).findIndex((other) => other !== 0x20 && other !== 0x09)
      return index > at && source[index + colon] === 0x3a && colon > 0
    }
    if (byte < 0x21 || byte > 0x7e) return false
  }
  return false
}

/** Whether the line is a header field: then the malformed line before it is skipped. */
function goesOn(source: Buffer, at: number): boolean {
  if (at >= source.length) return false
  const [end] = lineAt(source, at)
  return end > at && isField(source, at, end)
}

export const rawField = (head: Head, name: string): string | undefined => head.fields.get(name)?.[0]

/**
 * Returns the text of a field without encoded words, such as a list of ids. `charset` is that of the mail, for
 * unlabelled bytes.
 */
export function unlabelled(value: string, charset?: string): string {
  return /[\u0080-\u00ff]|\u001b/.test(value) ? decodeText(Buffer.from(value, 'latin1'), charset) : value
}

const WORD_START = /=\?([^?\s]{1,60})\?([bBqQ])\?/g
/** White space between two encoded words only separates them. */
const WORD_NEXT = /[ \t]+(?==\?[^?\s]{1,60}\?[bBqQ]\?)/y

/**
 * Returns the field as readable text (RFC 2047). An encoded word ends at its mark, or where the field was cut. Adjacent
 * words in the same charset are joined before decoding, since a character may be split between them.
 */
export function decodeField(value: string, charset?: string): string {
  if (!value.includes('=?')) return unlabelled(value, charset)
  let decoded = ''
  let end = 0
  let words: { charset: string; bytes: Buffer[] } | undefined
  const flush = () => {
    if (words) decoded += decodeText(Buffer.concat(words.bytes), words.charset)
    words = undefined
  }
  WORD_START.lastIndex = 0
  for (let match = WORD_START.exec(value); match; match = WORD_START.exec(value)) {
    const label = (match[1] as string).replace(/\*.*$/, '').toLowerCase()
    if (match.index > end || words?.charset !== label) flush()
    decoded += unlabelled(value.slice(end, match.index), charset)
    const mark = value.indexOf('?=', WORD_START.lastIndex)
    const content = value.slice(WORD_START.lastIndex, mark < 0 ? value.length : mark)
    words ??= { charset: label, bytes: [] }
    words.bytes.push(match[2]?.toLowerCase() === 'b' ? Buffer.from(content, 'base64') : quotedBytes(content))
    end = mark < 0 ? value.length : mark + 2
    WORD_NEXT.lastIndex = end
    if (WORD_NEXT.test(value)) end = WORD_NEXT.lastIndex
    WORD_START.lastIndex = end
  }
  flush()
  return decoded + unlabelled(value.slice(end), charset)
}

const quotedBytes = (text: string): Buffer =>
  Buffer.from(
    text
      .replaceAll('_', ' ')
      .replace(/=[ \t]*([0-9a-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  )
