import type { Author, Overlay } from './record-store.ts'
import type { Fields, Rec } from './types.ts'
import { only, pathsOf, valueAt } from './values.ts'
import type { Write } from './write-storage.ts'

// The writes of one record, in the order in which they were made.

/**
 * Why a write waits for its author's decision. A refused text stays where it was typed; a refused move goes back. What
 * something in front of the server refuses again and again stays as it is, since it may have happened. So may a record
 * that was to be made so long ago that the server no longer knows the key.
 */
export type Parked =
  | { why: 'front'; status: number }
  | { why: 'old' }
  | { why: 'refused'; messages: Record<string, string>; isShown: boolean }
  | { why: 'conflict' }
  | { why: 'deleted' }

/** What the caller waits for: all parts into which the write was split. */
export type Ticket = { parts: number; resolve: (record: Rec | undefined) => void; reject: (error: unknown) => void }

export type Queued = {
  write: Write
  ticket: Ticket
  parked: Parked | undefined
  isSending: boolean
  /** It is in the storage, where another tab may have taken it from; undefined until that is known. */
  isKept: boolean | undefined
  /** No answer came, or the server asked to wait. */
  isWaiting: boolean
  /** Answers in a row that another version is current, and failures in a row. */
  rebases: number
  failures: number
  /** How often in a row something in front of the server refused it, and nothing else. */
  refusals: number
  /** Its author wants it although it is old. */
  isWanted: boolean
}

export type Lane = {
  name: string
  queued: Queued[]
  /** Stops the timer of the next try. */
  stopTimer: (() => void) | undefined
  /** Fields that were saved a moment ago. */
  saved: Set<string>
}

/** Whether the write may have happened, or may still. */
export const isOpen = ({ parked }: Pick<Queued, 'parked'>): boolean =>
  !parked || parked.why === 'front' || parked.why === 'old'

export type FieldState =
  | { state: 'saving' | 'saved' | 'waiting' }
  | { state: 'refused'; message: string; mine: unknown }
  | { state: 'conflict'; mine: unknown; theirs: unknown; by: string | null; at: string }

export const newQueued = (write: Write, ticket: Ticket): Queued => ({
  write,
  ticket,
  parked: undefined,
  isSending: false,
  isKept: undefined,
  isWaiting: false,
  rebases: 0,
  failures: 0,
  refusals: 0,
  isWanted: false,
})

/** Puts the write at the end of the lane of its record; a create has one of its own. */
export function entered(lanes: Map<string, Lane>, write: Write, ticket: Ticket): [Lane, Queued] {
  const { kind, id, key } = write
  const name = id === '' ? `${kind}/new/${key}` : `${kind}/${id}`
  const lane = lanes.get(name) ?? { name, queued: [], stopTimer: undefined, saved: new Set() }
  lanes.set(name, lane)
  const queued = newQueued(write, ticket)
  lane.queued.push(queued)
  return [lane, queued]
}

export const laterThan = ({ queued }: Lane, one: Queued): Queued[] => queued.slice(queued.indexOf(one) + 1)

/** Whether a newer value of its fields takes the place of this one. */
export const isReplaceable = ({ parked, write }: Queued): boolean =>
  parked !== undefined && parked.why !== 'deleted' && write.verb === 'patch'

/** What is laid over the record. In a conflict the record shows what it is now, and the field shows both. */
export function overlaysOf({ queued }: Lane): Overlay[] {
  return queued
    .filter((each) => isOpen(each) || (each.parked?.why === 'refused' && each.parked.isShown))
    .map(({ write }) => ({ key: write.key, fields: write.shown }))
}

/** The newest write of the field, if any. */
export function writeOf(lane: Lane | undefined, path: string): Queued | undefined {
  return lane?.queued.findLast(({ write }) => path in write.seen)
}

export function fieldStateOf(
  lane: Lane | undefined,
  path: string,
  base: Rec | null | undefined,
  author: Author | undefined,
): FieldState | undefined {
  const found = writeOf(lane, path)
  if (!found) return lane?.saved.has(path) ? { state: 'saved' } : undefined
  const { parked, write } = found
  const mine = valueAt(write.shown, path)
  if (parked?.why === 'refused') return { state: 'refused', message: parked.messages[path] ?? '', mine }
  if (parked?.why === 'conflict' && base) {
    const { by, at } = author ?? { by: null, at: String(base.updated_at) }
    return { state: 'conflict', mine, theirs: valueAt(base, path), by, at }
  }
  return { state: found.isWaiting || parked ? 'waiting' : 'saving' }
}

/** The write of this key, which is still to be sent, or may have happened already. */
export function unconfirmed(lanes: ReadonlyMap<string, Lane>, key: string): [Lane, Queued] | undefined {
  for (const lane of lanes.values()) {
    const found = lane.queued.find((each) => each.write.key === key && isOpen(each))
    if (found) return [lane, found]
  }
  return undefined
}

/** Takes fields out of a write; undefined if none are left. */
export function without(write: Write, paths: readonly string[]): Write | undefined {
  const left = Object.keys(write.seen).filter((path) => !paths.includes(path))
  if (left.length === 0) return undefined
  const seen = Object.fromEntries(left.map((path) => [path, write.seen[path]]))
  return { ...write, body: only(write.body, left), shown: only(write.shown, left), seen }
}

/** The values at the time of a change, by path: what its author saw. Fields that were not loaded are not among them. */
export function seenIn(view: Fields | null | undefined, patch: Fields): Fields {
  const seen: Fields = {}
  for (const path of pathsOf(patch)) seen[path] = view ? valueAt(view, path) : undefined
  return seen
}
