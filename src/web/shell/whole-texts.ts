const CUT = '.cut, .card h3, .co'
const mine = new WeakSet<Element>()

/** What does not fit into its place can be read whole under the pointer. */
export function showWholeTexts(): void {
  document.addEventListener('pointerover', ({ target }) => {
    const text = target instanceof Element ? target.closest<HTMLElement>(CUT) : null
    if (!text || (text.title !== '' && !mine.has(text))) return
    const isCut = text.scrollWidth > text.clientWidth || text.scrollHeight > text.clientHeight + 2
    if (isCut) {
      text.title = text.textContent ?? ''
      mine.add(text)
    } else if (mine.delete(text)) text.removeAttribute('title')
  })
}
