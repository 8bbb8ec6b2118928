import type { Between, RawRow } from './source.ts'

// A board of monday.com is several tables below each other: each of its groups has a title, a header of its own, its items,
// and their sums; items may have a table of subitems below them.

const isBoard = (columns: readonly string[]): boolean =>
  columns.some((column) => /^(?:subitems|item id \(auto generated\))$/i.test(column))

export const NOTHING: Readonly<Between> = { titles: 0, headers: 0, subitems: 0, sums: 0 }

/** Yields the rows of items; of another table, all rows. `left` counts what is between them. */
export async function* itemsOf<Own extends RawRow>(
  columns: readonly string[],
  rows: AsyncGenerator<Own>,
  left: Between,
): AsyncGenerator<Own> {
  if (!isBoard(columns)) {
    yield* rows
    return
  }
  const id = columns.findIndex((column) => /^item id/i.test(column))
  let title: Own | undefined // or an item that has only a name
  let isSub = false
  for await (const row of rows) {
    const texts = row.cells.map((cell) => String(cell).trim())
    const isHeader =
      texts.some(Boolean) && texts.every((text, at) => text === '' || text === columns[at]?.replace(/ \(\d+\)$/, ''))
    const isSubHeader = /^subitems$/i.test(texts[0] ?? '') && texts.length > 1
    if (title && isHeader) left.titles++
    else if (title) yield title
    title = undefined
    if (isHeader) left.headers++
    if (isSubHeader) isSub = true
    else if (texts[0] !== '') isSub = false
    if (isHeader || isSubHeader) continue
    const isItem = id >= 0 && (texts[id] ?? '') !== ''
    if (isSub) left.subitems++
    else if (texts[0] === '' && !isItem) left.sums++
    else if (texts.filter(Boolean).length === 1) title = row
    else yield row
  }
  if (title) yield title
}

/** Says what of a board is no item. */
export function boardRemarks({ titles, headers, subitems, sums }: Between = NOTHING): string[] {
  const parts = [
    [titles, 'titles of groups'],
    [headers, 'repeated headers'],
    [subitems, 'subitems'],
    [sums, 'rows without a name'],
  ] as const
  const said = parts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`)
  return said.length > 0 ? [`Left out, since they are no items of the board: ${said.join(', ')}.`] : []
}
