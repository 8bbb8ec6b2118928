import { dealBoard, MAX_BOARD } from '../../crm/deals/board.ts'
import { eventReader } from '../../events/reading.ts'
import { badQuery } from '../../http/query.ts'
import type { Need, Route } from '../../http/route.ts'
import type { Caller } from '../../lib/caller.ts'
import { UUID } from '../../lib/id.ts'
import { HOUR_MS } from '../../lib/time.ts'
import type { ScreenParts } from '../parts.ts'

/** The board of a pipeline: all its open deals, as of one event. */
export function boardRoute({ deps, web }: Pick<ScreenParts, 'deps' | 'web'>): Route<Need> {
  const { db, clock } = deps
  const board = dealBoard(db)
  const { newest: seqOf } = eventReader(db)

  return {
    kind: 'data',
    method: 'get',
    path: '/board',
    role: 'viewer',
    name: 'board',
    summary: 'Get the open deals of a pipeline',
    parameters: { pipeline_id: { schema: { type: 'string' }, description: 'The pipeline; required.' } },
    // All members get the same.
    shared: true,
    // A meeting that takes place is an activity without an event: hence the hour.
    newest: ({ org }: Caller) => `${web.build}-${seqOf(org)}-${Math.floor(clock.now() / HOUR_MS)}`,
    read: ({ org }, _ids, { given }) => {
      const pipeline = given.get('pipeline_id') ?? ''
      if (!UUID.test(pipeline)) throw badQuery('The parameter "pipeline_id" must be the id of a pipeline.')
      const seq = seqOf(org)
      const { members, count } = board(org, pipeline, clock.now())
      return { json: `{"seq":${seq},"pipeline_id":"${pipeline}","is_complete":${count < MAX_BOARD},${members}}` }
    },
  }
}
