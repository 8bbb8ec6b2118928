import { Problem } from '../problem.ts'
import { MINUTE_MS } from '../time.ts'

// Transcripts as caption files: WebVTT and SubRip. A malformed file is refused with the line number of the error: a
// transcript parsed by guessing is worse than none.

/** A speaker; segments refer to `key`. */
export type Speaker = { key: string; name: string | null }
export type Segment = { speaker: string | null; start_ms: number; end_ms: number; text: string }
export type Captions = { speakers: Speaker[]; segments: Segment[] }

/** The longest time with two digits of hours: 99:59:59.999. */
export const LAST_MS = 359_999_999

/** The lines of a file with any line endings. */
export const linesOf = (file: string): string[] =>
  file
    .replace(/^\uFEFF/, '')
    .replace(/\r\n?/g, '\n')
    .split('\n')

/** An empty line has a meaning in all of the formats. */
export function withoutEmptyLines(text: string): string {
  const lines = text.split(/[\r\n]/).filter((line) => line.trim() !== '')
  return lines.join('\n').trim()
}

/** The message counts lines from 1, as editors do; `at` is the index. */
export function malformed(at: number, what: string): Problem {
  return new Problem(400, 'malformed_captions', `Line ${at + 1} of the file ${what}.`)
}

/** Returns a segment of a file. Throws 400 if it ends before it starts, or has more than 59 minutes or seconds. */
export function segmentAt(at: number, start: readonly string[], end: readonly string[]): Segment {
  const [start_ms, end_ms] = [millisecondsOf(at, start), millisecondsOf(at, end)]
  if (end_ms < start_ms) throw malformed(at, 'has a time that ends before it starts')
  return { speaker: null, start_ms, end_ms, text: '' }
}

/** Hours (optional), minutes, seconds and milliseconds. */
function millisecondsOf(at: number, [hours = '0', minutes, seconds, milliseconds]: readonly string[]): number {
  if (Number(minutes) > 59 || Number(seconds) > 59)
    throw malformed(at, 'has a time with more than 59 minutes or seconds')
  const ms = (Number(hours) * 60 + Number(minutes)) * MINUTE_MS + Number(seconds) * 1000 + Number(milliseconds)
  if (ms > LAST_MS) throw malformed(at, 'has a time of 100 hours or more')
  return ms
}

/** Formats a time as `00:01:02.345`. */
export function timestamp(ms: number, mark: string): string {
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
  const seconds = ms / 1000
  const clock = [seconds / 3600, (seconds / 60) % 60, seconds % 60].map(two).join(':')
  return `${clock}${mark}${String(ms % 1000).padStart(3, '0')}`
}

/** The speakers of the segments, in the order in which they first speak; in a file the name is the key. */
export function speakersOf(segments: readonly Segment[]): Speaker[] {
  const names = new Set(segments.flatMap(({ speaker }) => speaker ?? []))
  return [...names].map((name) => ({ key: name, name }))
}

/** The label of each speaker in a file, by key: the name on one line, or the key if there is no name. */
export function labelsOf(speakers: readonly Speaker[]): ReadonlyMap<string | null, string> {
  return new Map(speakers.map(({ key, name }) => [key, (name ?? key).replace(/\s+/g, ' ').trim()]))
}
