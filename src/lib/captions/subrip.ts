import {
  type Captions,
  labelsOf,
  linesOf,
  malformed,
  type Segment,
  segmentAt,
  timestamp,
  withoutEmptyLines,
} from './captions.ts'

// SubRip, which has no standard: blocks of a number, times and text, separated by empty lines.

/** Hours may be missing, and fields may have one digit; milliseconds have three, since ",5" may mean 5 or 500. */
const TIMES =
  /^\s*(?:(\d{1,2}):)?(\d{1,2}):(\d{1,2})[,.](\d{3})\s*-->\s*(?:(\d{1,2}):)?(\d{1,2}):(\d{1,2})[,.](\d{3})(?:\s.*)?$/

const MARKUP = /<\/?(?:i|b|u|s|font(?:\s[^<>]*)?)>|\{\\[^{}]*\}/gi

/**
 * SubRip has no speakers: "Ana: Hello" and "- Hello" are text; see `spokenBy`. Stops reading after more than `most`
 * segments. Throws 400.
 */
export function readSrt(file: string, most = Number.POSITIVE_INFINITY): Captions {
  const lines = linesOf(file)
  const segments: Segment[] = []
  for (let at = 0; at < lines.length && segments.length <= most; )
    at = isEmpty(lines[at] as string) ? at + 1 : readBlock(lines, at, segments)
  return { speakers: [], segments }
}

const isEmpty = (line: string): boolean => line.trim() === ''

/** Reads a block, whatever its number, and returns the index at which the next one may start. */
function readBlock(lines: readonly string[], first: number, segments: Segment[]): number {
  const at = /^\s*\d+\s*$/.test(lines[first] as string) ? first + 1 : first
  const times = TIMES.exec(lines[at] ?? '')
  if (!times) throw malformed(at, 'must have times such as 00:01:02,345 --> 00:01:06,789')
  const segment = segmentAt(at, times.slice(1, 5), times.slice(5))
  let end = at + 1
  for (; end < lines.length && !isEmpty(lines[end] as string); end++) {
    if (TIMES.test(lines[end] as string)) throw malformed(end, 'begins a block and needs an empty line before it')
  }
  const text = lines
    .slice(at + 1, end)
    .join('\n')
    .replace(MARKUP, '')
    .trim()
  if (text !== '') segments.push({ ...segment, text })
  return end
}

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
