import { listChanges } from '../../crm/list-changes.ts'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../lib/caller.ts'
import type { MergeObject, Reason } from './undo-conflicts.ts'

/** The static lists of a merged record, and those of them that the remaining record was not in before. */
export type MergedLists = { lists: string[]; joined: string[] }
export type LeftList = { object: 'list'; id: string; field: 'members'; reason: Reason }

/** Swaps records in static lists, and back. */
export function mergedLists(deps: Deps, object: MergeObject) {
  const changes = listChanges(deps)
  const { add, remove, isIn, listsOf } = changes.of(object)

  /** The merged record stays in its lists until it is deleted, and that gives them new versions. */
  function move({ org }: Caller, from: string, to: string): MergedLists {
    const lists = listsOf(org, from)
    return { lists, joined: lists.filter((list) => add(org, list, to)) }
  }

  /** Adds the restored record to its lists again, unless the remaining record has been removed from them since. */
  function moveBack(who: Caller, { lists, joined }: MergedLists, from: string, to: string): LeftList[] {
    const { org } = who
    return lists.flatMap((id): LeftList[] => {
      if (!isIn(org, id, to))
        return [{ object: 'list', id, field: 'members', reason: changes.exists(org, id) ? 'changed' : 'deleted' }]
      add(org, id, from)
      if (joined.includes(id)) remove(org, id, to)
      changes.touched(who, id)
      return []
    })
  }

  return { move, moveBack }
}
