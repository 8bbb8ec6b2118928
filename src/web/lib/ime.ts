/**
 * Keys that an input method takes (Japanese, Chinese, Korean, dead keys) reach no editor and no command: Esc takes a candidate
 * back there, and Enter confirms it. Safari ends the composition before it tells of that key, which then has the code 229 alone
 * (UI Events, section 7.3: the code of a key that an input method processes).
 */
export function leaveKeysToInputMethods(): void {
  const keep = (event: KeyboardEvent) => {
    if (event.isComposing || event.keyCode === 229) event.stopImmediatePropagation()
  }
  window.addEventListener('keydown', keep, { capture: true })
}
