import { scaled } from '../../lib/scale.ts'
import { kindsOf, type TableColumn } from './column.ts'
import { type Layout, settled, widthOf } from './layout.ts'

/** The width of the column of boxes. */
export const BOX = scaled(38)

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

/** The width of a view in steps of 40 pixels, so that not every pixel draws anew. */
export const roomOf = (width: number): number => width - (width % 40)

/** Columns stay in view within this part of the width: the others could never be reached behind more of them. */
const MOST_COVERED = 0.6

/** The columns that a layout shows, in its order. */
export function placedColumns(all: readonly TableColumn[], layout: Layout): TableColumn[] {
  const known = new Map(all.map((column) => [column.field.key, column]))
  return settled(layout, kindsOf(all)).map(({ key }) => known.get(key) as TableColumn)
}

/** Where the columns of a layout stand; `room` is the width in which they can be seen, in pixels. */
export function geometryOf(all: readonly TableColumn[], layout: Layout, hasBox: boolean, room: number): Geometry {
  const kinds = kindsOf(all)
  const order = settled(layout, kinds)
  const columns = placedColumns(all, layout)
  const widths = order.map((placed) => scaled(widthOf(placed, kinds)))
  const stays = new Map<string, number>()
  const places: { left: number; width: number }[] = []
  const parts: string[] = hasBox ? [`${BOX}px`] : []
  let left = hasBox ? BOX : 0
  let covered = left
  const hasGrown = order.some(({ width }, at) => columns[at]?.grows && width === undefined)
  for (const [at, { key, width: own, pinned }] of order.entries()) {
    const [column, width] = [columns[at] as TableColumn, widths[at] as number]
    places.push({ left, width })
    if ((column.fixed || pinned) && left + width <= MOST_COVERED * room) {
      stays.set(key, left)
      covered = left + width
    }
    parts.push(column.grows && own === undefined ? `minmax(${width}px, ${column.grows}fr)` : `${width}px`)
    left += width
  }
  if (!hasGrown) parts.push('minmax(0, 1fr)')
  return { columns, template: parts.join(' '), width: left, stays, covered, places }
}
