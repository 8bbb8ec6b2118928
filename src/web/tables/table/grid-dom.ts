// Where rows and cells of a grid are in the page.

export const cellSelector = (row: number, column: number): string =>
  row < 0 ? `.thead [data-column="${column}"]` : `[data-row="${row}"] [data-column="${column}"]`

export const isTyping = (event: Event): boolean => (event.target as Element).matches('input, textarea, select')

/** Whether somebody has chosen a part of the text of the cell with the focus, by mouse. */
export function isTextChosen(): boolean {
  const [chosen, cell] = [getSelection(), document.activeElement]
  if (!chosen || !cell || chosen.isCollapsed) return false
  return cell.contains(chosen.anchorNode) && cell.contains(chosen.focusNode)
}

/** Those in view, and the one with the focus, which keys would lose otherwise. */
export function mountedRows(
  { first, last }: { first: number; last: number },
  count: number,
  focused: number,
): number[] {
  const found: number[] = []
  if (focused >= 0 && focused < first && focused < count) found.push(focused)
  for (let row = first; row <= Math.min(last, count - 1); row++) found.push(row)
  if (focused > last && focused < count) found.push(focused)
  return found
}
