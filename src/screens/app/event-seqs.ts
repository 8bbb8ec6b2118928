import type { Database } from '../../store/driver.ts'

/**
 * The seq of a time is found by halving: events are written in the order of their times, unless the clock was set. So no
 * change has to write an index by time.
 */
export function eventSeqs(db: Database) {
  const first = db.prepare('SELECT seq FROM events WHERE org_id = ? ORDER BY seq LIMIT 1').pluck()
  const last = db.prepare('SELECT last_seq FROM orgs WHERE id = ?').pluck()
  const timeOf = db.prepare('SELECT at FROM events WHERE org_id = ? AND seq = ?').pluck()

  /** The newest seq that is not after the time; 0 if there is none. */
  function seqAt(org: number, at: number): number {
    let low = first.get(org) as number | undefined
    if (low === undefined || (timeOf.get(org, low) as number) > at) return 0
    let high = last.get(org) as number
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((timeOf.get(org, middle) as number) <= at) low = middle
      else high = middle - 1
    }
    return low
  }

  return { seqAt, timeAt: (org: number, seq: number) => timeOf.get(org, seq) as number | undefined }
}
