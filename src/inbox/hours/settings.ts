import type * as v from 'valibot'
import { type Interval, minuteOf, WEEKDAYS, type Weekday } from '../../lib/calendar/business-time.ts'
import { parseDay } from '../../lib/calendar/days.ts'
import * as f from '../../lib/fields.ts'
import { conflict, type FieldError, field } from '../../lib/problem.ts'
import type { Store } from '../../store/open.ts'
import { type Change, changesOf, repeatedKeys, secondDefaults } from '../../store/settings/changes.ts'
import { key } from '../../store/settings/fields.ts'
import { settingsTable } from '../../store/settings/table.ts'
import { type Exception, type HoursRow, Intervals, MAX_EXCEPTIONS, rowColumns } from './hours.ts'

const DAYS = Object.fromEntries(WEEKDAYS.map((day) => [day, f.optional(Intervals)])) as Record<
  Weekday,
  v.ExactOptionalSchema<typeof Intervals, undefined>
>

const ExceptionSettings = f.object({
  from_date: f.date,
  to_date: f.optional(f.date),
  name: f.optional(f.nullable(f.line())),
  intervals: f.optional(Intervals),
})
type ExceptionSettings = v.InferOutput<typeof ExceptionSettings>

export const HoursSettings = f.object({
  key,
  name: f.title,
  timezone: f.timezone,
  is_default: f.optional(f.flag),
  weekly: f.object(DAYS),
  exceptions: f.optional(f.arrayOf(ExceptionSettings, MAX_EXCEPTIONS)),
})
export type HoursSettings = v.InferOutput<typeof HoursSettings>

export function checkHours(given: readonly HoursSettings[]): FieldError[] {
  const keys = given.map((hours) => hours.key)
  const errors = [...repeatedKeys('/hours', keys), ...secondDefaults('/hours', given)]
  for (const [index, { weekly, exceptions = [] }] of given.entries()) {
    for (const day of WEEKDAYS) errors.push(...checkIntervals(`/hours/${index}/weekly/${day}`, weekly[day] ?? []))
    errors.push(...checkExceptions(`/hours/${index}/exceptions`, exceptions))
  }
  return errors
}

function checkIntervals(pointer: string, given: readonly Interval[]): FieldError[] {
  const ranges = given.map(({ from, to }) => ({ start: minuteOf(from), end: minuteOf(to) }))
  const wrong = ranges.flatMap(({ start, end }, index) =>
    start < end ? [] : [field(`${pointer}/${index}/to`, 'not_after', 'must be after from')],
  )
  const overlaps = overlapping(ranges).map((index) =>
    field(`${pointer}/${index}/from`, 'overlap', 'must not overlap another interval of the same day'),
  )
  return [...wrong, ...overlaps]
}

function checkExceptions(pointer: string, given: readonly ExceptionSettings[]): FieldError[] {
  const ranges = given.map(({ from_date, to_date = from_date }) => ({
    start: parseDay(from_date),
    end: parseDay(to_date) + 1,
  }))
  const wrong = ranges.flatMap(({ start, end }, index) =>
    start < end ? [] : [field(`${pointer}/${index}/to_date`, 'not_after', 'must not be before from_date')],
  )
  const overlaps = overlapping(ranges).map((index) =>
    field(`${pointer}/${index}/from_date`, 'overlap', 'must not overlap another exception'),
  )
  const intervals = given.flatMap((exception, index) =>
    checkIntervals(`${pointer}/${index}/intervals`, exception.intervals ?? []),
  )
  return [...wrong, ...overlaps, ...intervals]
}

/** The indexes of ranges that begin within an earlier one. */
function overlapping(ranges: readonly { start: number; end: number }[]): number[] {
  const sorted = [...ranges.entries()].sort(([, one], [, other]) => one.start - other.start)
  let reached = Number.NEGATIVE_INFINITY
  const found: number[] = []
  for (const [index, { start, end }] of sorted) {
    if (start < reached) found.push(index)
    reached = Math.max(reached, end)
  }
  return found
}

const FIELDS = ['name', 'timezone', 'is_default', 'position', 'weekly', 'exceptions']

/** The functions that write must be called in a transaction. */
export function hoursSettings(store: Pick<Store, 'db' | 'clock'>) {
  const { db } = store
  const { all, create, save, removeUnused } = settingsTable(store, 'hours', rowColumns, 'position')
  const dropDefault = db.prepare('UPDATE hours SET is_default = 0 WHERE org_id = ? AND is_default = 1')
  const countingBy = ['sla_policies', 'sequences'].map((table) =>
    db.prepare(`SELECT key FROM ${table} WHERE org_id = ? AND hours_id = ? ORDER BY position`).pluck(),
  )

  function show(org: number): Required<HoursSettings>[] {
    return all(org).map(({ key, name, timezone, is_default, weekly, exceptions }) => ({
      key,
      name,
      timezone,
      is_default,
      weekly,
      exceptions,
    }))
  }

  /**
   * Also returns the hours that the document leaves out: pass them to `remove` once the policies that referred to them
   * are written.
   */
  function apply(org: number, given: readonly HoursSettings[]): { changes: Change[]; left: HoursRow[] } {
    const before = new Map(all(org).map((hours) => [hours.key, hours]))
    const stays = given.some(({ key, is_default }) => is_default && before.get(key)?.is_default)
    if (!stays) dropDefault.run(org) // SQLite checks the unique index after every statement
    const changes: Change[] = []
    for (const [position, { weekly, exceptions = [], is_default = false, ...rest }] of given.entries()) {
      const known = before.get(rest.key)
      before.delete(rest.key)
      const wanted = {
        ...rest,
        is_default,
        position,
        weekly: wholeWeek(weekly),
        exceptions: inOrder(exceptions),
      }
      const after = known ? save(org, known, wanted) : create(org, wanted)
      changes.push(...changesOf('hours', rest.key, known, after, FIELDS))
    }
    return { changes, left: [...before.values()] }
  }

  /** Throws 409 if a policy or a sequence refers to the hours, even an inactive one. */
  function remove(org: number, left: readonly HoursRow[]): Change[] {
    return left.flatMap((hours) => {
      if (!removeUnused(org, hours.id)) throw inUse(hours.key, usersOf(org, hours.id))
      return changesOf('hours', hours.key, hours, undefined, FIELDS)
    })
  }

  function usersOf(org: number, id: string): Users {
    const [policies = [], sequences = []] = countingBy.map((users) => users.all(org, id) as string[])
    return { policies, sequences }
  }

  return { show, apply, remove }
}

type Users = { policies: string[]; sequences: string[] }

function inUse(key: string, { policies, sequences }: Users) {
  const users = [
    ...(policies.length > 0 ? [`SLA policies use them (${policies.join(', ')})`] : []),
    ...(sequences.length > 0 ? [`sequences use them (${sequences.join(', ')})`] : []),
  ]
  const hint = 'An SLA policy that is removed from the document is kept while conversations refer to it.'
  const detail = `The hours "${key}" cannot be removed: ${users.join(', and ')}.`
  return conflict('hours_in_use', policies.length > 0 ? `${detail} ${hint}` : detail)
}

/** All seven days, each in order, so that equal hours have equal texts. */
const wholeWeek = (weekly: HoursSettings['weekly']): HoursRow['weekly'] =>
  Object.fromEntries(WEEKDAYS.map((day) => [day, sorted(weekly[day] ?? [])])) as HoursRow['weekly']

const sorted = (given: readonly Interval[]): Interval[] =>
  given.map(({ from, to }) => ({ from, to })).sort((one, other) => minuteOf(one.from) - minuteOf(other.from))

const inOrder = (given: readonly ExceptionSettings[]): Exception[] =>
  given
    .map(({ from_date, to_date = from_date, name = null, intervals = [] }) => ({
      from_date,
      to_date,
      name,
      intervals: sorted(intervals),
    }))
    .sort((one, other) => parseDay(one.from_date) - parseDay(other.from_date))
