import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { processMetrics } from '../../../src/ops/monitoring/process.ts'
import { until } from '../../support/until.ts'

/** Turns the event loop for a while. */
async function turn(ms: number): Promise<void> {
  for (const end = performance.now() + ms; performance.now() < end; ) await nextTurn()
}

function block(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

test('the lag of the event loop is that since the last scrape, for whoever scrapes, and no shorter than ten seconds', async () => {
  let now = 0
  const read = processMetrics(() => now)
  const lag = (): Record<string, number> => {
    const family = read().find(({ name }) => name === 'dealbox_event_loop_lag_seconds')
    assert.ok(family?.type === 'summary')
    return Object.fromEntries(family.samples.map(({ labels, value }) => [labels?.quantile, value]))
  }
  assert.deepEqual(lag(), {}) // it is timed from here on
  now = 9999
  assert.deepEqual(lag(), {})
  let first: Record<string, number> = {}
  // On a busy machine the loop may not have turned twice before it is blocked, and then nothing is late.
  const isBlocked = async (): Promise<boolean> => {
    await turn(50)
    block(100)
    await turn(50)
    now += 10_000
    first = lag()
    return (first['1.0'] ?? 0) >= 0.07
  }
  await until(isBlocked)
  assert.deepEqual(Object.keys(first), ['0.5', '0.99', '1.0'])
  const { '0.5': median = 0, '0.99': most = 0, '1.0': longest = 0 } = first
  assert.ok(longest < 10, `${longest} s`)
  assert.ok(median <= most && most <= longest)
  now += 9999
  assert.deepEqual(lag(), first) // of another scraper
  await turn(50)
  now += 1
  assert.notDeepEqual(lag(), first)
})
