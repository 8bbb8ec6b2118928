import ICAL from 'ical.js'
import type { Rule } from '../calendar/recurrence.ts'
import { textOfHtml } from '../html/sanitize.ts'
import type { Block } from './lines.ts'
import { lengthOf, type Moment, momentsIn, rawValue, unreadable, type Where } from './moment.ts'
import { organizersIn, type Person, peopleIn } from './people.ts'
import { ruleIn } from './rule.ts'

/** The contents of a VEVENT. */
export type CalendarEvent = {
  block: Block
  uid: string
  /** The occurrence of a series that it replaces. */
  recurrence: Moment | undefined
  /** It also replaces all later occurrences. */
  isOnward: boolean
  sequence: number
  /** Milliseconds: when this version was written; 0 if unknown. */
  stamp: number
  starts: Moment
  /** Milliseconds; for whole days without regard to daylight saving. */
  length: number
  title: string
  description: string | undefined
  location: string | undefined
  conferenceUrls: string[]
  isCanceled: boolean
  people: Person[]
  /** Keys of the emails that speak for the organizer. */
  organizers: string[]
  rules: Rule[]
  extra: Moment[]
  except: Moment[]
}

/** Parses an event. Throws Problem 422 if it cannot be read. */
export function readEvent(block: Block, where: Where): CalendarEvent {
  if (block.error) throw unreadable(block.error)
  const event = componentOf(block)
  const uid = textIn(event, 'uid')
  if (!uid) throw unreadable('has no UID')
  const [starts] = momentsIn(event, 'dtstart', where)
  if (!starts) throw unreadable('has no DTSTART')
  const [recurrence] = momentsIn(event, 'recurrence-id', where)
  return {
    block,
    uid,
    recurrence,
    isOnward: event.getFirstProperty('recurrence-id')?.getFirstParameter('range')?.toUpperCase() === 'THISANDFUTURE',
    sequence: Number(rawValue(event.getFirstProperty('sequence'))) || 0,
    stamp: stampIn(event, where),
    starts,
    length: lengthOf(event, starts, where),
    title: textIn(event, 'summary') ?? '',
    description: plain(textIn(event, 'description')),
    location: textIn(event, 'location'),
    conferenceUrls: CONFERENCES.flatMap((name) => event.getAllProperties(name).map((each) => rawValue(each) ?? '')),
    isCanceled: textIn(event, 'status')?.toUpperCase() === 'CANCELLED',
    people: peopleIn(event),
    organizers: organizersIn(event),
    rules: event.getAllProperties('rrule').map((each) => ruleIn(each, starts)),
    extra: momentsIn(event, 'rdate', where),
    except: momentsIn(event, 'exdate', where),
  }
}

/** Properties with a link for online meetings: the dedicated ones first. */
const CONFERENCES = [
  'x-google-conference',
  'x-microsoft-skypeteamsmeetingurl',
  'x-microsoft-onlinemeetingexternallink',
  'conference',
  'url',
  'location',
]

function componentOf({ lines }: Block): ICAL.Component {
  try {
    return new ICAL.Component(ICAL.parse(lines.join('\r\n')))
  } catch (error) {
    throw unreadable(`cannot be read: ${(error as Error).message}`)
  }
}

/** The order of two versions does not depend on it alone, so one that cannot be read does not matter. */
function stampIn(event: ICAL.Component, where: Where): number {
  try {
    return Math.max(0, momentsIn(event, 'dtstamp', where)[0]?.ms ?? 0)
  } catch {
    return 0
  }
}

/** Google and others write HTML into a field of plain text. */
const plain = (text: string | undefined): string | undefined =>
  text !== undefined && HTML.test(text) ? textOfHtml(text).trim() || undefined : text

const HTML =
  /<(?:\/(?:a|b|i|u|p|li|ul|ol|div|span|html|body|table|strong|em|font)|(?:br|hr|p|html|body|div|ul|ol|li)\b[^<>]*|(?:a|span|font|table)\s[^<>]*|html-blob|[biu]|strong|em)>/i

/** Returns undefined also for a blank text. */
function textIn(event: ICAL.Component, name: string): string | undefined {
  const text = rawValue(event.getFirstProperty(name))?.trim()
  return text === '' ? undefined : text
}
