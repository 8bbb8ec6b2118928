import { fold } from '../../lib/fold.ts'
import { isBoardOnly } from '../../tables/deals/fields.ts'
import type { Filter } from '../../tables/filters/conditions.ts'

/** What the board asks for, as the server can answer it: a filter like that of a smart list, as JSON; null for all deals. */
export function serverFilter(conditions: readonly Filter[], q: string): string | null {
  const words = fold(q).split(/\s+/).filter(Boolean)
  const parts: Filter[] = [
    ...conditions.filter((each) => !isBoardOnly(each)),
    ...words.map((value) => ({
      any: ['title', 'company.name'].map((field) => ({ field, op: 'contains' as const, value })),
    })),
  ]
  if (parts.length === 0) return null
  return JSON.stringify(parts.length === 1 ? parts[0] : { all: parts })
}
