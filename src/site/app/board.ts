import { dealBoard } from '../../crm/deals/board.ts'
import { eventReader } from '../../events/reading.ts'
import { filterParameter } from '../../filters/parameter.ts'
import { badQuery } from '../../http/query.ts'
import type { Need, RecordQuery, Route } from '../../http/route.ts'
import type { Caller } from '../../lib/caller.ts'
import { UUID } from '../../lib/id.ts'
import { HOUR_MS } from '../../lib/time.ts'
import type { Condition } from '../../store/list/conditions.ts'
import type { ScreenParts } from '../parts.ts'

const PIPELINE = { schema: { type: 'string' }, description: 'The pipeline; required.' } as const

/**
 * The board of a pipeline: its open deals, as of one event. Of more than 20,000 each stage has its share, and those that fit a
 * filter can be asked for.
 */
export function boardRoutes({ deps, web }: Pick<ScreenParts, 'deps' | 'web'>): Route<Need>[] {
  const { db, clock } = deps
  const board = dealBoard(db)
  const filter = filterParameter(deps, 'deal')
  const { newest: seqOf } = eventReader(db)

  function read(org: number, { given }: RecordQuery, conditions: readonly Condition[]): { json: string } {
    const pipeline = given.get('pipeline_id') ?? ''
    if (!UUID.test(pipeline)) throw badQuery('The parameter "pipeline_id" must be the id of a pipeline.')
    const seq = seqOf(org)
    const { members, isComplete } = board(org, pipeline, clock.now(), conditions)
    return { json: `{"seq":${seq},"pipeline_id":"${pipeline}","is_complete":${isComplete},${members}}` }
  }
  return [
    {
      kind: 'data',
      method: 'get',
      path: '/board',
      role: 'viewer',
      name: 'board',
      summary: 'Get the open deals of a pipeline',
      parameters: { pipeline_id: PIPELINE },
      // All members get the same.
      shared: true,
      // A meeting that takes place is an activity without an event: hence the hour.
      newest: ({ org }: Caller) => `${web.build}-${seqOf(org)}-${Math.floor(clock.now() / HOUR_MS)}`,
      read: ({ org }, _ids, query) => read(org, query, []),
    },
    {
      kind: 'data',
      method: 'get',
      path: '/board/part',
      role: 'viewer',
      name: 'board',
      summary: 'Get the open deals of a pipeline that fit a filter',
      parameters: {
        pipeline_id: PIPELINE,
        filter: { schema: { type: 'string' }, description: 'A filter like that of a smart list, as JSON; required.' },
      },
      read: (who, _ids, query) => read(who.org, query, filter.resolve?.(who, query.given.get('filter') ?? '') ?? []),
    },
  ]
}
