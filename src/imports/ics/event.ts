import ICAL from 'ical.js'
import type { Rule } from '../../lib/calendar/recurrence.ts'
import type { Block } from './lines.ts'
import { lengthOf, type Moment, momentsIn, rawValue, unreadable, type Where } from './moment.ts'
import { type Person, peopleIn } from './people.ts'
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
  starts: Moment
  /** Milliseconds; for whole days without regard to daylight saving. */
  length: number
  title: string
  description: string | undefined
  location: string | undefined
  conferenceUrls: string[]
  isCanceled: boolean
  people: Person[]
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
    starts,
    length: lengthOf(event, starts, where),
    title: textIn(event, 'summary') ?? '',
    description: textIn(event, 'description'),
    location: textIn(event, 'location'),
    conferenceUrls: CONFERENCES.flatMap((name) => event.getAllProperties(name).map((each) => rawValue(each) ?? '')),
    isCanceled: textIn(event, 'status')?.toUpperCase() === 'CANCELLED',
    people: peopleIn(event),
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

/** Returns undefined also for a blank text. */
function textIn(event: ICAL.Component, name: string): string | undefined {
  const text = rawValue(event.getFirstProperty(name))?.trim()
  return text === '' ? undefined : text
}
