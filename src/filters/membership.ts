import { requireScopes } from '../auth/scopes.ts'
import type { Caller } from '../lib/caller.ts'
import { TABLES } from '../lib/pure/nouns.ts'
import type { Condition, Filter } from '../store/list/conditions.ts'
import type { Store } from '../store/open.ts'
import { scopesOf } from './access.ts'
import type { ListObject } from './catalog.ts'
import { smartLists } from './smart.ts'

type Row = { kind: 'static' | 'smart'; filter: string | null; owner_id: string | null }

/** The link table of static lists: one row for each member. */
export const linkOf = (object: ListObject) => ({
  table: `list_${TABLES[object]}`,
  key: `${object}_id`,
  column: 'list_id',
})

/** The conditions for the members of a list, and the filter `list_id` of contacts, companies and deals. */
export function membership(store: Pick<Store, 'db' | 'clock'>, object: ListObject) {
  const { db } = store
  const smart = smartLists(store)
  const link = linkOf(object)
  const byId = db.prepare('SELECT kind, filter, owner_id FROM lists WHERE org_id = ? AND id = ? AND object = ?')

  /** An unknown list has no members. Throws Problem 403 if the caller may not read what the list is about. */
  function conditions(who: Caller, id: string): Condition[] {
    const list = byId.get(who.org, id, object) as Row | undefined
    if (!list) return [{ any: [] }]
    const filter = list.filter === null ? null : JSON.parse(list.filter)
    requireScopes(who, scopesOf({ object, filter }))
    // Where nobody asks, as in a job, the list is that of its owner.
    if (filter !== null) return smart.conditions(who.org, object, filter, who.member ?? list.owner_id)
    return [{ column: link.column, link, operator: 'eq', values: [id], indexed: true }]
  }

  const filter: Filter = {
    type: 'id',
    resolve: (who, id) => conditions(who, id as string),
    description:
      'A list that contains the record; see `GET /lists`. Where its filter says `me` or `today`, that is the member of the token and their day. If the filter of a smart list names fields of the company, the token needs `rest.crm.companies.read`, too.',
  }

  return { filter, conditions }
}
