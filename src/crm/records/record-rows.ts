import { same } from '../../lib/merge.ts'
import type { Columns } from '../../store/columns.ts'
import type { Database } from '../../store/driver.ts'
import { links } from '../../store/links.ts'
import { rows } from '../../store/rows.ts'
import { searchIndex } from '../../store/search.ts'
import { type CustomObject, HOLDERS, type Values } from '../custom-fields/types.ts'
import type { customValues } from '../custom-fields/values.ts'

type Kept = { id: string; custom_fields: Values }

type Places<Shape> = {
  object: CustomObject
  columns: Columns<Shape>
  custom: ReturnType<typeof customValues>
  /** What the link tables hold of a record: by table, the column and its values. */
  linked: Record<string, [column: string, valuesOf: (record: Shape) => readonly string[]]>
  /** What a record is found by, and the fields that this looks at. */
  wordsIn: (org: number, record: Shape) => string[]
  searched: readonly (keyof Shape)[]
}

/**
 * Writes the contacts, companies and deals into all the places where they stand: their row, the link tables, the values
 * of their custom fields, the search index. A record is written as it is, with its id and its version, and without an
 * event. Throws 422 for values of custom fields that have to be unique and are another record's.
 */
export function recordRows<Shape extends Kept>(
  db: Database,
  { object, columns, custom, linked, wordsIn, searched }: Places<Shape>,
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

  /** Puts the record into the search index again. */
  const index = (org: number, record: Shape): void => search.put(org, record.id, wordsIn(org, record))

  function erase(org: number, id: string): void {
    search.remove(org, id)
    row.remove(org, id) // its rows in the other tables go with it
  }

  return { restore, write, index, erase }
}
