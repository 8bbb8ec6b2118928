import { Problem } from '../../lib/problem.ts'

// How much a reading may test. A row that no index has found is tested for each condition, and a filter of fifty conditions
// that matches nothing tests every row of the organisation: the server would answer nobody for seconds. SQLite cannot be
// interrupted from the thread that it runs in, so the tests count what they cost.

/** About 0.1 µs each: half a second in all. */
export const MOST_WORK = 5_000_000

let left = MOST_WORK
let isCounting = false

/** Throws Problem 503 if `read` tests too much, together with all readings in it. */
export function bounded<T>(read: () => T, most = MOST_WORK): T {
  if (isCounting) return read()
  left = most
  isCounting = true
  try {
    return read()
  } finally {
    isCounting = false
  }
}

/** The SQL function `affordable(cost)`: true, until the reading has used up what it may. */
export function affordable(cost: unknown): 1 {
  left -= cost as number
  if (isCounting && left < 0) throw tooMuchWork()
  return 1
}

const CODE = 'filter_too_slow'

const tooMuchWork = (): Problem =>
  new Problem(
    503,
    CODE,
    'The filter has to test too many records. Use fewer conditions, or add one that leaves fewer records to be tested, such as an owner, a stage, a tag or the time of creation.',
  )

export const isTooMuchWork = (error: unknown): boolean => error instanceof Problem && error.code === CODE
