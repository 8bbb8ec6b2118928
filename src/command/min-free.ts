import { usage } from '../lib/problem.ts'
import { parseSize } from '../lib/size.ts'

/** An option of all that look at the disk. */
export const minFreeOption = {
  type: 'string',
  placeholder: 'SIZE',
  help: 'below this much free space on the disk of the data folder little but deletions is written, such as 1G, or off (default 256M, or a sixteenth of a smaller disk)',
} as const

/** Reads --min-free, in bytes; 0 for off, and undefined for the default. Throws a usage Problem. */
export function readMinFree(size: string | undefined): number | undefined {
  if (size === undefined) return undefined
  const bytes = size === 'off' ? 0 : parseSize(size)
  if (bytes === undefined) throw usage('--min-free must be a size such as 256M or 1G, or off.')
  return bytes
}
