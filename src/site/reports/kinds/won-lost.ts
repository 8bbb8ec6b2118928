import type { Cut } from '../cut.ts'
import { monthSql } from '../months.ts'
import { dealFact, dealsBy, dealTests, NOBODY, type Question } from '../question.ts'

/**
 * Deals by the month in which they were closed, for the last time: one that was opened again is closed no more, and one that
 * was closed again counts once. `bar` is SQL.
 */
function closed(question: Question, bar: (month: string) => string): Cut {
  const month = monthSql('d.closed_at', question.months, question.timezone)
  const tests = dealTests(question)
  return {
    sql: `SELECT ${dealFact('d.closed_at')}, ${bar(month.sql)} AS bar, d.status AS series
      FROM ${dealsBy('INDEXED BY deals_closed')} WHERE d.org_id = @org AND d.closed_at >= @begin AND d.closed_at < @end${tests.sql}`,
    values: {
      ...month.values,
      ...tests.values,
      end: month.values[`until_${question.months.length - 1}`] as number,
    },
  }
}

export const wonLostParts = {
  months: (question: Question) => closed(question, (month) => month),
  reasons: (question: Question) => closed(question, () => 'd.close_reason_id'),
  owners: (question: Question) => closed(question, () => `ifnull(d.owner_id, '${NOBODY}')`),
}
