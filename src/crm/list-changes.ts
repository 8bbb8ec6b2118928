import { type Deps, once } from '../deps.ts'
import type { ListObject } from '../filters/catalog.ts'
import { linkOf } from '../filters/membership.ts'
import type { Caller } from '../lib/caller.ts'
import { finder } from '../store/rows/find.ts'
import { rows } from '../store/rows/rows.ts'
import { nextRow } from '../store/rows/versions.ts'
import { columns, type List } from './list.ts'

/**
 * Who is in static lists, for all that adds and removes records. A list whose members have changed has to be `touched`: its
 * new version has an event, by whichever way it came, since receivers and open pages have no other sign of it.
 */
export const listChanges = once((deps: Deps) => {
  const { db, clock, outbox } = deps
  const find = finder(db, 'lists', columns)
  const { update } = rows(db, 'lists', columns)
  const exists = db.prepare('SELECT 1 FROM lists WHERE org_id = ? AND id = ?').pluck()
  const links = { contact: statements('contact'), company: statements('company'), deal: statements('deal') }

  function statements(object: ListObject) {
    const { table, key, column } = linkOf(object)
    return {
      add: db.prepare(`INSERT INTO ${table} (org_id, ${column}, ${key}) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`),
      remove: db.prepare(`DELETE FROM ${table} WHERE org_id = ? AND ${column} = ? AND ${key} = ?`),
      isIn: db.prepare(`SELECT 1 FROM ${table} WHERE org_id = ? AND ${column} = ? AND ${key} = ?`).pluck(),
      listsOf: db.prepare(`SELECT ${column} FROM ${table} WHERE org_id = ? AND ${key} = ?`).pluck(),
    }
  }

  /** The members of lists of one object. `add` and `remove` return whether that was a change. */
  function of(object: ListObject) {
    const { add, remove, isIn, listsOf } = links[object]
    return {
      add: (org: number, list: string, record: string): boolean => add.run(org, list, record).changes === 1,
      remove: (org: number, list: string, record: string): boolean => remove.run(org, list, record).changes === 1,
      isIn: (org: number, list: string, record: string): boolean => isIn.get(org, list, record) !== undefined,
      listsOf: (org: number, record: string): string[] => listsOf.all(org, record) as string[],
      /** Call this before a record is deleted, which also deletes its rows in the link table. */
      leaveAll: (who: Caller, record: string): void => {
        for (const list of listsOf.all(who.org, record) as string[]) touched(who, list)
      },
    }
  }

  /** Gives the list its next version. The event is that of POST /lists/{id}/members: it names no count. */
  function touched(who: Caller, id: string): void {
    const before = columns.present(find(who, id)) as List
    const after = nextRow(clock, before)
    update(who.org, before, after)
    outbox.record(who, 'list.updated', { ...after, member_count: 1 }, before, ['member_count'])
  }

  return { of, touched, exists: (org: number, id: string): boolean => exists.get(org, id) !== undefined }
})
