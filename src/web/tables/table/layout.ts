// Which columns a table shows, in which order, how wide, and which stay in view while the others scroll. Part of a view,
// so that it is kept and shared with it.

export type Placed = { key: string; width?: number | undefined; pinned?: boolean | undefined }
export type Layout = readonly Placed[]

/** What a layout needs to know of a column. The `fixed` one is first, stays in view, and cannot be hidden. */
export type Kind = { key: string; width: number; fixed?: boolean | undefined }

const MIN_WIDTH = 56
const MAX_WIDTH = 640

/** The columns of a view that exist, with the fixed one first and then those that stay in view. */
export function settled(layout: Layout, kinds: readonly Kind[]): Placed[] {
  const known = new Map(kinds.map((kind) => [kind.key, kind]))
  const seen = new Set<string>()
  const own = layout.filter(({ key }) => known.has(key) && !seen.has(key) && seen.add(key))
  const fixed = kinds.filter(({ fixed, key }) => fixed && !seen.has(key)).map(({ key }): Placed => ({ key }))
  const rank = ({ key, pinned }: Placed): number => (known.get(key)?.fixed ? 0 : pinned ? 1 : 2)
  return [...fixed, ...own].sort((one, other) => rank(one) - rank(other))
}

export const widthOf = ({ key, width }: Placed, kinds: readonly Kind[]): number =>
  width ?? kinds.find((kind) => kind.key === key)?.width ?? 120

export const resized = (layout: Layout, key: string, width: number): Layout =>
  changed(layout, key, { width: Math.round(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, width))) })

export const pinned = (layout: Layout, key: string, isPinned: boolean): Layout =>
  changed(layout, key, { pinned: isPinned || undefined })

const changed = (layout: Layout, key: string, part: Partial<Placed>): Layout =>
  layout.map((each) => (each.key === key ? { ...each, ...part } : each))

export const hidden = (layout: Layout, key: string): Layout => layout.filter((each) => each.key !== key)

export const shown = (layout: Layout, key: string): Layout =>
  layout.some((each) => each.key === key) ? layout : [...layout, { key }]

/** Moves a column before another, or by a step to the left (-1) or right (1). It stays among those of its kind. */
export function moved(layout: Layout, key: string, to: string | -1 | 1, kinds: readonly Kind[]): Layout {
  const order = settled(layout, kinds)
  const from = order.findIndex((each) => each.key === key)
  const target = typeof to === 'number' ? from + to : order.findIndex((each) => each.key === to)
  const column = order[from]
  const isFixed = (at: number): boolean => kinds.some((kind) => kind.fixed && kind.key === order[at]?.key)
  if (!column || target < 0 || target >= order.length || isFixed(from) || isFixed(target)) return layout
  order.splice(from, 1)
  order.splice(target, 0, column)
  return settled(order, kinds)
}

/** `name:240!,company_id`: the width after a colon, an exclamation mark for those that stay in view. */
export const layoutText = (layout: Layout): string =>
  layout.map(({ key, width, pinned }) => `${key}${width ? `:${width}` : ''}${pinned ? '!' : ''}`).join(',')

export function readLayout(text: string): Placed[] {
  return text.split(',').flatMap((part): Placed[] => {
    const [, key = '', width, pin] = /^([\w.]+)(?::(\d{1,4}))?(!)?$/.exec(part) ?? []
    if (key === '') return []
    return [{ key, ...(width ? { width: Number(width) } : {}), ...(pin ? { pinned: true } : {}) }]
  })
}
