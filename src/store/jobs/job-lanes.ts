import { isOpen } from '../orgs/org-states.ts'
import type { Database } from '../sqlite/driver.ts'

/** How many jobs of one lane may run at the same time, and how many of each do. */
export type Places = { perLane: number; running: ReadonlyMap<string, number> }

const WAITING = 'failed_at IS NULL AND leased_until IS NULL'

/**
 * The due jobs of a kind whose jobs have lanes. A lane with many of them is not read further than its free places, and
 * one without a free place costs a single look at the index.
 */
export function jobLanes<Row extends { due_at: number; id: string }>(db: Database, fields: string) {
  const lanes = db.prepare(
    `WITH RECURSIVE lanes (lane) AS (
       SELECT min(lane) FROM jobs INDEXED BY jobs_lanes WHERE kind = ? AND lane <> '' AND ${WAITING}
       UNION ALL
       SELECT (SELECT min(jobs.lane) FROM jobs INDEXED BY jobs_lanes
               WHERE jobs.kind = ? AND jobs.lane <> '' AND jobs.lane > lanes.lane AND ${WAITING})
       FROM lanes WHERE lanes.lane IS NOT NULL
     )
     SELECT lane, (SELECT min(jobs.due_at) FROM jobs INDEXED BY jobs_lanes
                   WHERE jobs.kind = ? AND jobs.lane <> '' AND jobs.lane = lanes.lane AND ${WAITING}
                     AND ${isOpen('jobs.org_id')}) AS dueAt
     FROM lanes WHERE lane IS NOT NULL`,
  )
  const first = db.prepare(
    `SELECT ${fields}, due_at FROM jobs INDEXED BY jobs_lanes
     WHERE kind = ? AND lane = ? AND lane <> '' AND due_at <= ? AND ${WAITING} AND ${isOpen('jobs.org_id')}
     ORDER BY due_at, id LIMIT ?`,
  )

  /** The lanes with a free place, and when their next job is due. */
  function open(kind: string, { perLane, running }: Places): { lane: string; dueAt: number; free: number }[] {
    return (lanes.all(kind, kind, kind) as { lane: string; dueAt: number | null }[]).flatMap(({ lane, dueAt }) => {
      const free = perLane - (running.get(lane) ?? 0)
      return free > 0 && dueAt !== null ? [{ lane, dueAt, free }] : []
    })
  }

  /** At most `limit` due jobs, the first ones of each lane, ordered by time. */
  function due(kind: string, now: number, limit: number, places: Places): Row[] {
    const found = open(kind, places)
      .filter(({ dueAt }) => dueAt <= now)
      .flatMap(({ lane, free }) => first.all(kind, lane, now, Math.min(free, limit)) as Row[])
    return found.sort((a, b) => a.due_at - b.due_at || (a.id < b.id ? -1 : 1)).slice(0, limit)
  }

  /** When the next job of a lane with a free place is due; undefined if there is none. */
  function nextDueAt(kind: string, places: Places): number | undefined {
    const times = open(kind, places).map(({ dueAt }) => dueAt)
    return times.length === 0 ? undefined : Math.min(...times)
  }

  return { due, nextDueAt }
}
