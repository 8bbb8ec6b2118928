import ICAL from 'ical.js'
import { isTimezone } from '../time.ts'
import type { Block } from './lines.ts'
import { outlookZone } from './outlook-zones.ts'

/** A time zone of a file: converts its wall clock both ways. */
export type Zone = {
  /** IANA name; null if unknown. */
  name: string | null
  /** For a time that occurs twice, the first; for a skipped time, the one after the gap. */
  toMs: (local: Temporal.PlainDateTime) => number
  toLocal: (ms: number) => Temporal.PlainDateTime
}

export function ianaZone(name: string): Zone {
  return {
    name,
    toMs: (local) => local.toZonedDateTime(name).epochMilliseconds,
    toLocal: (ms) => Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(name).toPlainDateTime(),
  }
}

/** `name` is the zone in which a calendar displays UTC times, if any. */
export const utcZone = (name: string | null): Zone => ({ ...ianaZone('UTC'), name })

/**
 * Returns a lookup for the zones that a calendar names: IANA zones, also with a prefix as some programs write them,
 * then zones described in the calendar, then the names of Windows and Outlook.
 */
export function zonesOf(blocks: readonly Block[]): (tzid: string) => Zone | undefined {
  const cache = new Map<string, Zone | undefined>()
  let described: Map<string, ICAL.Timezone> | undefined

  function find(tzid: string): Zone | undefined {
    const iana = ianaName(tzid)
    if (iana) return ianaZone(iana)
    described ??= new Map(blocks.map(zoneIn).filter((each) => each !== undefined))
    const own = described.get(tzid)
    const named = outlookZone(tzid)
    const name = named !== undefined && isTimezone(named) ? named : null
    if (own) return describedZone(own, name)
    return named === undefined ? undefined : { ...ianaZone(named), name }
  }

  return (tzid) => {
    if (!cache.has(tzid)) cache.set(tzid, find(tzid))
    return cache.get(tzid)
  }
}

/** `/example.org/2026/Europe/Berlin` is a name of one to three parts after a prefix. */
function ianaName(tzid: string): string | undefined {
  const parts = tzid.replace(/^"|"$/g, '').split('/')
  const names = tzid.startsWith('/') ? [-3, -2, -1].map((from) => parts.slice(from).join('/')) : [parts.join('/')]
  return names.find((name) => name !== '' && isTimezone(name))
}

/** The rules that real zones have. The library does not terminate for some others. */
const PLAIN_RULE =
  /^RRULE[^:]*:(?:(?:FREQ=YEARLY|(?:BYMONTH|BYDAY|BYMONTHDAY|UNTIL|COUNT|WKST|INTERVAL)=[^;]*)(?:;|$))+$/i

function zoneIn({ lines, error }: Block): [string, ICAL.Timezone] | undefined {
  if (error) return undefined
  if (lines.some((line) => /^RRULE/i.test(line) && !PLAIN_RULE.test(line))) return undefined
  try {
    const component = new ICAL.Component(ICAL.parse(lines.join('\r\n')))
    const zone = new ICAL.Timezone(component)
    return component.getAllSubcomponents().length > 0 ? [zone.tzid, zone] : undefined
  } catch {
    return undefined
  }
}

function describedZone(zone: ICAL.Timezone, name: string | null): Zone {
  return {
    name,
    toMs(local) {
      const { year, month, day, hour, minute, second } = local
      return ICAL.Time.fromData({ year, month, day, hour, minute, second }, zone).toUnixTime() * 1000
    },
    toLocal(ms) {
      const time = ICAL.Time.fromJSDate(new Date(ms), true).convertToZone(zone)
      return Temporal.PlainDateTime.from(time.toString().slice(0, 19))
    },
  }
}
