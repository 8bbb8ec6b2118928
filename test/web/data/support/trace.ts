/** Says what happens, if one schedule alone is run by its number. */
export const trace = (...words: unknown[]): void => {
  if (process.env.TEST_SCHEDULE !== undefined) console.log(...words)
}
