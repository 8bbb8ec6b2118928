// Which card the arrows lead to.

export type Place = { column: number; index: number }

/** `columns` are the ids of the cards that are shown, by column. Undefined for an id that is not shown. */
export function placeOf(columns: readonly (readonly string[])[], id: string): Place | undefined {
  for (const [column, ids] of columns.entries()) {
    const index = ids.indexOf(id)
    if (index >= 0) return { column, index }
  }
  return undefined
}

export type Way = 'up' | 'down' | 'left' | 'right' | 'first' | 'last'

/** The next card in a direction. Sideways, empty columns are passed over and the height stays about the same. */
export function walk(columns: readonly (readonly string[])[], id: string | null, way: Way): string | undefined {
  const at = id === null ? undefined : placeOf(columns, id)
  if (!at) return columns.find((ids) => ids.length > 0)?.[0]
  const own = columns[at.column] as readonly string[]
  if (way === 'first') return own[0]
  if (way === 'last') return own.at(-1)
  if (way === 'up') return own[at.index - 1]
  if (way === 'down') return own[at.index + 1]
  const step = way === 'left' ? -1 : 1
  for (let column = at.column + step; column >= 0 && column < columns.length; column += step) {
    const ids = columns[column] as readonly string[]
    if (ids.length > 0) return ids[Math.min(at.index, ids.length - 1)]
  }
  return undefined
}

/** The card that takes the focus when one leaves its column: the next, else the one before, else any. */
export function after(columns: readonly (readonly string[])[], id: string): string | undefined {
  const at = placeOf(columns, id)
  if (!at) return undefined
  const own = columns[at.column] as readonly string[]
  return own[at.index + 1] ?? own[at.index - 1] ?? walk(columns, id, 'right') ?? walk(columns, id, 'left')
}

/** The ids from one card to another of the same column, or the second alone. */
export function between(columns: readonly (readonly string[])[], from: string | null, to: string): string[] {
  const end = placeOf(columns, to)
  const start = from === null ? undefined : placeOf(columns, from)
  if (!end || !start || start.column !== end.column) return [to]
  const own = columns[end.column] as readonly string[]
  return own.slice(Math.min(start.index, end.index), Math.max(start.index, end.index) + 1)
}
