import type { Database } from '../../store/sqlite/driver.ts'

/**
 * The seq of a time is found by halving: events are written in the order of their times, unless the clock was set. So no
 * change has to write an index by time. Numbers are missing where a standby took over, see events/epochs.ts: what is asked
 * there is the next event, or the one before.
 */
export function eventSeqs(db: Database) {
  const last = db.prepare('SELECT last_seq FROM orgs WHERE id = ?').pluck()
  const from = db.prepare('SELECT seq, at FROM events WHERE org_id = ? AND seq >= ? ORDER BY seq LIMIT 1')
  const upTo = db.prepare('SELECT at FROM events WHERE org_id = ? AND seq <= ? ORDER BY seq DESC LIMIT 1').pluck()

  const eventFrom = (org: number, seq: number) => from.get(org, seq) as { seq: number; at: number } | undefined

  /** The newest seq that is not after the time; 0 if there is none. */
  function seqAt(org: number, at: number): number {
    const first = eventFrom(org, 0)
    if (first === undefined || first.at > at) return 0
    let low = first.seq
    let high = last.get(org) as number
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      const found = eventFrom(org, middle)
      if (found !== undefined && found.at <= at) low = found.seq
      else high = middle - 1
    }
    return low
  }

  return {
    seqAt,
    /** The time of the newest event up to a seq; undefined if all of them are gone. */
    timeAt: (org: number, seq: number) => upTo.get(org, seq) as number | undefined,
    /** The seq of the event after one; undefined if that is the newest. */
    nextAfter: (org: number, seq: number) => eventFrom(org, seq + 1)?.seq,
  }
}
