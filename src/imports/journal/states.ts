import { createHash } from 'node:crypto'
import { timeOfId } from '../../lib/id.ts'
import type { Json } from '../../lib/json.ts'
import type { Database } from '../../store/sqlite/driver.ts'
import type { ImportRow } from './journal.ts'

// Whether a record is as an import left it, though it has another version: a later import, a merge or a member has changed
// it, and that was taken back. The event of each change has the record as it was then.

/** Members that change with each change of a record, or with the time. */
const PASSING: ReadonlySet<string> = new Set([
  'version',
  'updated_at',
  'stage_changed_at',
  'completed_at',
  'is_overdue',
])

/** Between the time of an id and that of its event. */
const MARGIN_MS = 1000
const ALL = Number.MAX_SAFE_INTEGER

type Record = { readonly [member: string]: unknown }

/** The same for two states that differ in nothing else. */
function stateOf(record: Record): string {
  const members = Object.entries(record).filter(([name]) => !PASSING.has(name))
  const inOrder = members.map(([name, value]) => [name, ordered(value as Json)]).toSorted(byName as never)
  return createHash('sha256').update(JSON.stringify(inOrder)).digest('base64')
}

const byName = ([one]: [string], [other]: [string]): number => (one < other ? -1 : 1)

/** Links are sets: what was moved away and back may be in another place. */
function ordered(value: Json): Json {
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value.toSorted()
  return value
}

export function importStates(db: Database) {
  const edge = db.prepare('SELECT at FROM events WHERE org_id = ? AND seq >= ? ORDER BY seq LIMIT 1').pluck()
  const oldest = db.prepare('SELECT seq FROM events WHERE org_id = ? ORDER BY seq LIMIT 1').pluck()
  const newest = db.prepare('SELECT seq FROM events WHERE org_id = ? ORDER BY seq DESC LIMIT 1').pluck()
  const from = db.prepare(
    'SELECT seq, object_id AS id FROM events INDEXED BY events_seq WHERE org_id = ? AND seq >= ? AND seq <= ? ORDER BY seq',
  )
  const object = db.prepare("SELECT data ->> '$.object' FROM events WHERE org_id = ? AND seq = ?").pluck()

  /** The first event from a time on. */
  function seqAt(org: number, ms: number): number {
    let low = (oldest.get(org) ?? 0) as number
    let high = (newest.get(org) ?? 0) as number
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      if (((edge.get(org, middle) as number | undefined) ?? Number.POSITIVE_INFINITY) < ms) low = middle + 1
      else high = middle
    }
    return low
  }

  /**
   * Returns a function that says whether a record is as it was in the version that an import left. Of all events, only those
   * of the import are read, and of a long one those since the records were made.
   */
  return (org: number, { started_at, finished_at }: ImportRow, wanted: ReadonlyMap<string, number>) => {
    const states = new Map<string, string>()
    const eldest = [...wanted.keys()].reduce((least, id) => Math.min(least, timeOfId(id)), Number.POSITIVE_INFINITY)
    const first = wanted.size === 0 ? 0 : seqAt(org, Math.max(started_at, eldest - MARGIN_MS))
    const last = wanted.size === 0 || finished_at === null ? ALL : seqAt(org, finished_at + MARGIN_MS)
    for (const { seq, id } of from.iterate(org, first, last) as IterableIterator<{ seq: number; id: string }>) {
      if (states.size === wanted.size) break
      const version = wanted.get(id)
      if (version === undefined || states.has(id)) continue
      const record = JSON.parse(object.get(org, seq) as string) as Record
      if (record.version === version) states.set(id, stateOf(record))
    }
    return (record: { id: string }): boolean => states.get(record.id) === stateOf(record)
  }
}
