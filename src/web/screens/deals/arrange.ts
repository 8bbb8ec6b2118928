import type { Condition } from '../../components/filters/conditions.ts'
import { type Around as FilterAround, fits } from '../../components/filters/match.ts'
import type { BoardRow } from '../../data/board.ts'
import { fold } from '../../lib/fold.ts'
import { fieldKinds, valueIn } from './fields.ts'
import type { BoardStage } from './model.ts'
import { type Compare, comparing, type Sort } from './order.ts'
import { type Totals, totalsOf } from './totals.ts'

export type Column = { stage: BoardStage; rows: BoardRow[]; totals: Totals }

export type Question = {
  conditions: readonly Condition[]
  /** Text to find in titles and names of companies. */
  q: string
  sort: Sort
}

export type Around = FilterAround & {
  currency: string
  /** Ids that fit the conditions on fields that rows do not have, from the server; null if there are none. */
  among: ReadonlySet<string> | null
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
    if (around.among && !around.among.has(row.id)) continue
    if (words.length > 0 && !hasWords(row, words)) continue
    if (!conditions.every((condition) => fitsRow(row, condition, usual.get(row.stage_id) ?? null, around))) continue
    column.push(row)
  }
  const compare = comparingIn(stages, sort, around)
  return stages.map((stage) => {
    const own = (byStage.get(stage.id) as BoardRow[]).sort(compare)
    return { stage, rows: own, totals: totalsOf(own, around.currency, () => stage.probability) }
  })
}

function fitsRow(row: BoardRow, condition: Condition, usualDays: number | null, around: Around): boolean {
  const kind = fieldKinds[condition.field]
  return !kind || fits(condition, kind, valueIn(row, condition.field, usualDays, around.now), around)
}

function hasWords({ title, company_name }: BoardRow, words: readonly string[]): boolean {
  const text = fold(`${title} ${company_name ?? ''}`)
  return words.every((word) => text.includes(word))
}
