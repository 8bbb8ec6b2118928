import { isField } from '../../lib/keyboard.ts'

// Whose menu opens on a right click, the app's or the browser's: docs/decisions/053-links-and-menus.md.

/**
 * The menu key and Shift F10 open a menu without a button; browsers send -1 or 0 then, and say "mouse" all the same. On a
 * Mac, Ctrl with the first button is a right click. A long press is one of touch.
 */
export const isByMenuKey = (event: MouseEvent): boolean =>
  event.button !== 2 &&
  event.buttons === 0 &&
  !event.ctrlKey &&
  !/touch|pen/.test(`${(event as PointerEvent).pointerType}`)

/**
 * Links, chosen text and fields keep the browser's menu: it copies, opens in a new tab, corrects. So does Shift, anywhere.
 * The menu key means what has the focus: a card's link stands for the card.
 */
export function isBrowsersMenu(event: MouseEvent): boolean {
  if (isField(event.target)) return true
  if (isByMenuKey(event)) return false
  const link = event.target instanceof Element ? event.target.closest('a[href]') : null
  return event.shiftKey || isOnChosenText || (link !== null && isIn(link.getClientRects(), event))
}

/** A link can be pressed beyond its own box, where it is spread over its row. */
const isIn = (boxes: Iterable<DOMRect>, { clientX: x, clientY: y }: MouseEvent): boolean =>
  [...boxes].some(({ left, right, top, bottom }) => x >= left && x <= right && y >= top && y <= bottom)

let isOnChosenText = false

// Where text was chosen before the press: on a Mac, a right click chooses the word under it.
document.addEventListener(
  'mousedown',
  (event) => {
    const chosen = getSelection()
    isOnChosenText = chosen !== null && !chosen.isCollapsed && isIn(chosen.getRangeAt(0).getClientRects(), event)
  },
  { capture: true },
)
