// Scroll positions belong to an entry in the history: "back" returns to the row where one was. A part of a screen that
// scrolls says so with data-scroll="name".

type Positions = Record<string, [number, number]>

const STORE = 'dealbox.scroll'
/** How long content may grow until a position is given up. */
const GROWTH_MS = 1500
const KEPT = 50

const saved = read()
let stopWaiting: (() => void) | undefined

const parts = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>('[data-scroll]')]

export function saveScroll(key: string): void {
  const positions: Positions = {}
  for (const part of parts()) positions[part.dataset.scroll ?? ''] = [part.scrollLeft, part.scrollTop]
  saved.delete(key)
  saved.set(key, positions)
  for (const oldest of [...saved.keys()].slice(0, Math.max(0, saved.size - KEPT))) saved.delete(oldest)
}

/** Returns to the positions of the entry, as soon as there is enough content, unless the person scrolls first. */
export function restoreScroll(key: string): void {
  stopWaiting?.()
  const positions = saved.get(key)
  if (!positions) return
  const left = new Map(Object.entries(positions).filter(([, [x, y]]) => x > 0 || y > 0))
  if (left.size === 0) return

  const settle = () => {
    for (const part of parts()) {
      const wanted = left.get(part.dataset.scroll ?? '')
      if (!wanted) continue
      part.scrollTo({ left: wanted[0], top: wanted[1], behavior: 'instant' })
      if (Math.abs(part.scrollTop - wanted[1]) <= 1 && Math.abs(part.scrollLeft - wanted[0]) <= 1) {
        left.delete(part.dataset.scroll ?? '')
      }
    }
    if (left.size === 0) stop()
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

function read(): Map<string, Positions> {
  try {
    return new Map(JSON.parse(globalThis.sessionStorage?.getItem(STORE) ?? '[]'))
  } catch {
    return new Map()
  }
}
