import { fold } from '../../../lib/fold.ts'
import type { Segment } from './types.ts'

// Search in a transcript: words in a row, the last of which may be begun only, also across the ends of segments. Signs between
// words do not count: "st gallen" finds "St. Gallen".

export type Index = {
  /** All words, folded, each after a space. */
  text: string
  /** Where in `text` each word begins; of which segment it is, and from where to where in it. */
  at: Int32Array
  segment: Int32Array
  from: Int32Array
  to: Int32Array
}

/** A mark: a part of a segment. */
export type Mark = { segment: number; from: number; to: number }
/** A place that was found, in as many segments as it goes through. */
export type Hit = { marks: Mark[] }

const WORD = /[\p{L}\p{N}\p{M}]+/gu

export function indexOf(segments: readonly Segment[]): Index {
  const words: string[] = []
  const [at, segment, from, to]: number[][] = [[], [], [], []]
  let length = 0
  segments.forEach(({ text }, index) => {
    for (const match of text.matchAll(WORD)) {
      const word = fold(match[0])
      if (word === '') continue
      words.push(word)
      at?.push(length + 1)
      segment?.push(index)
      from?.push(match.index)
      to?.push(match.index + match[0].length)
      length += word.length + 1
    }
  })
  const whole = (numbers: number[] | undefined) => Int32Array.from(numbers ?? [])
  return {
    text: words.length === 0 ? '' : ` ${words.join(' ')}`,
    at: whole(at),
    segment: whole(segment),
    from: whole(from),
    to: whole(to),
  }
}

/** All places, in their order, none over another. */
export function hitsIn(index: Index, q: string): Hit[] {
  const words = (q.match(WORD) ?? []).map(fold).filter((word) => word !== '')
  if (words.length === 0) return []
  const asked = ` ${words.join(' ')}`
  const last = (words.at(-1) as string).length
  const hits: Hit[] = []
  let word = 0
  for (let place = index.text.indexOf(asked); place >= 0; place = index.text.indexOf(asked, place + asked.length)) {
    word = wordAt(index.at, place + 1, word)
    const marks: Mark[] = []
    for (let n = 0; n < words.length; n++) {
      const here = word + n
      const [segment, from, to] = [index.segment[here], index.from[here], index.to[here]] as [number, number, number]
      // Of the last word the part that was typed, where folding has not changed how long it is.
      const isWhole = n < words.length - 1 || lengthOf(index, here) !== to - from
      const mark = { segment, from, to: isWhole ? to : from + last }
      const before = marks.at(-1)
      if (before?.segment === segment) before.to = mark.to
      else marks.push(mark)
    }
    hits.push({ marks })
  }
  return hits
}

/** How long the word is when it is folded. */
function lengthOf({ at, text }: Index, word: number): number {
  const next = at[word + 1]
  return (next === undefined ? text.length + 1 : next) - 1 - (at[word] as number)
}

/** The word that begins at a place, looked for from another one on, by bisection. */
function wordAt(at: Int32Array, place: number, from: number): number {
  let [low, high] = [from, at.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((at[middle] as number) < place) low = middle + 1
    else high = middle
  }
  return low
}

/** When the words of a mark were said: a hit in the middle of a long turn is there, and not at its start. */
export function timeIn({ start_ms, end_ms, text }: Segment, from: number): number {
  return text.length === 0 ? start_ms : Math.round(start_ms + ((end_ms - start_ms) * from) / text.length)
}

/** The segment that is heard at a time: the last one that has begun. */
export function segmentAt(segments: readonly Segment[], ms: number): number {
  let [low, high] = [0, segments.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((segments[middle] as Segment).start_ms <= ms) low = middle
    else high = middle - 1
  }
  return Math.max(0, low)
}

/** The segment that an address with a second means: the first that begins in it, else the one that is heard then. */
export function segmentOfSecond(segments: readonly Segment[], second: number): number {
  const at = segmentAt(segments, second * 1000 - 1)
  const next = (segments[at]?.start_ms ?? 0) >= second * 1000 ? at : at + 1
  return (segments[next]?.start_ms ?? Number.POSITIVE_INFINITY) < (second + 1) * 1000
    ? next
    : segmentAt(segments, second * 1000)
}
