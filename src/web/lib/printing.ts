import { signal } from '@preact/signals'
import { options } from 'preact'

/** True while the page is printed: then what is drawn only as far as it is in view is drawn whole. */
export const isPrinting = signal(false)

/** The browser takes the page as it is when the event is over, so that all is drawn before that. */
function set(next: boolean): void {
  const usual = options.debounceRendering
  options.debounceRendering = (draw) => draw()
  isPrinting.value = next
  if (usual) options.debounceRendering = usual
  else delete options.debounceRendering
}

if (globalThis.document) {
  addEventListener('beforeprint', () => set(true))
  addEventListener('afterprint', () => set(false))
  matchMedia('print').addEventListener('change', ({ matches }) => set(matches))
}
