import { createHash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'
import { conflict, Problem } from '../lib/problem.ts'

// Files of an export. Everything here is synchronous, since it runs inside a transaction.

const CHUNK_BYTES = 1 << 18

/** Size and hash of a file, as stored in the manifest. */
export type Sum = { bytes: number; sha256: string }

/** Writes a file that only its owner can read, and syncs it to disk. */
export function newFile(path: string, fill: (write: (text: string) => void) => void): Sum {
  const file = openSync(path, 'wx', 0o600)
  const sha256 = createHash('sha256')
  let bytes = 0
  let buffered: string[] = []
  let length = 0

  function write(text: string): void {
    buffered.push(text)
    length += text.length
    if (length >= CHUNK_BYTES) flush()
  }

  function flush(): void {
    const chunk = Buffer.from(buffered.join(''))
    buffered = []
    length = 0
    for (let at = 0; at < chunk.length; ) at += writeSync(file, chunk, at)
    sha256.update(chunk)
    bytes += chunk.length
  }

  try {
    fill(write)
    flush()
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  return { bytes, sha256: sha256.digest('hex') }
}

/**
 * Creates a folder that only its owner can read: `fill` writes into a temporary folder next to it, which is renamed at
 * the end, so that an interrupted export never looks complete. Throws Problem 409 if the folder cannot be written or is
 * not empty.
 */
export function newFolder<T>(folder: string, fill: (part: string) => T): T {
  const place = existsSync(folder) ? realpathSync(folder) : resolve(folder)
  let part: string | undefined
  try {
    refuseUnlessEmpty(folder, place)
    mkdirSync(dirname(place), { recursive: true, mode: 0o700 })
    part = mkdtempSync(`${place}.part-`)
    const filled = fill(part)
    if (existsSync(place)) rmdirSync(place)
    renameSync(part, place)
    persist(dirname(place))
    return filled
  } catch (error) {
    if (part) rmSync(part, { recursive: true, force: true })
    throw cannotWrite(error, folder)
  }
}

function refuseUnlessEmpty(folder: string, place: string): void {
  if (!existsSync(place) || readdirSync(place).length === 0) return
  throw conflict('not_empty', `${folder} is not empty. Export to a new or empty folder.`)
}

/** A new name is durable only after its folder is synced. Windows cannot sync a folder. */
function persist(folder: string): void {
  if (process.platform === 'win32') return
  const handle = openSync(folder, 'r')
  fsyncSync(handle)
  closeSync(handle)
}

const REASONS: Record<string, string> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
  EFBIG: 'files may not grow that large there',
  EACCES: 'this user has no permission to write there',
  EPERM: 'this user has no permission to write there',
  EROFS: 'the disk is read-only',
  ENOENT: 'its parent folder cannot be created',
  ENOTDIR: 'it is a file, or in the path of one',
  EEXIST: 'it is a file, or in the path of one',
  EBUSY: 'it is in use; use a folder inside it',
}

/** Returns Problem 409 for a file or folder that cannot be written. */
export function cannotWrite(error: unknown, folder: string): unknown {
  const { code = '', syscall, message } = error as NodeJS.ErrnoException
  if (syscall === undefined) return error
  return new Problem(409, 'cannot_write', `${folder} cannot be written: ${REASONS[code] ?? message}.`)
}

/** Returns Problem 404 for a file that cannot be read. */
export function cannotRead(error: unknown, file: string): unknown {
  const { code, syscall, message } = error as NodeJS.ErrnoException
  if (syscall === undefined) return error
  return new Problem(
    404,
    'cannot_read',
    `${file} cannot be read: ${code === 'ENOENT' ? 'it does not exist' : message}.`,
  )
}

/** Returns the size and the hash of a file. */
export function sumOf(path: string): Sum {
  const sha256 = createHash('sha256')
  let bytes = 0
  for (const chunk of chunksOf(path)) {
    sha256.update(chunk)
    bytes += chunk.length
  }
  return { bytes, sha256: sha256.digest('hex') }
}

/** Yields the lines of a file as bytes; the last one need not end with a line break. */
export function* linesOf(path: string): Generator<Buffer> {
  let buffered: Buffer[] = []
  for (const chunk of chunksOf(path)) {
    let start = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      const line = chunk.subarray(start, end)
      yield buffered.length > 0 ? Buffer.concat([...buffered, line]) : line
      buffered = []
      start = end + 1
    }
    if (start < chunk.length) buffered.push(Buffer.from(chunk.subarray(start)))
  }
  if (buffered.length > 0) yield Buffer.concat(buffered)
}

/** Each chunk is valid until the next one is requested. */
function* chunksOf(path: string): Generator<Buffer> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
  let file: number | undefined
  try {
    file = openSync(path, 'r')
    for (let read = readSync(file, buffer); read > 0; read = readSync(file, buffer)) yield buffer.subarray(0, read)
  } catch (error) {
    throw cannotRead(error, path)
  } finally {
    if (file !== undefined) closeSync(file)
  }
}
