import { DAY_MS } from '../../lib/time.ts'
import type { Database } from '../../store/sqlite/driver.ts'

/** Of the newest deals: a history of 100,000 changes would take 100 ms. */
const MAX_CHANGES = 10_000
/** The figures of fewer deals say nothing. */
const MIN_STAYS = 5
const PERIOD_MS = 365 * DAY_MS

type Row = [deal: string, at: number, from: string, created: number]

/**
 * How long deals usually stay in each stage: the median of the stays that ended in the last twelve months, in days with
 * one decimal. Stages that few deals have left are missing.
 */
export function usualDays(db: Database): (org: number, now: number) => ReadonlyMap<string, number> {
  const newest = db
    .prepare(
      `SELECT changes.deal_id, changes.at, changes.from_stage_id, deals.created_at
       FROM (SELECT * FROM deal_stage_history WHERE org_id = @org ORDER BY deal_id DESC, deal_version DESC LIMIT @limit)
         AS changes
       JOIN deals ON deals.org_id = changes.org_id AND deals.id = changes.deal_id
       ORDER BY changes.deal_id DESC, changes.deal_version DESC`,
    )
    .raw()

  return (org, now) => {
    const rows = newest.all({ org, limit: MAX_CHANGES }) as Row[]
    const stays = new Map<string, number[]>()
    for (const [index, [deal, at, stage, created]] of rows.entries()) {
      const before = rows[index + 1]
      const isCut = before === undefined && rows.length === MAX_CHANGES // its earlier changes were not read
      if (at < now - PERIOD_MS || isCut) continue
      const since = before?.[0] === deal ? before[1] : created
      const own = stays.get(stage) ?? []
      own.push(at - since)
      stays.set(stage, own)
    }
    const known = [...stays].filter(([, each]) => each.length >= MIN_STAYS)
    return new Map(known.map(([stage, each]) => [stage, Math.round((median(each) / DAY_MS) * 10) / 10]))
  }
}

function median(values: number[]): number {
  values.sort((one, other) => one - other)
  const middle = values.length >> 1
  const upper = values[middle] as number
  return values.length % 2 === 1 ? upper : (upper + (values[middle - 1] as number)) / 2
}
