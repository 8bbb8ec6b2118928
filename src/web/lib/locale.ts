import { computed, signal } from '@preact/signals'
import { formatFor, type Locale } from './format.ts'

/** The language and zone of the member, set by boot and by their preferences. */
export const locale = signal<Locale>({ language: 'en', timezone: Intl.DateTimeFormat().resolvedOptions().timeZone })

/** How everything on the page writes numbers and dates. */
export const format = computed(() => formatFor(locale.value))

/** The browser's own locale if it is one of this language: an American has the month in front, though not in our English. */
export function dayLocale(tag: string): string {
  const own = globalThis.navigator?.language ?? tag
  return own.includes('-') && own.split('-')[0] === tag.split('-')[0] ? own : tag
}
