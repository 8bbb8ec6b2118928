import { FILES, type File, type Op } from './trace.ts'

// A disk whose power is cut. What was synced is there. Of what was written since, anything may be there: all of it, nothing,
// some of it in any order, and of each write any of its sectors.

const SECTOR = 512

export type Random = () => number
type Pending = Exclude<Op, { type: 'sync' | 'acknowledged' }>

/** The contents of the files; undefined if there is no such file. */
export type State = Record<File, Buffer | undefined>

/** A file that grows in place. */
type Content = { bytes: Buffer; size: number } | undefined

export function disk(start: State) {
  const synced: Record<File, Content> = { 'dealbox.db': contentOf(start['dealbox.db']), 'dealbox.db-wal': undefined }
  const pending: Record<File, Pending[]> = { 'dealbox.db': [], 'dealbox.db-wal': [] }

  function apply(op: Op): void {
    if (op.type === 'acknowledged') return
    if (op.type !== 'sync') return void pending[op.file].push(op)
    for (const each of pending[op.file]) synced[op.file] = changed(synced[op.file], each)
    pending[op.file] = []
  }

  /** A state in which the power can leave the disk now. */
  function cut(random: Random): State {
    const state = {} as State
    for (const file of FILES) {
      const kept = synced[file]
      let content = kept && contentOf(kept.bytes.subarray(0, kept.size))
      const [how, share] = [random(), random()]
      const waiting = pending[file]
      for (const [index, op] of waiting.entries()) {
        if (!isThere(how, share, index / waiting.length, random)) continue
        for (const part of random() < 0.3 ? torn(op, random) : [op]) content = changed(content, part)
      }
      state[file] = content?.bytes.subarray(0, content.size)
    }
    return state
  }

  return { apply, cut }
}

/** Whether a write that was not synced has arrived: all of them, none, those up to one of them, or any. */
function isThere(how: number, share: number, at: number, random: Random): boolean {
  if (how < 0.15) return true
  if (how < 0.3) return false
  return how < 0.6 ? at < share : random() < share
}

/** Some sectors of a write. */
function torn(op: Pending, random: Random): Pending[] {
  if (op.type !== 'write') return [op]
  const parts: Pending[] = []
  for (let at = 0; at < op.data.length; ) {
    const end = Math.min(at + SECTOR - ((op.offset + at) % SECTOR), op.data.length)
    if (random() < 0.5) parts.push({ ...op, offset: op.offset + at, data: op.data.subarray(at, end) })
    at = end
  }
  return parts
}

const contentOf = (bytes: Buffer | undefined): Content =>
  bytes && { bytes: Buffer.concat([bytes, Buffer.alloc(65_536)]), size: bytes.length }

/** Changes the content in place where it can. */
function changed(content: Content, op: Pending): Content {
  if (op.type === 'remove') return undefined
  const { bytes, size } = content ?? { bytes: Buffer.alloc(65_536), size: 0 }
  const end = op.type === 'truncate' ? op.size : Math.max(size, op.offset + op.data.length)
  const roomy = end <= bytes.length ? bytes : Buffer.concat([bytes, Buffer.alloc(end)])
  if (op.type === 'truncate') roomy.fill(0, op.size)
  else op.data.copy(roomy, op.offset)
  return { bytes: roomy, size: end }
}
