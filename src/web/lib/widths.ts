import { computed, signal } from '@preact/signals'

// Widths at which the frame changes, which grow with the reader's letters. What changes only in looks is in the CSS.

const matches = (media: string) => {
  const query = globalThis.matchMedia?.(media)
  const is = signal(query?.matches ?? false)
  query?.addEventListener('change', (event) => {
    is.value = event.matches
  })
  return computed(() => is.value)
}

/** One pane, and a bar of five places below instead of the sidebar. */
export const isPhone = matches('(max-width: 40rem)')
/** The sidebar is a rail of icons: beside it the board has room for four columns. */
export const isNarrow = matches('(max-width: 67.4375rem)')
/** A record opens beside its list instead of on a page. */
export const isPeekWide = matches('(min-width: 68.75rem)')
