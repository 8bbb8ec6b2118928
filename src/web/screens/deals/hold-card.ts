// A finger that rests on a card. Of browsers, some send "contextmenu" for it and some nothing, and most show their own menu
// of the card's link: only the events of the finger are the same everywhere.

const HOLD_MS = 450
/** How soon a browser takes the release for a press, if it does: one that came later would close the menu again. */
const CLICK_MS = 150
/** Pixels: no finger lies still. */
const SLACK = 10

type Point = { x: number; y: number }

/**
 * Calls back when a finger that has rested on a card leaves it: a popover that opened before would be closed by that. A swipe or
 * a scroll is no rest. `early` is what fingers did before this was loaded. The answer ends it.
 */
export function onHold(
  cardOf: (target: EventTarget | null) => string | undefined,
  run: (id: string, at: Point) => void,
  early: readonly PointerEvent[],
) {
  const end = new AbortController()
  const options = { signal: end.signal, capture: true }
  let down: (Point & { id: string; since: number; pointer: number }) | undefined
  let isHeld = false
  let opens: (() => void) | undefined
  const onDown = (event: PointerEvent) => {
    const { target, pointerType, pointerId, clientX: x, clientY: y, timeStamp: since, isPrimary } = event
    const id = pointerType === 'touch' && isPrimary ? cardOf(target) : undefined
    isHeld = false
    down = id === undefined ? undefined : { id, x, y, since, pointer: pointerId }
  }
  const onCancel = () => {
    down = undefined
  }
  const onUp = ({ pointerId, timeStamp }: PointerEvent) => {
    const rested = down?.pointer === pointerId && timeStamp - down.since >= HOLD_MS ? down : undefined
    down = undefined
    if (!rested) return
    isHeld = true
    opens = () => {
      opens = undefined
      run(rested.id, rested)
    }
    setTimeout(() => opens?.(), CLICK_MS)
  }
  document.addEventListener('pointerdown', onDown, options)
  document.addEventListener(
    'pointermove',
    ({ pointerId, clientX: x, clientY: y }) => {
      if (down?.pointer === pointerId && Math.hypot(x - down.x, y - down.y) > SLACK) down = undefined
    },
    options,
  )
  document.addEventListener('pointercancel', onCancel, options)
  // The card's link, which the finger would take along.
  document.addEventListener('dragstart', (event) => down && event.preventDefault(), options)
  document.addEventListener('pointerup', onUp, options)
  // Some browsers take the release for a press on the card's link.
  document.addEventListener(
    'click',
    (event) => {
      if (!isHeld) return
      isHeld = false
      event.preventDefault()
      event.stopPropagation()
      // After the browser has closed what a press beside it closes.
      setTimeout(() => opens?.())
    },
    options,
  )
  const heard: Record<string, (event: PointerEvent) => void> = {
    pointerdown: onDown,
    pointerup: onUp,
    pointercancel: onCancel,
  }
  for (const event of early) heard[event.type]?.(event)
  return () => end.abort()
}
