import { foldWhole } from '../../lib/pure/fold.ts'

/** What the document calls a new item, by its name: letters, digits and dashes that no other item has. */
export function newKey(name: string, others: readonly { key: string }[], fallback: string): string {
  const plain = foldWhole(name)
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 50)
    .replace(/-$/, '')
  const base = plain || fallback
  const isTaken = (key: string) => others.some((other) => other.key === key)
  let key = base
  for (let count = 2; isTaken(key); count += 1) key = `${base}-${count}`
  return key
}
