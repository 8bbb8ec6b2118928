import { statfsSync } from 'node:fs'
import { Problem } from '../lib/problem.ts'
import { MIB, sizeText } from '../lib/size.ts'

/** Left free for others, such as the log of a server on the same disk. */
const MARGIN = 16 * MIB

/** Throws Problem 503 `storage_full` if the disk of the folder has less space than that, and some for others. */
export function requireSpace(folder: string, bytes: number, purpose: string): void {
  const { bavail, bsize } = statfsSync(folder)
  const free = bavail * bsize
  if (free >= bytes + MARGIN) return
  throw new Problem(
    503,
    'storage_full',
    `${purpose} needs ${sizeText(bytes + MARGIN)} in ${folder}, where ${sizeText(free)} are free. Free some space, or choose another folder.`,
  )
}
