import ICAL from 'ical.js'
import type { Block, CalendarText } from '../../lib/icalendar/lines.ts'
import { writeTexts } from '../csv/rejected.ts'
import type { Row } from './plan.ts'

/**
 * Writes the rejected events unchanged, with the reasons in each, so that they can be corrected and imported. Throws
 * Problem 409 if the file cannot be written.
 */
export function writeRejected(
  path: string,
  calendars: readonly CalendarText[],
  rows: readonly Row[],
  rejects: Iterable<{ row: number; error: string }>,
): Promise<void> {
  const reasons = new Map<Block, Set<string>>()
  for (const { row, error } of rejects) {
    for (const block of rows[row]?.blocks ?? []) reasons.set(block, (reasons.get(block) ?? new Set()).add(error))
  }
  return writeTexts(path, texts(calendars, reasons))
}

function* texts(calendars: readonly CalendarText[], reasons: ReadonlyMap<Block, ReadonlySet<string>>) {
  for (const { properties, zones, events } of calendars) {
    const rejected = events.filter((block) => reasons.has(block))
    if (rejected.length === 0) continue
    yield lines(['BEGIN:VCALENDAR', ...properties, ...zones.flatMap(whole)])
    for (const block of rejected) {
      const [begin = '', ...rest] = whole(block)
      const why = [...(reasons.get(block) ?? [])].map((reason) => property(`line ${block.line}: ${reason}`))
      yield lines([begin, ...why, ...rest.filter((line) => !line.startsWith(ERROR))])
    }
    yield lines(['END:VCALENDAR'])
  }
}

const ERROR = 'X-DEALBOX-ERROR'

const property = (reason: string): string =>
  ICAL.stringify.property([ERROR.toLowerCase(), {}, 'text', reason], ICAL.design.icalendar, true)

const whole = ({ lines, error }: Block): string[] => (error ? [...lines, 'END:VEVENT'] : lines)

const lines = (all: readonly string[]): string => all.map((line) => `${ICAL.helpers.foldline(line)}\r\n`).join('')
