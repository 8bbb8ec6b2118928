import { UUID } from '../../lib/id.ts'
import { Problem } from '../../lib/problem.ts'
import type { Database } from '../sqlite/driver.ts'
import { readReferredKey } from './by-reference.ts'
import type { Position, Sort } from './query.ts'

export const invalidCursor = (): Problem =>
  new Problem(
    400,
    'invalid_cursor',
    'This cursor does not belong to this list with this sort and these filters. Start again without a cursor.',
  )

/**
 * Checks that a row of the table can have this position in this sort: the cursor may come from an older version in
 * which the key had another type, or from somebody with the cursor secret. Throws Problem 400 `invalid_cursor`.
 */
export function positionCheck(db: Database, table: string): (sort: Sort, position: Position) => void {
  const typeOf = db.prepare('SELECT type FROM pragma_table_xinfo(?) WHERE name = ?').pluck()
  const types = new Map<string, string>()

  function columnType(of: string, column: string): string {
    const place = `${of}.${column}`
    const type = types.get(place) ?? (typeOf.get(of, column) as string)
    types.set(place, type)
    return type
  }

  function isKey({ column, link, nullable, big, by }: Sort, key: Position['key']): boolean {
    if (column === 'id') return key === null
    if (key === null) return nullable === true
    if (by) return readReferredKey(key) !== undefined
    if (big) return typeof key === 'string' && isBigInteger(key)
    const type = columnType(link?.table ?? table, column)
    return type === 'ANY' || (type === 'TEXT' ? 'string' : 'number') === typeof key
  }

  return (sort, { key, id }) => {
    if (!UUID.test(id) || !isKey(sort, key)) throw invalidCursor()
  }
}

/** Whether the text is an SQLite integer. */
const isBigInteger = (text: string): boolean =>
  /^-?\d{1,19}$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text)
