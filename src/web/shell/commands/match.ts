import { isSpaceless, otherSpellings } from '../../../lib/pure/spellings.ts'
import { emojiIn } from '../../lib/emoji.ts'
import { fold } from '../../lib/fold.ts'

// Finding by typing: each word of what is typed must begin a word of the text, without regard to case and accents, as the
// server's full text search has it.

/** A text to look in, with its other spellings. */
export const searchable = (text: string): string => fold([text, ...otherSpellings(text.normalize('NFC'))].join(' '))

export const wordsOf = (typed: string): string[] => {
  const text = fold(typed)
  return [...text.split(SEPARATORS).filter((word) => word !== ''), ...emojiIn(text)]
}

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

function indexOfWord(folded: string, word: string): number {
  let at = folded.indexOf(word)
  while (at > 0 && isWordSign(folded, at - 1) && isWordSign(word, 0) && !isSpaceless(word))
    at = folded.indexOf(word, at + 1)
  return at
}

const isWordSign = (text: string, at: number): boolean => /[\p{L}\p{N}]/u.test(text[at] as string)

/** Splits a text into pieces that were typed and pieces that were not, for marking the former. */
export function pieces(text: string, words: readonly string[]): { text: string; isHit: boolean }[] {
  // Where each sign of the folded text comes from.
  const from: number[] = []
  let folded = ''
  let at = 0
  for (const sign of text) {
    const plain = fold(sign)
    for (let i = 0; i < plain.length; i++) from.push(at)
    folded += plain
    at += sign.length
  }
  from.push(text.length)
  const hits = words
    .map((word) => ({ start: indexOfWord(folded, word), length: word.length }))
    .filter(({ start }) => start >= 0)
    .map(({ start, length }) => [from[start] as number, from[start + length] as number] as const)
    .sort(([one], [other]) => one - other)
  const found: { text: string; isHit: boolean }[] = []
  let done = 0
  for (const [start, end] of hits) {
    if (start < done) continue
    if (start > done) found.push({ text: text.slice(done, start), isHit: false })
    found.push({ text: text.slice(start, end), isHit: true })
    done = end
  }
  if (done < text.length) found.push({ text: text.slice(done), isHit: false })
  return found
}
