import { dataVersion } from '../../store/changes.ts'
import type { Store } from '../../store/open.ts'

/** Filters whose counts are kept, of all organisations together. */
const MAX_COUNTS = 1000

export type KeptCounts = ReturnType<typeof keptCounts>

/**
 * Counting what meets a filter can take reading all records, and a page of lists has many filters. So a count is kept
 * until the next event of the organisation, without which no record changes, or a commit of another process.
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
    if (db.inTransaction) return counted // what is rolled back gives its seq to another event
    if (kept.size >= MAX_COUNTS) kept.clear()
    kept.set(key, { state, count: counted })
    return counted
  }
}
