/**
 * Who looks into another window or tab has not left the field: it keeps the focus in its document, and hears nothing until
 * they are back. Only within the page is a field left, which saves it or closes its list.
 */
export function stayWhileAway(): void {
  let left: EventTarget | null = null
  const out = (event: FocusEvent) => {
    // Leaving within the page, the browser has taken the focus from it by now.
    if (event.target !== document.activeElement) return
    left = event.target
    event.stopImmediatePropagation()
  }
  const back = (event: FocusEvent) => {
    if (event.target === left) event.stopImmediatePropagation()
    if (event.type === 'focusin' || event.target !== left) left = null
  }
  for (const type of ['blur', 'focusout'] as const) window.addEventListener(type, out, { capture: true })
  for (const type of ['focus', 'focusin'] as const) window.addEventListener(type, back, { capture: true })
}
