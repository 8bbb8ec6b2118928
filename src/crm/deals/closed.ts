import type { Database } from '../../store/driver.ts'

/** How many deals of a pipeline were closed since a time, by outcome: from their index alone. */
export function closedDeals(
  db: Database,
): (org: number, pipeline: string, since: number) => { won: number; lost: number } {
  const count = db.prepare(
    `SELECT ifnull(sum(deals) FILTER (WHERE outcome = 'won'), 0) AS won,
       ifnull(sum(deals) FILTER (WHERE outcome = 'lost'), 0) AS lost
     FROM (
       SELECT stage_id, count(*) AS deals FROM deals INDEXED BY deals_closed
       WHERE org_id = @org AND closed_at >= @since GROUP BY stage_id
     )
     CROSS JOIN stages ON org_id = @org AND id = stage_id
     WHERE pipeline_id = @pipeline`,
  )
  return (org, pipeline, since) => count.get({ org, pipeline, since }) as { won: number; lost: number }
}
