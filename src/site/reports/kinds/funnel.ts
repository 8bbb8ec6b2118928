import type { Cut } from '../cut.ts'
import { createdIn, DEALS, dealFact, dealTests, type Question } from '../question.ts'

// Where deals of one pipeline got to, and how long they stayed. Both are of deals created in these months.

/** The stages of the pipeline by their places: 1 is the first open one. A table in memory, which SQLite indexes once. */
const PLACES = '(SELECT value AS stage_id, key + 1 AS place FROM json_each(@stages))'

/**
 * The furthest stage of each deal: bar 1 is the first open stage of its pipeline, and the one after the last is won. One that began
 * in the third stage has passed two, and one that went back stays at the furthest. What is known of one that was
 * lost is its history; without any, that it was in the first stage.
 */
export function funnel(question: Question, stages: readonly string[]): Cut {
  const tests = dealTests(question)
  const created = createdIn(question)
  // The stage of a deal is that to which it went last: what its history adds are those before it.
  const furthest = (history: string): string =>
    `ifnull((SELECT max(p.place) FROM ${history} AS h CROSS JOIN places AS p ON p.stage_id = h.from_stage_id
       WHERE h.org_id = d.org_id AND h.deal_id = d.id), 1)`
  return {
    sql: `WITH places AS MATERIALIZED ${PLACES}
      SELECT ${dealFact('d.created_at')},
        CASE d.status WHEN 'won' THEN @won ELSE max(ifnull(p.place, 1), ${furthest('deal_stage_changes')},
          ${furthest('(SELECT * FROM deal_stage_changes_pending WHERE org_id = @org)')}) END AS bar,
        d.status AS series
      FROM ${DEALS} LEFT JOIN places AS p ON p.stage_id = d.stage_id WHERE ${created.sql}${tests.sql}`,
    values: {
      ...{ ...tests.values, ...created.values },
      stages: JSON.stringify(stages),
      won: stages.length + 1,
    },
    isCumulative: true,
  }
}

/**
 * The visits of these deals to stages: `finished`, and `running` of deals that are open. A deal that was made in another system
 * before it came here has an unknown beginning: its first visit is `unknown`, and counted without a length of time.
 */
export function visits(question: Question, stages: readonly string[]): Cut {
  const tests = dealTests(question)
  const created = createdIn(question)
  const isOlder = '(d.originally_created_at IS NOT NULL AND d.originally_created_at < d.created_at)'
  const fact = (version: string, stage: string, began: string, ended: string, series: string): string =>
    `d.id || '/' || ${version} AS fact, 'deal' AS object, d.id AS id, d.title AS title, d.owner_id AS owner_id,
     NULL AS currency, NULL AS amount_micros, NULL AS chance, ${ended} AS at,
     CASE WHEN ${began} IS NULL AND ${isOlder} THEN NULL ELSE ${ended} - ifnull(${began}, d.created_at) END AS ms,
     ${stage} AS bar, CASE WHEN ${began} IS NULL AND ${isOlder} THEN 'unknown' ELSE '${series}' END AS series`
  const own = 'deal_id >= @first_id AND deal_id < @last_id'
  return {
    sql: `WITH moves AS MATERIALIZED (
        SELECT deal_id, deal_version, from_stage_id, at,
          lag(at) OVER (PARTITION BY deal_id ORDER BY deal_version) AS before
        FROM (
          SELECT deal_id, deal_version, from_stage_id, at FROM deal_stage_changes WHERE org_id = @org AND ${own}
          UNION ALL
          SELECT deal_id, deal_version, from_stage_id, at FROM deal_stage_changes_pending WHERE org_id = @org AND ${own}
        )
      ), last_moves AS MATERIALIZED (SELECT deal_id, max(at) AS at FROM moves GROUP BY deal_id)
      SELECT ${fact('h.deal_version', 'h.from_stage_id', 'h.before', 'h.at', 'finished')}
      FROM moves AS h CROSS JOIN deals AS d ON d.org_id = @org AND d.id = h.deal_id
      CROSS JOIN stages AS s ON s.org_id = d.org_id AND s.id = d.stage_id
      WHERE ${created.sql} AND h.from_stage_id IN (SELECT value FROM json_each(@stages))${tests.sql}
      UNION ALL
      SELECT ${fact('0', 'd.stage_id', 'm.at', '@now', 'running')}
      FROM ${DEALS} LEFT JOIN last_moves AS m ON m.deal_id = d.id
      WHERE ${created.sql} AND d.status = 'open'${tests.sql}`,
    values: { ...tests.values, ...created.values, now: question.now, stages: JSON.stringify(stages) },
    median: 'finished',
  }
}
