type Fields = Record<string, unknown>

/** Whether two JSON values are equal. The order of members counts, as both come from the same presenter. */
export function same(left: unknown, right: unknown): boolean {
  if (left === right) return true
  if (typeof left !== 'object' || typeof right !== 'object') return false
  return JSON.stringify(left) === JSON.stringify(right)
}

/** JSON Merge Patch (RFC 7396) for members that are objects with a fixed set of keys: null clears, absent keeps. */
export function mergeObject<Shape extends Fields>(
  empty: Shape,
  stored: Shape | null,
  given: Partial<Shape> | null,
): Shape | null {
  if (given === null) return null
  const merged = { ...empty, ...stored, ...given }
  return Object.values(merged).every((value) => value === null) ? null : merged
}

/** The record after a patch, and the names of the fields that differ. `given` contains complete values. */
export function change<Shape extends Fields>(
  before: Shape,
  given: Partial<Shape>,
): { after: Shape; changed: (keyof Shape & string)[] } {
  const after = { ...before, ...given }
  const changed = Object.keys(given).filter((name) => !same(before[name], after[name]))
  return { after, changed }
}
