import { computed, signal } from '@preact/signals'

const query = globalThis.matchMedia?.('(max-width: 73.6875rem)')
const is = signal(query?.matches ?? false)
query?.addEventListener('change', (event) => {
  is.value = event.matches
})

/** Related is a tab beside the timeline. */
export const isTight = computed(() => is.value)
