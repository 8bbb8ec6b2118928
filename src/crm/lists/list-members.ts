import type { Deps } from '../../deps.ts'
import { mayCount } from '../../filters/access.ts'
import type { ListObject } from '../../filters/catalog.ts'
import { membership } from '../../filters/membership.ts'
import type { Listed } from '../../http/route.ts'
import type { Caller } from '../../lib/caller.ts'
import { field, invalid } from '../../lib/problem.ts'
import { TABLES } from '../../lib/pure/nouns.ts'
import { type Condition, isTimeDependent } from '../../store/list/conditions.ts'
import type { Sort } from '../../store/list/query.ts'
import { missing } from '../../store/rows/references.ts'
import { isTooMuchWork } from '../../store/sqlite/work.ts'
import { listChanges } from '../list-changes.ts'
import type { KeptCounts } from './counts.ts'

/** Sorts that contacts, companies and deals have in common. */
export const MEMBER_SORTS: Record<string, Sort> = { created_at: { column: 'id' }, updated_at: { column: 'updated_at' } }

type Records = Pick<Listed, 'columns' | 'list' | 'render'> & { count: (org: number, conditions: Condition[]) => number }

/** The members of lists of one object. */
export function listMembers(deps: Deps, object: ListObject, records: Records, kept: KeptCounts) {
  const { db } = deps
  const { conditions } = membership(deps, object)
  const exists = db.prepare(`SELECT 1 FROM ${TABLES[object]} WHERE org_id = ? AND id = ?`).pluck()
  const members = listChanges(deps).of(object)
  const changes = (change: typeof members.add) => (org: number, id: string, records: string[]) =>
    records.filter((record) => change(org, id, record)).length

  function check(org: number, given: { add_ids: string[]; remove_ids: string[] }): void {
    const errors = Object.entries(given).flatMap(([name, ids]) =>
      ids.flatMap((id, index) => (exists.get(org, id) ? [] : [missing(`/${name}/${index}`)])),
    )
    given.remove_ids.forEach((id, index) => {
      if (given.add_ids.includes(id))
        errors.push(field(`/remove_ids/${index}`, 'contradiction', 'must not be in add_ids as well'))
    })
    if (errors.length > 0) throw invalid(...errors.slice(0, 100))
  }

  /** Throws Problem 403. */
  function open(caller: Caller, id: string): Listed {
    const all = conditions(caller, id)
    return {
      columns: records.columns,
      filters: {},
      sorts: MEMBER_SORTS,
      timeDependent: all.some(isTimeDependent),
      list: (org, ask, who) => records.list(org, { ...ask, conditions: all }, who),
      render: (org, ask, who) => records.render?.(org, { ...ask, conditions: all }, who),
    }
  }

  /**
   * Returns the number of members; null for a caller who may not read what the list is about, and if too many records
   * would have to be tested. `filter` is JSON.
   */
  function count(who: Caller, { id, filter }: { id: string; filter: string | null }): number | null {
    if (!mayCount(who, { object, filter: filter && JSON.parse(filter) })) return null
    const all = conditions(who, id)
    const counted = () => records.count(who.org, all)
    try {
      return filter === null || all.some(isTimeDependent) ? counted() : kept(who.org, `${object} ${filter}`, counted)
    } catch (error) {
      if (isTooMuchWork(error)) return null
      throw error
    }
  }

  return {
    open,
    count,
    members: { check, add: changes(members.add), remove: changes(members.remove) },
  }
}
