// Where the focus in a grid goes by which key. Row -1 is the head.

export type Cell = { row: number; column: number }
type Size = { rows: number; columns: number; page: number }
type Press = { key: string; ctrlKey?: boolean; metaKey?: boolean; shiftKey?: boolean; altKey?: boolean }

/** The cell that the key leads to; undefined for other keys. `j` and `k` are those of all lists. */
export function moveFocus(at: Cell, press: Press, { rows, columns, page }: Size): Cell | undefined {
  if (press.altKey || press.shiftKey) return undefined
  const isFar = press.ctrlKey || press.metaKey
  const to = (row: number, column: number): Cell => ({
    row: Math.max(-1, Math.min(rows - 1, row)),
    column: Math.max(0, Math.min(columns - 1, column)),
  })
  const { row, column } = at
  if (isFar && !/^(Home|End|Arrow)/.test(press.key)) return undefined
  switch (press.key) {
    case 'ArrowDown':
      return to(isFar ? rows - 1 : row + 1, column)
    case 'ArrowUp':
      return to(isFar ? 0 : row - 1, column)
    case 'ArrowRight':
      return to(row, isFar ? columns - 1 : column + 1)
    case 'ArrowLeft':
      return to(row, isFar ? 0 : column - 1)
    case 'PageDown':
      return to(row + page, column)
    case 'PageUp':
      return to(Math.max(0, row - page), column)
    case 'Home':
      return isFar ? to(0, 0) : to(row, 0)
    case 'End':
      return isFar ? to(rows - 1, columns - 1) : to(row, columns - 1)
    default:
      return undefined
  }
}

/** The next cell that can be edited, in the reading order or against it; undefined at the end. */
export function nextEditable(
  at: Cell,
  step: 1 | -1,
  rows: number,
  canEdit: (column: number) => boolean,
  columns: number,
) {
  let { row, column } = at
  for (let tries = 0; tries < columns * 2; tries++) {
    column += step
    if (column >= columns || column < 0) {
      row += step
      column = step > 0 ? 0 : columns - 1
    }
    if (row < 0 || row >= rows) return undefined
    if (canEdit(column)) return { row, column }
  }
  return undefined
}
