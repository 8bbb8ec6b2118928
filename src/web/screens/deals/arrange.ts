import type { BoardRow } from '../../data/board-row.ts'
import { fold } from '../../lib/fold.ts'
import { fieldKinds, type Local, valueIn } from '../../tables/deals/fields.ts'
import type { BoardStage } from '../../tables/deals/model.ts'
import { holds } from '../../tables/filters/conditions.ts'
import { type Around as FilterAround, fits } from '../../tables/filters/match.ts'
import { type Compare, comparing, type Sort } from './order.ts'
import { type Totals, totalsOf } from './totals.ts'

export type Column = { stage: BoardStage; rows: BoardRow[]; totals: Totals }

export type Question = {
  conditions: readonly Local[]
  /** Text to find in titles and names of companies. */
  q: string
  sort: Sort
}

export type Around = FilterAround & {
  currency: string
  /** The ids that fit what the server was asked, by the number of the question; any fits until the answer is here. */
  among: readonly ReadonlySet<string>[]
  /** Of all deals that fit, from the server, where there are more of them than are here; null where these are all. */
  totals: ReadonlyMap<string, Totals> | null
}

export function comparingIn(stages: readonly BoardStage[], sort: Sort, around: Around): Compare {
  const usual = new Map(stages.map(({ id, usual_days }) => [id, usual_days]))
  return comparing(sort, { ...around, usualDays: (id) => usual.get(id) ?? null })
}

/** Sorts the deals that fit into the columns of the stages. */
export function arrange(
  rows: Iterable<BoardRow>,
  stages: readonly BoardStage[],
  { conditions, q, sort }: Question,
  around: Around,
): Column[] {
  const byStage = new Map<string, BoardRow[]>(stages.map(({ id }) => [id, []]))
  const usual = new Map(stages.map(({ id, usual_days }) => [id, usual_days]))
  const words = fold(q).split(/\s+/).filter(Boolean)
  for (const row of rows) {
    const column = byStage.get(row.stage_id)
    if (!column) continue
    if (words.length > 0 && !hasWords(row, words)) continue
    if (!conditions.every((condition) => fitsRow(row, condition, usual.get(row.stage_id) ?? null, around))) continue
    column.push(row)
  }
  const compare = comparingIn(stages, sort, around)
  return stages.map((stage) => {
    const own = (byStage.get(stage.id) as BoardRow[]).sort(compare)
    const totals = around.totals
      ? (around.totals.get(stage.id) ?? totalsOf([], around.currency, () => 0))
      : totalsOf(own, around.currency, () => stage.probability)
    return { stage, rows: own, totals }
  })
}

function fitsRow(row: BoardRow, filter: Local, usualDays: number | null, around: Around): boolean {
  return holds(filter, (leaf) => {
    if ('asked' in leaf) return around.among[leaf.asked]?.has(row.id) ?? true
    const kind = fieldKinds[leaf.field]
    return !kind || fits(leaf, kind, valueIn(row, leaf.field, usualDays, around.now), around)
  })
}

function hasWords({ title, company_name }: BoardRow, words: readonly string[]): boolean {
  const text = fold(`${title} ${company_name ?? ''}`)
  return words.every((word) => text.includes(word))
}
