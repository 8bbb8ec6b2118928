import { computed, effect, signal } from '@preact/signals'
import { createRouter, type Router } from './router/create.ts'
import { browserHost, isBehind } from './router/host.ts'
import { followLinks } from './router/links.ts'
import type { NavigateOptions, ScreenEntry } from './router/types.ts'
import { typeAhead } from './typed-ahead.ts'

// The address is the view: the path names the screen and its record, the query holds filters, sort order and shape.

const router = signal<Router | null>(null)

/** All screens, in the order of the list, as far as they are known yet. */
export const entries = computed(() => router.value?.entries.value ?? [])
/** Loads the lists of screens that nobody has gone to yet. */
export const loadEntries = (): void =>
  void router
    .peek()
    ?.loadEntries()
    .catch(() => undefined)
/** The address that `/` stands for. */
export const homeAddress = signal('/')

/** What is on the page; null until the first screen is there. */
export const shown = computed(() => router.value?.shown.value ?? null)
/** The path of the screen on the page, such as `/deals`. It changes together with the screen. */
export const path = computed(() => router.value?.path.value ?? '/')
/** The query of the screen on the page. Do not change it: `setQuery` does. */
export const query = computed(() => router.value?.query.value ?? new URLSearchParams())
/** Parameters of the path: for `/deals/:id` it has `id`. */
export const params = computed(() => shown.value?.place.params ?? {})
/** A screen is being loaded; the old one is still on the page. */
export const isLoading = computed(() => router.value?.isLoading.value ?? false)

export function startRouter(list: readonly ScreenEntry[], homes: Readonly<Record<string, string>>): Promise<void> {
  const made = createRouter(list, browserHost(), homes)
  router.value = made
  homeAddress.value = homes['/'] ?? '/'
  followLinks((to) => void navigate(to))
  return made.start()
}

/** Goes to an address of the app, such as `/deals?owner=me`. Resolves when its screen is on the page. */
export const navigate = (to: string, options?: NavigateOptions): Promise<void> =>
  going(/[?&](new|compose)=/.test(to), router.peek()?.navigate(to, options))

/** Some addresses open a form, for which is what people type on the way. */
function going(isToForm: boolean, arriving = Promise.resolve()): Promise<void> {
  if (isToForm) typeAhead(arriving)
  return arriving
}

/** Goes to the list that a record was opened from: back to its place and its row, where that is the entry before. */
export function goBack(to: string): void {
  if (isBehind(to)) history.back()
  else void navigate(to)
}

/** Changes parts of the query and keeps the rest; null takes one out. While someone types, `replace` keeps "back" short. */
export const setQuery = (changes: Record<string, string | null>, options?: NavigateOptions): Promise<void> =>
  going(changes.new != null, router.peek()?.setQuery(changes, options))

/** The title that a screen gives itself, such as the name of its record; null is that of the list of screens. */
const ownTitle = signal<{ path: string; title: string } | null>(null)

export function setTitle(title: string | null): void {
  ownTitle.value = title === null ? null : { path: path.peek(), title }
}

/** The title of the screen, without the name of the app. */
export const title = computed(() => {
  const own = ownTitle.value
  if (own && own.path === path.value) return own.title
  return shown.value?.kind === 'screen' ? shown.value.entry.title() : null
})

/** Keeps the title of the window: the number of new notices, the screen, the name of the app. */
export function keepTitle(notices: () => number, missing: () => string): () => void {
  return effect(() => {
    if (!shown.value) return
    const name = title.value ?? missing()
    const count = notices()
    document.title = `${count > 0 ? `(${count}) ` : ''}${name} · Dealbox`
  })
}
