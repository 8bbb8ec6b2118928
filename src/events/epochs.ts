import type { Database } from '../store/sqlite/driver.ts'
import { eventReader } from './reading.ts'

// A promotion leaves out numbers, so that the new primary never gives an event the number of one that was lost:
// docs/decisions/043-failover.md.

/**
 * Each epoch has a range of this many numbers for the events of an organisation. What its predecessor has written and
 * not replicated is in the range before, so no number is given twice; the rest of that range counts as purged.
 */
export const SEQS_PER_EPOCH = 1_000_000_000

/** The seq that the primaries after that of an event began with. */
export const nextStart = (seq: number): number => (Math.floor(seq / SEQS_PER_EPOCH) + 1) * SEQS_PER_EPOCH

/** Whether an event of an earlier primary was lost: the last one that was kept is before it. */
export function lostEvents(db: Database) {
  const isThere = db.prepare('SELECT 1 FROM events WHERE org_id = ? AND seq >= ? AND seq < ? LIMIT 1').pluck()
  const isPast = db.prepare('SELECT 1 FROM events WHERE org_id = ? AND seq < ? LIMIT 1').pluck()

  return function isLost(org: number, seq: number, newest: number): boolean {
    const next = nextStart(seq)
    if (newest < next || seq % SEQS_PER_EPOCH === 0) return false
    // Without any event before it, all of that time are no longer stored.
    return isThere.get(org, seq, next) === undefined && isPast.get(org, seq) !== undefined
  }
}

/** What requests may ask of the numbers of events. */
export const eventSeqs = (db: Database) => ({ newestSeq: eventReader(db).newest, isLostSeq: lostEvents(db) })
