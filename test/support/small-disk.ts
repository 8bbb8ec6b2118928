import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Mounts a separate file system of that many kilobytes; undefined if this process may not mount one. */
export function smallDisk(kilobytes: number) {
  const folder = mkdtempSync(join(tmpdir(), 'dealbox-disk-'))
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${kilobytes}k`, 'tmpfs', folder]).status === 0
  if (!mounted) {
    rmdirSync(folder)
    return undefined
  }
  const filling = join(folder, 'filling')

  /** Fills it, by default to the last byte. */
  function fill(leavingKilobytes = 0): void {
    const descriptor = openSync(filling, 'a')
    try {
      for (const bytes of [65_536, 4096, 1]) {
        try {
          while (leavingKilobytes === 0 || freeKilobytes() > leavingKilobytes)
            writeSync(descriptor, Buffer.alloc(bytes))
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
        }
      }
    } finally {
      closeSync(descriptor)
    }
  }

  function freeKilobytes(): number {
    const { bavail, bsize } = statfsSync(folder)
    return (bavail * bsize) / 1024
  }

  return {
    folder,
    fill,
    free: () => rmSync(filling),
    drop: () => {
      spawnSync('umount', ['-l', folder])
      rmdirSync(folder)
    },
  }
}
