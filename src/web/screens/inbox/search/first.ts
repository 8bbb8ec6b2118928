import { computed } from '@preact/signals'
import type { Rows } from '../../../tables/table/rows.ts'

/** The same rows with this one before all others. */
export function withFirst(rows: Rows, first: string): Rows {
  const own = () => rows.rowOf(first)
  /** The row of the list behind a row that is shown. */
  const behind = (row: number): number => (own() >= 0 && row > own() ? row : row - 1)
  return {
    ...rows,
    total: computed(() => {
      rows.revision.value
      const total = rows.total.value
      return total === undefined || own() >= 0 ? total : total + 1
    }),
    idAt: (row) => (row === 0 ? first : rows.idAt(behind(row))),
    rowOf(id) {
      if (id === first) return 0
      const row = rows.rowOf(id)
      return row < 0 || (own() >= 0 && row > own()) ? row : row + 1
    },
    ensure: (from, to) => rows.ensure(Math.max(0, from - 1), to),
  }
}
