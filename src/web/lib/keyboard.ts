export const isMac = /mac|iphone|ipad/i.test(globalThis.navigator?.platform ?? '')

/** What is typed in an editor is no command. A key with Ctrl that it has no use for goes on: it may open the palette. */
export function keepTyped(event: KeyboardEvent): void {
  if (event.defaultPrevented || !(event.ctrlKey || event.metaKey)) event.stopPropagation()
}

/** Fields of text, as the browser tells them from check boxes and sliders, and what takes keys as they do. */
const FIELDS = ':read-write, [readonly], select, [role=textbox], [role=combobox], [role=searchbox]'

/** Whether keys that are pressed there write text. */
export const isField = (target: EventTarget | null): boolean => target instanceof Element && target.matches(FIELDS)
