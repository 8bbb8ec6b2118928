import { isBrowsersMenu } from '../../shell/commands/own-menu.ts'

// A right click on a card, or a finger that rests on one, before the menus are loaded.

const TYPES = ['contextmenu', 'pointerdown', 'pointerup', 'pointercancel'] as const

let early: PointerEvent[] = []
let onEarly: () => void = () => undefined

function hear(event: PointerEvent): void {
  const isMenu = event.type === 'contextmenu'
  const isTouch = event.pointerType === 'touch'
  if (isMenu || event.type === 'pointerdown') {
    const isOnCard = event.target instanceof Element && event.target.closest('[data-card]')
    if (!isOnCard || (!isTouch && (!isMenu || isBrowsersMenu(event)))) return
    if (isMenu) event.preventDefault()
    else early = []
    onEarly()
  } else if (early.length === 0) return
  early.push(event)
}

/** Keeps what was pressed, in place of the browser's menu, and calls back so that the menus are loaded at once. The answer ends that. */
export function keepEarlyMenu(ask: () => void): () => void {
  onEarly = ask
  for (const type of TYPES) document.addEventListener(type, hear as EventListener)
  return () => void takeEarly()
}

/** What waits: the menus are here from now on. */
export function takeEarly(): PointerEvent[] {
  const events = early
  early = []
  for (const type of TYPES) document.removeEventListener(type, hear as EventListener)
  return events
}
