import { Problem } from '../problem.ts'

// Splits iCalendar (RFC 5545) so that a broken event does not affect others: into calendars with their zones and events,
// each as a list of lines.

/** A component of a calendar; `line` is where it begins. One without an end has an error. */
export type Block = { line: number; lines: string[]; error?: string }

export type CalendarText = {
  /** The properties of the calendar itself, such as METHOD, unparsed. */
  properties: string[]
  zones: Block[]
  events: Block[]
}

type Line = { line: number; text: string }

/** `file` is what errors call it. Throws Problem 422 if it is not iCalendar in UTF-8. */
export function calendarsIn(file: string, bytes: Buffer): CalendarText[] {
  const calendars: CalendarText[] = []
  let isFirst = true
  const gather = gatherer(calendars)
  for (const line of logicalLines(file, bytes)) {
    if (line.text.trim() === '') continue
    if (isFirst && !/^BEGIN:VCALENDAR\s*$/i.test(line.text)) throw notCalendar(file)
    isFirst = false
    gather.take(line)
  }
  if (isFirst) throw notCalendar(file)
  gather.end()
  if (calendars.some(({ properties }) => properties.some((text) => /^VERSION:1\./i.test(text)))) {
    throw new Problem(
      422,
      'old_calendar',
      `${file} is vCalendar 1.0. Export it as iCalendar (.ics) and import that file.`,
    )
  }
  return calendars
}

const notCalendar = (file: string): Problem =>
  new Problem(422, 'not_icalendar', `${file} is not an iCalendar file: it does not begin with BEGIN:VCALENDAR.`)

/** Joins folded lines. That happens before UTF-8 is decoded, since a fold may split a character. */
function* logicalLines(file: string, bytes: Buffer): Generator<Line> {
  const utf8 = new TextDecoder('utf-8', { fatal: true })
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  let number = 0
  let first = 1
  let pieces: Buffer[] = []
  for (const piece of physicalLines(hasMark ? bytes.subarray(3) : bytes)) {
    number++
    const isFolded = piece[0] === 0x20 || piece[0] === 0x09
    if (!isFolded && pieces.length > 0) yield decoded(first)
    if (!isFolded || pieces.length === 0) {
      pieces = []
      first = number
    }
    pieces.push(isFolded ? piece.subarray(1) : piece)
  }
  if (pieces.length > 0) yield decoded(first)

  function decoded(line: number): Line {
    try {
      return { line, text: utf8.decode(Buffer.concat(pieces)) }
    } catch {
      throw new Problem(422, 'not_utf8', `${file} is not UTF-8: line ${line} has the first invalid character.`)
    }
  }
}

function* physicalLines(bytes: Buffer): Generator<Buffer> {
  let start = 0
  for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
    yield bytes.subarray(start, bytes[end - 1] === 13 ? end - 1 : end)
    start = end + 1
  }
  if (start < bytes.length) yield bytes.subarray(start)
}

function gatherer(calendars: CalendarText[]) {
  let calendar: CalendarText | undefined
  let block: Block | undefined
  let depth = 0

  function take({ line, text }: Line): void {
    const [, mark, name = ''] = /^(BEGIN|END):([^\s;:]+)\s*$/i.exec(text) ?? []
    const [begins, ends, what] = [mark?.toUpperCase() === 'BEGIN', mark?.toUpperCase() === 'END', name.toUpperCase()]
    if (what === 'VCALENDAR') {
      close()
      calendar = undefined
      if (begins) calendars.push((calendar = { properties: [], zones: [], events: [] }))
      return
    }
    if (!calendar) return
    if (block && begins && what === 'VEVENT') close()
    if (block) {
      block.lines.push(text)
      depth += begins ? 1 : ends ? -1 : 0
      // Whatever is left open in an event ends with it.
      if (depth === 0 || (ends && what === 'VEVENT')) block = undefined
    } else if (begins) begin(calendar, what, line, text)
    else if (!ends) calendar.properties.push(text)
  }

  function begin({ zones, events }: CalendarText, what: string, line: number, text: string): void {
    block = { line, lines: [text] }
    depth = 1
    if (what === 'VEVENT') events.push(block)
    if (what === 'VTIMEZONE') zones.push(block)
  }

  /** Ends an event that only lacks its END, as something else follows. */
  function close(): void {
    if (block && /^BEGIN:VEVENT/i.test(block.lines[0] as string)) block.lines.push('END:VEVENT')
    else if (block) block.error = 'has no END'
    block = undefined
  }

  /** Ends a block whose END is missing at the end of the file: who knows what else is. */
  function endBlock(): void {
    if (block) block.error = 'has no END'
    block = undefined
  }

  return { take, end: endBlock }
}
