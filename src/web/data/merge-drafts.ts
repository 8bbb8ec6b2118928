import type { Fields } from './types.ts'
import { same } from './values.ts'

type Body = Fields | undefined

/**
 * What becomes of a draft that was written in two places: what only one of them has changed since `before` is taken from
 * there, and where both wrote, both texts stay. `before` is undefined where nobody knows what it was, or there was none.
 */
export function mergeDrafts(before: Body, mine: Body, theirs: Body): Body {
  if (same(mine, theirs) || same(theirs, before)) return mine
  if (same(mine, before)) return theirs
  if (!mine || !theirs) return mine ?? theirs
  const merged: Fields = {}
  for (const name of new Set([...Object.keys(theirs), ...Object.keys(mine)])) {
    const value = mergeValues(before?.[name], mine[name], theirs[name])
    if (value !== undefined) merged[name] = value
  }
  return merged
}

function mergeValues(before: unknown, mine: unknown, theirs: unknown): unknown {
  if (same(mine, theirs) || same(theirs, before)) return mine
  if (same(mine, before)) return theirs
  if (typeof mine === 'string' && typeof theirs === 'string') return bothTexts(before, mine, theirs)
  return mine ?? theirs
}

/** One may have gone on from the other, or both from what was there before. */
function bothTexts(before: unknown, mine: string, theirs: string): string {
  if (mine.includes(theirs)) return mine
  if (theirs.includes(mine)) return theirs
  const isOn = typeof before === 'string' && before !== '' && mine.startsWith(before)
  return `${theirs}\n\n${(isOn ? mine.slice(before.length) : mine).trimStart()}`
}
