import {
  type Captions,
  labelsOf,
  linesOf,
  malformed,
  type Segment,
  segmentAt,
  speakersOf,
  timestamp,
} from './captions.ts'
import { encoded, encodedName, voicesOf } from './webvtt-text.ts'

// WebVTT (https://www.w3.org/TR/webvtt1/), limited to who said what and when: positions and styles are ignored.

/** Hours may be missing, and may have any number of digits. Cue settings after the times are ignored. */
const TIMES = /^[ \t]*(?:(\d+):)?(\d\d):(\d\d)\.(\d{3})[ \t]*-->[ \t]*(?:(\d+):)?(\d\d):(\d\d)\.(\d{3})(?:[ \t].*)?$/

const ARROW = '-->'
/** Blocks without any spoken text. */
const SKIPPED = /^(?:NOTE(?:[ \t]|$)|(?:STYLE|REGION)[ \t]*$)/

/**
 * A voice becomes a speaker with its name as the key. A cue with several voices becomes a segment for each. Stops
 * reading after more than `most` segments. Throws 400.
 */
export function readVtt(file: string, most = Number.POSITIVE_INFINITY): Captions {
  const lines = linesOf(file)
  if (!/^WEBVTT(?:[ \t]|$)/.test(lines[0] as string)) throw malformed(0, 'must start with WEBVTT')
  const segments: Segment[] = []
  for (let at = endOfHeader(lines); at < lines.length && segments.length <= most; ) {
    const line = lines[at] as string
    if (line === '') at++
    else if (SKIPPED.test(line)) at = endOfText(lines, at)
    else at = readCue(lines, at, segments, most)
  }
  return { speakers: speakersOf(segments), segments }
}

/** The header ends at the first empty line, or at a cue without one before it. */
function endOfHeader(lines: readonly string[]): number {
  const end = lines.findIndex((line, at) => at > 0 && (line === '' || line.includes(ARROW)))
  return end < 0 ? lines.length : end
}

/** Reads a cue and returns the index at which the next block may start. */
function readCue(lines: readonly string[], first: number, segments: Segment[], most: number): number {
  const at = lines[first]?.includes(ARROW) ? first : first + 1
  const times = TIMES.exec(lines[at] ?? '')
  if (!times) throw malformed(at, noTimes(lines, first, at))
  const cue = segmentAt(at, times.slice(1, 5), times.slice(5))
  const end = endOfText(lines, at + 1)
  for (const { name, text } of voicesOf(lines.slice(at + 1, end).join('\n'), most)) {
    segments.push({ ...cue, speaker: name, text })
  }
  return end
}

function noTimes(lines: readonly string[], first: number, at: number): string {
  if (lines[at]?.includes(ARROW)) return 'must have times such as 00:01:02.345 --> 00:01:06.789'
  return `must have the times of the cue that line ${first + 1} begins, such as 00:01:02.345 --> 00:01:06.789`
}

/** The index of the empty line after a text, or of the end of the file. */
function endOfText(lines: readonly string[], from: number): number {
  let at = from
  for (; at < lines.length && lines[at] !== ''; at++) {
    if (lines[at]?.includes(ARROW)) throw malformed(at, 'begins a cue and needs an empty line before it')
  }
  return at
}

/** Each segment is a cue; its speaker is the voice, by name. */
export function writeVtt({ speakers, segments }: Captions): string {
  const labels = labelsOf(speakers)
  const cues = segments.map(({ speaker, start_ms, end_ms, text }) => {
    const label = labels.get(speaker)
    const said = label === undefined ? encoded(text) : `<v ${encodedName(label)}>${encoded(text)}</v>`
    return `\n${timestamp(start_ms, '.')} --> ${timestamp(end_ms, '.')}\n${said}\n`
  })
  return `WEBVTT\n${cues.join('')}`
}
