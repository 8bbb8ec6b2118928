import type { Email, FieldType, Phone } from '../../components/fields/field.ts'

// A cell shows the first address, or some tags, and how many more there are. What is pasted takes the place of what was
// shown; what the cell did not show stays.

type Item = Email | Phone

/** As many tags as a cell shows. */
export const SHOWN_TAGS = 3

/** `isOwn`: the value has its labels, since it was copied from a cell of ours. */
export function combined(type: FieldType, before: unknown, given: unknown, isOwn: boolean): unknown {
  if (type === 'emails' || type === 'phones') {
    return withItems((before ?? []) as Item[], (given ?? []) as Item[], isOwn)
  }
  if (type !== 'tags' && type !== 'multi_select') return given
  const [now, wanted] = [(before ?? []) as string[], (given ?? []) as string[]]
  const hidden = now.slice(SHOWN_TAGS).filter((each) => !wanted.includes(each))
  return hidden.length === 0 && sameItems(now, wanted) ? now : [...wanted, ...hidden]
}

const sameItems = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((each) => other.includes(each))

const keyOf = (item: Item): string =>
  'email' in item ? item.email.normalize('NFC').toLowerCase() : item.number.replace(/[\s()./-]/g, '').toLowerCase()

function withItems(before: readonly Item[], given: readonly Item[], isOwn: boolean): Item[] {
  const shown = before.find(({ is_primary }) => is_primary) ?? before[0]
  if (!shown) return [...given]
  const known = new Map(before.map((item) => [keyOf(item), item]))
  const wanted = new Set(given.map(keyOf))
  // The first one has the label of the one whose place it takes.
  const once = [...new Map(given.map((item) => [keyOf(item), item])).values()]
  const items = once.map((item, at) => {
    const label = isOwn || at > 0 ? item.label : shown.label
    return known.get(keyOf(item)) ?? { ...item, label, is_primary: false }
  })
  const all = before.flatMap((item) => (item === shown ? items : wanted.has(keyOf(item)) ? [] : [item]))
  const first = wanted.has(keyOf(shown)) ? shown : (items[0] ?? all[0])
  return all.map((item) => ({ ...item, is_primary: item === first }))
}
