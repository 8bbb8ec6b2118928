// Keys as text: 'g d' is a sequence, 'mod+k' is Ctrl K, or Command K on a Mac, 'shift+j' needs Shift. A sign that is typed
// with Shift, such as '?', stands for itself. Alt is never used: it writes letters in many languages.

export type Press = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>

/** Splits a sequence into its strokes. */
export const strokesOf = (keys: string): string[] => keys.split(' ').filter((stroke) => stroke !== '')

/** The stroke that was pressed, in the form of the registry; null for a modifier alone, and for anything with Alt. */
export function strokeOf(press: Press, isMac: boolean): string | null {
  if (press.altKey || MODIFIERS.has(press.key)) return null
  // On a Mac, Ctrl belongs to the system; elsewhere the Windows key does.
  const isMod = isMac ? press.metaKey : press.ctrlKey
  if (isMac ? press.ctrlKey : press.metaKey) return null
  const key = nameOf(press)
  const isLetter = /^[a-z]$/.test(key)
  const isNamed = key.length > 1
  const shift = press.shiftKey && (isLetter || isNamed) ? 'shift+' : ''
  return `${isMod ? 'mod+' : ''}${shift}${key}`
}

/** A letter of another script is that of its place on a Latin keyboard. A sign is itself, wherever it is: layouts differ. */
function nameOf({ key, code }: Press): string {
  if (key === ' ') return 'Space'
  if (key.length > 1) return key
  const place = /^Key([A-Z])$/.exec(code)?.[1]
  if (place && /^\p{L}$/u.test(key) && !/^\p{Script=Latin}$/u.test(key)) return place.toLowerCase()
  return key.toLowerCase()
}

const MODIFIERS = new Set([
  'Shift',
  'Control',
  'Meta',
  'Alt',
  'AltGraph',
  'CapsLock',
  'Dead',
  'Process',
  'Unidentified',
])

/** A key that also writes text, so that it can be switched off and never acts inside fields. */
export const isSingle = (keys: string): boolean => strokesOf(keys).some((stroke) => /^(shift\+)?.$/u.test(stroke))

/** Whether one of two sequences is the other or begins it: then the longer one could never be finished. */
export function overlap(one: string, other: string): boolean {
  const a = strokesOf(one)
  const b = strokesOf(other)
  return a.every((stroke, index) => index >= b.length || b[index] === stroke)
}

const NAMES: Record<string, string> = {
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  Escape: 'Esc',
  Backspace: '⌫',
  Delete: 'Del',
}

/** One label for each stroke, as they stand in a `kbd`: 'g d' is ['G', 'D'], 'mod+k' is ['Ctrl K'] or ['⌘K']. */
export function keyLabels(keys: string, isMac: boolean): string[] {
  return strokesOf(keys).map((stroke) => {
    const pieces = piecesOf(stroke)
    const name = pieces.pop() as string
    const label = NAMES[name] ?? (name.length === 1 ? name.toUpperCase() : name)
    const modifiers = pieces.map((piece) => (piece === 'mod' ? (isMac ? '⌘' : 'Ctrl ') : isMac ? '⇧' : '⇧ '))
    return modifiers.join('') + label
  })
}

/** The labels in one line, for the hint inside a button. */
export const keyLabel = (keys: string, isMac: boolean): string => keyLabels(keys, isMac).join(' ')

/** For `aria-keyshortcuts`, which cannot say a sequence; undefined for one. */
export function ariaKeys(keys: string, isMac: boolean): string | undefined {
  const [stroke, ...rest] = strokesOf(keys)
  if (!stroke || rest.length > 0) return undefined
  const pieces = piecesOf(stroke)
  const name = pieces.pop() as string
  const modifiers = pieces.map((piece) => (piece === 'mod' ? (isMac ? 'Meta' : 'Control') : 'Shift'))
  return [...modifiers, name.length === 1 ? name.toUpperCase() : name].join('+')
}

function piecesOf(stroke: string): string[] {
  const modifiers = /^((?:mod\+|shift\+)*)(.+)$/u.exec(stroke)
  const before = (modifiers?.[1] ?? '').split('+').filter((piece) => piece !== '')
  return [...before, modifiers?.[2] ?? stroke]
}
