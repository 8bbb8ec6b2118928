import type { Cut } from '../cut.ts'
import { monthsAfter } from '../months.ts'
import { DEALS, dealFact, dealTests, type Question } from '../question.ts'

/** From this chance on, in percent, a deal counts as committed. */
export const COMMITTED = 75

/** The months that are told apart: this one and those after it. */
const MONTHS = 12

/** What has no month of its own: a date that has passed, one further away, and none. */
export const [PASSED, LATER, NO_DATE] = ['passed', 'later', 'none']

export const forecastMonths = ({ today }: Question): string[] =>
  Array.from({ length: MONTHS }, (_, at) => monthsAfter(today.slice(0, 7), at))

/**
 * Open deals by the day on which they are expected to close. That is a date, which no time zone moves; only which day it is today
 * depends on the zone. Won and lost deals are in no bar, and each open one is in exactly one.
 */
export function forecast(question: Question): Cut {
  const tests = dealTests(question)
  const date = 'd.expected_close_date'
  return {
    sql: `SELECT ${dealFact('d.created_at')},
        CASE WHEN ${date} IS NULL THEN '${NO_DATE}' WHEN ${date} < @today THEN '${PASSED}'
          WHEN ${date} >= @later THEN '${LATER}' ELSE substr(${date}, 1, 7) END AS bar,
        CASE WHEN s.probability >= ${COMMITTED} THEN 'committed' ELSE 'possible' END AS series
      FROM ${DEALS} WHERE d.org_id = @org AND d.status = 'open'${tests.sql}`,
    values: {
      ...tests.values,
      today: question.today,
      later: `${monthsAfter(question.today.slice(0, 7), MONTHS)}-01`,
    },
  }
}
