import { focusedPlace } from './focused-place.ts'

// Scroll positions belong to an entry in the history, and so does the focus: "back" returns to the row where one was. A part
// of a screen that scrolls says so with data-scroll="name".

type Positions = Record<string, [number, number]>
type Kept = { parts: Positions; focus: string | null }

const STORE = 'dealbox.places'
/** How long content may grow until a position is given up. */
const GROWTH_MS = 1500
const MOST = 50

const saved = read()
let stopWaiting: (() => void) | undefined

const parts = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>('[data-scroll]')]

export function saveScroll(key: string): void {
  const positions: Positions = {}
  for (const part of parts()) positions[part.dataset.scroll ?? ''] = [part.scrollLeft, part.scrollTop]
  saved.delete(key)
  saved.set(key, { parts: positions, focus: focusedPlace(document.activeElement) })
  for (const oldest of [...saved.keys()].slice(0, Math.max(0, saved.size - MOST))) saved.delete(oldest)
}

/** Returns to the positions and the focus of the entry, as soon as they are there, unless the person acts first. */
export function restoreScroll(key: string): void {
  stopWaiting?.()
  const kept = saved.get(key)
  if (!kept) return
  const left = new Map(Object.entries(kept.parts).filter(([, [x, y]]) => x > 0 || y > 0))
  let { focus } = kept

  const settle = () => {
    for (const part of parts()) {
      const wanted = left.get(part.dataset.scroll ?? '')
      if (!wanted) continue
      part.scrollTo({ left: wanted[0], top: wanted[1], behavior: 'instant' })
      if (Math.abs(part.scrollTop - wanted[1]) <= 1 && Math.abs(part.scrollLeft - wanted[0]) <= 1) {
        left.delete(part.dataset.scroll ?? '')
      }
    }
    const focused = focus === null ? null : document.querySelector<HTMLElement>(focus)
    if (focused) {
      focused.focus({ preventScroll: true })
      focus = null
    }
    if (left.size === 0 && focus === null) stop()
  }
  const observer = new MutationObserver(settle)
  const given = setTimeout(() => stop(), GROWTH_MS)
  const stop = () => {
    observer.disconnect()
    clearTimeout(given)
    for (const type of TAKES_OVER) removeEventListener(type, stop)
  }
  stopWaiting = stop
  for (const type of TAKES_OVER) addEventListener(type, stop, { once: true, passive: true })
  observer.observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ['style'] })
  settle()
}

const TAKES_OVER = ['wheel', 'touchstart', 'keydown', 'pointerdown'] as const

/** Over a reload the positions stay in the session storage. */
export function keepScrollOverReload(key: () => string | null): void {
  addEventListener('pagehide', () => {
    const now = key()
    if (now !== null) saveScroll(now)
    try {
      sessionStorage.setItem(STORE, JSON.stringify([...saved]))
    } catch {
      // Without storage the positions are lost with the page, nothing else.
    }
  })
}

function read(): Map<string, Kept> {
  try {
    return new Map(JSON.parse(globalThis.sessionStorage?.getItem(STORE) ?? '[]'))
  } catch {
    return new Map()
  }
}
