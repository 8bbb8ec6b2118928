import type { Cut } from '../cut.ts'
import { createdIn, DEALS, dealFact, dealTests, NOBODY, type Question } from '../question.ts'

/** Deals created in these months by the source of their main contact, as it is today, and what became of them. */
export function sources(question: Question): Cut {
  const created = createdIn(question)
  const tests = dealTests(question)
  return {
    sql: `SELECT ${dealFact('d.created_at')}, ifnull('=' || c.source, '${NOBODY}') AS bar, d.status AS series
      FROM ${DEALS} LEFT JOIN contacts AS c ON c.org_id = d.org_id AND c.id = d.primary_contact_id
      WHERE ${created.sql}${tests.sql}`,
    values: { ...tests.values, ...created.values },
  }
}
