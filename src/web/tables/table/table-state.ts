import { type Signal, signal } from '@preact/signals'
import type { Cell } from './focus.ts'
import { NONE, type Selection } from './selection.ts'

/** What a table holds besides its rows; the screen makes it once, so that its commands and its bulk bar share it. */
export type TableState = {
  /** Columns are those on the page, without the one of the boxes; row -1 is the head. */
  focus: Signal<Cell>
  editing: Signal<(Cell & { startWith?: string | undefined }) | null>
  selection: Signal<Selection>
  /** Records that were changed here: their cells show how that stands. */
  touched: Signal<ReadonlySet<string>>
  /** What a paste could not read, by record and field, until the cell is edited: the text, and why. */
  refused: Signal<ReadonlyMap<string, { text: string; reason: string }>>
  /** Moves the focus of the page to the cell in `focus`; set by the table. */
  toFocus: { current: (() => void) | undefined }
}

export const tableState = (): TableState => ({
  focus: signal({ row: 0, column: 0 }),
  editing: signal(null),
  selection: signal(NONE),
  touched: signal(new Set()),
  refused: signal(new Map()),
  toFocus: { current: undefined },
})

export const cellName = (id: string, key: string): string => `${id} ${key}`

export function touch(state: TableState, id: string): void {
  if (!state.touched.peek().has(id)) state.touched.value = new Set([...state.touched.peek(), id])
}
