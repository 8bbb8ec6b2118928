import { Problem } from '../problem.ts'
import { isTimezone } from '../time.ts'
import { type CalendarEvent, readEvent } from './event.ts'
import type { Block, CalendarText } from './lines.ts'
import type { Where } from './moment.ts'
import { ianaZone, utcZone, zonesOf } from './zones.ts'

/** An event of a calendar, or why it cannot be read. */
export type ReadEvent = { block: Block; event: CalendarEvent; error?: never } | { block: Block; error: string }

/** Reads the events of a calendar one by one; `own` is the zone for whole days, and for times without a zone. */
export function* eventsIn(calendar: CalendarText, own: string): Generator<ReadEvent, void, void> {
  const shown = propertyOf(calendar, 'X-WR-TIMEZONE')
  const utc = utcZone(shown && isTimezone(shown) ? shown : null)
  const where: Where = { zoneOf: zonesOf(calendar.zones), utc, own: ianaZone(own) }
  for (const block of calendar.events) {
    try {
      yield { block, event: readEvent(block, where) }
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      yield { block, error: error.message }
    }
  }
}

/** What the calendar is for (RFC 5546), in upper case, such as REQUEST. */
export const methodOf = (calendar: CalendarText): string | undefined => propertyOf(calendar, 'METHOD')?.toUpperCase()

/** How our own calendars name the program that wrote them. */
export const PRODUCT = '-//Dealbox//Dealbox//EN'

/** The program that wrote the calendar. */
export const programOf = (calendar: CalendarText): string => propertyOf(calendar, 'PRODID') ?? ''

const propertyOf = ({ properties }: CalendarText, name: string): string | undefined =>
  properties
    .find((text) => new RegExp(`^${name}[:;]`, 'i').test(text))
    ?.replace(/^[^:]*:/, '')
    .trim()
