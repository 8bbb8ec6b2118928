/**
 * Copies a text. Over plain HTTP a page has no `navigator.clipboard`: there the old command does it, which needs the text in
 * the page for a moment. Rejects if the browser allows neither.
 */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const before = document.activeElement
  const area = document.createElement('textarea')
  area.value = text
  area.setAttribute('aria-hidden', 'true')
  area.className = 'sr'
  // Inside an open dialog, nothing outside of it can have the focus.
  const place = document.querySelector('dialog:modal') ?? document.body
  place.append(area)
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  if (before instanceof HTMLElement) before.focus()
  if (!isCopied) throw new Error('The browser does not let this page copy.')
}
