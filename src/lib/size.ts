// Sizes of files, as people write and read them.

const KIB = 1024
export const MIB = 1_048_576
export const GIB = 1024 * MIB

/** Such as "1.5 MiB" or "20 KiB". */
export function sizeText(bytes: number): string {
  if (bytes < KIB) return `${bytes} bytes`
  const [count, unit] = bytes < MIB ? [bytes / KIB, 'KiB'] : bytes < GIB ? [bytes / MIB, 'MiB'] : [bytes / GIB, 'GiB']
  return `${Math.round(count * 10) / 10} ${unit}`
}

const UNITS = { K: KIB, M: MIB, G: GIB }

/** Reads a size such as 512K, 36M or 2G, in bytes; undefined if it is none. */
export function parseSize(text: string): number | undefined {
  const [, digits, unit] = /^(\d{1,9})([KMG])$/.exec(text) ?? []
  return digits === undefined ? undefined : Number(digits) * UNITS[unit as keyof typeof UNITS]
}
