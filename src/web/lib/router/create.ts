import { batch, computed, type ReadonlySignal, signal } from '@preact/signals'
import { findEntry } from './match.ts'
import type { NavigateOptions, Place, ScreenEntry, Shown } from './types.ts'

/** How long the old screen stays while the new one loads its first data. */
export const PATIENCE_MS = 300

/** What a router needs of the browser; the tests give one without a window. */
export type Host = {
  /** Path and query of the address, such as `/deals?sort=amount`. */
  url: () => string
  /** The key of the current entry in the history, null if another page made it. */
  key: () => string | null
  push: (url: string, key: string) => void
  replace: (url: string, key: string) => void
  onPop: (listener: () => void) => () => void
  wait: (ms: number) => Promise<void>
  /** The styles of the screens that do not come with the page. */
  styles?: () => Promise<void>
  /** Notes the scroll positions under the key of the entry that is left. */
  saveScroll: (key: string) => void
  /** Runs after the screen is in the page. */
  shown: (arrival: Arrival) => void
}

export type Arrival = {
  shown: Shown
  key: string
  /** New screen: focus goes to its heading. Back and forward: scroll positions return. */
  isNewScreen: boolean
  isReturn: boolean
}

export type Router = ReturnType<typeof createRouter>

/** `homes` are addresses that stand for another one, such as `/` for the first screen. */
export function createRouter(list: readonly ScreenEntry[], host: Host, homes: Readonly<Record<string, string>> = {}) {
  const entries = signal(list)
  const shown = signal<Shown | null>(null)
  const isLoading = signal(false)
  const current = signal<Place>(placeOf(host.url()))
  let key = host.key() ?? newKey()
  let latest = 0

  const path: ReadonlySignal<string> = computed(() => current.value.path)
  const query: ReadonlySignal<URLSearchParams> = computed(() => current.value.query)

  function start(): Promise<void> {
    host.replace(settled(host.url()), key)
    host.onPop(() => void arrive(host.url(), { key: host.key() ?? newKey(), isReturn: true }))
    return arrive(host.url(), { key, isReturn: true })
  }

  function settled(url: string): string {
    return homes[placeOf(url).path] ?? url
  }

  /** Goes to an address of the app, such as `/deals?sort=amount`. Resolves when it is on the page. */
  function navigate(to: string, { replace = false }: NavigateOptions = {}): Promise<void> {
    return arrive(settled(to), { key: replace ? key : newKey(), isReturn: false, replace })
  }

  /** Changes parts of the query and keeps the rest; null takes one out. By default "back" returns to the state before. */
  function setQuery(changes: Record<string, string | null>, options: NavigateOptions = {}): Promise<void> {
    const next = new URLSearchParams(current.peek().query)
    for (const [name, value] of Object.entries(changes)) {
      if (value === null) next.delete(name)
      else next.set(name, value)
    }
    const url = urlOf(current.peek().path, next)
    return url === urlOf(current.peek().path, current.peek().query) ? Promise.resolve() : navigate(url, options)
  }

  async function arrive(
    url: string,
    { key: to, isReturn, replace }: { key: string; isReturn: boolean; replace?: boolean },
  ): Promise<void> {
    const turn = ++latest
    const place = placeOf(url)
    const isHere = shown.peek() !== null && urlOf(place.path, place.query) === urlOf(path.peek(), query.peek())
    let found = findEntry(entries.peek(), place.path)
    if (found?.entry.more) {
      isLoading.value = true
      await loadEntries().catch(() => undefined) // what stays of it has no screen, and says so
      if (turn !== latest) return
      found = findEntry(entries.peek(), place.path)
    }
    const before = shown.peek()
    const isSame = before?.kind === 'screen' && before.entry === found?.entry && samePath(before.place, place)
    let next: Shown = { kind: 'missing', place }
    if (found && isSame && before?.kind === 'screen') {
      place.params = found.params
      next = { ...before, place }
    } else if (found) {
      place.params = found.params
      isLoading.value = true
      next = await load(found.entry, place)
      if (turn !== latest) return
    }
    isLoading.value = false
    // On the first arrival the positions are those of the page before a reload.
    if (before) host.saveScroll(key)
    const isPush = !isReturn && !replace && !isHere
    if (isPush) host.push(url, to)
    else if (!isReturn) host.replace(url, key)
    if (isPush || isReturn) key = to
    batch(() => {
      current.value = place
      shown.value = next
    })
    host.shown({ shown: next, key, isNewScreen: !isSame && before !== null, isReturn })
  }

  /** Loads the lists of screens that are not there yet. Rejects if one of them did not come. */
  async function loadEntries(): Promise<void> {
    const all = await Promise.all(entries.peek().map(async (entry) => (await entry.more?.()) ?? [entry]))
    if (entries.peek().some(({ more }) => more)) entries.value = all.flat()
  }

  async function load(entry: ScreenEntry, place: Place): Promise<Shown> {
    try {
      const [module] = await Promise.all([entry.load?.(), entry.isStyled ? undefined : host.styles?.()])
      const Component = module?.Screen ?? module?.default
      if (!module || !Component) throw new Error(`The screen at ${entry.path} exports no component.`)
      const preparing = Promise.resolve(module.prepare?.(place)).catch(() => undefined) // the screen shows the error
      if (module.prepare) await Promise.race([preparing, host.wait(PATIENCE_MS)])
      return { kind: 'screen', entry, Component, place }
    } catch {
      return { kind: 'failed', entry, place }
    }
  }

  return {
    start,
    navigate,
    setQuery,
    loadEntries,
    entries: entries as ReadonlySignal<readonly ScreenEntry[]>,
    shown: shown as ReadonlySignal<Shown | null>,
    isLoading,
    path,
    query,
  }
}

export function placeOf(url: string): Place {
  const { pathname, searchParams } = new URL(url, 'http://localhost')
  const path = pathname.length > 1 ? pathname.replace(/\/+$/, '') || '/' : pathname
  return { path, query: searchParams, params: {} }
}

/** Path and query as one address; commas and colons stay readable. */
export function urlOf(path: string, query: URLSearchParams): string {
  const text = query.toString().replaceAll('%2C', ',').replaceAll('%3A', ':')
  return text === '' ? path : `${path}?${text}`
}

const samePath = (one: Place, other: Place): boolean => one.path === other.path

let made = 0
/** Unique in this tab's history, also over a reload. */
const newKey = (): string => `${Date.now().toString(36)}.${(made++).toString(36)}`
