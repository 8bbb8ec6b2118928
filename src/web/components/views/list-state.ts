import { conditionParams, isConditionParam, readConditions } from '../filters/address.ts'
import {
  type Condition,
  type FieldKind,
  type Filter,
  fromFilter,
  sameConditions,
  toFilter,
} from '../filters/conditions.ts'

// The address is the view: what a list shows stands in the query of its address, and a saved view is a name for that.

export type ListState = {
  conditions: readonly Condition[]
  /** What is searched for in the list. */
  q: string
  /** As the screen writes it; null is its own order. */
  sort: string | null
  /** What else belongs to the view, such as its pipeline and its columns, by the names of parameters. */
  more: Readonly<Record<string, string>>
}

export type Reading = {
  kindOf: (field: string) => FieldKind | undefined
  /** The names of the parameters in `more`. */
  more: readonly string[]
}

/** The `query` of a saved view. */
export type SavedQuery = { filter?: Filter | null; q?: string; sort?: string | null; [more: string]: unknown }

export const EMPTY: ListState = { conditions: [], q: '', sort: null, more: {} }

/** A parameter that has no meaning but to say that nothing is filtered, where a view would filter. */
const BARE = 'filter'

const isOwn = (name: string, { more }: Reading): boolean =>
  name === 'q' || name === 'sort' || name === BARE || more.includes(name) || isConditionParam(name)

/** Whether the address says by itself what is shown; else the view that it names does. */
export const saysItself = (query: URLSearchParams, reading: Reading): boolean =>
  [...query.keys()].some((name) => isOwn(name, reading))

export function stateOf(query: URLSearchParams, reading: Reading): ListState {
  const more = reading.more.flatMap((name): [string, string][] => {
    const value = query.get(name)
    return value === null ? [] : [[name, value]]
  })
  return {
    conditions: readConditions(query, reading.kindOf),
    q: query.get('q') ?? '',
    sort: query.get('sort'),
    more: Object.fromEntries(more),
  }
}

/** The query for the address. `view` names the saved view from which the state comes or differs. */
export function addressQuery(state: ListState, view: { id: string; state: ListState } | null): URLSearchParams {
  const query = new URLSearchParams()
  if (view) query.set('view', view.id)
  if (view && sameState(state, view.state)) return query
  for (const [name, value] of Object.entries(state.more)) query.set(name, value)
  for (const [name, value] of conditionParams(state.conditions)) query.append(name, value)
  if (state.q !== '') query.set('q', state.q)
  if (state.sort !== null) query.set('sort', state.sort)
  if (view && query.size === 1) query.set(BARE, 'none')
  return query
}

export function sameState(one: ListState, other: ListState): boolean {
  const names = new Set([...Object.keys(one.more), ...Object.keys(other.more)])
  return (
    one.q === other.q &&
    one.sort === other.sort &&
    sameConditions(one.conditions, other.conditions) &&
    [...names].every((name) => one.more[name] === other.more[name])
  )
}

export const savedQuery = ({ conditions, q, sort, more }: ListState): SavedQuery => ({
  ...more,
  filter: toFilter(conditions),
  q,
  sort,
})

/** What a saved view shows. Parts that this screen does not know are left out. */
export function savedState(query: SavedQuery, { kindOf, more }: Reading): ListState {
  const conditions = fromFilter(query.filter ?? null) ?? []
  return {
    conditions: conditions.filter(({ field }) => kindOf(field) !== undefined),
    q: typeof query.q === 'string' ? query.q : '',
    sort: typeof query.sort === 'string' ? query.sort : null,
    more: Object.fromEntries(
      more.flatMap((name): [string, string][] => {
        const value = query[name]
        return typeof value === 'string' ? [[name, value]] : []
      }),
    ),
  }
}
