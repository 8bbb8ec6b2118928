import type { Deps } from '../../deps.ts'
import type { DataRoute } from '../../http/route.ts'
import { Problem } from '../../lib/problem.ts'
import { NAMED, recordNames } from '../../records/names.ts'

const MAX_IDS = 100

/** The names of records that others refer to: a page of contacts would otherwise need a request for each company. */
export function nameRoutes({ db }: Deps): DataRoute[] {
  const namesOf = recordNames(db)
  const ids = (kind: string) => ({
    schema: { type: 'string' as const },
    description: `Ids of ${kind}, separated by commas; at most ${MAX_IDS}.`,
  })
  return [
    {
      kind: 'data',
      method: 'get',
      path: '/names',
      role: 'viewer',
      name: 'name',
      summary: 'Get the names of records',
      parameters: Object.fromEntries(NAMED.map((kind) => [kind, ids(kind)])),
      read: ({ org }, _, { given }) => {
        const found = NAMED.flatMap((kind) => {
          const wanted = given.get(kind)?.split(',') ?? []
          if (wanted.length > MAX_IDS)
            throw new Problem(400, 'invalid_query', `The parameter "${kind}" can have at most ${MAX_IDS} values.`)
          return wanted.length > 0 ? [[kind, namesOf(org, kind, wanted)]] : []
        })
        return { json: JSON.stringify(Object.fromEntries(found)) }
      },
    },
  ]
}
