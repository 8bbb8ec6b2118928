import { rfc3339 } from '../../lib/time.ts'
import type { Store } from '../../store/open.ts'
import { hashOf, NO_HASH, type Row } from './entry.ts'
import { COLUMNS } from './log.ts'

/** The chain of an organisation, or of the installation ('' as `org`). */
export type Chain = {
  org: string
  entries: number
  /** Earlier entries were deleted when they had been kept for long enough. */
  first_seq: number
  first_at: string | null
  last_seq: number
  last_at: string | null
  last_hash: string
  /** What does not fit, such as `missing: entry 3`; null if all entries fit. */
  fault: string | null
}

type Ends = { anchor_seq: number; anchor_hash: string; last_seq: number; last_hash: string }

/** Returns a function that checks one chain from its first to its last entry. Call it in a snapshot. */
export function verifier({ db }: Pick<Store, 'db'>): (org: string) => Chain {
  const endsOf = db.prepare('SELECT anchor_seq, anchor_hash, last_seq, last_hash FROM audit_chains WHERE org = ?')
  const entries = db.prepare(`SELECT ${COLUMNS} FROM audit_log WHERE org = ? ORDER BY seq`)

  return (org) => {
    const known = endsOf.get(org) as Ends | undefined
    const ends = known ?? { anchor_seq: 0, anchor_hash: NO_HASH, last_seq: 0, last_hash: NO_HASH }
    let [seq, previous, count] = [ends.anchor_seq, ends.anchor_hash, 0]
    let [first, last]: (Row | undefined)[] = []
    let fault: string | null = null
    for (const row of entries.iterate(org) as IterableIterator<Row>) {
      fault ??= faultOf(row, seq, previous)
      seq = row.seq
      previous = row.hash
      first ??= row
      last = row
      count++
    }
    fault ??= faultOfEnd(ends, seq, previous)
    return {
      org,
      entries: count,
      first_seq: ends.anchor_seq + 1,
      first_at: first ? rfc3339(first.at) : null,
      last_seq: seq,
      last_at: last ? rfc3339(last.at) : null,
      last_hash: previous,
      fault,
    }
  }
}

function faultOf(row: Row, before: number, previous: string): string | null {
  if (row.seq > before + 1) return `missing: ${span(before + 1, row.seq - 1)}`
  if (isNext(previous, row)) return null
  return before === 0
    ? `changed: entry ${row.seq}`
    : `changed: entry ${row.seq} or ${row.seq - 1}, unless others were removed or inserted there`
}

/** Whether the hash of an entry is right, after that of the previous one. */
function isNext(previous: string, row: Row): boolean {
  try {
    return hashOf(previous, row) === row.hash
  } catch {
    return false // its time is none
  }
}

function faultOfEnd({ last_seq, last_hash }: Ends, seq: number, previous: string): string | null {
  if (seq < last_seq) return `missing at the end: ${span(seq + 1, last_seq)}`
  if (seq > last_seq) return `inserted at the end: ${span(last_seq + 1, seq)}`
  return previous === last_hash ? null : `changed: entry ${seq}, the last one`
}

const span = (from: number, to: number): string => (from === to ? `entry ${from}` : `entries ${from} to ${to}`)
