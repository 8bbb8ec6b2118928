import type { ImportObject } from '../../writable.ts'
import { fieldsOfHeaders } from '../columns/headers.ts'
import { itemsOf, NOTHING } from './board.ts'
import type { RawRow, Source } from './source.ts'

// The header of a table, and what stands above it: the name of a board or a report, who ran it, and the like.

/** The most rows above a header. */
export const MAX_ABOVE = 20

/**
 * Returns the place of the header among the first rows: the first one with several cells of which a column is recognised,
 * and otherwise the first one, whatever it has.
 */
export function headAt(object: ImportObject, rows: readonly (readonly string[])[]): number {
  const widest = Math.max(...rows.map(filled))
  const found = rows.findIndex((cells) => {
    const known = fieldsOfHeaders(object, cells).filter((meanings) => meanings.length > 0).length
    return known > 1 || (known === 1 && filled(cells) > 1) || (known === 1 && widest === 1)
  })
  if (found < 0 && filled(rows[0] ?? []) === 1 && widest > 2)
    return rows.findIndex((cells) => filled(cells) >= Math.max(2, widest / 2))
  // A row of single words above others is a name; a row with several cells is a header of columns that nobody knows.
  return found > 0 && rows.slice(0, found).every((cells) => filled(cells) < Math.max(2, widest / 2)) ? found : 0
}

const filled = (cells: readonly string[]): number => cells.filter((cell) => cell.trim() !== '').length

/** Says what is left out above the header. */
export function aboveHead(line: number | undefined, above: readonly (readonly string[])[]): string[] {
  if (above.length === 0) return []
  const texts = above.map((cells) => `"${cells.filter((cell) => cell.trim() !== '').join(' ')}"`)
  return [`The header is in line ${line}; above it: ${texts.join(', ')}.`]
}

/** Yields the rows below the header, without what a board has between them. */
export async function* belowHead<Own extends RawRow>(source: Source, rows: AsyncGenerator<Own>): AsyncGenerator<Own> {
  const { above = 0, columns } = source
  source.between = { ...NOTHING }
  yield* itemsOf(columns, skipped(rows, above + 1), source.between)
}

async function* skipped<Own>(rows: AsyncGenerator<Own>, count: number): AsyncGenerator<Own> {
  let left = count
  for await (const row of rows)
    if (left > 0) left--
    else yield row
}
