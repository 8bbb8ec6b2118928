// Loaded before every test file. The seed of all random examples comes from scripts/test.ts, which prints it; the same
// seed repeats the same examples.
import fc from 'fast-check'

const TEST_SEED = Number(process.env.TEST_SEED ?? 1)

fc.configureGlobal({ seed: TEST_SEED })

/**
 * Returns the seed for another generator than fast-check's: `own` by default, a different one for each other TEST_SEED.
 */
export const seedOf = (own: number): number => (own + TEST_SEED - 1) % 2 ** 32

/**
 * How many random examples a test makes of all that it has: all in CI, which draws a seed for each commit, and one of five
 * elsewhere. Not for cases that are written down: all of those run everywhere.
 */
export const examples = (all: number): number => (process.env.TEST_ALL === '1' ? all : Math.ceil(all / 5))
