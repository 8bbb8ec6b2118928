// Loaded before every test file: what fast-check makes up is the same in every run, so that a red run can be had
// again. Another seed: TEST_SEED=7 npm test.
import fc from 'fast-check'

fc.configureGlobal({ seed: Number(process.env.TEST_SEED ?? 1) })
