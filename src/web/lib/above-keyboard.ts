/** Below this height, in CSS pixels, a keyboard is on the screen, or a phone lies on its side. */
const LOW = 600

/**
 * Keeps the app above the keyboard of a phone as long as it is not stopped: `--visible-height` is what can be seen, and the root has
 * the class `is-low` where that is little. iOS lays its keyboard over the page, whose own height then stays as it was.
 */
export function keepAboveKeyboard(viewport = globalThis.visualViewport): () => void {
  if (!viewport) return () => undefined
  const root = document.documentElement
  const fit = () => {
    const height = viewport.height * viewport.scale // not less where somebody has zoomed in
    root.style.setProperty('--visible-height', `${height}px`)
    root.classList.toggle('is-low', height < LOW)
    // The browser scrolls the page to the field by itself, and away from its head.
    if (viewport.scale === 1) scrollTo(0, 0)
    requestAnimationFrame(() => document.activeElement?.scrollIntoView({ block: 'nearest' }))
  }
  fit()
  viewport.addEventListener('resize', fit)
  return () => {
    viewport.removeEventListener('resize', fit)
    root.style.removeProperty('--visible-height')
    root.classList.remove('is-low')
  }
}
