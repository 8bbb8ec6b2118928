import assert from 'node:assert/strict'

// No page of a test may complain, of whatever browser or tab: an error of a script or of the console, which reports of the
// content security policy are, too, fails the test in which it came.

let complaints: string[] = []
let named: RegExp[] = []

export const complain = (what: string): void => void complaints.push(what)

/** For the rest of this test, complaints that match are what it is about. */
export const expectComplaint = (pattern: RegExp): void => void named.push(pattern)

/** After each test. */
export function assertNoComplaints(): void {
  const said = complaints.filter((each) => !named.some((pattern) => pattern.test(each)))
  complaints = []
  named = []
  assert.deepEqual(said, [], 'no page complains')
}
