import { decoderOf, encodingNamed } from '../encodings/encodings.ts'

// The lines of a vCard file. They are unfolded before they are decoded, since a fold may split a character.

/** A line without its folds; `isCut`: it is longer than may be held, and `text` is its beginning. */
export type Line = { line: number; text: string; isCut: boolean }

/** The most bytes of a line: pictures are longer, but are not imported. */
export const MAX_LINE = 1 << 20

/** The same before it is decoded. */
export type RawLine = { line: number; bytes: Buffer; isCut: boolean }

/** Yields the lines of a file; `encoding` is that of what is neither UTF-8 nor says what it is. */
export async function* unfolded(chunks: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<Line> {
  for await (const { line, bytes, isCut } of unfoldedBytes(chunks))
    yield { line, text: decoded(bytes, charsetIn(bytes) ?? encoding), isCut }
}

/** The encoding that a line of vCard 2.1 says it has, if it is known: `FN;CHARSET=ISO-8859-2:Jiří`. */
export function charsetIn(line: Buffer): string | undefined {
  const head = line.toString('latin1', 0, Math.min(200, Math.max(0, line.indexOf(0x3a))))
  const [, charset] = /;CHARSET="?([\w-]+)/i.exec(head) ?? []
  return charset && encodingNamed(charset)
}

/** Yields the lines of a file that are not blank, with the number of the first line of each. */
export async function* unfoldedBytes(chunks: AsyncIterable<Buffer>): AsyncGenerator<RawLine> {
  let parts: Buffer[] = []
  let size = 0
  let isCut = false
  let first = 1
  let line = 0

  function* flush(): Generator<RawLine> {
    const bytes = Buffer.concat(parts)
    if (bytes.length > 0) yield { line: first, bytes, isCut }
    parts = []
    size = 0
    isCut = false
  }
  function add(piece: Piece): void {
    const room = MAX_LINE - size
    isCut ||= piece.isCut || piece.bytes.length > room
    if (room > 0) parts.push(piece.bytes.subarray(0, room))
    size += piece.bytes.length
  }

  for await (const piece of pieces(chunks)) {
    line++
    const { bytes } = piece
    const isFolded = bytes[0] === 0x20 || bytes[0] === 0x09
    if (isFolded && parts.length > 0) {
      add({ ...piece, bytes: bytes.subarray(1) })
    } else if (isSoftBreak(parts)) {
      parts.push((parts.pop() as Buffer).subarray(0, -1))
      add(piece)
    } else {
      yield* flush()
      first = line
      if (bytes.length > 0) add(piece)
    }
  }
  yield* flush()
}

/** vCard 2.1 ends a line that continues with an equals sign, if its value is quoted-printable. */
function isSoftBreak(parts: readonly Buffer[]): boolean {
  const last = parts.at(-1)
  if (last?.at(-1) !== 0x3d) return false
  return /^[^:]*;(?:ENCODING=)?QUOTED-PRINTABLE[;:]/i.test((parts[0] as Buffer).toString('latin1', 0, 200))
}

type Piece = { bytes: Buffer; isCut: boolean }

/** Yields what is between the line breaks of a file, at most `MAX_LINE` bytes of each. */
async function* pieces(chunks: AsyncIterable<Buffer>): AsyncGenerator<Piece> {
  let held: Buffer[] = []
  let size = 0
  function piece(): Piece {
    const whole = Buffer.concat(held)
    const bytes = whole.at(-1) === 0x0d ? whole.subarray(0, -1) : whole
    const isCut = size > MAX_LINE
    held = []
    size = 0
    return { bytes, isCut }
  }
  function add(bytes: Buffer): void {
    if (size < MAX_LINE) held.push(bytes.subarray(0, MAX_LINE - size))
    size += bytes.length
  }
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      add(chunk.subarray(start, end))
      yield piece()
      start = end + 1
    }
    if (start < chunk.length) add(chunk.subarray(start))
  }
  if (size > 0) yield piece()
}

const utf8 = new TextDecoder('utf-8', { fatal: true }) // drops a byte order mark

/** UTF-8 even if it says otherwise: no other text looks like it. */
export function decoded(bytes: Uint8Array, encoding: string): string {
  return utf8Of(bytes) ?? decoderOf(encoding).decode(bytes)
}

export function utf8Of(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}
