import type { Deps } from '../../deps.ts'
import type { DataRoute } from '../../http/route.ts'
import { Problem } from '../../lib/problem.ts'
import type { Database } from '../../store/sqlite/driver.ts'

const MAX_IDS = 100
const NAMES = { contacts: 'name', companies: 'name', deals: 'title, stage_id AS stage' } as const
type Named = keyof typeof NAMES
const NAMED = Object.keys(NAMES) as Named[]

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

/** Returns the ids, names and versions of those records that exist; the name of a deal is its title, with its stage. */
function recordNames(db: Database): (org: number, kind: Named, ids: readonly string[]) => Record<string, unknown>[] {
  const find = (table: Named) =>
    db.prepare(
      `SELECT id, ${NAMES[table]}, version FROM ${table} WHERE org_id = ? AND id IN (SELECT value FROM json_each(?))`,
    )
  const all = { contacts: find('contacts'), companies: find('companies'), deals: find('deals') }
  return (org, kind, ids) => all[kind].all(org, JSON.stringify(ids)) as Record<string, unknown>[]
}
