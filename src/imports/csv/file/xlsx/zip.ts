import { Readable } from 'node:stream'
import { createInflateRaw } from 'node:zlib'
import { Problem } from '../../../../lib/problem.ts'

// Reads the files in a ZIP archive, which a workbook of Excel is. Of the format, what spreadsheet programs write: stored
// and deflated files, also in archives with 64-bit sizes.

export type Archive = {
  has: (name: string) => boolean
  /** Yields the content of a file. Throws Problem 422 if it is damaged, or larger than is sensible. */
  read: (name: string) => AsyncGenerator<Buffer>
}

type Entry = { method: number; isSecret: boolean; packed: number; at: number }

const END = 0x06054b50
const END_64_PLACE = 0x07064b50
const END_64 = 0x06064b50
const FILE = 0x02014b50
const LOCAL = 0x04034b50
const IN_64 = 0xffffffff
/** The most bytes that a file may have when it is unpacked. */
const MAX_UNPACKED = 2 ** 30

/** Throws Problem 422 for what is no archive. */
export function openArchive(file: string, bytes: Buffer): Archive {
  const damaged = (): Problem => new Problem(422, 'damaged_workbook', `${file} is damaged: it cannot be unpacked.`)
  const entries = checked(() => entriesOf(bytes))

  function checked<Value>(read: () => Value): Value {
    try {
      return read()
    } catch (error) {
      if (error instanceof Problem) throw error
      throw damaged() // a place beyond the end of the file
    }
  }

  async function* read(name: string): AsyncGenerator<Buffer> {
    const entry = entries.get(name)
    if (!entry) throw damaged()
    const { method, isSecret, packed, at } = entry
    if (isSecret || (method !== 0 && method !== 8))
      throw new Problem(422, 'locked_workbook', `${file} is protected by a password. Save it without one.`)
    const start = checked(() => {
      if (bytes.readUInt32LE(at) !== LOCAL) throw damaged()
      return at + 30 + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28)
    })
    if (start + packed > bytes.length) throw damaged()
    const content = bytes.subarray(start, start + packed)
    if (method === 0) {
      yield content
      return
    }
    let size = 0
    const inflated = Readable.from([content]).pipe(createInflateRaw())
    try {
      for await (const chunk of inflated) {
        size += chunk.length
        if (size > MAX_UNPACKED) throw new Problem(422, 'too_large', `${file} is too large. Save it as CSV.`)
        yield chunk
      }
    } catch (error) {
      if (error instanceof Problem) throw error
      throw damaged()
    } finally {
      inflated.destroy()
    }
  }

  return { has: (name) => entries.has(name), read }
}

function entriesOf(bytes: Buffer): Map<string, Entry> {
  const entries = new Map<string, Entry>()
  let { at, count } = directoryOf(bytes)
  for (; count > 0; count--) {
    if (bytes.readUInt32LE(at) !== FILE) throw new Error('no entry')
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((offset) => bytes.readUInt16LE(at + offset)) as [
      number,
      number,
      number,
    ]
    const name = bytes.toString('utf8', at + 46, at + 46 + nameBytes)
    const extra = bytes.subarray(at + 46 + nameBytes, at + 46 + nameBytes + extraBytes)
    const sizes = [24, 20, 42].map((offset) => bytes.readUInt32LE(at + offset)) as [number, number, number]
    const [, packed, place] = in64(extra, sizes)
    const entry = {
      method: bytes.readUInt16LE(at + 10),
      isSecret: (bytes.readUInt16LE(at + 8) & 1) === 1,
      packed,
      at: place,
    }
    entries.set(name.replaceAll('\\', '/').replace(/^\//, ''), entry)
    at += 46 + nameBytes + extraBytes + commentBytes
  }
  return entries
}

/** Returns where the list of files begins, and how many there are. It is found from the end. */
function directoryOf(bytes: Buffer): { at: number; count: number } {
  const least = Math.max(0, bytes.length - 22 - 0xffff)
  for (let at = bytes.length - 22; at >= least; at--) {
    if (bytes.readUInt32LE(at) !== END) continue
    const found = { at: bytes.readUInt32LE(at + 16), count: bytes.readUInt16LE(at + 10) }
    if (found.at !== IN_64 && found.count !== 0xffff) return found
    if (bytes.readUInt32LE(at - 20) !== END_64_PLACE) throw new Error('no directory')
    const end = Number(bytes.readBigUInt64LE(at - 12))
    if (bytes.readUInt32LE(end) !== END_64) throw new Error('no directory')
    return { at: Number(bytes.readBigUInt64LE(end + 48)), count: Number(bytes.readBigUInt64LE(end + 32)) }
  }
  throw new Error('no directory')
}

/** Replaces sizes that do not fit into 32 bits by those in the extra field, which has them in the same order. */
function in64(extra: Buffer, sizes: readonly [number, number, number]): [number, number, number] {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue
    let next = at + 4
    return sizes.map((size) => {
      if (size !== IN_64) return size
      next += 8
      return Number(extra.readBigUInt64LE(next - 8))
    }) as [number, number, number]
  }
  return [...sizes]
}
