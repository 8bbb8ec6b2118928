import { BLOCK, headerOf, paddingOf } from '../../src/ops/backup/tar.ts'

/** A file with `bytes`, a link with `link`, else a folder. All belong to root unless an `owner` is named. */
export type Item = { path: string; mode?: number; bytes?: Buffer; link?: string; owner?: number }

/** A file without a mode may be read by everybody, a folder be entered. */
export const modeOf = ({ mode, bytes }: Item): number => mode ?? (bytes ? 0o644 : 0o755)

/** A tar file, in which everything has the same time. */
export function tar(items: readonly Item[], seconds: number): Buffer {
  const parts = items.flatMap((item) => {
    const { bytes = Buffer.alloc(0) } = item
    return [header(item, seconds), bytes, Buffer.alloc(paddingOf(bytes.length))]
  })
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)])
}

function header(item: Item, mtime: number): Buffer {
  const { path, bytes, link, owner = 0 } = item
  const name = bytes || link !== undefined ? path : `${path}/`
  const block = headerOf({ name, mode: link === undefined ? modeOf(item) : 0o777, size: bytes?.length ?? 0, mtime })
  const id = owner.toString(8).padStart(7, '0')
  block.write(id, 108)
  block.write(id, 116)
  block.write(link !== undefined ? '2' : bytes ? '0' : '5', 156)
  if (link !== undefined) block.write(link, 157)
  block.write('        ', 148)
  block.write(
    `${block
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, '0')}\0 `,
    148,
  )
  return block
}

/** The folders above the files, each once, before what is in them. */
export function withFolders(items: readonly Item[]): Item[] {
  const known = new Set(items.filter(({ bytes, link }) => !bytes && link === undefined).map(({ path }) => path))
  const folders = items.flatMap(({ path }) => {
    const names = path.split('/').slice(0, -1)
    return names.map((_, index) => names.slice(0, index + 1).join('/'))
  })
  const made = [...new Set(folders)].filter((path) => path !== '.' && path !== '' && !known.has(path))
  return [...made.map((path) => ({ path })), ...items].toSorted((a, b) => (a.path < b.path ? -1 : 1))
}
