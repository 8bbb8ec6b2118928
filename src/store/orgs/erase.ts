import { tablesOfOrgs } from '../schema/tables.ts'
import { type Kind, searchIndex } from '../search/search.ts'
import type { Database } from '../sqlite/driver.ts'

/** Rows deleted between two checks of the clock. */
const BATCH_SIZE = 20

/** The table of each kind of searchable record. */
export const SEARCHED_TABLES: Record<Kind, string> = {
  deal: 'deals',
  contact: 'contacts',
  company: 'companies',
  note: 'notes',
  task: 'tasks',
  conversation: 'conversations',
  meeting: 'meetings',
  meeting_alone: 'meetings',
}

/** Deletes all rows of an organisation and the organisation itself; see `rowEraser`. */
export function eraser(db: Database, org: number): (isFull: () => boolean) => boolean {
  const erase = rowEraser(db, org)
  return (isFull) => {
    if (!erase(isFull)) return false
    db.prepare('DELETE FROM orgs WHERE id = ?').run(org)
    return true
  }
}

/**
 * Deletes all rows of an organisation but those of the tables to keep, until the batch is full; returns whether it has
 * finished. Foreign keys have to be off: tables are emptied one after the other.
 */
export function rowEraser(db: Database, org: number, keep: readonly string[] = []): (isFull: () => boolean) => boolean {
  const left = ['search_docs', 'search_pending', ...keep]
  const tables = tablesOfOrgs(db).filter((table) => !left.includes(table))
  const kindsOf = Map.groupBy(Object.keys(SEARCHED_TABLES) as Kind[], (kind) => SEARCHED_TABLES[kind])
  const searched = [...kindsOf].map(([table, kinds]) => searchedRows(db, table, kinds))
  const parts = [...searched, ...tables.map((table) => rowsOf(db, table))]

  return (isFull) => {
    for (let part = parts[0]; part; part = parts[0]) {
      if (part(org) === 0) parts.shift()
      if (isFull()) return false
    }
    return true
  }
}

/** Deletes records with their entries in the search index, and returns their number. */
function searchedRows(db: Database, table: string, kinds: readonly Kind[]): (org: number) => number {
  const indexes = kinds.map((kind) => searchIndex(db, kind))
  const some = db.prepare(`SELECT id FROM ${table} WHERE org_id = ? LIMIT ${BATCH_SIZE}`).pluck()
  const remove = db.prepare(`DELETE FROM ${table} WHERE org_id = ? AND id = ?`)

  return (org) => {
    const ids = some.all(org) as string[]
    for (const id of ids) {
      for (const index of indexes) index.remove(org, id)
      remove.run(org, id)
    }
    return ids.length
  }
}

function rowsOf(db: Database, table: string): (org: number) => number {
  const key = db
    .prepare("SELECT name FROM pragma_table_info(?, 'main') WHERE pk > 0 ORDER BY pk")
    .pluck()
    .all(table)
    .join(', ')
  const remove = db.prepare(
    `DELETE FROM main.${table} WHERE (${key}) IN (SELECT ${key} FROM main.${table} WHERE org_id = ? LIMIT ${BATCH_SIZE})`,
  )
  return (org) => remove.run(org).changes
}
