import { Problem } from '../../lib/problem.ts'
import { sizeText } from '../../lib/size.ts'
import { diskSpace, minFreeOf } from '../../store/folder/disk-space.ts'

/**
 * Throws Problem 503 `storage_full` if the disk of the folder has less space than that, and what a server on the same
 * disk needs to go on writing.
 */
export function requireSpace(folder: string, bytes: number, purpose: string): void {
  const disk = diskSpace(folder)
  const needed = bytes + Math.ceil(minFreeOf(disk) * 1.125) // see `watchSpace`
  if (disk.freeBytes >= needed) return
  throw new Problem(
    503,
    'storage_full',
    `${purpose} needs ${sizeText(needed)} in ${folder}, where ${sizeText(disk.freeBytes)} are free. Free some space, or choose another folder.`,
  )
}
