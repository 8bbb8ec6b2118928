import { MAX_BOARD } from '../../crm/deals/board.ts'
import { boardTotals, openStages } from '../../crm/deals/board-shares.ts'
import { closedDeals } from '../../crm/deals/closed.ts'
import { columns } from '../../crm/deals/deals.ts'
import { filterParameter } from '../../filters/parameter.ts'
import { badQuery } from '../../http/query.ts'
import type { Need, RecordQuery, Route } from '../../http/route.ts'
import { beginningOf, dateIn } from '../../lib/calendar/days.ts'
import type { Caller } from '../../lib/caller.ts'
import { UUID } from '../../lib/id.ts'
import type { Deal } from '../../records/deal.ts'
import type { Condition } from '../../store/list/conditions.ts'
import { listing } from '../../store/list/page.ts'
import { calendarOf } from '../../store/orgs/calendars.ts'
import { only } from '../../store/rows/columns.ts'
import type { ScreenParts } from '../parts.ts'

const FILTER = { schema: { type: 'string' }, description: 'A filter like that of a smart list, as JSON.' } as const
const PIPELINE = { schema: { type: 'string' }, description: 'The pipeline; required.' } as const

/**
 * What the board asks besides its rows: which deals fit conditions that the rows cannot decide, the sums of all that fit where there
 * are too many rows, and what was closed.
 */
export function boardQuestions({ deps }: Pick<ScreenParts, 'deps'>): Route<Need>[] {
  const { db, clock } = deps
  const filter = filterParameter(deps, 'deal')
  const ids = listing(db, { table: 'deals', columns: only<Pick<Deal, 'id'>>(columns, ['id']), filters: {}, sorts: {} })
  const closed = closedDeals(db)
  const totals = boardTotals(db)
  const calendar = calendarOf(db)
  const stagesOf = openStages(db)

  const pipelineOf = ({ given }: RecordQuery): string => {
    const pipeline = given.get('pipeline_id') ?? ''
    if (!UUID.test(pipeline)) throw badQuery('The parameter "pipeline_id" must be the id of a pipeline.')
    return pipeline
  }
  const asked = (who: Caller, { given }: RecordQuery): Condition[] => {
    const text = given.get('filter')
    return text === undefined ? [] : (filter.resolve?.(who, text) ?? [])
  }
  const common = { method: 'get', role: 'viewer', name: 'board' } as const
  return [
    {
      ...common,
      kind: 'data',
      path: '/board/matches',
      summary: 'List the ids of the open deals that fit a filter',
      parameters: {
        pipeline_id: PIPELINE,
        filter: { schema: { type: 'string' }, description: 'A filter like that of a smart list, as JSON; required.' },
      },
      read: (who, _ids, query) => {
        const stages = stagesOf(who.org, pipelineOf(query))
        const conditions = filter.resolve?.(who, query.given.get('filter') ?? '') ?? []
        if (stages.length === 0) return { json: '{"ids":[]}' }
        const { rows } = ids.list(who.org, {
          limit: MAX_BOARD,
          sort: { column: 'id' },
          descending: true,
          conditions: [...conditions, { column: 'stage_id', operator: 'in', values: stages, indexed: true }],
          count: false,
        })
        return { json: JSON.stringify({ ids: rows.map(([id]) => id) }) }
      },
    },
    {
      ...common,
      kind: 'data',
      path: '/board/totals',
      summary: 'Count and add up the open deals of a pipeline that fit a filter',
      parameters: { pipeline_id: PIPELINE, filter: FILTER },
      read: (who, _ids, query) => {
        const stages = totals(who.org, pipelineOf(query), asked(who, query))
        return { json: JSON.stringify({ stages }) }
      },
    },
    {
      ...common,
      kind: 'data',
      path: '/board/closed',
      summary: 'Count the deals of a pipeline that were closed this month',
      parameters: { pipeline_id: PIPELINE, filter: FILTER },
      read: (who, _ids, query) => {
        const { timezone } = calendar(who.org, who.member)
        const month = beginningOf(`${dateIn(timezone, clock.now()).slice(0, 7)}-01`, timezone)
        return { json: JSON.stringify(closed(who.org, pipelineOf(query), month, asked(who, query))) }
      },
    },
  ]
}
