import { createHash, type Hash } from 'node:crypto'
import { closeSync, fstatSync, fsyncSync, openSync, readSync } from 'node:fs'
import { steadyWriter } from '../../lib/machine/large-files.ts'
import { MIB } from '../../lib/size.ts'
import { BLOCK, type Entry, headerOf, paddingOf, readHeader } from './tar.ts'

// A backup is a tar file. Its last entry is the hash of all bytes before, and what comes after that is known: no bit of
// the file can change without being noticed.

/** A file to put into the archive: its content, or the path to it. */
export type Part = { name: string; mode: number; size: number; content: Buffer | string }

/** Receives the bytes of an entry, and then undefined. */
export type Sink = (bytes: Buffer | undefined) => void

/** The archive is not whole; the message says why, as the end of a sentence. */
export class DamagedArchive extends Error {}

const HASH = 'sha256'
const HASH_BYTES = 65
const CHUNK = MIB

/** The entry with the hash, and the two empty blocks that end a tar file. */
function ending(hex: string, mtime: number): Buffer {
  const content = Buffer.alloc(BLOCK)
  content.write(`${hex}\n`)
  return Buffer.concat([
    headerOf({ name: HASH, mode: 0o600, size: HASH_BYTES, mtime }),
    content,
    Buffer.alloc(2 * BLOCK),
  ])
}

const ENDING_BYTES = 4 * BLOCK

/** Writes an archive that survives a power cut, readable by its owner only. Returns its size. */
export function writeArchive(path: string, parts: readonly Part[], mtime: number): number {
  const file = openSync(path, 'wx', 0o600)
  const hash = createHash('sha256')
  const write = steadyWriter(file)
  let written = 0

  function put(bytes: Buffer): void {
    write(bytes)
    written += bytes.length
  }

  function putHashed(bytes: Buffer): void {
    hash.update(bytes)
    put(bytes)
  }

  try {
    for (const { name, mode, size, content } of parts) {
      putHashed(headerOf({ name, mode, size, mtime }))
      const end = written + size
      if (typeof content === 'string') eachChunk(content, putHashed)
      else putHashed(content)
      if (written !== end) throw new Error(`${name} has another size than before`)
      putHashed(Buffer.alloc(paddingOf(size)))
    }
    put(ending(hash.digest('hex'), mtime))
    fsyncSync(file)
    return written
  } finally {
    closeSync(file)
  }
}

/** The SHA-256 of a file. */
export function hashOfFile(path: string): string {
  const hash = createHash('sha256')
  eachChunk(path, (bytes) => hash.update(bytes))
  return hash.digest('hex')
}

function eachChunk(path: string, take: (bytes: Buffer) => void): void {
  const file = openSync(path, 'r')
  const chunk = Buffer.allocUnsafe(CHUNK)
  try {
    for (let got = readSync(file, chunk); got > 0; got = readSync(file, chunk)) take(chunk.subarray(0, got))
  } finally {
    closeSync(file)
  }
}

/**
 * Reads an archive from its beginning to its end. `take` is called for each entry, and returns what receives its bytes.
 * Throws DamagedArchive; that a bit is wrong is only known at the end, so nothing may be believed before.
 */
export function readArchive(path: string, take: (entry: Entry) => Sink): { bytes: number } {
  const file = openSync(path, 'r')
  try {
    const { size } = fstatSync(file)
    const reader = readerOf(file, size)
    let mtime = 0
    while (reader.left() > 0) {
      const entry = readHeader(reader.next(BLOCK))
      if (!entry) throw new DamagedArchive('one of its headers is wrong')
      const sink = take(entry)
      for (let left = entry.size; left > 0; left -= Math.min(CHUNK, left)) sink(reader.next(Math.min(CHUNK, left)))
      sink(undefined)
      reader.next(paddingOf(entry.size))
      mtime = entry.mtime
    }
    const { hex, last } = reader.ending()
    if (!last.equals(ending(hex, mtime))) throw new DamagedArchive('its content does not match its checksum')
    return { bytes: size }
  } finally {
    closeSync(file)
  }
}

/** The first entry of an archive, unchecked; undefined if there is none of at most that size. */
export function firstEntry(path: string, maxBytes: number): { entry: Entry; content: Buffer } | undefined {
  const file = openSync(path, 'r')
  try {
    const block = Buffer.alloc(BLOCK)
    readSync(file, block)
    const entry = readHeader(block)
    if (!entry || entry.size > maxBytes) return undefined
    const content = Buffer.alloc(entry.size)
    return readSync(file, content, { position: BLOCK }) === entry.size ? { entry, content } : undefined
  } finally {
    closeSync(file)
  }
}

/** Reads what the hash covers in pieces, and then the ending. */
function readerOf(file: number, size: number) {
  const hash: Hash = createHash('sha256')
  const chunk = Buffer.allocUnsafe(Math.min(CHUNK, size))
  const end = size - ENDING_BYTES
  let at = 0

  function next(length: number): Buffer {
    if (at + length > end) throw new DamagedArchive('it is cut off, or one of its headers is wrong')
    const bytes = readFully(length)
    hash.update(bytes)
    return bytes
  }

  function readFully(length: number): Buffer {
    for (let got = 0; got < length; ) {
      const more = readSync(file, chunk, got, length - got, at + got)
      if (more === 0) throw new DamagedArchive('it became shorter while it was read')
      got += more
    }
    at += length
    return chunk.subarray(0, length)
  }

  if (end < 0) throw new DamagedArchive('it is too short')
  return { next, left: () => end - at, ending: () => ({ hex: hash.digest('hex'), last: readFully(ENDING_BYTES) }) }
}
