import { conditionParams, FILTER, isConditionParam, isFilter, readConditions } from '../filters/address.ts'
import { type FieldKind, type Filter, fromFilter, sameConditions, toFilter } from '../filters/conditions.ts'

// The address is the view: what a list shows stands in the query of its address, and a saved view is a name for that.

export type ListState = {
  /** All of them must hold. */
  conditions: readonly Filter[]
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
export type SavedQuery = { filter?: unknown; q?: string; sort?: string | null; [more: string]: unknown }

export const EMPTY: ListState = { conditions: [], q: '', sort: null, more: {} }

/** In place of a filter: nothing is filtered, where a view would filter. */
const NONE = 'none'

const isOwn = (name: string, { more }: Reading): boolean =>
  name === 'q' || name === 'sort' || more.includes(name) || isConditionParam(name)

/** Whether the address says by itself what is shown; else the view that it names does. */
export const saysItself = (query: URLSearchParams, reading: Reading): boolean =>
  [...query.keys()].some((name) => isOwn(name, reading))

/** `own` are the conditions of the list that is shown: they hold where the address has none. */
export function stateOf(query: URLSearchParams, reading: Reading, own: readonly Filter[] = []): ListState {
  const more = reading.more.flatMap((name): [string, string][] => {
    const value = query.get(name)
    return value === null ? [] : [[name, value]]
  })
  return {
    conditions: [...query.keys()].some(isConditionParam) ? readConditions(query, reading.kindOf) : own,
    q: query.get('q') ?? '',
    sort: query.get('sort'),
    more: Object.fromEntries(more),
  }
}

/** The query for the address. `view` names the saved view from which the state comes or differs. */
export function addressQuery(
  { conditions, q, sort, more }: ListState,
  { kindOf }: Pick<Reading, 'kindOf'>,
  view: { id: string; state: ListState } | null,
  own: readonly Filter[] = [],
): URLSearchParams {
  const query = new URLSearchParams()
  if (view) query.set('view', view.id)
  if (view && sameState({ conditions, q, sort, more }, view.state)) return query
  for (const [name, value] of Object.entries(more)) query.set(name, value)
  const isOwn = sameConditions(conditions, own)
  if (!isOwn) for (const [name, value] of conditionParams(conditions, kindOf)) query.append(name, value)
  if (q !== '') query.set('q', q)
  if (sort !== null) query.set('sort', sort)
  if (view ? query.size === 1 : !isOwn && conditions.length === 0) query.set(FILTER, NONE)
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

/**
 * What a saved view shows. Other parts than the filter are left out if this screen does not know them; a filter that it cannot
 * show by its fields stays, and selects what it always did.
 */
export const savedState = (query: SavedQuery, { kindOf, more }: Reading): ListState => ({
  conditions: isFilter(query.filter, kindOf) ? fromFilter(query.filter) : [],
  q: typeof query.q === 'string' ? query.q : '',
  sort: typeof query.sort === 'string' ? query.sort : null,
  more: Object.fromEntries(
    more.flatMap((name): [string, string][] => {
      const value = query[name]
      return typeof value === 'string' ? [[name, value]] : []
    }),
  ),
})
