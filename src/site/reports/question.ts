import { badQuery } from '../../http/query.ts'
import { dateIn } from '../../lib/calendar/days.ts'
import { firstIdAt, UUID } from '../../lib/id.ts'
import { isCurrency } from '../../lib/money.ts'
import { DAY_MS } from '../../lib/time.ts'
import { beginningOfMonth, MONTH, monthsAfter, monthsBetween } from './months.ts'

/** What a report is asked: its filters, and its months in the time zone of the organisation. */
export type Question = {
  org: number
  timezone: string
  now: number
  /** The day it is in the time zone. */
  today: string
  months: string[]
  /** Of these owners; null stands for nobody. Undefined: of everybody. */
  owners: (string | null)[] | undefined
  pipeline: string | undefined
  currency: string | undefined
}

const USUAL_MONTHS = 12
const MAX_MONTHS = 36
const MAX_OWNERS = 100
/** In the place of an owner: those without one. */
export const NOBODY = 'none'

const text = (description: string, maxLength = 100) => ({ schema: { type: 'string' as const, maxLength }, description })

/** The parameters of each report. */
export const PARAMETERS = {
  from: text(`The first month, such as 2026-01; ${USUAL_MONTHS - 1} before the last.`),
  to: text(`The last month; this one. At most ${MAX_MONTHS - 1} after the first.`),
  owner_id: text(`Ids of owners with commas between; \`${NOBODY}\` for what has none.`, MAX_OWNERS * 37),
  pipeline_id: text('The pipeline; all of them, or the default one where a report is of one pipeline.'),
  currency: text('Only what has this currency.'),
}

/** Reads the parameters. Throws Problem 400. */
export function questionOf(org: number, timezone: string, now: number, given: ReadonlyMap<string, string>): Question {
  const today = dateIn(timezone, now)
  const to = given.get('to') ?? today.slice(0, 7)
  for (const name of ['from', 'to']) {
    const month = given.get(name)
    if (month !== undefined && !MONTH.test(month)) throw badQuery(`"${name}" must be a month, such as 2026-11.`)
  }
  const from = given.get('from') ?? monthsAfter(to, 1 - USUAL_MONTHS)
  if (to < from || monthsAfter(from, MAX_MONTHS) <= to)
    throw badQuery(`"to" must be at most ${MAX_MONTHS - 1} months after "from".`)
  const owners = given.get('owner_id')?.split(',')
  if (owners && (owners.length > MAX_OWNERS || !owners.every((id) => id === NOBODY || UUID.test(id))))
    throw badQuery(`"owner_id" must be 1 to ${MAX_OWNERS} ids of members or "${NOBODY}", with commas between.`)
  const pipeline = given.get('pipeline_id')
  if (pipeline !== undefined && !UUID.test(pipeline)) throw badQuery('"pipeline_id" must be the id of a pipeline.')
  const currency = given.get('currency')
  if (currency !== undefined && !isCurrency(currency)) throw badQuery('"currency" must be a currency, such as EUR.')
  return {
    ...{ org, timezone, now, today, pipeline, currency },
    months: monthsBetween(from, to),
    owners: owners?.map((id) => (id === NOBODY ? null : id)),
  }
}

/** The filters as conditions on the deals `d` and their stages `s`, with their named parameters. Each begins with AND. */
export function dealTests({ org, owners, pipeline, currency }: Question) {
  const known = owners?.filter((id) => id !== null)
  const tests = [
    ...(known
      ? [
          `(d.owner_id IN (SELECT value FROM json_each(@owners))${owners?.includes(null) ? ' OR d.owner_id IS NULL' : ''})`,
        ]
      : []),
    ...(pipeline ? ['s.pipeline_id = @pipeline'] : []),
    ...(currency ? ['d.currency = @currency'] : []),
  ]
  const values: Record<string, string | number> = {
    org,
    ...(known ? { owners: JSON.stringify(known) } : {}),
    ...(pipeline ? { pipeline } : {}),
    ...(currency ? { currency } : {}),
  }
  return { sql: tests.map((test) => ` AND ${test}`).join(''), values }
}

/**
 * The deals `d` that were created in these months, with the parameters for it. Ids begin with the time at which a record was
 * made, so the index of ids finds them; a day around them is for ids of another clock.
 */
export function createdIn({ months, timezone }: Question) {
  const begin = beginningOfMonth(months[0] as string, timezone)
  const end = beginningOfMonth(monthsAfter(months.at(-1) as string, 1), timezone)
  return {
    sql: 'd.org_id = @org AND d.id >= @first_id AND d.id < @last_id AND d.created_at >= @begin AND d.created_at < @end',
    values: { begin, end, first_id: firstIdAt(Math.max(0, begin - DAY_MS)), last_id: firstIdAt(end + DAY_MS) },
  }
}

/** Deals by one of their indexes, then their stages: SQLite would begin with the stages, and look for each deal. */
export function dealsBy(index: string): string {
  return `deals AS d ${index} CROSS JOIN stages AS s ON s.org_id = d.org_id AND s.id = d.stage_id`
}

/** Deals with their stages, of one organisation. */
export const DEALS = dealsBy('')

/** The columns of a cut for a deal; `at` is the time by which its list is sorted. */
export const dealFact = (at: string): string =>
  `d.id AS fact, 'deal' AS object, d.id AS id, d.title AS title, d.owner_id AS owner_id, d.currency AS currency,
   d.amount_micros AS amount_micros, s.probability AS chance, ${at} AS at, NULL AS ms`
