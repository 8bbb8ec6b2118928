import * as v from 'valibot'
import type { Database } from '../store/sqlite/driver.ts'

// Two servers of one folder give the same numbers of commits to different events. By the ids of some events it is known how
// far two histories are the same: docs/decisions/067-lone-primaries.md.

/** The number of a commit and the id of its event: the newest, and others at distances from it that double. */
export const Trail = v.array(v.tuple([v.number(), v.string()]))
export type Trail = v.InferOutput<typeof Trail>

/** Empty if there are no events. */
export function trailOf(db: Database): Trail {
  const before = db
    .prepare('SELECT commit_seq, id FROM events WHERE commit_seq <= ? ORDER BY commit_seq DESC LIMIT 1')
    .raw()
  const trail: Trail = []
  let bound = Number.MAX_SAFE_INTEGER
  for (let distance = 1; ; distance *= 2) {
    const found = before.get(bound) as [number, string] | undefined
    if (!found) return trail
    trail.push(found)
    bound = found[0] - distance
  }
}

/** The newest commit of a trail that this database has as well; 0 if it has none. */
export function lastCommon(db: Database, trail: Trail): number {
  const has = db.prepare('SELECT 1 FROM events WHERE commit_seq = ? AND id = ?')
  return trail.find((each) => has.get(...each) !== undefined)?.[0] ?? 0
}
