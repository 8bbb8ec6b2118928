import { requireScopes } from '../auth/scopes.ts'
import { Problem } from '../lib/problem.ts'
import { validate } from '../lib/validate.ts'
import type { Filter as Parameter } from '../store/list/conditions.ts'
import type { Store } from '../store/open.ts'
import { scopesOf } from './access.ts'
import type { ListObject } from './catalog.ts'
import { type Filter, ListFilter } from './filter.ts'
import { smartLists } from './smart.ts'

/** As JSON: encoded, it has to fit into an address of 8 KiB. */
const MAX_LENGTH = 6000

/**
 * The parameter `filter` of a list: a filter like that of a smart list, as JSON. Only for internal lists. A wrong filter
 * is 422 with pointers below `/filter`.
 */
export function filterParameter(store: Pick<Store, 'db' | 'clock'>, object: ListObject | 'inbox'): Parameter {
  const smart = smartLists(store)
  return {
    type: 'text',
    maxLength: MAX_LENGTH,
    resolve: (who, text) => {
      const filter = validate(ListFilter, parsed(text as string)) as Filter
      requireScopes(who, scopesOf({ object, filter }))
      smart.check(who.org, object, filter)
      return smart.conditions(who.org, object, filter, who.member)
    },
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Problem(400, 'invalid_query', 'The parameter "filter" must be JSON.')
  }
}
