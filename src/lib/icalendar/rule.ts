import ICAL from 'ical.js'
import { dayOf } from '../calendar/days.ts'
import type { Rule } from '../calendar/recurrence.ts'
import { Problem } from '../problem.ts'
import { type Moment, unreadable } from './moment.ts'

const FREQUENCIES = ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'] as const

/**
 * Parses a recurrence rule of an event that starts at this time. Throws Problem 422 if it cannot be read or recurs
 * within a day.
 */
export function ruleIn(property: ICAL.Property, starts: Moment): Rule {
  try {
    const recur = property.getFirstValue()
    if (recur instanceof ICAL.Recur) return readRule(recur, starts)
    throw unreadable('has an invalid RRULE')
  } catch (error) {
    throw error instanceof Problem ? error : unreadable('has an RRULE that cannot be parsed')
  }
}

function readRule(recur: ICAL.Recur, starts: Moment): Rule {
  const freq = FREQUENCIES.find((each) => each === recur.freq)
  if (!freq || !isOnceADay(recur, starts)) throw unreadable('recurs within a day; use a rule of days, weeks or longer')
  const numbers = (name: keyof ICAL.Recur['parts']): number[] => [recur.parts[name] ?? []].flat().map(Number)
  const ofLongPeriods = freq === 'MONTHLY' || freq === 'YEARLY'
  return {
    freq,
    interval: recur.interval,
    count: recur.count ?? undefined,
    until: recur.until ? lastDay(recur.until, starts) : undefined,
    weekStart: (((recur.wkst ?? ICAL.Time.MONDAY) + 5) % 7) + 1,
    months: numbers('BYMONTH'),
    weeks: numbers('BYWEEKNO'),
    yearDays: numbers('BYYEARDAY'),
    monthDays: numbers('BYMONTHDAY'),
    weekdays: [recur.parts.BYDAY ?? []].flat().map((text) => {
      const [, nth = '', day = ''] = /^([+-]?\d*)(..)$/.exec(String(text)) ?? []
      return { weekday: DAYS.indexOf(day) + 1, nth: ofLongPeriods ? Number(nth) : 0 }
    }),
    positions: numbers('BYSETPOS'),
  }
}

const DAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']

/** Some programs repeat the start time in the rule. */
function isOnceADay({ parts }: ICAL.Recur, { local }: Moment): boolean {
  return (
    [
      ['BYHOUR', local.hour],
      ['BYMINUTE', local.minute],
      ['BYSECOND', local.second],
    ] as const
  ).every(([name, own]) => [parts[name] ?? [own]].flat().every((each) => Number(each) === own))
}

/** Returns the last day with an occurrence at the start time: UNTIL is in UTC or in the zone of the start. */
function lastDay(until: ICAL.Time, { local, zone, isDay }: Moment): number {
  const { year, month, day, hour, minute, second } = until
  const given = Temporal.PlainDateTime.from({ year, month, day, hour, minute, second })
  const isUtc = until.zone?.tzid === 'UTC'
  const end = isUtc && !isDay ? zone.toLocal(given.toZonedDateTime('UTC').epochMilliseconds) : given
  const isBehind = isDay || until.isDate || Temporal.PlainTime.compare(local.toPlainTime(), end.toPlainTime()) <= 0
  return dayOf(end.year, end.month, end.day) - (isBehind ? 0 : 1)
}
