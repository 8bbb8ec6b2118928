import { createHash } from 'node:crypto'
import { MIB } from '../../../../lib/size.ts'
import { digestsOf, type Range } from '../../files/digest.ts'

/** How a file is cut for an upload. */
export type Cut = {
  /** Larger files are sent in parts. */
  wholeBytes: number
  partBytes: number
}

export const USUAL_CUT: Cut = { wholeBytes: 64 * MIB, partBytes: 16 * MIB }

/** The limit of S3. */
const MAX_PARTS = 10_000

/** The ranges of a file that are sent one by one; a single one is the whole file. */
export function rangesOf(bytes: number, { wholeBytes, partBytes }: Cut): Range[] {
  if (bytes <= wholeBytes) return [{ start: 0, end: bytes }]
  const size = Math.max(partBytes, Math.ceil(bytes / MAX_PARTS / MIB) * MIB)
  const count = Math.ceil(bytes / size)
  return Array.from({ length: count }, (_, part) => ({ start: part * size, end: Math.min((part + 1) * size, bytes) }))
}

export type Digests = { sha256: string; md5: Buffer }

/** The SHA-256 is signed, so that the service refuses anything else; the MD5 is what it answers as the ETag. */
export async function digestRange(file: string, range: Range, signal?: AbortSignal): Promise<Digests> {
  const [sha256, md5] = (await digestsOf(file, range, ['sha256', 'md5'], signal)) as [Buffer, Buffer]
  return { sha256: sha256.toString('hex'), md5 }
}

/** The ETag that most services give an object which was sent in one piece, or in parts. */
export function etagOf(parts: readonly Buffer[], isInParts: boolean): string {
  if (!isInParts) return (parts[0] as Buffer).toString('hex')
  const hash = createHash('md5')
  for (const part of parts) hash.update(part)
  return `${hash.digest('hex')}-${parts.length}`
}
