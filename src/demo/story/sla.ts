import type { HoursSettings } from '../../inbox/hours/settings.ts'
import type { SlaSettings } from '../../inbox/sla/settings.ts'
import { dayAt } from '../../lib/calendar/days.ts'
import { yearOf } from './calendar.ts'
import type { Holiday } from './steps.ts'

// Office hours, and how soon the team promises to answer.

const HOUR_S = 3600
const DAY_S = 86_400

/** Days until a matter of a key account must be resolved, by priority: counted around the clock. */
export const KEY_DAYS = { high: 5, normal: 10, low: 20 } as const

const target = (first: number, next: number, resolution: number) => ({
  first_response_s: first,
  next_response_s: next,
  resolution_s: resolution,
})

/** `hours` is the key of the business hours to use. */
export function policies(hours: string, keyTag: string): SlaSettings[] {
  return [
    {
      key: 'key_accounts',
      name: 'Key accounts',
      match: {
        any: [
          { field: 'tag_ids', op: 'has_any', value: [keyTag] },
          { field: 'company.employee_count', op: 'gte', value: 1000 },
        ],
      },
      hours: null,
      targets: {
        low: target(3 * DAY_S, 3 * DAY_S, KEY_DAYS.low * DAY_S),
        normal: target(DAY_S, DAY_S, KEY_DAYS.normal * DAY_S),
        high: target(8 * HOUR_S, 8 * HOUR_S, KEY_DAYS.high * DAY_S),
        urgent: target(2 * HOUR_S, 2 * HOUR_S, DAY_S),
      },
      pause_on: ['pending', 'snoozed'],
    },
    {
      key: 'standard',
      name: 'Standard',
      is_default: true,
      hours,
      targets: {
        low: target(16 * HOUR_S, 24 * HOUR_S, 85 * HOUR_S),
        normal: target(4 * HOUR_S, 8 * HOUR_S, 42 * HOUR_S),
        high: target(2 * HOUR_S, 4 * HOUR_S, 17 * HOUR_S),
        urgent: target(HOUR_S, 2 * HOUR_S, 8 * HOUR_S),
      },
      pause_on: ['pending', 'snoozed'],
    },
  ]
}

const WORKDAY = [{ from: '09:00', to: '17:30' }]

export const officeHours = (timezone: string): HoursSettings => ({
  key: 'office',
  name: 'Office',
  timezone,
  is_default: true,
  weekly: { mon: WORKDAY, tue: WORKDAY, wed: WORKDAY, thu: WORKDAY, fri: WORKDAY },
})

/** Returns the days around each New Year of a story and the one after it, and the afternoons of the summer parties. */
export function holidays(from: number, to: number): Holiday[] {
  const [first, last] = [yearOf(dayAt(from)), yearOf(dayAt(to))]
  return Array.from({ length: last - first + 1 }, (_, index) => first + index).flatMap((year) => [
    {
      from_date: `${year}-07-03`,
      to_date: `${year}-07-03`,
      name: 'Summer party',
      intervals: [{ from: '09:00', to: '13:00' }],
    },
    { from_date: `${year}-12-24`, to_date: `${year + 1}-01-01`, name: 'Between the years', intervals: [] },
  ])
}
