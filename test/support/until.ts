import assert from 'node:assert/strict'
import { setTimeout as live } from 'node:timers/promises'
import { inspect, isDeepStrictEqual } from 'node:util'

// How tests wait for something to come. The limit only ends a hang: beside other programs, a server or a page may take minutes.

const pause = live // of a test that simulates timers, too
const POLL_MS = 20

/** TEST_WAIT in seconds is another limit, for whoever looks for a hang. */
export const WAIT_MS = 1000 * Number(process.env.TEST_WAIT ?? 240)

/** The first answer that is neither false nor nothing. `what` says what is waited for, where the question itself does not. */
export async function until<T>(is: () => T | Promise<T>, what: string | (() => string) = `${is}`) {
  for (const end = performance.now() + WAIT_MS; ; await pause(POLL_MS)) {
    const found = await is()
    if (found) return found as Exclude<T, false | 0 | '' | null | undefined>
    if (performance.now() < end) continue
    const awaited = typeof what === 'string' ? what : what()
    assert.fail(`This did not come, but ${inspect(found)}: ${awaited}`)
  }
}

/** The first answer that is right. */
export async function untilIs<T>(read: () => T | Promise<T>, isRight: (found: T) => boolean): Promise<T> {
  let last: T
  const right = async () => {
    last = await read()
    return isRight(last) && { found: last }
  }
  return (await until(right, () => `${read} ${isRight}, and was ${inspect(last)}`)).found
}

/** Waits until a value that is read again and again is the expected one. */
export async function becomes<T>(read: () => T | Promise<T>, expected: NoInfer<T>): Promise<void> {
  for (const end = performance.now() + WAIT_MS; ; await pause(POLL_MS)) {
    const found = await read()
    if (isDeepStrictEqual(found, expected) || performance.now() >= end) return assert.deepEqual(found, expected)
  }
}
