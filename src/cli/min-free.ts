import { usage } from '../config.ts'
import { parseSize } from '../lib/size.ts'

/** Reads --min-free, in bytes; 0 for off, and undefined for the default. Throws a usage Problem. */
export function readMinFree(size: string | undefined): number | undefined {
  if (size === undefined) return undefined
  const bytes = size === 'off' ? 0 : parseSize(size)
  if (bytes === undefined) throw usage('--min-free must be a size such as 256M or 1G, or off.')
  return bytes
}
