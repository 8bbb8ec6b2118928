import { type Order, orderShown } from './dates.ts'
import type { Fields } from './fields.ts'
import type { Mapping } from './mapping.ts'
import { type Decimal, decimalShown } from './numbers.ts'
import type { Row } from './read.ts'
import { type NumberFormat, unguarded } from './values.ts'

// A single cell is often ambiguous: `1.234` and `11/12/2026` have two readings each. Other cells of the column decide.

/** The formats given on the command line, for all columns. */
export type FormatOptions = { decimal?: Decimal | undefined; order?: Order | undefined }

/** Detects the formats of number and date columns from all rows, before the first row is imported. */
export function detectFormats(
  mapping: Mapping,
  fields: Fields,
  options: FormatOptions,
  own: { currency: string; timezone: string },
) {
  const numbers = new Map<string, Set<Decimal>>()
  const days = new Map<string, Set<Order>>()
  for (const { column, field } of mapping) {
    const kind = field === null ? undefined : fields[field]?.kind
    if (kind === 'amount' || kind === 'number' || kind === 'count') numbers.set(column, new Set())
    if (kind === 'date' || kind === 'time') days.set(column, new Set())
  }

  function addRow({ cells }: Row): void {
    for (const [column, seen] of numbers) note(seen, cells[column], decimalShown)
    for (const [column, seen] of days) note(seen, cells[column], orderShown)
  }

  function note<Shown>(seen: Set<Shown>, cell: unknown, shown: (text: string) => Shown | undefined): void {
    if (typeof cell !== 'string' || seen.size > 1) return
    const found = shown(unguarded(cell))
    if (found !== undefined) seen.add(found)
  }

  /**
   * Returns the format of a column. If its cells show both forms or none, it stays open: ambiguous cells are then
   * rejected.
   */
  function formatOf(column: string): NumberFormat {
    return {
      ...own,
      decimal: options.decimal ?? only(numbers.get(column)),
      order: options.order ?? only(days.get(column)),
    }
  }

  return { addRow, formatOf }
}

const only = <T>(seen: Set<T> | undefined): T | undefined => (seen?.size === 1 ? [...seen][0] : undefined)
