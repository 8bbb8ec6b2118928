import { LAST_MS, malformed, type Segment } from './captions.ts'
import type { Mending } from './mending.ts'

// Finds the cues of a file of captions, also where a program did not write them as it should.

export type Cue = Pick<Segment, 'start_ms' | 'end_ms'> & { text: string }
type Times = Pick<Segment, 'start_ms' | 'end_ms'>

/** What differs between the formats: the sign before the fraction, an empty line, and blocks that are no cues. */
export type Format = { sign: '.' | ','; isEmpty: (line: string) => boolean; skipped?: RegExp }

const TIME = String.raw`(?:(?:(\d{1,9}):)?(\d{1,9}):)?(\d{1,9})(?:([.,])(\d{1,9}))?`
const TIMES = new RegExp(String.raw`^[ \t]*${TIME}[ \t]*-{1,3}>[ \t]*${TIME}(?:[ \t].*|[A-Za-z{].*)?$`)
/** A line that was meant to have times, and not a text with an arrow in it. */
const MEANT = /^[ \t]*(?:\d+:[\d:.,]*[ \t]*-->|-->[ \t]*\d+:)/
const NUMBER = /^\s*\d+\s*$/
/** Longer lines are text. */
const MAX_LINE = 1000

/**
 * Returns the cues from a line on. A text ends where the next cue begins: what follows an empty line belongs to it, too,
 * unless it is the name or number of the next cue. Throws 400 if there is text but no cue.
 */
export function* cuesIn(lines: readonly string[], from: number, format: Format, mended: Mending): Generator<Cue> {
  const { isEmpty, skipped, sign } = format
  const isFull = (at: number): boolean => !isEmpty(lines[at] as string)
  let cue: Times | undefined
  /** The indices of the lines since then. */
  let said: number[] = []
  /** How many of them are above the last empty line; -1 if there is none. */
  let above = 0
  let stray: number | undefined
  let hasText = false

  for (let at = from; at < lines.length; at++) {
    const line = lines[at] as string
    const times = timesIn(line, cue?.end_ms ?? 0, sign)
    if (times) {
      if (!dropName() && cue && said.some(isFull)) mended.note(at, 'the cue begins without an empty line above it')
      yield* finished()
      for (const note of times.notes) mended.note(at, note)
      cue = times
      said = []
      above = -1
    } else if (above === said.length && skipped?.test(line)) {
      while (at + 1 < lines.length && isFull(at + 1) && !timesIn(lines[at + 1] as string, 0, sign)) at++
    } else {
      said.push(at)
      if (isEmpty(line)) above = said.length
    }
  }
  yield* finished()
  if (!hasText && stray !== undefined)
    throw malformed(stray, `must have times such as 00:01:02${sign}345 --> 00:01:06${sign}789`)

  /** A name stands alone above the times; without an empty line above it, only a number is one. Returns whether there is one. */
  function dropName(): boolean {
    const last = said.length - 1
    const isApart = above === said.length || above === last
    const name = said[last]
    if (name !== undefined && isFull(name) && (above === last || NUMBER.test(lines[name] as string))) said.pop()
    return isApart
  }

  /** Gives the lines so far to the cue that they follow. */
  function* finished(): Generator<Cue> {
    const full = said.filter(isFull)
    const [first, last] = [full[0], full.at(-1)]
    if (!cue) {
      if (first === undefined) return
      stray ??= first
      mended.note(first, 'the text has no times and was left out')
      return
    }
    const isGapped = last !== undefined && said.slice(0, said.indexOf(last)).some((at) => !isFull(at))
    if (isGapped) mended.note(last, 'the text continues after an empty line')
    hasText ||= full.length > 0
    const { start_ms, end_ms } = cue
    yield { start_ms, end_ms, text: full.map((at) => lines[at]).join('\n') }
  }
}

/** Returns the times of a cue, and what was mended; undefined for other lines. `before` is where the last cue ends. */
function timesIn(line: string, before: number, sign: string): (Times & { notes: string[] }) | undefined {
  if (!line.includes('>') || line.length > MAX_LINE) return undefined
  const found = TIMES.exec(line)?.slice(1)
  const [start, stop] = found ? [found.slice(0, 5), found.slice(5)] : []
  if (!start || !stop || ![start, stop].every(([, minutes, , mark]) => minutes ?? mark))
    return MEANT.test(line) ? { start_ms: before, end_ms: before, notes: [UNREADABLE] } : undefined
  const [from, to] = [millisecondsOf(start), millisecondsOf(stop)]
  if (Math.max(from, to) > LAST_MS) return { start_ms: before, end_ms: before, notes: [UNREADABLE] }
  const has = (test: (time: readonly (string | undefined)[]) => boolean): boolean => test(start) || test(stop)
  const notes = [
    sign === '.' && has(([, , , mark]) => mark === ',') ? 'a comma stands for the point' : '',
    has(([, , , , fraction]) => fraction?.length !== 3) ? 'the fraction of a second has not three digits' : '',
    has(([, minutes, seconds]) => Number(minutes ?? 0) > 59 || Number(seconds) > 59)
      ? 'a time has more than 59 minutes or seconds'
      : '',
    to < from ? 'the cue ends before it starts; now it ends when it starts' : '',
  ]
  return { start_ms: from, end_ms: Math.max(from, to), notes: notes.filter(Boolean) }
}

const UNREADABLE = 'the times cannot be read, so the cue is where the last one ends'

/** Hours and minutes (optional), seconds, the sign, and the fraction: "5" is half a second. */
function millisecondsOf([hours = '0', minutes = '0', seconds, , fraction = '0']: readonly (
  | string
  | undefined
)[]): number {
  const whole = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)
  return whole * 1000 + Number(fraction.slice(0, 3).padEnd(3, '0'))
}
