import type * as v from 'valibot'
import { catalog } from '../../app/api.ts'
import { dealStore } from '../../crm/deals/deals.ts'
import { type Deps, once } from '../../deps.ts'
import type { Route, WriteRoute } from '../../http/route.ts'
import type { Caller } from '../../lib/caller.ts'
import { validate } from '../../lib/validate.ts'
import type { Stored } from '../../store/rows/record-store.ts'

/** What the API can do with a record, as its routes do it: the same schemas, rules and events. */
export type RecordWrites = {
  /** The fields that a PATCH can set. */
  fields: ReadonlySet<string>
  /** Throws 404. */
  find: (who: Caller, id: string) => Stored
  /** The patch as its store takes it. Throws 422 for one that no record can take. */
  check: (given: unknown) => unknown
  patch: (who: Caller, record: Stored, given: Record<string, unknown>) => Stored
  remove: ((who: Caller, record: Stored) => void) | undefined
}

const PATHS = {
  contact: '/contacts',
  company: '/companies',
  deal: '/deals',
  note: '/notes',
  task: '/tasks',
  meeting: '/meetings',
  conversation: '/conversations',
  tag: '/tags',
  list: '/lists',
  custom_field: '/custom-fields',
} as const
export type RecordObject = keyof typeof PATHS

export const isRecordObject = (name: string): name is RecordObject => Object.hasOwn(PATHS, name)

/** The path of the API as the name of a kind: deals. */
export const kindOf = (object: RecordObject): string => PATHS[object].slice(1)

export const recordWrites = once((deps: Deps): Record<RecordObject, RecordWrites> => {
  const routes = catalog(deps)
  const deals = dealStore(deps)
  const all = Object.entries(PATHS).map(([object, path]) => [object, writesOf(routes, `${path}/:id`)] as const)
  const writes = Object.fromEntries(all) as Record<RecordObject, RecordWrites>
  // The API cannot delete deals.
  writes.deal.remove = (who, record) => deals.removeForScreens(who, record as never)
  return writes
})

function writesOf(routes: readonly Route[], path: string): RecordWrites {
  const routeOf = (method: WriteRoute['method']) =>
    routes.find(
      (route): route is WriteRoute => route.kind === 'write' && route.method === method && route.path === path,
    )
  const [patch, remove] = [routeOf('patch'), routeOf('delete')]
  if (!patch?.find || !patch.body) throw new Error(`${path} cannot be changed`)
  const body = patch.body as v.GenericSchema & { entries: object }
  const run = ({ run }: WriteRoute, who: Caller, record: Stored, given: unknown) =>
    run({ who, record, body: given as never, flags: {} }) as Stored

  return {
    fields: new Set(Object.keys(body.entries)),
    find: patch.find,
    check: (given) => validate(body, given),
    patch: (who, record, given) => run(patch, who, record, validate(body, given)),
    remove: remove && ((who, record) => void run(remove, who, record, undefined)),
  }
}
