import {
  type CaptionFile,
  type Captions,
  labelsOf,
  linesOf,
  type Segment,
  timestamp,
  withoutEmptyLines,
} from './captions.ts'
import { cuesIn } from './cues.ts'
import { mending } from './mending.ts'

// SubRip, which has no standard: blocks of a number, times and text, separated by empty lines.

const MARKUP = /<\/?(?:i|b|u|s|font(?:\s[^<>]*)?)>|\{\\[^{}]*\}/gi

/**
 * SubRip has no speakers: "Ana: Hello" and "- Hello" are text; see `spokenBy`. Stops reading after more than `most`
 * segments. Throws 400 if no text is left.
 */
export function readSrt(file: string, most = Number.POSITIVE_INFINITY): CaptionFile {
  const lines = linesOf(file)
  const mended = mending()
  const segments: Segment[] = []
  for (const { text: given, ...times } of cuesIn(lines, 0, { sign: ',', isEmpty }, mended)) {
    const text = given.replace(MARKUP, '').trim()
    if (text !== '') segments.push({ speaker: null, ...times, text })
    if (segments.length > most) break
  }
  return { speakers: [], segments, mended: mended.all() }
}

const isEmpty = (line: string): boolean => line.trim() === ''

/** Each segment is a block; its speaker is a prefix of the text, as in "Ana: Hello". */
export function writeSrt({ speakers, segments }: Captions): string {
  const labels = labelsOf(speakers)
  const blocks = segments.map(({ speaker, start_ms, end_ms, text }, index) => {
    const label = labels.get(speaker)
    const said = label === undefined ? withoutGaps(text) : `${label}: ${withoutGaps(text)}`
    return `${index + 1}\n${timestamp(start_ms, ',')} --> ${timestamp(end_ms, ',')}\n${said}\n`
  })
  return blocks.join('\n')
}

/** Removes empty lines, which would end the block, and arrows, which would start one. */
const withoutGaps = (text: string): string => withoutEmptyLines(text).replaceAll('-->', '->')
