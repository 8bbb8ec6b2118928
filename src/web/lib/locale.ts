import { computed, signal } from '@preact/signals'
import { formatFor, type Locale } from './format.ts'

/** The language and zone of the member, set by boot and by their preferences. */
export const locale = signal<Locale>({ language: 'en', timezone: Intl.DateTimeFormat().resolvedOptions().timeZone })

/** How everything on the page writes numbers and dates. */
export const format = computed(() => formatFor(locale.value))
