import { endingTokens } from '../../../auth/ending-tokens.ts'
import { rfc3339 } from '../../../lib/time.ts'
import { counted, type Finding, pass, some, warn } from '../finding.ts'
import { depsOf, type Patient } from '../patient.ts'

/** More are only counted. */
const LISTED = 5

/** Whoever uses a token that has ended gets 401 from one moment to the next. */
export function tokens(patient: Patient): Finding {
  const { within, count, next } = endingTokens(depsOf(patient).db)
  const now = patient.now()
  const ending = within(now, 14, LISTED)
  if (ending.length > 0) {
    const listed = ending.map(({ id, email, expires_at }) => `${id} of ${email} at ${rfc3339(expires_at)}`)
    const others = count(now, 14) - listed.length
    return warn(
      `${counted(listed.length + others, 'token ends', 'tokens end')} within 14 days: ${some([...listed, ...(others > 0 ? [`${others} more`] : [])], LISTED + 1)}.`,
      'Make another one with "dealbox token create", and give it to the program that uses the old one.',
    )
  }
  const first = next(now)
  return pass(first === undefined ? 'No token ends.' : `The next token ends at ${rfc3339(first)}.`)
}
