import { navigate, path, query } from '../../lib/router.ts'
import type { Filter } from '../filters/conditions.ts'
import {
  addressQuery,
  EMPTY,
  type ListState,
  type Reading,
  sameState,
  savedState,
  saysItself,
  stateOf,
} from './list-state.ts'
import { findView, type View } from './saved-views.ts'

export type ListAddress = ReturnType<typeof listAddress>

/** What an address selects: the state that it says itself, else that of the view that it names. */
export function shownAt(
  address: URLSearchParams,
  object: View['object'],
  reading: Reading,
  own: readonly Filter[] = [],
) {
  const named = findView(address.get('view'))
  const view = named?.object === object ? named : undefined
  const saved = view && savedState(view.query, reading)
  return { view, saved, state: saved && !saysItself(address, reading) ? saved : stateOf(address, reading, own) }
}

/**
 * What a list shows, from its address, and how that is changed. Reads signals: what uses it in drawing is drawn again when
 * the address or the view changes. `own` is the filter of the list that is shown.
 */
export function listAddress(object: View['object'], reading: Reading, own: readonly Filter[] = []) {
  const { view, saved, state } = shownAt(query.value, object, reading, own)

  const go = (next: ListState, replace = false): Promise<void> => {
    const search = addressQuery(next, reading, view && saved ? { id: view.id, state: saved } : null, own)
    for (const [name, value] of query.peek()) if (OTHERS.includes(name)) search.set(name, value)
    const text = search.toString().replaceAll('%2C', ',')
    return navigate(text === '' ? path.peek() : `${path.peek()}?${text}`, { replace })
  }

  return {
    state,
    view,
    /** What the view shows, however the address differs from it. */
    saved,
    isChanged: saved !== undefined && !sameState(state, saved),
    /** `replace` while someone types or chooses values, so that "back" leads to the state before. */
    change: (change: Partial<ListState>, { replace = false } = {}) => go({ ...state, ...change }, replace),
    reset: () => (saved ? go(saved) : go({ ...EMPTY, conditions: own })),
    choose: (id: string | null) => navigate(id === null ? path.peek() : `${path.peek()}?view=${id}`),
  }
}

/** Parameters that are not part of a view and stay. */
const OTHERS: readonly string[] = ['peek', 'c', 'new']
