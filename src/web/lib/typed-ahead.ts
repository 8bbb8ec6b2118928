import { isField, isMac } from './keyboard.ts'

// What opens on a key or a click may come later than the words that are typed for it: its code is on its way, or its data.
// Until its field takes the focus, those words are held, and they are no commands.

/** More than anybody types meanwhile. */
const LONGEST = 500
/** What has come takes the focus when it is drawn, or an effect later. */
const SETTLE_MS = 500

type Hold = {
  text: string
  waits: number
  timer?: ReturnType<typeof setTimeout>
  letGo: (() => void)[]
  stop: () => void
}
let now: Hold | undefined

/** While words are held, no command runs. */
export const isTypingAhead = (): boolean => now !== undefined

/**
 * Holds what is typed until `coming` has brought what takes the focus. Nothing is held once it fails, or when the person goes
 * elsewhere. Esc drops what was typed, and calls `letGo`: what has not come yet is not wanted.
 */
export function typeAhead(coming: Promise<unknown>, letGo?: () => void): void {
  now ??= hold()
  const mine = now
  mine.waits++
  if (letGo) mine.letGo.push(letGo)
  coming.then(() => {
    mine.waits--
    clearTimeout(mine.timer)
    mine.timer = setTimeout(() => mine.waits === 0 && mine.stop(), SETTLE_MS)
  }, mine.stop)
}

/** The same for what an action opens once it is here; after Esc it is not opened. */
export const opening = <Value>(coming: Promise<Value>): Promise<Value> =>
  new Promise((resolve, reject) => {
    let isWanted = true
    typeAhead(coming, () => {
      isWanted = false
    })
    coming.then((value) => isWanted && resolve(value), reject)
  })

function hold(): Hold {
  const off = new AbortController()
  const listen = { capture: true, signal: off.signal }
  const held: Hold = {
    text: '',
    waits: 0,
    letGo: [],
    stop: () => {
      off.abort()
      if (now === held) now = undefined
    },
  }
  addEventListener('keydown', (event) => take(held, event), listen)
  addEventListener('pointerdown', held.stop, listen)
  // Behind what the one who takes the focus does next, such as putting back what was begun.
  addEventListener('focusin', () => queueMicrotask(() => give(held)), listen)
  return held
}

/** Keys that act on what has the focus. */
const NAMED = /^(Enter|Tab|Backspace|Delete|Home|End|Page\w+|Arrow\w+|Escape)$/

function take(held: Hold, event: KeyboardEvent): void {
  const { key, ctrlKey, altKey, metaKey } = event
  const isText = [...key].length === 1
  // Ctrl and Alt together are AltGr, and on a Mac Alt alone writes signs.
  const isPlain = !metaKey && (ctrlKey === altKey || (isMac && altKey && isText))
  if (!isPlain || !(isText || NAMED.test(key))) return
  event.preventDefault()
  event.stopImmediatePropagation()
  if (key === 'Escape') {
    held.stop()
    for (const letGo of held.letGo) letGo()
  } else if (key === 'Backspace') held.text = [...held.text].slice(0, -1).join('')
  else if (event.repeat)
    return // the key that opened it
  else if (isText) held.text = (held.text + key).slice(0, LONGEST)
  // What is typed behind it is seen to be one text.
  else if (key === 'Enter' || key === 'Tab') held.text = held.text.replace(/\S$/, '$& ')
}

/** To the field that has the focus now; in a menu, the letters choose a row. */
function give(held: Hold): void {
  const at = document.activeElement
  if (now !== held || !(at instanceof HTMLElement)) return
  if (isField(at)) {
    held.stop()
    if (held.text !== '') document.execCommand('insertText', false, held.text)
  } else if (at.matches('[role^=menuitem]')) {
    held.stop()
    for (const key of held.text)
      document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))
    // What has come has no field. The heading of a screen that leads to one is no end.
  } else if (held.waits === 0 && at.tabIndex >= 0) held.stop()
}
