import { isPlainClick } from '../../lib/router/links.ts'
import { isBrowsersMenu } from '../../shell/commands/own-menu.ts'
import type { Cell } from './focus.ts'
import type { TableState } from './table-state.ts'

/** Opens the menu of a row, at the pointer or at the cell with the focus. */
export type OnMenu = (event: MouseEvent, id: string) => void

type Parts = { state: TableState; edit: () => void; onMenu: OnMenu }

/** What the mouse does in a table. */
export function pointerOf({ state, edit, onMenu }: Parts) {
  const { focus, editing } = state
  /** The cell that had the focus before the button went down: pressing it again edits it. */
  let before: HTMLElement | null = null

  const onMouseDown = ({ target }: MouseEvent) => {
    const cell = cellOf(target)
    before = cell?.contains(document.activeElement) ? cell : null
  }

  /** A name is a link, and its cell the tab stop: a press that does not leave the page puts the focus into the cell. */
  const onFocusIn = ({ target }: FocusEvent) => {
    const cell = cellOf(target)
    const at = cell && placeOf(cell)
    if (!cell || !at || editing.peek()) return
    if (at.row !== focus.peek().row || at.column !== focus.peek().column) focus.value = at
    if (target instanceof HTMLAnchorElement) cell.focus({ preventScroll: true })
  }

  const onClick = (event: MouseEvent) => {
    const cell = cellOf(event.target)
    const at = cell && placeOf(cell)
    if (!cell || !at || editing.peek()) return
    focus.value = at
    cell.focus({ preventScroll: true })
    if (isLink(event.target) || !isPlainClick(event)) return
    if (event.detail === 2 || before === cell) edit()
  }

  const onContextMenu = (event: MouseEvent) => {
    const row = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-row][data-id]') : null
    if (!row || editing.peek() || isBrowsersMenu(event)) return
    event.preventDefault()
    const cell = cellOf(event.target)
    focus.value = { row: Number(row.dataset.row), column: Number(cell?.dataset.column ?? focus.peek().column) }
    onMenu(event, row.dataset.id as string)
  }

  return { onMouseDown, onFocusIn, onClick, onContextMenu }
}

/** What opens at a cell stands inside of it, and is no part of it. */
const cellOf = (target: EventTarget | null): HTMLElement | null =>
  target instanceof Element && !target.closest('.popover') ? target.closest<HTMLElement>('[data-column]') : null

/** Undefined in the head. */
function placeOf(cell: HTMLElement): Cell | undefined {
  const row = cell.closest<HTMLElement>('[data-row]')
  return row ? { row: Number(row.dataset.row), column: Number(cell.dataset.column) } : undefined
}

const isLink = (target: EventTarget | null): boolean => target instanceof Element && target.closest('a[href]') !== null
