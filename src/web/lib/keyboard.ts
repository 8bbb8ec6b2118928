export const isMac = /mac|iphone|ipad/i.test(globalThis.navigator?.platform ?? '')

const TEXTLESS = new Set(['checkbox', 'radio', 'button', 'submit', 'reset', 'range', 'color', 'file', 'image'])

/** Whether keys that are pressed there write text. */
export function isField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target instanceof HTMLInputElement) return !TEXTLESS.has(target.type)
  return (
    target.isContentEditable || target.matches('textarea, select, [role=textbox], [role=combobox], [role=searchbox]')
  )
}
