import { randomBytes } from 'node:crypto'
import { rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { diskSpace } from './disk-space.ts'

export const RESERVE = 'server.reserve'

/** Enough for the write-ahead log of a few thousand deletions; on a small disk it is smaller. */
const MAX_BYTES = 4 * 1_048_576
const SHARE_OF_DISK = 16

export type Reserve = ReturnType<typeof diskReserve>

/**
 * A file in the data folder that reserves space for when the disk is full: SQLite needs space in its log even to
 * delete, and for the index of that log even to read. Deleting the file makes that space.
 */
export function diskReserve(dataDir: string) {
  const file = join(dataDir, RESERVE)

  /** Makes the file if there is space for twice its size. Returns whether it exists in full size. */
  function allocate(): boolean {
    const { bytes } = space()
    return sizeOf(file) >= bytes || (hasSpace() && fill(bytes))
  }

  function hasSpace(): boolean {
    const { bytes, freeBytes } = space()
    return freeBytes >= 2 * bytes
  }

  /** Makes it as large as the free space allows, for the next start. */
  function allocateWhatFits(): void {
    for (let { bytes } = space(); bytes >= 65_536; bytes /= 2) if (fill(Math.floor(bytes))) return
  }

  function fill(bytes: number): boolean {
    try {
      writeFileSync(file, randomBytes(bytes), { mode: 0o600 }) // zeros take no space on a compressing file system
      return true
    } catch {
      release() // for example a quota that the file system does not report
      return false
    }
  }

  function release(): void {
    rmSync(file, { force: true })
  }

  /** Whether there is too little free space to write for long. */
  function isDiskFull(): boolean {
    const { bytes, freeBytes } = space()
    return freeBytes < bytes / 4
  }

  function space(): { bytes: number; freeBytes: number } {
    const { freeBytes, sizeBytes } = diskSpace(dataDir)
    return { bytes: Math.min(MAX_BYTES, Math.floor(sizeBytes / SHARE_OF_DISK)), freeBytes }
  }

  return { allocate, allocateWhatFits, hasSpace, release, isDiskFull }
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0
