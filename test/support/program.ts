import { join } from 'node:path'

/**
 * The program that tests start with Node: in a run of all tests a bundle of it, which scripts/test.ts makes and which starts in a
 * quarter of the time; else its sources.
 */
export const MAIN = process.env.TEST_PROGRAM ?? join(import.meta.dirname, '../../src/main.ts')
