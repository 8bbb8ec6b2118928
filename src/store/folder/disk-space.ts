import { statfsSync } from 'node:fs'
import { MIB } from '../../lib/size.ts'

/** The default of --min-free: less on a small disk, which may never have that much free space. */
const USUAL_BYTES = 256 * MIB
const SHARE_OF_DISK = 16
/** Writes resume with an eighth more than that, so that they do not stop and resume with each page. */
const MARGIN = 8
/** How often the operating system is asked: within a second the disk cannot be filled to its last bytes. */
const EVERY_MS = 1000

export type DiskSpace = { freeBytes: number; sizeBytes: number }

/** The disk of a folder. `freeBytes` are those that this user may write. */
export function diskSpace(folder: string): DiskSpace {
  const { blocks, bavail, bsize } = statfsSync(folder)
  return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize }
}

/** How much of a disk has to stay free; undefined is the default. */
export const minFreeOf = ({ sizeBytes }: DiskSpace, given?: number): number =>
  given ?? Math.min(USUAL_BYTES, Math.floor(sizeBytes / SHARE_OF_DISK))

export type SpaceWatch = ReturnType<typeof watchSpace>

type WatchOptions = {
  /** In bytes; 0 does not watch. */
  minFree?: number | undefined
  space?: (folder: string) => DiskSpace
  /** A monotonic clock, in milliseconds. */
  elapsed?: () => number
}

/** Watches whether a disk has less free space than it should: before it is full, everything can still be put in order. */
export function watchSpace(folder: string, options: WatchOptions = {}) {
  const { minFree, space = diskSpace, elapsed = () => performance.now() } = options
  let askedAt = Number.NEGATIVE_INFINITY
  let isLow = false
  let last = { freeBytes: 0, minFreeBytes: 0 }

  function ask(): void {
    try {
      const found = space(folder)
      const least = minFreeOf(found, minFree)
      last = { freeBytes: found.freeBytes, minFreeBytes: least }
      isLow = found.freeBytes < (isLow ? least + least / MARGIN : least)
    } catch {
      // Without an answer the last one holds: if the disk is gone, the database says so.
    }
  }

  return {
    isLow(): boolean {
      if (minFree === 0) return false
      const now = elapsed()
      if (now - askedAt >= EVERY_MS) {
        askedAt = now
        ask()
      }
      return isLow
    },
    /** What was found last. */
    last: (): { freeBytes: number; minFreeBytes: number } => last,
  }
}
