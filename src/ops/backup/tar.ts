// Headers of tar files in the ustar format, as every tar program reads them.

export const BLOCK = 512

export type Entry = {
  name: string
  mode: number
  size: number
  /** Seconds since 1970. */
  mtime: number
}

const MAX_NAME = 100
/** Larger sizes do not fit into eleven octal digits: they are written as a number of twelve bytes, as GNU tar does. */
const MAX_OCTAL = 8 ** 11

/** The header of a file. The rest of its last block is zeros. */
export function headerOf({ name, mode, size, mtime }: Entry): Buffer {
  if (Buffer.byteLength(name) > MAX_NAME) throw new RangeError(`${name} is too long a name for a tar file`)
  const block = Buffer.alloc(BLOCK)
  block.write(name)
  block.write(octal(mode, 7), 100)
  block.write(octal(0, 7), 108)
  block.write(octal(0, 7), 116)
  if (size < MAX_OCTAL) block.write(octal(size, 11), 124)
  else {
    block[124] = 0x80
    block.writeBigUInt64BE(BigInt(size), 128)
  }
  block.write(octal(mtime, 11), 136)
  block.write('        ', 148) // the checksum counts as spaces
  block.write('0', 156)
  block.write('ustar\u000000', 257)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${octal(sum, 6)}\u0000 `, 148)
  return block
}

/** Undefined unless it is a header exactly as `headerOf` writes it. */
export function readHeader(block: Buffer): Entry | undefined {
  const text = (from: number, length: number) =>
    block.toString('latin1', from, from + length).split('\u0000', 1)[0] ?? ''
  const number = (from: number, length: number) => Number.parseInt(text(from, length), 8)
  const entry = {
    name: block.toString('utf8', 0, MAX_NAME).replace(/\0+$/, ''),
    mode: number(100, 8),
    size: block[124] === 0x80 ? Number(block.readBigUInt64BE(128)) : number(124, 12),
    mtime: number(136, 12),
  }
  const isWhole = [entry.mode, entry.size, entry.mtime].every((each) => Number.isSafeInteger(each) && each >= 0)
  return isWhole && Buffer.byteLength(entry.name) <= MAX_NAME && headerOf(entry).equals(block) ? entry : undefined
}

/** The zeros after a file of that size. */
export const paddingOf = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK

const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0')
