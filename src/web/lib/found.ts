import { hasSpellings, isSpaceless, otherSpellings } from '../../lib/pure/spellings.ts'
import { fold } from './fold.ts'

// Where the words of a search stand in a text, to mark them: folded as the server's index folds, so without regard to case,
// accents and ß.

/** Where a word begins a word of a folded text, from a place on; -1 if nowhere. */
export function indexOfWord(folded: string, word: string, from = 0): number {
  let at = folded.indexOf(word, from)
  while (at > 0 && isWordSign(folded, at - 1) && isWordSign(word, 0) && !isSpaceless(word))
    at = folded.indexOf(word, at + 1)
  return at
}

const isWordSign = (text: string, at: number): boolean => /[\p{L}\p{N}]/u.test(text[at] as string)

/** A run of a text, from `start` on, before `end`. */
type Run = { start: number; end: number }

/** More marks help nobody, and a long mail has one for each word. */
export const MOST = 500

type Folded = { text: string; from: number[] }

/** A folded text, with where each of its signs comes from. `spell`: how a sign is written otherwise. */
function foldedOf(text: string, spell?: (sign: string) => string): Folded {
  const from: number[] = []
  let folded = ''
  let at = 0
  for (const sign of text) {
    const plain = fold(spell ? spell(sign) : sign)
    for (let i = 0; i < plain.length; i++) from.push(at)
    folded += plain
    at += sign.length
  }
  from.push(text.length)
  return { text: folded, from }
}

const inTwo = (sign: string): string => otherSpellings(sign)[0] ?? sign

/** The runs of a text that were searched for, in their order: of each word the first, or the first 500; "ueber" finds "Über", too. */
export function runsIn(text: string, words: readonly string[], isAll: boolean): Run[] {
  if (words.length === 0 || text === '') return []
  const written = [foldedOf(text), ...(hasSpellings(text) ? [foldedOf(text, inTwo)] : [])]
  const most = isAll ? MOST : 1
  const all = words.flatMap((word) => {
    const runs = written.flatMap((folded) => runsOf(folded, word, most))
    return runs.slice(0, most)
  })
  const runs: Run[] = []
  for (const run of all.sort((one, other) => one.start - other.start || other.end - one.end))
    if (run.start >= (runs.at(-1)?.end ?? 0)) runs.push(run)
  return runs.slice(0, MOST)
}

function runsOf({ text, from }: Folded, word: string, most: number): Run[] {
  const runs: Run[] = []
  for (let at = indexOfWord(text, word); at >= 0; at = indexOfWord(text, word, at + word.length)) {
    // Of a sign that is two when it is folded, as ß, both halves are all of it.
    const last = from[at + word.length - 1] as number
    const end = endAfter(from, at + word.length, last)
    runs.push({ start: from[at] as number, end })
    if (runs.length === most) break
  }
  return runs
}

function endAfter(from: readonly number[], at: number, last: number): number {
  let next = at
  while ((from[next] as number) <= last) next++
  return from[next] as number
}

/** Splits a text into pieces that were searched for and pieces that were not, for marking the former. */
export function pieces(text: string, words: readonly string[], isAll = false): { text: string; isHit: boolean }[] {
  const found: { text: string; isHit: boolean }[] = []
  let done = 0
  for (const { start, end } of runsIn(text, words, isAll)) {
    if (start > done) found.push({ text: text.slice(done, start), isHit: false })
    found.push({ text: text.slice(start, end), isHit: true })
    done = end
  }
  if (done < text.length) found.push({ text: text.slice(done), isHit: false })
  return found
}
