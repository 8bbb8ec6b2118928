import { closeSync, fstatSync, openSync, readSync, type Stats } from 'node:fs'
import { usage } from '../problem.ts'

const MAX_BYTES = 65_536

/**
 * Reads a file of at most 64 KiB, which may also be a pipe. Returns undefined if it is `optional` and not there. Throws a
 * usage Problem that names the file.
 */
export function readSmallFile(path: string, what: string, { optional = false } = {}) {
  let descriptor: number | undefined
  try {
    descriptor = openSync(path, 'r')
    const stats = fstatSync(descriptor)
    return { bytes: readAll(descriptor, path), stats }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'usage') throw error
    if (optional && (code === 'ENOENT' || code === 'ENOTDIR')) return undefined
    throw usage(`${what} ${path} cannot be read (${code}).`)
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

function readAll(descriptor: number, path: string): Buffer {
  const buffer = Buffer.alloc(MAX_BYTES + 1)
  let length = 0
  for (;;) {
    const read = readSync(descriptor, buffer, length, buffer.length - length, null)
    length += read
    if (length > MAX_BYTES) throw usage(`${path} is larger than 64 KiB.`)
    if (read === 0) return buffer.subarray(0, length)
  }
}

const isPosix = process.platform !== 'win32'

/** Whether accounts other than that of the owner may change the file. */
export const othersMayWrite = ({ mode }: Stats): boolean => isPosix && (mode & 0o022) !== 0

/** Whether accounts other than that of the owner may read the file. */
export const othersMayRead = ({ mode }: Stats): boolean => isPosix && (mode & 0o044) !== 0
