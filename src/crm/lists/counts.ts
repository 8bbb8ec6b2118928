import type { Store } from '../../store/open.ts'
import { dataVersion } from '../../store/sqlite/changes.ts'

/** The most filters whose counts are cached, for all organisations together. */
const MAX_COUNTS = 1000

export type KeptCounts = ReturnType<typeof keptCounts>

/**
 * Counting the matches of a filter can mean reading all records, and a page of lists has many filters. So a count is
 * cached until the next event of the organisation, without which no record changes, or a commit of another process.
 */
export function keptCounts({ db }: Pick<Store, 'db'>) {
  const lastSeq = db.prepare('SELECT last_seq FROM orgs WHERE id = ?').pluck()
  const byOthers = dataVersion(db)
  const kept = new Map<string, { state: string; count: number }>()

  return function keep(org: number, question: string, count: () => number): number {
    const key = `${org} ${question}`
    const state = `${lastSeq.get(org)} ${byOthers()}`
    const known = kept.get(key)
    if (known && known.state === state) return known.count
    const counted = count()
    if (db.inTransaction) return counted // after a rollback, another event gets the same seq
    if (kept.size >= MAX_COUNTS) kept.clear()
    kept.set(key, { state, count: counted })
    return counted
  }
}
