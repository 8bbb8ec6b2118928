import type { Deps } from '../../deps.ts'
import { linkOf } from '../../filters/membership.ts'
import type { Caller } from '../../lib/caller.ts'
import type { MergeObject, Reason } from './undo-conflicts.ts'

/** The static lists of a merged record, and those of them that the remaining record was not in before. */
export type MergedLists = { lists: string[]; joined: string[] }
export type LeftList = { object: 'list'; id: string; field: 'members'; reason: Reason }

/** Swaps records in static lists, and back. The lists get new versions, but only the records have events. */
export function mergedLists({ db, clock }: Pick<Deps, 'db' | 'clock'>, object: MergeObject) {
  const { table, key, column } = linkOf(object)
  const listsOf = db.prepare(`SELECT ${column} FROM ${table} WHERE org_id = ? AND ${key} = ?`).pluck()
  const add = db.prepare(`INSERT INTO ${table} (org_id, ${column}, ${key}) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`)
  const remove = db.prepare(`DELETE FROM ${table} WHERE org_id = ? AND ${column} = ? AND ${key} = ?`)
  const isIn = db.prepare(`SELECT 1 FROM ${table} WHERE org_id = ? AND ${column} = ? AND ${key} = ?`).pluck()
  const exists = db.prepare('SELECT 1 FROM lists WHERE org_id = ? AND id = ?').pluck()
  const touch = db.prepare('UPDATE lists SET version = version + 1, updated_at = ? WHERE org_id = ? AND id = ?')

  /** The merged record stays in its lists until it is deleted, and that gives them new versions. */
  function move({ org }: Caller, from: string, to: string): MergedLists {
    const lists = listsOf.all(org, from) as string[]
    return { lists, joined: lists.filter((list) => add.run(org, list, to).changes === 1) }
  }

  /** Adds the restored record to its lists again, unless the remaining record has been removed from them since. */
  function moveBack({ org }: Caller, { lists, joined }: MergedLists, from: string, to: string): LeftList[] {
    return lists.flatMap((id): LeftList[] => {
      if (!isIn.get(org, id, to))
        return [{ object: 'list', id, field: 'members', reason: exists.get(org, id) ? 'changed' : 'deleted' }]
      add.run(org, id, from)
      if (joined.includes(id)) remove.run(org, id, to)
      touch.run(clock.now(), org, id)
      return []
    })
  }

  return { move, moveBack }
}
