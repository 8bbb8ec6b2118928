import { type CaptionFile, type Captions, labelsOf, linesOf, type Segment, speakersOf, timestamp } from './captions.ts'
import { cuesIn, type Format } from './cues.ts'
import { mending } from './mending.ts'
import { encoded, encodedName, voicesOf } from './webvtt-text.ts'

// WebVTT (https://www.w3.org/TR/webvtt1/), limited to who said what and when: positions and styles are ignored.

/** Blocks without any spoken text. */
const SKIPPED = /^(?:NOTE(?:[ \t]|$)|(?:STYLE|REGION)[ \t]*$)/

/**
 * A voice becomes a speaker with its name as the key. A cue with several voices becomes a segment for each. Stops
 * reading after more than `most` segments. Throws 400 if no text is left.
 */
export function readVtt(file: string, most = Number.POSITIVE_INFINITY): CaptionFile {
  const lines = linesOf(file)
  const mended = mending()
  const first = Math.max(
    0,
    lines.findIndex((line) => line !== ''),
  )
  const hasHeader = /^WEBVTT(?:[ \t]|$)/i.test(lines[first] as string)
  if (!hasHeader || first > 0) mended.note(0, 'the file does not begin with WEBVTT')
  const segments: Segment[] = []
  for (const { text, ...times } of cuesIn(lines, hasHeader ? endOfHeader(lines, first) : 0, FORMAT, mended)) {
    for (const { name, text: said } of voicesOf(text, most)) segments.push({ speaker: name, ...times, text: said })
    if (segments.length > most) break
  }
  return { speakers: speakersOf(segments), segments, mended: mended.all() }
}

const FORMAT: Format = { sign: '.', isEmpty: (line) => line === '', skipped: SKIPPED }

/** The header ends at the first empty line, or at a cue without one before it. */
function endOfHeader(lines: readonly string[], first: number): number {
  const end = lines.findIndex((line, at) => at > first && (line === '' || line.includes('-->')))
  return end < 0 ? lines.length : end
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
