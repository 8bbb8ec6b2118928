import { randomBytes } from 'node:crypto'
import { rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const RESERVE = 'server.reserve'

/** Enough for the write-ahead log of some thousand deletions; of a small disk it is a smaller part. */
const MAX_BYTES = 4 * 1_048_576
const SHARE_OF_DISK = 16

export type Reserve = ReturnType<typeof diskReserve>

/**
 * A file in the data folder that holds disk space for a full disk: SQLite needs room in its log even to delete, and
 * for the index of that log even to read. Deleting the file makes that room.
 */
export function diskReserve(dataDir: string) {
  const file = join(dataDir, RESERVE)

  /** Makes the file where there is space for it and for as much again. Returns whether it is there, in full. */
  function lay(): boolean {
    const { bytes } = space()
    return sizeOf(file) >= bytes || (hasSpace() && fill(bytes))
  }

  function hasSpace(): boolean {
    const { bytes, freeBytes } = space()
    return freeBytes >= 2 * bytes
  }

  /** Makes it of whatever space there is, for the next start. */
  function layWhatFits(): void {
    for (let { bytes } = space(); bytes >= 65_536; bytes /= 2) if (fill(Math.floor(bytes))) return
  }

  function fill(bytes: number): boolean {
    try {
      writeFileSync(file, randomBytes(bytes), { mode: 0o600 }) // zeros take no space where a file system compresses
      return true
    } catch {
      release() // a quota, say, of which the file system shows nothing
      return false
    }
  }

  function release(): void {
    rmSync(file, { force: true })
  }

  /** Whether so little is free that a server could not write for long. */
  function isDiskFull(): boolean {
    const { bytes, freeBytes } = space()
    return freeBytes < bytes / 4
  }

  function space(): { bytes: number; freeBytes: number } {
    const { blocks, bavail, bsize } = statfsSync(dataDir)
    return { bytes: Math.min(MAX_BYTES, Math.floor((blocks * bsize) / SHARE_OF_DISK)), freeBytes: bavail * bsize }
  }

  return { lay, layWhatFits, hasSpace, release, isDiskFull }
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0
