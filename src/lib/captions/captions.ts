import { Problem } from '../problem.ts'

// Transcripts as caption files: WebVTT and SubRip. What programs write wrongly is mended where it can
// only mean one thing, and a list says what; a file is refused if no text would be left.

/** A speaker; segments refer to `key`. */
export type Speaker = { key: string; name: string | null }
export type Segment = { speaker: string | null; start_ms: number; end_ms: number; text: string }
export type Captions = { speakers: Speaker[]; segments: Segment[] }
/** `mended`: what was not as it should be, by lines. */
export type CaptionFile = Captions & { mended: string[] }

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
