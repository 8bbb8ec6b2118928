import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { Problem } from '../../lib/problem.ts'

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'

/** The properties of a file found by reading all its bytes; `fingerprint` is their SHA-256. */
export type Bytes = { encoding: Encoding; fingerprint: string; bytes: number; start: Buffer }

const CHUNK_BYTES = 1 << 16

/**
 * Reads the file once, in chunks. Excel writes UTF-8 and UTF-16 with a byte order mark, and Windows-1252 otherwise: a
 * file without a mark is UTF-8 if all of it is valid. Throws Problem 404 if the file cannot be read, 422 if it is not
 * text, or UTF-8 with a few broken characters: as Windows-1252 it would be wrong everywhere.
 */
export async function survey(file: string): Promise<Bytes> {
  const sum = createHash('sha256')
  const strict = new TextDecoder('utf-8', { fatal: true })
  let start: Buffer = Buffer.alloc(0)
  let bytes = 0
  let isUtf8 = true
  for await (const chunk of chunksOf(file)) {
    if (bytes === 0) {
      start = chunk
      refuseOtherFiles(file, start)
    }
    bytes += chunk.length
    sum.update(chunk)
    isUtf8 &&= decodes(strict, chunk)
  }
  isUtf8 &&= decodes(strict)
  const encoding = markOf(start) ?? (isUtf8 ? 'utf-8' : 'windows-1252')
  if (encoding === 'windows-1252') await refuseBrokenUtf8(file)
  return { encoding, fingerprint: sum.digest('hex'), bytes, start }
}

/** Yields the text of the file in pieces, without a byte order mark, with \n for every line break. */
export async function* textOf(file: string, encoding: Encoding, onBytes?: (bytes: number) => void) {
  const decoder = new TextDecoder(encoding)
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
  lines(new TextDecoder(encoding).decode(start, { stream: true }))

export async function* chunksOf(file: string): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of createReadStream(file, { highWaterMark: CHUNK_BYTES })) yield chunk
  } catch (error) {
    if (!('syscall' in (error as object))) throw error
    throw new Problem(404, 'cannot_read', `${file} cannot be read: ${(error as Error).message}.`)
  }
}

const lines = (text: string): string => (text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text)

function markOf(start: Buffer): Encoding | undefined {
  const [first, second, third] = start
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return first === 0xef && second === 0xbb && third === 0xbf ? 'utf-8' : undefined
}

function decodes(decoder: TextDecoder, chunk?: Buffer): boolean {
  try {
    decoder.decode(chunk, { stream: chunk !== undefined })
    return true
  } catch {
    return false
  }
}

function refuseOtherFiles(file: string, start: Buffer): void {
  const signature = start.toString('latin1', 0, 4)
  if (signature === 'PK\u0003\u0004' || signature === '\u00d0\u00cf\u0011\u00e0') {
    throw new Problem(
      422,
      'not_text',
      `${file} is a workbook. Save it as CSV (in Excel "CSV UTF-8") and import that file.`,
    )
  }
  if (!markOf(start)?.startsWith('utf-16') && start.includes(0)) {
    throw new Problem(422, 'not_text', `${file} is not a text file. Save it as CSV in UTF-8.`)
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
