import type { Item } from './tar.ts'

export type CpioItem = Item & { bytes: Buffer; inode: number; mode: number }

/** An archive of cpio(1) in the form "newc", which a package of Fedora has. */
export function cpio(items: readonly CpioItem[], seconds: number): Buffer {
  const parts = items.flatMap(({ path, bytes, inode, mode }) =>
    entry(`./${path}`, bytes, [inode, mode, 0, 0, 1, seconds]),
  )
  return Buffer.concat([...parts, ...entry('TRAILER!!!', Buffer.alloc(0), [0, 0, 0, 0, 1, 0])])
}

function entry(name: string, bytes: Buffer, start: number[]): Buffer[] {
  const fields = [...start, bytes.length, 0, 0, 0, 0, Buffer.byteLength(name) + 1, 0]
  const head = `070701${fields.map((field) => field.toString(16).padStart(8, '0')).join('')}${name}\0`
  return [padded(Buffer.from(head)), padded(bytes)]
}

const padded = (bytes: Buffer): Buffer => Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)])
