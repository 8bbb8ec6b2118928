import { rankOfId } from '../../lib/id.ts'

/**
 * How many documents can share a rank (see `rankOfId`): an id of another clock may have the same, and an imported
 * organisation has the same ids as the original.
 */
export const SAME_RANK = 64n
/** Ids from 2109 on share one rank: numbers have 63 bits, including the one after the last. */
const LAST_RANK = 2n ** 57n - 2n

/** The range of possible document numbers for a record with this id: from the first up to but excluding the second. */
export function numbersOf(id: string): [bigint, bigint] {
  const rank = rankOfId(id)
  const first = (rank < LAST_RANK ? rank : LAST_RANK) * SAME_RANK
  return [first, first + SAME_RANK]
}
