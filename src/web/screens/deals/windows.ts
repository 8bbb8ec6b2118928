import { scaled } from '../../lib/scale.ts'

// How much of the board is in the page: few cards of each column, and none of the columns beyond its edges.

/** The least width of a column that is not folded. */
export const NARROWEST = scaled(196)
/** Between the cards of a column. */
export const GAP = scaled(6)
/** The height of a card whose title has one line, until it is measured. */
export const CARD = scaled(102)
/** The head of a column, above its cards. */
export const HEAD = scaled(85)
/** Cards in the page, of all columns together. */
export const MOST_CARDS = 150

/** Cards beyond the view that each column may have in the page, so that the board stays within its budget. */
export function overscanFor(columns: number, height: number): number {
  const inView = Math.ceil(height / (CARD + GAP)) + 1
  const spare = Math.floor(MOST_CARDS / Math.max(1, columns)) - inView
  return Math.max(0, Math.min(4, Math.floor(spare / 2)))
}

export type Range = { from: number; to: number }

/** The columns that are in view, for a board that is wider than its window. `to` is not included. */
export function columnsIn(widths: readonly number[], scrollLeft: number, width: number): Range {
  let left = 0
  let from = -1
  let to = 0
  for (const [index, own] of widths.entries()) {
    if (left + own > scrollLeft && left < scrollLeft + width) {
      if (from < 0) from = index
      to = index + 1
    }
    left += own
  }
  return from < 0 ? { from: 0, to: Math.min(1, widths.length) } : { from, to }
}
