import type { Page } from '../../store/list/page.ts'
import type { RawRow } from '../../store/rows/columns.ts'

const MAX_PAGE_LENGTH = 16 * 1_048_576
/** Shortens a page whose messages would exceed the limit, to at least one. */
export function lightPage({ rows, next, ...rest }: Page): Page {
  let length = 0
  const end = rows.findIndex((row, index) => {
    for (const value of row) if (typeof value === 'string') length += value.length
    return length > MAX_PAGE_LENGTH && index > 0
  })
  if (end < 0) return { rows, next, ...rest }
  const last = rows[end - 1] as RawRow
  return { rows: rows.slice(0, end), next: { key: last.at(-2) as null, id: last.at(-1) as string }, ...rest }
}
