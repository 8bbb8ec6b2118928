export type Params = Record<string, string>

/** Fits a path such as `/deals/42` to a pattern such as `/deals/:id`; null if it does not fit. */
export function matchPath(pattern: string, path: string): Params | null {
  const wanted = parts(pattern)
  const given = parts(path)
  if (wanted.length !== given.length) return null
  const params: Params = {}
  for (const [index, part] of wanted.entries()) {
    const value = given[index] as string
    if (!part.startsWith(':')) {
      if (part !== value) return null
      continue
    }
    const decoded = decode(value)
    if (decoded === null) return null
    params[part.slice(1)] = decoded
  }
  return params
}

/** The first entry that fits; those with fewer parameters come first, so that `/deals/new` wins over `/deals/:id`. */
export function findEntry<Entry extends { path: string }>(
  entries: readonly Entry[],
  path: string,
): { entry: Entry; params: Params } | null {
  let best: { entry: Entry; params: Params } | null = null
  for (const entry of entries) {
    const params = matchPath(entry.path, path)
    if (!params) continue
    if (!best || Object.keys(params).length < Object.keys(best.params).length) best = { entry, params }
  }
  return best
}

/** Puts parameters into a pattern: `pathOf('/deals/:id', { id: '42' })` is `/deals/42`. */
export const pathOf = (pattern: string, params: Params): string =>
  pattern.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))

const parts = (path: string): string[] => path.split('/').filter((part) => part !== '')

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
