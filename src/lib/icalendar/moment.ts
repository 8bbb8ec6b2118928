import ICAL from 'ical.js'
import { Problem } from '../problem.ts'
import { DAY_MS, HOUR_MS } from '../time.ts'
import type { Zone } from './zones.ts'

/** A time in a file: on the wall clock of its zone, or a whole day. */
export type Moment = {
  local: Temporal.PlainDateTime
  zone: Zone
  isDay: boolean
  /** It states no zone. */
  isFloating: boolean
  ms: number
}

/** The time zones of a calendar. */
export type Where = {
  zoneOf: (tzid: string) => Zone | undefined
  utc: Zone
  /** The organisation's zone: for whole days, and for times without a zone. */
  own: Zone
}

const MAX_DURATION_MS = 36_525 * DAY_MS

/** Returns the Problem for an event that cannot be imported. */
export const unreadable = (reason: string): Problem => new Problem(422, 'bad_event', reason)

/** Returns the value unparsed: for a value of the wrong type, the library throws other errors than Problems. */
export function rawValue(property: ICAL.Property | null): string | undefined {
  const [, , , value] = (property?.toJSON() ?? []) as unknown[]
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
}

/** Returns the times of all properties with this name. Throws Problem 422. */
export const momentsIn = (event: ICAL.Component, name: string, where: Where): Moment[] =>
  event.getAllProperties(name).flatMap((property) => momentsOf(property, name, where))

/** Returns the times of a property, which may be a list. Throws Problem 422. */
export function momentsOf(property: ICAL.Property, name: string, where: Where): Moment[] {
  const [, , , ...values] = property.toJSON() as unknown[]
  const tzid = property.getFirstParameter('tzid')
  return values.map((value) => momentOf(name, String(Array.isArray(value) ? value[0] : value), tzid, where))
}

/** The rest of an event is in the zone in which it starts, where it states none itself. */
export const whereStarts = (where: Where, { isDay, isFloating, zone }: Moment): Where =>
  isDay || isFloating ? where : { ...where, own: zone }

function momentOf(
  name: string,
  text: string,
  tzid: string | undefined,
  { zoneOf, utc: universal, own }: Where,
): Moment {
  const [, day, time, utc] = /^(-?\d{4,6}-\d\d-\d\d)(?:T(\d\d:\d\d:\d\d)?(Z)?)?/.exec(text) ?? []
  const zone = utc ? universal : tzid && time ? zoneOf(tzid) : own
  if (!zone) throw unreadable(`is in the time zone "${tzid}", which is unknown and not defined in the file`)
  try {
    const local = Temporal.PlainDateTime.from(`${day}T${time ?? '00:00:00'}`)
    return { local, zone, isDay: time === undefined, isFloating: !utc && !(tzid && time), ms: zone.toMs(local) }
  } catch {
    throw unreadable(`has an invalid ${name.toUpperCase()}`)
  }
}

/**
 * Returns the length of an event in milliseconds, for `endOf`. Without an end it has the usual one. Throws Problem 422 if
 * the end is not valid.
 */
export function lengthOf(event: ICAL.Component, starts: Moment, where: Where): number {
  const [ends] = momentsIn(event, 'dtend', where)
  const length = ends ? between(starts, ends) : durationIn(event, starts)
  if (length > MAX_DURATION_MS) throw unreadable('lasts longer than a hundred years')
  if (length < 0) throw unreadable('ends before it starts')
  return starts.isDay ? Math.max(length, DAY_MS) : length || usualLength(starts)
}

/**
 * The length of an event that ends when it starts, as RFC 5545 has it for one without an end. A meeting has to take some
 * time; an hour is what most calendars suggest.
 */
export const usualLength = ({ isDay }: Moment): number => (isDay ? DAY_MS : HOUR_MS)

const between = (starts: Moment, ends: Moment): number =>
  starts.isDay ? nominal(ends.local) - nominal(starts.local) : ends.ms - starts.ms

const nominal = (local: Temporal.PlainDateTime): number => local.toZonedDateTime('UTC').epochMilliseconds

/** Days follow the wall clock, hours are exact. */
function durationIn(event: ICAL.Component, starts: Moment): number {
  const text = rawValue(event.getFirstProperty('duration'))
  if (text === undefined) return 0
  const { weeks, days, hours, minutes, seconds, isNegative } = durationOf(text)
  if (isNegative) return -1
  const exact = ((hours * 60 + minutes) * 60 + seconds) * 1000
  const whole = weeks * 7 + days
  if (starts.isDay || whole * DAY_MS > MAX_DURATION_MS) return whole * DAY_MS + exact
  return starts.zone.toMs(starts.local.add({ days: whole })) - starts.ms + exact
}

function durationOf(text: string): ICAL.Duration {
  try {
    return ICAL.Duration.fromString(text)
  } catch {
    throw unreadable('has an invalid DURATION')
  }
}

/** Returns when an event of this length ends: a whole day may be longer or shorter than 24 hours. */
export const endOf = ({ local, zone, isDay, ms }: Moment, length: number): number =>
  isDay ? zone.toMs(local.add({ days: Math.ceil(length / DAY_MS) })) : ms + length
