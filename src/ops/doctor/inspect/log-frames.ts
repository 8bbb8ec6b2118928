import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { MIB } from '../../../lib/size.ts'
import { DATABASE } from '../../../store/open.ts'

// SQLite reads a write-ahead log up to the first frame whose checksum is wrong, and takes the rest for what an earlier round
// has left: without a word, also if it was acknowledged. https://www.sqlite.org/fileformat2.html#the_write_ahead_log

const HEADER = 32
const FRAME_HEADER = 24
const MAGIC = 0x377f0682
/** Larger ones are of Litestream, which reads them itself. */
const MOST_BYTES = 256 * MIB

/** What is wrong with the log of a database, in a sentence; undefined if it is whole, or there is none. */
export function logFault(dataDir: string): string | undefined {
  const bytes = read(join(dataDir, `${DATABASE}-wal`))
  if (!bytes || bytes.length < HEADER) return undefined
  const magic = bytes.readUInt32BE(0)
  const pageSize = bytes.readUInt32BE(8)
  const isBig = (magic & 1) === 1
  const start = summed(bytes.subarray(0, 24), [0, 0], isBig)
  const isHeader = (magic & ~1) >>> 0 === MAGIC && isAt(bytes, 24, start) && pageSize >= 512
  if (!isHeader)
    return bytes.some((byte) => byte !== 0)
      ? 'The write-ahead log is not readable from its beginning: what was written since the database was last brought up to date is lost.'
      : undefined
  const lost = transactionsBehindFault(bytes, pageSize, start, isBig)
  if (lost === 0) return undefined
  return `The write-ahead log has a damaged part, and ${lost === 1 ? '1 change' : `${lost} changes`} behind it cannot be read. After a power cut they may be such as nobody got an answer to.`
}

type Sums = [number, number]

/** Transactions of the same round behind the first frame that is not as it was written. */
function transactionsBehindFault(bytes: Buffer, pageSize: number, start: Sums, isBig: boolean): number {
  const size = FRAME_HEADER + pageSize
  const isOfRound = (at: number): boolean => bytes.compare(bytes, 16, 24, at + 8, at + 16) === 0
  let sums = start
  let isBroken = false
  let lost = 0
  for (let at = HEADER; at + size <= bytes.length && isOfRound(at); at += size) {
    if (!isBroken) {
      sums = summed(bytes.subarray(at, at + 8), sums, isBig)
      sums = summed(bytes.subarray(at + FRAME_HEADER, at + size), sums, isBig)
      isBroken = !isAt(bytes, at + 16, sums)
      if (isBroken) continue // the last one may be half written
    }
    if (isBroken && bytes.readUInt32BE(at + 4) !== 0) lost++
  }
  return lost
}

function summed(bytes: Buffer, [one, other]: Sums, isBig: boolean): Sums {
  let a = one
  let b = other
  for (let at = 0; at < bytes.length; at += 8) {
    const [x, y] = isBig
      ? [bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4)]
      : [bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4)]
    a = (a + x + b) >>> 0
    b = (b + y + a) >>> 0
  }
  return [a, b]
}

const isAt = (bytes: Buffer, at: number, [a, b]: Sums): boolean =>
  bytes.readUInt32BE(at) === a && bytes.readUInt32BE(at + 4) === b

/** Undefined if there is none, or it is too large. */
function read(path: string): Buffer | undefined {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  return size === 0 || size > MOST_BYTES ? undefined : readFileSync(path)
}
