import type * as v from 'valibot'
import { requireScopes } from '../../../auth/scopes.ts'
import { type Deps, once } from '../../../deps.ts'
import { scopesOf } from '../../../filters/access.ts'
import type { ListObject } from '../../../filters/catalog.ts'
import type { Filter, ListFilter } from '../../../filters/filter.ts'
import { membership } from '../../../filters/membership.ts'
import { smartLists } from '../../../filters/smart.ts'
import type { Caller } from '../../../lib/caller.ts'
import { field, invalid } from '../../../lib/problem.ts'
import type { Condition } from '../../../store/list/conditions.ts'
import { listing } from '../../../store/list/page.ts'

export const KINDS = ['deals', 'contacts', 'companies', 'tasks', 'conversations'] as const
export type Kind = (typeof KINDS)[number]

export const OBJECTS = {
  deals: 'deal',
  contacts: 'contact',
  companies: 'company',
  tasks: 'task',
  conversations: 'conversation',
} as const

/** Whether there are static lists and filters of these records. */
export const isListed = (object: (typeof OBJECTS)[Kind]): object is 'deal' | 'contact' | 'company' =>
  object !== 'task' && object !== 'conversation'

export type Selection = {
  ids?: string[]
  filter?: v.InferOutput<typeof ListFilter>
  q?: string
  list_id?: string
  exclude?: string[]
}

/** More are refused: all of them are written down for an undo. */
export const MAX_SELECTED = 100_000
const BY_ID = { column: 'id' }

/** Finds the records of a selection: those with the ids, or all that match. */
export const selections = once((deps: Deps) => {
  const smart = smartLists(deps)
  const idsOnly = { select: 'id', json: () => '' }
  const lists = {
    deals: listing(deps.db, { table: 'deals', columns: idsOnly, filters: {}, sorts: {} }),
    contacts: listing(deps.db, { table: 'contacts', columns: idsOnly, filters: {}, sorts: {} }),
    companies: listing(deps.db, { table: 'companies', columns: idsOnly, filters: {}, sorts: {} }),
    tasks: listing(deps.db, { table: 'tasks', columns: idsOnly, filters: {}, sorts: {} }),
    conversations: listing(deps.db, { table: 'conversations', columns: idsOnly, filters: {}, sorts: {} }),
  }
  const members = {
    deal: membership(deps, 'deal'),
    contact: membership(deps, 'contact'),
    company: membership(deps, 'company'),
  }

  /** How many records there are. Throws 422 for a wrong filter, and for too many. */
  function count(who: Caller, kind: Kind, asked: Selection): number {
    if (asked.ids) return given(asked).length
    const conditions = conditionsOf(who, kind, asked)
    const query = { limit: 1, sort: BY_ID, descending: false, conditions, skip: MAX_SELECTED, count: false }
    if (lists[kind].list(who.org, query).rows.length > 0)
      throw invalid(field('/filter', 'too_many', `must match at most ${MAX_SELECTED} records`))
    return lists[kind].count(who.org, conditions)
  }

  /** The next ids after one, oldest record first. Throws 422 for a filter that has become wrong. */
  function next(who: Caller, kind: Kind, asked: Selection, after: string | null, limit: number): string[] {
    if (asked.ids) return given(asked)
    const conditions = conditionsOf(who, kind, asked)
    const position = after === null ? undefined : { key: null, id: after }
    const query = { limit, sort: BY_ID, descending: false, conditions, after: position, count: false }
    return lists[kind].list(who.org, query).rows.map(([id]) => id as string)
  }

  function conditionsOf(who: Caller, kind: Kind, { filter, q, list_id, exclude = [] }: Selection): Condition[] {
    const object = OBJECTS[kind]
    // A view of the inbox changes with every mail: what is meant is what was seen.
    if (object === 'conversation') throw invalid(field('/ids', 'required', 'is required for conversations'))
    const conditions: Condition[] = q === undefined ? [] : [{ search: object, text: q }]
    if (exclude.length > 0) conditions.push({ not: { column: 'id', operator: 'in', values: exclude, indexed: false } })
    if (!isListed(object)) {
      if (filter !== undefined || list_id !== undefined)
        throw invalid(field('/filter', 'not_supported', 'must be omitted for tasks; send ids'))
      return conditions
    }
    if (list_id !== undefined) conditions.push(...members[object].conditions(who, list_id))
    return filter === undefined ? conditions : [...conditions, ...filtered(who, object, filter as Filter)]
  }

  function filtered(who: Caller, object: ListObject, filter: Filter): Condition[] {
    requireScopes(who, scopesOf({ object, filter }))
    smart.check(who.org, object, filter)
    return smart.conditions(who.org, object, filter, who.member)
  }

  return { count, next }
})

const given = ({ ids = [], exclude = [] }: Selection): string[] => ids.filter((id) => !exclude.includes(id))
