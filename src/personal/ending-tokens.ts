import { endingTokens, NOTICE_DAYS } from '../auth/ending-tokens.ts'
import { activeOwners } from '../crm/members/owners.ts'
import type { Deps } from '../deps.ts'
import { notificationStore } from './notifications.ts'

/** Requests wait for at most one batch. */
const BATCH = 100

export const ENDING_TOKENS = 'give notice of tokens that end'

/**
 * Gives notice of tokens that end to their owners and to the owners of the organisation, once for each number of days; call
 * the function again after 'more'. What was noticed is in the database, so that neither a restart nor a clock that is set
 * repeats it.
 */
export function noticeEndingTokens(deps: Deps): () => 'more' | undefined {
  const { db, clock } = deps
  const { unnoticed, noticed } = endingTokens(db)
  const { tokenEnds } = notificationStore(deps)
  const owners = activeOwners(db)

  return function run() {
    const now = clock.now()
    // The fewest days first: after a pause of the server there is one notice, and not two.
    for (const days of NOTICE_DAYS.toSorted((one, other) => one - other)) {
      const tokens = unnoticed(now, days, BATCH)
      for (const token of tokens) {
        noticed(token, days)
        for (const member of new Set([token.member, ...owners(token.org).map(({ id }) => id)])) tokenEnds(member, token)
      }
      if (tokens.length === BATCH) return 'more'
    }
    return undefined
  }
}
