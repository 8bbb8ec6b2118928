// The index of words has letters and digits only. An emoji in what is searched for is looked for in the name itself.

const EMOJI = /\p{RI}{2}|\p{Extended_Pictographic}(?:\p{EMod}|\ufe0f|\u200d\p{Extended_Pictographic})*/gu
/** More narrow nothing. */
const MOST = 5

/** The emoji of a text: flags, families and those with a tone of skin are one each. */
export const emojiIn = (text: string): string[] => [...new Set(text.match(EMOJI))].slice(0, MOST)

/** The words to ask the index for, and the conditions on the name. */
export function searchFor(kind: string, q: string) {
  const field = kind === 'deals' ? 'title' : 'name'
  const parts = emojiIn(q).map((value) => ({ field, op: 'contains' as const, value }))
  return { q: parts.length > 0 ? q.replace(EMOJI, ' ').trim() : q, parts }
}
