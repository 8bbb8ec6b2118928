import { type Order, orderShown } from './dates.ts'
import type { Fields } from './fields.ts'
import type { Mapping } from './mapping.ts'
import { type Decimal, decimalShown } from './numbers.ts'
import type { Row } from './read.ts'
import { type NumberFormat, unguarded } from './values.ts'

// One cell seldom tells how it is written: `1.234` and `11/12/2026` are two things each. The others of its column do.

/** What the person has said, for all columns. */
export type Said = { decimal?: Decimal | undefined; order?: Order | undefined }

/** Gathers how the columns of numbers and days are written, from all rows, before the first is taken. */
export function detectFormats(
  mapping: Mapping,
  fields: Fields,
  said: Said,
  own: { currency: string; timezone: string },
) {
  const numbers = new Map<string, Set<Decimal>>()
  const days = new Map<string, Set<Order>>()
  for (const { column, field } of mapping) {
    const kind = field === null ? undefined : fields[field]?.kind
    if (kind === 'amount' || kind === 'number' || kind === 'count') numbers.set(column, new Set())
    if (kind === 'date' || kind === 'time') days.set(column, new Set())
  }

  function see({ cells }: Row): void {
    for (const [column, seen] of numbers) note(seen, cells[column], decimalShown)
    for (const [column, seen] of days) note(seen, cells[column], orderShown)
  }

  function note<Shown>(seen: Set<Shown>, cell: unknown, shown: (text: string) => Shown | undefined): void {
    if (typeof cell !== 'string' || seen.size > 1) return
    const found = shown(unguarded(cell))
    if (found !== undefined) seen.add(found)
  }

  /** A column that shows both ways, or none, has none: what could be two things there is refused. */
  function formatOf(column: string): NumberFormat {
    return {
      ...own,
      decimal: said.decimal ?? only(numbers.get(column)),
      order: said.order ?? only(days.get(column)),
    }
  }

  return { see, formatOf }
}

const only = <T>(seen: Set<T> | undefined): T | undefined => (seen?.size === 1 ? [...seen][0] : undefined)
