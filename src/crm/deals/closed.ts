import type { Condition } from '../../store/list/conditions.ts'
import type { Database } from '../../store/sqlite/driver.ts'
import { statements } from '../../store/sqlite/statements.ts'
import { bounded } from '../../store/sqlite/work.ts'
import { boardTests } from './board-shares.ts'

/** How many deals of a pipeline that meet the conditions were closed since a time, by outcome: without conditions, from their
 * index alone. Throws Problem 503. */
export function closedDeals(db: Database) {
  const prepare = statements(db)
  const testsOf = boardTests(db)
  const text = (tests: string): string =>
    `SELECT ifnull(sum(deals) FILTER (WHERE outcome = 'won'), 0) AS won,
       ifnull(sum(deals) FILTER (WHERE outcome = 'lost'), 0) AS lost
     FROM (
       SELECT stage_id, count(*) AS deals FROM deals INDEXED BY deals_closed
       WHERE org_id = ? AND closed_at >= ?${tests} GROUP BY stage_id
     )
     CROSS JOIN stages ON org_id = ? AND id = stage_id
     WHERE pipeline_id = ?`

  return (
    org: number,
    pipeline: string,
    since: number,
    conditions: readonly Condition[] = [],
  ): { won: number; lost: number } => {
    const tests = testsOf(org, conditions)
    const count = prepare(text(tests.sql))
    const [won, lost] = bounded(() => count.get(org, since, ...tests.values, org, pipeline)) as [number, number]
    return { won, lost }
  }
}
