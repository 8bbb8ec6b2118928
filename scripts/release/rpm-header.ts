// Headers of rpm packages: a list of tags, each with a type, and their values behind it.

const TYPES = { int16: 3, int32: 4, string: 6, bytes: 7, strings: 8, texts: 9 } as const

/** `texts` are those for people, of which there could be translations. */
export type Value =
  | { int16: readonly number[] }
  | { int32: readonly number[] }
  | { string: string }
  | { strings: readonly string[] }
  | { texts: readonly string[] }

const MAGIC = Buffer.from([0x8e, 0xad, 0xe8, 0x01, 0, 0, 0, 0])

/** `region` is the tag that says what of the header is the package itself: all of it, for one that was just made. */
export function rpmHeader(region: number, values: Record<number, Value>): Buffer {
  const sorted = Object.entries(values).map(([tag, value]) => [Number(tag), value] as const)
  const index: number[][] = []
  let data = Buffer.alloc(0)
  for (const [tag, value] of sorted) {
    const { type, count, bytes, unit } = encoded(value)
    data = Buffer.concat([data, Buffer.alloc((unit - (data.length % unit)) % unit)])
    index.push([tag, type, data.length, count])
    data = Buffer.concat([data, bytes])
  }
  index.unshift([region, TYPES.bytes, data.length, 16])
  const trailer = numbers([region, TYPES.bytes, -16 * index.length, 16])
  const all = Buffer.concat([data, trailer])
  return Buffer.concat([MAGIC, numbers([index.length, all.length]), ...index.map(numbers), all])
}

function encoded(value: Value): { type: number; count: number; bytes: Buffer; unit: number } {
  if ('int16' in value) {
    const bytes = Buffer.alloc(2 * value.int16.length)
    for (const [index, each] of value.int16.entries()) bytes.writeUInt16BE(each, 2 * index)
    return { type: TYPES.int16, count: value.int16.length, bytes, unit: 2 }
  }
  if ('int32' in value) return { type: TYPES.int32, count: value.int32.length, bytes: numbers(value.int32), unit: 4 }
  if ('string' in value) return { type: TYPES.string, count: 1, bytes: Buffer.from(`${value.string}\0`), unit: 1 }
  const [type, all] = 'strings' in value ? [TYPES.strings, value.strings] : [TYPES.texts, value.texts]
  return { type, count: all.length, bytes: Buffer.from(all.map((each) => `${each}\0`).join('')), unit: 1 }
}

function numbers(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length)
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value >>> 0, 4 * index)
  return bytes
}
