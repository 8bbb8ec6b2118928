/** What forms say of what was typed into them. */
export const en = {
  begunBefore: 'You had begun this.',
  beginAnew: 'Start anew',
  keptAsDraft: 'Kept as a draft',
  throwAway: 'Throw away',
  thrownAway: 'Draft thrown away',
  tooLong: (letters: string, fit: string, over: string) => `${letters} letters, and ${fit} fit: take ${over} away`,
}
