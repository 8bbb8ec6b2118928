import { conditionSql } from '../../store/list/condition-sql.ts'
import type { Condition, SqlPart } from '../../store/list/conditions.ts'
import { counting } from '../../store/list/cost.ts'
import type { Database } from '../../store/sqlite/driver.ts'
import { statements } from '../../store/sqlite/statements.ts'
import { bounded } from '../../store/sqlite/work.ts'

/** What a stage has of a currency: how many deals, and their sum in micros, as an exact text. */
export type StageTotal = { stage: string; currency: string | null; count: number; micros: string }

const PART = 1_000_000_000_000

/** Tests of the open deals of a pipeline: `sql` begins with AND. */
export type Tests = (org: number, conditions: readonly Condition[]) => SqlPart

export function boardTests(db: Database): Tests {
  const sql = conditionSql(db, 'deals')
  return (org, conditions) => {
    const tests = conditions.map((each) => counting(each, sql.test(org, each, true)))
    return { sql: tests.map((each) => ` AND ${each.sql}`).join(''), values: tests.flatMap(({ values }) => values) }
  }
}

/** The ids of the open stages of a pipeline, in their order. */
export function openStages(db: Database): (org: number, pipeline: string) => string[] {
  const ids = db.prepare('SELECT id FROM stages WHERE org_id = ? AND pipeline_id = ? AND is_open = 1 ORDER BY position')
  return (org, pipeline) => ids.pluck().all(org, pipeline) as string[]
}

/** Counts and sums of all open deals of a pipeline that meet the conditions, however many there are. Throws Problem 503. */
export function boardTotals(
  db: Database,
): (org: number, pipeline: string, conditions: readonly Condition[]) => StageTotal[] {
  const prepare = statements(db)
  const testsOf = boardTests(db)

  return (org, pipeline, conditions) => {
    const tests = testsOf(org, conditions)
    // In two parts: the sum could be larger than an integer of SQLite.
    const statement = prepare(
      `SELECT deals.stage_id, deals.currency, count(*),
         CAST(ifnull(sum(deals.amount_micros / ${PART}), 0) AS TEXT), CAST(ifnull(sum(deals.amount_micros % ${PART}), 0) AS TEXT)
       FROM stages CROSS JOIN deals INDEXED BY deals_stage
         ON deals.org_id = stages.org_id AND deals.stage_id = stages.id
       WHERE stages.org_id = ? AND stages.pipeline_id = ? AND stages.is_open = 1${tests.sql}
       GROUP BY deals.stage_id, deals.currency`,
    )
    const rows = bounded(() => statement.all(org, pipeline, ...tests.values)) as [
      stage: string,
      currency: string | null,
      count: number,
      high: string,
      low: string,
    ][]
    return rows.map(([stage, currency, count, high, low]) => ({
      ...{ stage, currency, count },
      micros: String(BigInt(high) * BigInt(PART) + BigInt(low)),
    }))
  }
}

/** So many of each stage that all together are at most `most`: those with few give what they do not need to the others. */
export function shares(counts: readonly number[], most: number): number[] {
  const given = counts.map(() => 0)
  let left = most
  const inOrder = counts.map((_, at) => at).sort((a, b) => (counts[a] as number) - (counts[b] as number))
  for (const [done, at] of inOrder.entries()) {
    given[at] = Math.min(counts[at] as number, Math.floor(left / (inOrder.length - done)))
    left -= given[at]
  }
  return given
}
