import { same } from '../lib/merge.ts'
import type { Columns, RawRow } from '../store/rows/columns.ts'
import { links } from '../store/rows/links.ts'
import { rows } from '../store/rows/rows.ts'
import { searchIndex } from '../store/search/search.ts'
import type { Database } from '../store/sqlite/driver.ts'
import { type CustomObject, HOLDERS, type Values } from './custom-fields/types.ts'
import type { customValues } from './custom-fields/values.ts'

type StoredRecord = { id: string; custom_fields: Values }

type Tables<Shape> = {
  object: CustomObject
  columns: Columns<Shape>
  custom: ReturnType<typeof customValues>
  /** The link tables of a record: by table, the column and its values. */
  linked: Record<string, [column: string, valuesOf: (record: Shape) => readonly string[]]>
  /** The words for the search index. */
  wordsIn: (org: number, record: Shape) => string[]
  /** The fields that `wordsIn` uses. */
  searched: readonly (keyof Shape)[]
}

/**
 * Writes contacts, companies and deals to all their tables: the row, the link tables, the values of custom fields and
 * the search index. Records are written unchanged, including id and version, and without an event. Throws 422 if
 * another record has the value of a unique custom field.
 */
export function recordRows<Shape extends StoredRecord>(
  db: Database,
  { object, columns, custom, linked, wordsIn, searched }: Tables<Shape>,
) {
  const { table, id: key } = HOLDERS[object]
  const row = rows(db, table, columns)
  const search = searchIndex(db, object)
  const linkRows = Object.entries(linked).map(([name, [column, valuesOf]]) => {
    const set = links(db, name, key, column)
    return (org: number, id: string, before: Shape | undefined, after: Shape): void =>
      set(org, id, before ? valuesOf(before) : [], valuesOf(after))
  })

  function restore(org: number, record: Shape): void {
    row.insert(org, record)
    for (const set of linkRows) set(org, record.id, undefined, record)
    custom.set(org, record.id, {}, record.custom_fields)
    index(org, record)
  }

  function write(org: number, before: Shape, after: Shape): void {
    row.update(org, before, after)
    for (const set of linkRows) set(org, after.id, before, after)
    custom.set(org, after.id, before.custom_fields, after.custom_fields)
    if (searched.some((name) => !same(before[name], after[name]))) index(org, after)
  }

  /** Updates the search index. */
  const index = (org: number, record: Shape): void => search.put(org, record.id, wordsIn(org, record))

  const after = db
    .prepare(`SELECT ${columns.select} FROM ${table} WHERE org_id = ? AND id > ? ORDER BY id LIMIT ?`)
    .raw()

  /** The words of at most `most` records after the given id. */
  const wordsAfter = (org: number, id: string, most: number): { id: string; words: string[] }[] =>
    (after.all(org, id, most) as RawRow[])
      .map(columns.present)
      .map((record) => ({ id: record.id, words: wordsIn(org, record) }))

  /** Updates the search index for at most `most` records after the given id. Returns the last id if there may be more. */
  function indexAfter(org: number, id: string, most: number): string | undefined {
    const found = wordsAfter(org, id, most)
    for (const { id, words } of found) search.put(org, id, words)
    return found.length < most ? undefined : found.at(-1)?.id
  }

  function erase(org: number, id: string): void {
    search.remove(org, id)
    row.remove(org, id) // deletes its rows in the other tables, too
  }

  return { restore, write, index, wordsAfter, indexAfter, erase }
}
