import type { BoardRow } from '../../data/board-row.ts'
import type { Column } from './arrange.ts'
import { type Totals, totalsOf } from './totals.ts'

// Nothing moves under the pointer or the focus: while a column is held, its cards stay where they are. What left it stays
// as an outline, and what is new is counted until the column is let go.

export type ShownCard = {
  row: BoardRow
  /** Where it went, by a colleague's hand, while the column is held: a stage, or null for closed or deleted. */
  movedTo?: string | null
}

export type ShownColumn = {
  stage: Column['stage']
  cards: ShownCard[]
  totals: Totals
  /** How many cards are there that are not shown yet. */
  fresh: number
}

/** `before` are the cards that the column showed when it was held; null if it is not. What is my own is shown all the same. */
export function shownColumn(
  { stage, rows, totals }: Column,
  before: readonly BoardRow[] | null,
  find: (id: string) => BoardRow | undefined,
  own: ReadonlySet<string> = new Set(),
): ShownColumn {
  const known = new Set(before?.map(({ id }) => id))
  if (before === null || rows.some(({ id }) => own.has(id) && !known.has(id)))
    return { stage, cards: rows.map((row) => ({ row })), totals, fresh: 0 }
  const here = new Map(rows.map((row) => [row.id, row]))
  const cards = before.map((old): ShownCard => {
    const row = here.get(old.id)
    if (row) return { row }
    const now = find(old.id)
    return { row: now ?? old, movedTo: now && now.stage_id !== stage.id ? now.stage_id : null }
  })
  return { stage, cards, totals, fresh: rows.filter(({ id }) => !known.has(id)).length }
}

export type Gain = Totals

/** What a column would gain by a deal that comes from another one. */
export const gainOf = (row: BoardRow, currency: string): Gain => totalsOf([row], row.currency ?? currency, () => 100)
