/**
 * Where the focus is, in a way that finds the same row or card when the screen is drawn anew: a cell by its record and column,
 * a link by its address. null elsewhere.
 */
export function focusedPlace(focused: Element | null): string | null {
  // A record beside the list is that of the row with the tab stop.
  const element = focused?.closest('.side-panel') ? document.querySelector(TAB_STOP) : focused
  if (!element?.closest('main')) return null
  const record = element.closest<HTMLElement>('[data-id]')?.dataset.id
  const column = element.closest<HTMLElement>('[data-column]')?.dataset.column
  if (record && column) return `[data-id="${record}"] [data-column="${column}"]`
  const href = element.closest('a')?.getAttribute('href')
  return href ? `main a[href=${JSON.stringify(href)}]` : null
}

const TAB_STOP = '[data-id] [data-column][tabindex="0"], [data-card] a[tabindex="0"]'
