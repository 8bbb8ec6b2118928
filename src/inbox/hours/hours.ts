import * as v from 'valibot'
import { type Deps, once } from '../../deps.ts'
import type { Route } from '../../http/route.ts'
import {
  type BusinessTime,
  businessTime,
  type Calendar,
  WEEKDAYS,
  type Weekday,
} from '../../lib/calendar/business-time.ts'
import type { Caller } from '../../lib/caller.ts'
import * as f from '../../lib/fields.ts'
import { notFound } from '../../lib/problem.ts'
import { rfc3339 } from '../../lib/time.ts'
import type { Filter } from '../../store/list/conditions.ts'
import { listing, type Page } from '../../store/list/page.ts'
import type { ListQuery } from '../../store/list/query.ts'
import type { RawRow } from '../../store/rows/columns.ts'
import * as c from '../../store/rows/columns.ts'
import { finder } from '../../store/rows/find.ts'
import type { Stored } from '../../store/settings/table.ts'

// Hours are settings: the API reads them, and the settings document writes them (settings.ts).

// 1. The wire form.

const CLOCK = 'invalid_clock_time|must be a time of day, such as "09:00"'
const opens = v.pipe(v.string(), v.regex(/^([01]\d|2[0-3]):[0-5]\d$/, CLOCK))
const closes = v.pipe(v.string(), v.regex(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, CLOCK))

const MAX_INTERVALS = 24
export const MAX_EXCEPTIONS = 400

/** The intervals of one day. */
export const Intervals = f.arrayOf(
  f.named(
    'HoursInterval',
    f.object({
      from: f.doc(opens, 'Start of the interval, for example "09:00".'),
      to: f.doc(closes, 'End of the interval, up to `24:00`, for example "17:30".'),
    }),
  ),
  MAX_INTERVALS,
)

export const Exception = f.named(
  'HoursException',
  f.object({
    from_date: f.date,
    to_date: f.doc(f.date, 'The last day.'),
    name: f.doc(f.nullable(f.line()), 'Display name, for example "New Year".'),
    intervals: f.doc(Intervals, 'Open intervals on each of these days; empty if closed.'),
  }),
)
export type Exception = v.InferOutput<typeof Exception>

const moment = f.nullable(f.recordFields.created_at)

export const Hours = f.doc(
  f.object({
    id: f.id,
    name: f.doc(f.title, 'Display name, for example "Office".'),
    timezone: f.doc(f.timezone, 'Time zone of the hours, for example "Europe/Berlin".'),
    is_default: f.doc(f.flag, 'Whether these are the default hours; at most one can be.'),
    weekly: f.doc(
      f.named(
        'WeeklyHours',
        f.object(Object.fromEntries(WEEKDAYS.map((day) => [day, Intervals])) as Record<Weekday, typeof Intervals>),
      ),
      'Open intervals on each day of the week; a day without intervals is closed.',
    ),
    exceptions: f.doc(f.arrayOf(Exception, MAX_EXCEPTIONS), 'Days with different intervals, such as holidays.'),
    is_open: f.doc(f.flag, 'Whether they are open now.'),
    next_open_at: f.doc(moment, 'When they open next, even if they are open now; null if not within two years.'),
    next_close_at: f.doc(moment, 'When they close next; null if not within two years.'),
    ...f.recordFields,
  }),
  'Business hours define when an organisation works, in a time zone. SLA policies count only this time, and sequences send only within it.',
)
export type Hours = v.InferOutput<typeof Hours>

const filters: Record<string, Filter> = { is_default: { type: 'flag', indexed: false } }

// 2. The row.

/** With the columns that the API does not show. */
export type HoursRow = Stored & {
  key: string
  name: string
  timezone: string
  is_default: boolean
  position: number
  weekly: Hours['weekly']
  exceptions: Exception[]
}

export const rowColumns = c.columns<HoursRow>({
  id: c.plain('id'),
  key: c.plain('key'),
  name: c.text('name'),
  timezone: c.text('timezone'),
  is_default: c.bool('is_default'),
  position: c.integer('position'),
  weekly: c.json('weekly'),
  exceptions: c.json('exceptions'),
  created_at: c.time('created_at'),
  updated_at: c.time('updated_at'),
  version: c.integer('version'),
})

const columns = c.only<Hours>(rowColumns, Object.keys(Hours.entries), {
  is_open: c.computed(),
  next_open_at: c.computed(),
  next_close_at: c.computed(),
})

const place = (name: keyof Hours): number => Object.keys(Hours.entries).indexOf(name)
const [ID, IS_OPEN, NEXT_OPEN_AT, NEXT_CLOSE_AT] = [
  place('id'),
  place('is_open'),
  place('next_open_at'),
  place('next_close_at'),
]

// 3. The statements.

/** The most cached calendars, each with the years that were needed: some 50 KB with two intervals a day. */
const MAX_KEPT = 200

const order = { sort: { column: 'position' }, descending: false }
const spec = { columns, filters, sorts: {}, order }

export const hoursStore = once(({ db, clock }: Deps) => {
  const { list: listRows } = listing(db, { table: 'hours', ...spec })
  const findRow = finder(db, 'hours', columns)
  const stateOf = db.prepare('SELECT version, updated_at FROM hours WHERE org_id = ? AND id = ?').raw()
  const calendarOf = db.prepare('SELECT timezone, weekly, exceptions FROM hours WHERE org_id = ? AND id = ?').raw()
  const kept = new Map<string, BusinessTime>()

  function list(org: number, ask: ListQuery): Page {
    const page = listRows(org, ask)
    for (const row of page.rows) judge(org, row)
    return page
  }

  const find = (who: Caller, id: string): RawRow => judge(who.org, findRow(who, id))

  /** Adds the current state to the row. */
  function judge(org: number, row: RawRow): RawRow {
    const time = businessTimeOf(org, row[ID] as string)
    const now = clock.now()
    row[IS_OPEN] = time.isOpen(now)
    row[NEXT_OPEN_AT] = onWire(time.nextOpenAt(now))
    row[NEXT_CLOSE_AT] = onWire(time.nextCloseAt(now))
    return row
  }

  /**
   * Throws 404. Results are cached as long as the row is unchanged; the version alone would not distinguish it from one
   * that was rolled back.
   */
  function businessTimeOf(org: number, id: string): BusinessTime {
    const state = stateOf.get(org, id) as [number, number] | undefined
    if (!state) throw notFound()
    const key = [org, id, ...state].join()
    let time = kept.get(key)
    if (!time) {
      const [timezone, weekly, exceptions] = calendarOf.get(org, id) as [string, string, string]
      time = businessTime({ timezone, weekly: JSON.parse(weekly), exceptions: JSON.parse(exceptions) } as Calendar)
      if (kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value as string)
      kept.set(key, time)
    }
    return time
  }

  return { list, find, businessTimeOf }
})

const onWire = (ms: number | undefined): string | null => (ms === undefined ? null : rfc3339(ms))

// 4. The routes.

export const hours = (deps: Deps): Route[] => {
  const { list, find } = hoursStore(deps)
  const common = { method: 'get', scope: 'rest.inbox.hours.read', name: 'hours', timeDependent: true } as const
  return [
    {
      ...common,
      kind: 'list',
      path: '/hours',
      summary: 'List business hours',
      description: 'In the order of the settings, each with its current state.',
      item: Hours,
      list,
      ...spec,
    },
    { ...common, kind: 'read', path: '/hours/:id', summary: 'Get business hours', columns, returns: Hours, find },
  ]
}
