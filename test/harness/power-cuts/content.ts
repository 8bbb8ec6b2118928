// What a power cut leaves of a file: what was synced is there. Of what was written since, anything may be there: all of it,
// nothing, some of it in any order, and of each write any of its sectors.

const SECTOR = 512
const ROOM = 65_536

export type Random = () => number

export type Change =
  | { type: 'write'; offset: number; data: Buffer }
  | { type: 'truncate'; size: number }
  | { type: 'remove' }

/** A file that grows in place; undefined if there is none. */
export type Content = { bytes: Buffer; size: number } | undefined

export const contentOf = (bytes: Buffer | undefined): Content =>
  bytes && { bytes: Buffer.concat([bytes, Buffer.alloc(ROOM)]), size: bytes.length }

/** The bytes that are left, after changes that were not synced. */
export function leftOf(synced: Content, waiting: readonly Change[], random: Random): Buffer | undefined {
  let content = synced && contentOf(synced.bytes.subarray(0, synced.size))
  const isThere = arrivals(waiting.length, random)
  for (const [index, change] of waiting.entries()) {
    if (!isThere(index)) continue
    for (const part of random() < 0.3 ? torn(change, random) : [change]) content = changed(content, part)
  }
  return content?.bytes.subarray(0, content.size)
}

/** Which of so many changes that were not synced have arrived: all of them, none, those up to one of them, or any. */
export function arrivals(count: number, random: Random): (index: number) => boolean {
  const [how, share] = [random(), random()]
  return (index) => {
    if (how < 0.15) return true
    if (how < 0.3) return false
    return how < 0.6 ? index / count < share : random() < share
  }
}

/** Some sectors of a write. */
function torn(change: Change, random: Random): Change[] {
  if (change.type !== 'write') return [change]
  const parts: Change[] = []
  for (let at = 0; at < change.data.length; ) {
    const end = Math.min(at + SECTOR - ((change.offset + at) % SECTOR), change.data.length)
    if (random() < 0.5) parts.push({ ...change, offset: change.offset + at, data: change.data.subarray(at, end) })
    at = end
  }
  return parts
}

/** Changes the content in place where it can. */
export function changed(content: Content, change: Change): Content {
  if (change.type === 'remove') return undefined
  const { bytes, size } = content ?? { bytes: Buffer.alloc(ROOM), size: 0 }
  const end = change.type === 'truncate' ? change.size : Math.max(size, change.offset + change.data.length)
  const roomy = end <= bytes.length ? bytes : Buffer.concat([bytes, Buffer.alloc(end)])
  if (change.type === 'truncate') roomy.fill(0, change.size)
  else change.data.copy(roomy, change.offset)
  return { bytes: roomy, size: end }
}
