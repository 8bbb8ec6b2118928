import { kindsOf, type TableColumn } from './column.ts'
import { type Layout, settled, widthOf } from './layout.ts'

/** The width of the column of boxes. */
export const BOX = 38

export type Geometry = {
  columns: readonly TableColumn[]
  /** For grid-template-columns. */
  template: string
  /** Of all columns, in pixels; those that grow with their smallest. */
  width: number
  /** Where columns that stay in view stand, by key. */
  stays: ReadonlyMap<string, number>
  /** How much of the left is covered by those. */
  covered: number
  /** The left edge and the width of each column. */
  places: readonly { left: number; width: number }[]
}

/** Where the columns of a layout stand. */
export function geometryOf(all: readonly TableColumn[], layout: Layout, hasBox: boolean, isNarrow: boolean): Geometry {
  const kinds = kindsOf(all)
  const order = settled(layout, kinds)
  const known = new Map(all.map((column) => [column.field.key, column]))
  const columns = order.map(({ key }) => known.get(key) as TableColumn)
  const widths = order.map((placed) => widthOf(placed, kinds))
  const stays = new Map<string, number>()
  const places: { left: number; width: number }[] = []
  const parts: string[] = hasBox ? [`${BOX}px`] : []
  let left = hasBox ? BOX : 0
  let covered = left
  const hasGrown = order.some(({ width }, at) => columns[at]?.grows && width === undefined)
  for (const [at, { key, width: own, pinned }] of order.entries()) {
    const [column, width] = [columns[at] as TableColumn, widths[at] as number]
    places.push({ left, width })
    if (column.fixed || (pinned && !isNarrow)) {
      stays.set(key, left)
      covered = left + width
    }
    parts.push(column.grows && own === undefined ? `minmax(${width}px, 1fr)` : `${width}px`)
    left += width
  }
  if (!hasGrown) parts.push('minmax(0, 1fr)')
  return { columns, template: parts.join(' '), width: left, stays, covered, places }
}
