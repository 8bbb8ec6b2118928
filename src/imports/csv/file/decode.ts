import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { Problem } from '../../../lib/problem.ts'
import { decodedTwice } from './encodings/decoded-twice.ts'
import { decoderOf } from './encodings/encodings.ts'
import { oneOf } from './encodings/one-of.ts'
import { runCollector } from './encodings/runs.ts'

/** The properties of a file found by reading all its bytes; `fingerprint` is their SHA-256. */
export type Bytes = {
  /** A name of the Encoding Standard, or one of `encodings/tables.ts`. */
  encoding: string
  /** Words that show how its letters are read; none if no other encoding fits. */
  sample: readonly string[]
  fingerprint: string
  bytes: number
  start: Buffer
}

export type EncodingOptions = {
  /** As it was set by hand. */
  encoding?: string | undefined
  /** Of the organisation: ISO 3166. */
  country?: string | undefined
}

const CHUNK_BYTES = 1 << 16

/**
 * Reads the file once, in chunks. A byte order mark shows the encoding, and a file without one is UTF-8 if all of it is
 * valid. Of any other, the letters show it. Throws Problem 404 if the file cannot be read, 422 if it is not text, if two
 * encodings fit, or if it is UTF-8 with a few broken characters: in another encoding it would be wrong everywhere.
 */
export async function survey(file: string, { encoding: wanted, country }: EncodingOptions = {}): Promise<Bytes> {
  const sum = createHash('sha256')
  const strict = new TextDecoder('utf-8', { fatal: true })
  const collector = runCollector()
  let start: Buffer = Buffer.alloc(0)
  let bytes = 0
  let isUtf8 = true
  for await (const chunk of chunksOf(file)) {
    if (bytes === 0) {
      start = chunk
      refuseWorkbooks(file, start)
    }
    bytes += chunk.length
    sum.update(chunk)
    collector.add(chunk)
    isUtf8 &&= decodes(strict, chunk)
  }
  isUtf8 &&= decodes(strict)
  const common = { fingerprint: sum.digest('hex'), bytes, start }
  // Rows in the format of the API are UTF-8; one that is not is rejected alone.
  if (isJson(start)) return { ...common, encoding: 'utf-8', sample: [] }
  const shown = wanted ?? markOf(start) ?? utf16Of(file, start) ?? (isUtf8 ? escapedOf(start) : undefined)
  if (shown !== undefined) {
    if (wanted !== undefined) await refuseBroken(file, wanted)
    return { ...common, encoding: shown, sample: wanted === undefined ? [] : collector.words(wanted) }
  }
  if (isUtf8) {
    decodedTwice(file, collector.words('utf-8'))
    return { ...common, encoding: 'utf-8', sample: [] }
  }
  await refuseBrokenUtf8(file)
  const encoding = oneOf(file, collector.runs(), country)
  await refuseBroken(file, encoding)
  return { ...common, encoding, sample: collector.words(encoding) }
}

/** Yields the text of the file in pieces, without a byte order mark, with \n for every line break. */
export async function* textOf(file: string, encoding: string, onBytes?: (bytes: number) => void) {
  const decoder = decoderOf(encoding)
  let carry = ''
  for await (const chunk of chunksOf(file)) {
    const text = carry + decoder.decode(chunk, { stream: true })
    carry = text.endsWith('\r') ? '\r' : '' // a \n may follow in the next chunk
    yield lines(carry ? text.slice(0, -1) : text)
    onBytes?.(chunk.length)
  }
  yield lines(carry + decoder.decode())
}

/** Returns the start of the file, as `textOf` yields it. */
export const textOfStart = ({ encoding, start }: Bytes): string =>
  lines(decoderOf(encoding).decode(start, { stream: true }))

/** The bytes of a file in UTF-8, if it has the mark of another encoding. */
export async function* inUtf8(file: string, mark: string | undefined): AsyncGenerator<Buffer> {
  if (mark?.startsWith('utf-16')) for await (const text of textOf(file, mark)) yield Buffer.from(text)
  else yield* chunksOf(file)
}

export async function* chunksOf(file: string): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of createReadStream(file, { highWaterMark: CHUNK_BYTES })) yield chunk
  } catch (error) {
    if (!('syscall' in (error as object))) throw error
    throw new Problem(404, 'cannot_read', `${file} cannot be read: ${(error as Error).message}.`)
  }
}

const lines = (text: string): string => (text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text)

/** The encoding that the first bytes of a file say. */
export function markOf(start: Buffer): string | undefined {
  const [first, second, third] = start
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return first === 0xef && second === 0xbb && third === 0xbf ? 'utf-8' : undefined
}

/**
 * The order of the bytes of UTF-16 without a mark, in which separators and line breaks have a byte of zero. Throws Problem
 * 422 for a file with such bytes that is no text.
 */
function utf16Of(file: string, start: Buffer): string | undefined {
  if (!start.includes(0)) return undefined
  const even = start.subarray(0, start.length - (start.length % 2))
  const [found] = ['utf-16le', 'utf-16be']
    .map((encoding) => ({ encoding, text: wholeText(encoding, even) }))
    .filter(({ text }) => text !== undefined && /[\n\r]/.test(text) && !/[\0\ufffe\p{Cn}\p{Co}]/u.test(text))
    .map(({ encoding, text = '' }) => ({ encoding, plain: text.match(/[\n\r\x20-\x7e]/g)?.length ?? 0 }))
    .sort((one, other) => other.plain - one.plain)
  if (found) return found.encoding
  throw new Problem(422, 'not_text', `${file} is not a text file. Save it as CSV in UTF-8.`)
}

export const isJson = (start: Buffer): boolean =>
  /^(?:\xef\xbb\xbf)?\s*\[?\s*\{/.test(start.toString('latin1', 0, 1000))

/** Half a character may be at the end. */
function wholeText(encoding: string, bytes: Buffer): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: true })
  } catch {
    return undefined
  }
}

/** Older Japanese mail programs write letters as ASCII, behind a sign for it. */
const escapedOf = (start: Buffer): string | undefined =>
  start.includes('\x1b$B') || start.includes('\x1b$@') ? 'iso-2022-jp' : undefined

function decodes(decoder: TextDecoder, chunk?: Buffer): boolean {
  try {
    decoder.decode(chunk, { stream: chunk !== undefined })
    return true
  } catch {
    return false
  }
}

function refuseWorkbooks(file: string, start: Buffer): void {
  const signature = start.toString('latin1', 0, 4)
  if (signature !== '\u00d0\u00cf\u0011\u00e0') return
  throw new Problem(
    422,
    'not_text',
    `${file} is a workbook of an old Excel. Save it as XLSX or CSV and import that file.`,
  )
}

/** Throws Problem 422 for a file with bytes that the encoding does not have. */
async function refuseBroken(file: string, encoding: string): Promise<void> {
  let line = 1
  for await (const text of textOf(file, encoding)) {
    const at = text.indexOf('\ufffd')
    const isBroken = at >= 0
    line += (isBroken ? text.slice(0, at) : text).split('\n').length - 1
    if (isBroken)
      throw new Problem(
        422,
        'broken_text',
        `${file} is not all ${encoding}: line ${line} has the first invalid character. Save it again, or use another --encoding.`,
      )
  }
}

/**
 * Throws Problem 422 for broken UTF-8: most of its non-ASCII characters are valid UTF-8, while in Windows-1252 text
 * hardly any are.
 */
async function refuseBrokenUtf8(file: string): Promise<void> {
  const decoder = new TextDecoder('utf-8')
  let broken = 0
  let whole = 0
  let line = 1
  let firstLine = 0
  for await (const chunk of chunksOf(file)) {
    const text = decoder.decode(chunk, { stream: true })
    for (const [found] of text.matchAll(/[\n\u0080-\uffff]/g)) {
      if (found === '\n') line++
      else if (found !== '\ufffd') whole++
      else if (broken++ === 0) firstLine = line
    }
  }
  if (whole <= broken) return
  throw new Problem(
    422,
    'broken_text',
    `${file} is UTF-8 with errors: line ${firstLine} has the first invalid character. Save it again as UTF-8.`,
  )
}
