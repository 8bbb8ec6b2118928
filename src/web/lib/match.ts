import { otherSpellings } from '../../lib/pure/spellings.ts'
import { fold } from './fold.ts'

/**
 * How well a typed text fits a name: 0 if it is the beginning, 1 if each word begins a word of it, 2 if each stands somewhere
 * in it, undefined if one does not.
 */
export function match(typed: string, name: string): 0 | 1 | 2 | undefined {
  const [wanted, own] = [fold(typed).trim(), fold(name)]
  if (own.startsWith(wanted)) return 0
  const given = fold([name, ...otherSpellings(name.normalize('NFC'))].join(' '))
  const words = wanted.split(/\s+/)
  const parts = given.split(/[^\p{L}\p{N}]+/u)
  if (words.every((word) => parts.some((part) => part.startsWith(word)))) return 1
  return words.every((word) => given.includes(word)) ? 2 : undefined
}

/** What fits, the best first; equals keep their order. */
export function matching<Item>(typed: string, items: readonly Item[], nameOf: (item: Item) => string): Item[] {
  if (typed.trim() === '') return [...items]
  const ranked = items.flatMap((item) => {
    const rank = match(typed, nameOf(item))
    return rank === undefined ? [] : [{ item, rank }]
  })
  return ranked.sort((a, b) => a.rank - b.rank).map(({ item }) => item)
}
