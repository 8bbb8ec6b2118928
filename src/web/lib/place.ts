export type Point = { x: number; y: number }
export type Anchor = HTMLElement | Point

export type PlaceOptions = {
  /** Which edges stand over each other. */
  align?: 'start' | 'end' | undefined
  /** As wide as the anchor, at least. */
  asWide?: boolean | undefined
  /** Stays at its anchor on a phone too, as the choices of an input do, which the keyboard would cover below. */
  alwaysAnchored?: boolean | undefined
}

const GAP = 4
const EDGE = 8

/** On a phone, what opens is a sheet from below, which CSS places. */
export const isPhone = (): boolean => matchMedia('(max-width: 40rem)').matches

/**
 * Keeps an element of the top layer under its anchor, or over it where there is more room, until the returned function is
 * called. Anchors of CSS are not in every browser yet.
 */
export function keepPlaced(element: HTMLElement, anchor: Anchor, options: PlaceOptions = {}): () => void {
  const place = () => placeOnce(element, anchor, options)
  place()
  const sizes = new ResizeObserver(place)
  sizes.observe(element)
  if (anchor instanceof HTMLElement) sizes.observe(anchor)
  addEventListener('scroll', place, { capture: true, passive: true })
  addEventListener('resize', place)
  return () => {
    sizes.disconnect()
    removeEventListener('scroll', place, { capture: true })
    removeEventListener('resize', place)
  }
}

function placeOnce(
  element: HTMLElement,
  anchor: Anchor,
  { align = 'start', asWide, alwaysAnchored }: PlaceOptions,
): void {
  const { style } = element
  if (isPhone() && !alwaysAnchored) {
    for (const name of ['left', 'top', 'min-width', 'max-height']) style.removeProperty(name)
    return
  }
  const box = anchor instanceof HTMLElement ? anchor.getBoundingClientRect() : new DOMRect(anchor.x, anchor.y, 0, 0)
  const gap = anchor instanceof HTMLElement ? GAP : 0
  const page = { width: document.documentElement.clientWidth, height: document.documentElement.clientHeight }
  if (asWide) style.minWidth = `${box.width}px`
  const below = page.height - box.bottom - gap - EDGE
  const above = box.top - gap - EDGE
  const isBelow = element.scrollHeight <= below || below >= above
  style.maxHeight = `${Math.max(120, isBelow ? below : above)}px`
  const { offsetWidth: width, offsetHeight: height } = element
  const wanted = align === 'end' ? box.right - width : box.left
  style.left = `${Math.max(EDGE, Math.min(wanted, page.width - width - EDGE))}px`
  style.top = `${isBelow ? box.bottom + gap : Math.max(EDGE, box.top - gap - height)}px`
}
