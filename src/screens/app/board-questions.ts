import { MAX_BOARD } from '../../crm/deals/board.ts'
import { closedDeals } from '../../crm/deals/closed.ts'
import { columns } from '../../crm/deals/deals.ts'
import type { Deal } from '../../crm/records/deal.ts'
import { filterParameter } from '../../filters/parameter.ts'
import { badQuery } from '../../http/query.ts'
import type { Need, RecordQuery, Route } from '../../http/route.ts'
import { beginningOf, dateIn } from '../../lib/calendar/days.ts'
import { UUID } from '../../lib/id.ts'
import { only } from '../../store/columns.ts'
import { listing } from '../../store/list/page.ts'
import { orgOf } from '../../store/orgs.ts'
import type { ScreenParts } from '../parts.ts'

const PIPELINE = { schema: { type: 'string' }, description: 'The pipeline; required.' } as const

/** What the board asks besides its rows: which deals fit conditions that the rows cannot decide, and what was closed. */
export function boardQuestions({ deps }: Pick<ScreenParts, 'deps'>): Route<Need>[] {
  const { db, clock } = deps
  const filter = filterParameter(deps, 'deal')
  const ids = listing(db, { table: 'deals', columns: only<Pick<Deal, 'id'>>(columns, ['id']), filters: {}, sorts: {} })
  const closed = closedDeals(db)

  const pipelineOf = ({ given }: RecordQuery): string => {
    const pipeline = given.get('pipeline_id') ?? ''
    if (!UUID.test(pipeline)) throw badQuery('The parameter "pipeline_id" must be the id of a pipeline.')
    return pipeline
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
        pipelineOf(query)
        const conditions = filter.resolve?.(who, query.given.get('filter') ?? '') ?? []
        const { rows } = ids.list(who.org, {
          limit: MAX_BOARD,
          sort: { column: 'id' },
          descending: true,
          conditions: [...conditions, { column: 'status', operator: 'eq', values: ['open'], indexed: true }],
          count: false,
        })
        return { json: JSON.stringify({ ids: rows.map(([id]) => id) }) }
      },
    },
    {
      ...common,
      kind: 'data',
      path: '/board/closed',
      summary: 'Count the deals of a pipeline that were closed this month',
      parameters: { pipeline_id: PIPELINE },
      read: ({ org }, _ids, query) => {
        const { timezone } = orgOf(db, org)
        const month = `${dateIn(timezone, clock.now()).slice(0, 7)}-01`
        return { json: JSON.stringify(closed(org, pipelineOf(query), beginningOf(month, timezone))) }
      },
    },
  ]
}
