type RovingOptions = {
  /** `click` also presses the one that the focus comes to: for tabs and radios, where moving is choosing. */
  also?: 'click'
  /** Where arrows of this direction alone move. Default: both. */
  axis?: 'vertical' | 'horizontal'
  /** Stops at the ends instead of going round. */
  ends?: boolean
}

const STEPS: Record<string, { step: number; axis: 'vertical' | 'horizontal' }> = {
  ArrowDown: { step: 1, axis: 'vertical' },
  ArrowUp: { step: -1, axis: 'vertical' },
  ArrowRight: { step: 1, axis: 'horizontal' },
  ArrowLeft: { step: -1, axis: 'horizontal' },
}

/**
 * Makes the key handler of a group with one tab stop: arrows, Home and End move the focus between the elements that the
 * selector finds. Each has tabIndex 0 or -1 by what is chosen, or is given it here.
 */
export function rovingKeys(selector: string, { also, axis, ends }: RovingOptions = {}) {
  return (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
    const group = event.currentTarget as HTMLElement
    const items = [...group.querySelectorAll<HTMLElement>(selector)].filter((item) => item.offsetParent !== null)
    const next = target(event.key, items, items.indexOf(document.activeElement as HTMLElement), axis, ends)
    if (next === undefined) return
    event.preventDefault()
    moveFocus(items, next)
    if (also === 'click') next.click()
  }
}

function target(key: string, items: HTMLElement[], at: number, axis: RovingOptions['axis'], ends = false) {
  if (key === 'Home') return items[0]
  if (key === 'End') return items.at(-1)
  const move = STEPS[key]
  if (!move || (axis && move.axis !== axis)) return undefined
  const index = at + move.step
  if (ends) return items[Math.max(0, Math.min(items.length - 1, index))]
  return items[(index + items.length) % items.length]
}

/** Gives the focus to one element of a group, which becomes its one tab stop. */
export function moveFocus(items: HTMLElement[], to: HTMLElement): void {
  for (const item of items) item.tabIndex = item === to ? 0 : -1
  to.focus()
}
