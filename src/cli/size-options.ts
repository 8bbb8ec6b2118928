import { usage } from '../config.ts'
import { MIB, parseSize } from '../lib/size.ts'

// Options that are sizes, such as 36M. What reads them throws a usage Problem.

export const minFree = {
  type: 'string',
  placeholder: 'SIZE',
  help: 'below this much free space on the disk of the data folder little but deletions is written, such as 1G, or off (default 256M, or a sixteenth of a smaller disk)',
} as const

/** In bytes; 0 for off, and undefined for the default. */
export function readMinFree(size: string | undefined): number | undefined {
  if (size === undefined) return undefined
  const bytes = size === 'off' ? 0 : parseSize(size)
  if (bytes === undefined) throw usage('--min-free must be a size such as 256M or 1G, or off.')
  return bytes
}

export const maxAttachments = {
  type: 'string',
  placeholder: 'SIZE',
  default: '36M',
  help: 'how large the files of a received mail may be together, from 1M to 100M; larger ones are left out',
} as const

/** In bytes. */
export function readMaxAttachments(size: string | undefined): number | undefined {
  const bytes = size === undefined ? undefined : (parseSize(size) ?? 0)
  if (bytes !== undefined && (bytes < MIB || bytes > 100 * MIB))
    throw usage('--max-attachments must be a size from 1M to 100M, such as 36M.')
  return bytes
}
