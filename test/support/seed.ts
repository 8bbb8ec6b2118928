// Loaded before every test file. The seed of all random examples comes from scripts/test.ts, which prints it: the same one
// gives the same examples again.
import fc from 'fast-check'

const TEST_SEED = Number(process.env.TEST_SEED ?? 1)

fc.configureGlobal({ seed: TEST_SEED })

/** The seed of a generator other than fast-check's: `own` by default, and another one for every other TEST_SEED. */
export const seedOf = (own: number): number => (own + TEST_SEED - 1) % 2 ** 32
