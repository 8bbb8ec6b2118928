import type { Deps } from '../../deps.ts'
import { linkOf } from '../../filters/membership.ts'
import type { Caller } from '../../lib/caller.ts'
import type { MergeObject, Reason } from './undo-conflicts.ts'

/** The static lists of a record that was merged, and those of them that the other one was not in before. */
export type MergedLists = { lists: string[]; joined: string[] }
export type LeftList = { object: 'list'; id: string; field: 'members'; reason: Reason }

/** Static lists hold the one record instead of the other, and back. They get a new version, but the events are the records'. */
export function mergedLists({ db, clock }: Pick<Deps, 'db' | 'clock'>, object: MergeObject) {
  const { table, key, column } = linkOf(object)
  const listsOf = db.prepare(`SELECT ${column} FROM ${table} WHERE org_id = ? AND ${key} = ?`).pluck()
  const add = db.prepare(`INSERT INTO ${table} (org_id, ${column}, ${key}) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`)
  const remove = db.prepare(`DELETE FROM ${table} WHERE org_id = ? AND ${column} = ? AND ${key} = ?`)
  const isIn = db.prepare(`SELECT 1 FROM ${table} WHERE org_id = ? AND ${column} = ? AND ${key} = ?`).pluck()
  const exists = db.prepare('SELECT 1 FROM lists WHERE org_id = ? AND id = ?').pluck()
  const touch = db.prepare('UPDATE lists SET version = version + 1, updated_at = ? WHERE org_id = ? AND id = ?')

  /** The record that goes is in its lists until it is gone, and that gives them their version. */
  function move({ org }: Caller, from: string, to: string): MergedLists {
    const lists = listsOf.all(org, from) as string[]
    return { lists, joined: lists.filter((list) => add.run(org, list, to).changes === 1) }
  }

  /** Into the lists that the record was in goes the one that comes back, unless they were taken out since. */
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
