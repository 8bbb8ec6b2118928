// Loaded before every test file. The seed of what fast-check makes up comes from scripts/test.ts, which prints it: the same
// one gives the same examples again.
import fc from 'fast-check'

fc.configureGlobal({ seed: Number(process.env.TEST_SEED ?? 1) })
