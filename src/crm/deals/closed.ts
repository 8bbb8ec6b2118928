import type { Database } from '../../store/driver.ts'

/**
 * How many deals of a pipeline were closed since a time, by outcome. Closing updates a deal, so the index of changes has
 * them all.
 */
export function closedDeals(
  db: Database,
): (org: number, pipeline: string, since: number) => { won: number; lost: number } {
  const count = db.prepare(
    `SELECT count(*) FILTER (WHERE stages.outcome = 'won') AS won, count(*) FILTER (WHERE stages.outcome = 'lost') AS lost
     FROM deals INDEXED BY deals_updated
     CROSS JOIN stages ON stages.org_id = deals.org_id AND stages.id = deals.stage_id
     WHERE deals.org_id = @org AND deals.updated_at >= @since AND deals.closed_at >= @since
       AND stages.pipeline_id = @pipeline`,
  )
  return (org, pipeline, since) => count.get({ org, pipeline, since }) as { won: number; lost: number }
}
