// Sizes of files, as people write and read them.

const KIB = 1024
export const MIB = 1_048_576

/** Such as "1.5 MiB" or "20 KiB". */
export function sizeText(bytes: number): string {
  if (bytes < KIB) return `${bytes} bytes`
  const [count, unit] = bytes < MIB ? [bytes / KIB, 'KiB'] : [bytes / MIB, 'MiB']
  return `${Math.round(count * 10) / 10} ${unit}`
}

/** Reads a size such as 36M or 512K, in bytes; undefined if it is none. */
export function parseSize(text: string): number | undefined {
  const [, digits, unit] = /^(\d{1,9})([KM])$/.exec(text) ?? []
  return digits === undefined ? undefined : Number(digits) * (unit === 'M' ? MIB : KIB)
}
