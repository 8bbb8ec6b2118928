import type { Deps } from '../../deps.ts'
import { badQuery } from '../../http/query.ts'
import type { Need, Route } from '../../http/route.ts'
import { searchHits } from '../../inbox/conversations/hits.ts'
import { UUID } from '../../lib/id.ts'

const MAX_IDS = 100
const MAX_TEXT = 1000

/** Why conversations were found, and the one that has the number that was searched for. */
export function inboxHits({ db }: Deps): Route<Need> {
  const { numbered, hitsIn } = searchHits(db)
  return {
    kind: 'data',
    method: 'get',
    path: '/inbox/hits',
    role: 'viewer',
    name: 'inbox',
    summary: 'Get the line of each conversation that a search has found, and the conversation with a number',
    parameters: {
      q: { schema: { type: 'string' }, description: 'What is searched for; required.' },
      ids: { schema: { type: 'string' }, description: `Up to ${MAX_IDS} ids of conversations, separated by commas.` },
    },
    read: ({ org }, _ids, { given }) => {
      const q = given.get('q') ?? ''
      if (q.length > MAX_TEXT) throw badQuery(`The parameter "q" must have at most ${MAX_TEXT} characters.`)
      const ids = (given.get('ids') ?? '').split(',').filter(Boolean)
      if (ids.length > MAX_IDS || !ids.every((id) => UUID.test(id)))
        throw badQuery(`The parameter "ids" must be up to ${MAX_IDS} ids, separated by commas.`)
      return { json: JSON.stringify({ numbered: numbered(org, q), data: hitsIn(org, ids, q) }) }
    },
  }
}
