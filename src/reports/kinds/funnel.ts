import type { Cut } from '../cut.ts'
import { beginningOfMonth, monthsAfter } from '../months.ts'
import { DEALS, dealFact, dealTests, type Question } from '../question.ts'

// Where deals of one pipeline got to, and how long they stayed. Both are of deals created in these months.

/** The first and the moment after the last. */
const periodOf = ({ months, timezone }: Question) => ({
  begin: beginningOfMonth(months[0] as string, timezone),
  end: beginningOfMonth(monthsAfter(months.at(-1) as string, 1), timezone),
})

const CREATED = 'd.org_id = @org AND d.created_at >= @begin AND d.created_at < @end'

/**
 * The furthest stage of each deal: bar 1 is the first open stage of its pipeline, and the one after the last is won. One that began
 * in the third stage has passed two, and one that went back stays at the furthest. What is known of one that was
 * lost is its history; without any, that it was in the first stage.
 */
export function funnel(question: Question, stages: readonly string[]): Cut {
  const tests = dealTests(question)
  const placeOf = (stage: string): string =>
    `ifnull((SELECT key + 1 FROM json_each(@stages) WHERE value = ${stage}), 1)`
  return {
    sql: `SELECT ${dealFact('d.created_at')},
        CASE d.status WHEN 'won' THEN @won ELSE max(${placeOf('d.stage_id')}, ifnull((
          SELECT max(max(${placeOf('h.from_stage_id')}, ${placeOf('h.to_stage_id')})) FROM deal_stage_history AS h
          WHERE h.org_id = d.org_id AND h.deal_id = d.id), 1)) END AS bar,
        d.status AS series
      FROM ${DEALS} WHERE ${CREATED}${tests.sql}`,
    values: {
      ...{ ...tests.values, ...periodOf(question) },
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
export function visits(question: Question): Cut {
  const tests = dealTests(question)
  const isOlder = '(d.originally_created_at IS NOT NULL AND d.originally_created_at < d.created_at)'
  const fact = (
    version: string,
    stage: string,
    began: string,
    ended: string,
    isFirst: string,
    series: string,
  ): string =>
    `d.id || '/' || ${version} AS fact, 'deal' AS object, d.id AS id, d.title AS title, d.owner_id AS owner_id,
     NULL AS currency, NULL AS amount_micros, NULL AS chance, ${ended} AS at,
     CASE WHEN ${isFirst} AND ${isOlder} THEN NULL ELSE ${ended} - ${began} END AS ms, ${stage} AS bar,
     CASE WHEN ${isFirst} AND ${isOlder} THEN 'unknown' ELSE '${series}' END AS series`
  const lastMove = '(SELECT max(h.at) FROM deal_stage_history AS h WHERE h.org_id = d.org_id AND h.deal_id = d.id)'
  return {
    sql: `SELECT ${fact('h.deal_version', 'h.from_stage_id', 'ifnull(h.before, d.created_at)', 'h.at', 'h.before IS NULL', 'finished')}
      FROM ${DEALS} JOIN (
        SELECT org_id, deal_id, deal_version, from_stage_id, at,
          lag(at) OVER (PARTITION BY deal_id ORDER BY deal_version) AS before
        FROM deal_stage_history WHERE org_id = @org
      ) AS h ON h.org_id = d.org_id AND h.deal_id = d.id
      JOIN stages AS f ON f.org_id = d.org_id AND f.id = h.from_stage_id AND f.is_open = 1 AND f.pipeline_id = s.pipeline_id
      WHERE ${CREATED}${tests.sql}
      UNION ALL
      SELECT ${fact('0', 'd.stage_id', `ifnull(${lastMove}, d.created_at)`, '@now', `${lastMove} IS NULL`, 'running')}
      FROM ${DEALS} WHERE ${CREATED} AND d.status = 'open'${tests.sql}`,
    values: { ...tests.values, ...periodOf(question), now: question.now },
    median: 'finished',
  }
}
