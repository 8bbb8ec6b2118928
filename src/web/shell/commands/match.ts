import { otherSpellings } from '../../../lib/pure/spellings.ts'
import { emojiIn } from '../../lib/emoji.ts'
import { fold } from '../../lib/fold.ts'
import { indexOfWord } from '../../lib/found.ts'

// Finding by typing: each word of what is typed must begin a word of the text, without regard to case and accents, as the
// server's full text search has it.

/** A text to look in, with its other spellings. */
export const searchable = (text: string): string => fold([text, ...otherSpellings(text.normalize('NFC'))].join(' '))

export const wordsOf = (typed: string): string[] => {
  const text = fold(typed)
  return [...text.split(SEPARATORS).filter((word) => word !== ''), ...emojiIn(text)]
}

/** The words to mark for what is typed: in its other spellings, too, as the server finds them. */
export const wordsToMark = (typed: string): string[] => [
  ...new Set(wordsOf([typed, ...otherSpellings(typed.normalize('NFC'))].join(' '))),
]

const SEPARATORS = /[^\p{L}\p{N}]+/u

/**
 * How well a folded text fits: null if a word is missing, else the smaller the better. The words at its beginning, and in
 * their order, fit best.
 */
export function fit(folded: string, words: readonly string[]): number | null {
  let score = 0
  let last = -1
  for (const word of words) {
    const at = indexOfWord(folded, word)
    if (at < 0) return null
    score += at === 0 ? 0 : 10 + Math.min(at, 80) / 10
    if (at < last) score += 5
    last = at
  }
  return score + Math.min(folded.length, 200) / 1000
}
