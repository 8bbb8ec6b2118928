import ICAL from 'ical.js'
import type { Rule } from '../calendar/recurrence.ts'
import { plainOf } from '../html/plain.ts'
import { Problem } from '../problem.ts'
import type { Block } from './lines.ts'
import {
  lengthOf,
  type Moment,
  momentsIn,
  momentsOf,
  rawValue,
  unreadable,
  usualLength,
  type Where,
  whereStarts,
} from './moment.ts'
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
  /** What somebody wrote to their answer. */
  comment: string | undefined
  /** Keys of the emails that speak for the organizer. */
  organizers: string[]
  rules: Rule[]
  extra: Moment[]
  except: Moment[]
  /** A rule or a further time could not be read: it may take place at other times than these, too. */
  isPartial: boolean
  /** Why a line was left out, as "has an invalid EXDATE". */
  notes: string[]
}

/** Parses an event; a line that cannot be read is left out. Throws Problem 422 if nothing is left without it. */
export function readEvent(block: Block, where: Where): CalendarEvent {
  if (block.error) throw unreadable(block.error)
  const notes: string[] = []
  const { event, lost } = componentOf(block)
  notes.push(...lost.map((line) => `has a line that cannot be read: "${line.slice(0, 60)}"`))
  // Without it, one occurrence would stand for the whole series.
  if (lost.some((line) => /^RECURRENCE-ID/i.test(line))) throw unreadable('has an invalid RECURRENCE-ID')
  const uid = textIn(event, 'uid')
  if (!uid) throw unreadable('has no UID')
  const [starts] = momentsIn(event, 'dtstart', where)
  if (!starts) throw unreadable('has no DTSTART')
  const own = whereStarts(where, starts)
  const [recurrence] = momentsIn(event, 'recurrence-id', own)
  const { length, times, rules, isPartial } = scheduleIn(event, starts, own, notes)
  return {
    block,
    uid,
    recurrence,
    isOnward: event.getFirstProperty('recurrence-id')?.getFirstParameter('range')?.toUpperCase() === 'THISANDFUTURE',
    sequence: Number(rawValue(event.getFirstProperty('sequence'))) || 0,
    stamp: stampIn(event, where),
    starts,
    length,
    title: textIn(event, 'summary') ?? '',
    description: plain(textIn(event, 'description')),
    location: textIn(event, 'location'),
    conferenceUrls: CONFERENCES.flatMap((name) => event.getAllProperties(name).map((each) => rawValue(each) ?? '')),
    isCanceled: textIn(event, 'status')?.toUpperCase() === 'CANCELLED',
    people: peopleIn(event),
    comment: textIn(event, 'comment') ?? responseComment(event),
    organizers: organizersIn(event),
    rules,
    extra: times('rdate'),
    except: times('exdate'),
    isPartial: isPartial() || lost.some((line) => /^(?:RRULE|RDATE)/i.test(line)),
    notes,
  }
}

/** Reads when it takes place, line by line. */
function scheduleIn(event: ICAL.Component, starts: Moment, where: Where, notes: string[]) {
  let isPartial = false

  function attempt<T>(read: () => T, otherwise: T, loses = false): T {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      notes.push(error.message)
      isPartial ||= loses
      return otherwise
    }
  }

  return {
    length: attempt(() => lengthOf(event, starts, where), usualLength(starts)),
    rules: event.getAllProperties('rrule').flatMap((each) => attempt<Rule[]>(() => [ruleIn(each, starts)], [], true)),
    times: (name: 'rdate' | 'exdate'): Moment[] =>
      event.getAllProperties(name).flatMap((each) => attempt(() => momentsOf(each, name, where), [], name === 'rdate')),
    isPartial: () => isPartial,
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

function componentOf({ lines }: Block): { event: ICAL.Component; lost: string[] } {
  try {
    return { event: parsed(lines), lost: [] }
  } catch {
    const own = lines.slice(1, -1)
    const isReadable = (line: string) => {
      try {
        return parsed([BEGIN, line, END]) !== undefined
      } catch {
        return false
      }
    }
    const needed = ownLines(own)
    const lost = needed.filter((line) => !isReadable(line))
    const event = parsed([BEGIN, ...needed.filter((line) => !lost.includes(line)), END])
    return { event, lost }
  }
}

const [BEGIN, END] = ['BEGIN:VEVENT', 'END:VEVENT']

const parsed = (lines: readonly string[]): ICAL.Component => new ICAL.Component(ICAL.parse(lines.join('\r\n')))

/** Without those of alarms, which nothing here needs. */
function ownLines(lines: readonly string[]): string[] {
  let depth = 0
  return lines.filter((line) => {
    const [, mark] = /^(BEGIN|END):/i.exec(line) ?? []
    if (mark?.toUpperCase() === 'BEGIN') depth++
    const isOwn = depth === 0 && mark === undefined
    if (mark?.toUpperCase() === 'END') depth = Math.max(0, depth - 1)
    return isOwn
  })
}

/** The order of two versions does not depend on it alone, so one that cannot be read does not matter. */
function stampIn(event: ICAL.Component, where: Where): number {
  try {
    return Math.max(0, momentsIn(event, 'dtstamp', where)[0]?.ms ?? 0)
  } catch {
    return 0
  }
}

const plain = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : plainOf(text) || undefined

/** Google has it as a parameter of the one who answers. */
const responseComment = (event: ICAL.Component): string | undefined =>
  event
    .getAllProperties('attendee')
    .map((each) => each.getFirstParameter('x-response-comment')?.trim())
    .find(Boolean)

/** Returns undefined also for a blank text. */
function textIn(event: ICAL.Component, name: string): string | undefined {
  const text = rawValue(event.getFirstProperty(name))?.trim()
  return text === '' ? undefined : text
}
