import { usage } from '../config.ts'
import { MIB, parseSize } from '../lib/size.ts'

/** Reads --max-attachments, in bytes; undefined for the default. Throws a usage Problem. */
export function readMaxAttachments(size: string | undefined): number | undefined {
  const bytes = size === undefined ? undefined : (parseSize(size) ?? 0)
  if (bytes !== undefined && (bytes < MIB || bytes > 100 * MIB))
    throw usage('--max-attachments must be a size from 1M to 100M, such as 36M.')
  return bytes
}
