import type { FieldError, Problem } from '../../../lib/problem.ts'

/** Why a record of a change of many was left as it was. By its code the browser app says it in the member's language. */
export type Refusal = { id: string; code: string; detail: string; errors?: FieldError[] }

/** Of many errors of one record, more are not shown. */
const MAX_ERRORS = 3

/** How the column `error` has it. */
export const storedRefusal = (problem: Problem | null): string | null =>
  problem &&
  JSON.stringify({ code: problem.code, detail: problem.message, errors: problem.errors?.slice(0, MAX_ERRORS) })

/** Changes of earlier versions have the sentence alone. */
export const refusalOf = ({ id, error }: { id: string; error: string }): Refusal =>
  error.startsWith('{') ? { id, ...JSON.parse(error) } : { id, code: 'unknown', detail: error }
