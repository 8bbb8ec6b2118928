import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  deliveryAfter,
  type Health,
  healthAfter,
  isDown,
  PAUSES_MS,
} from '../../../src/webhooks/delivery/retry-policy.ts'
import type { Reply } from '../../../src/webhooks/egress/http-post.ts'
import { DAY, HOUR, MINUTE, SECOND } from './delivery-harness.ts'

const now = Date.UTC(2026, 10, 20, 8, 36)
const FRESH: Health = {
  failures: 0,
  failing_since: null,
  held_until: null,
  last_success_at: null,
  last_failure_at: null,
}
const reply = (status: number | null, more: Partial<Reply> = {}): Reply => ({
  status,
  duration_ms: 1,
  reply: null,
  retry_after: null,
  error: status !== null && status < 300 ? null : `The receiver answered ${status}.`,
  ...more,
})
const once = { failures: 0, isProbe: false, isTest: false }

describe('a delivery', () => {
  test('is tried ten times, after pauses that chance makes up to a tenth longer', () => {
    const walk = (random: number) => {
      const waits: number[] = []
      for (let failures = 0; ; failures++) {
        const after = deliveryAfter({ ...once, failures }, reply(500), now, random)
        assert.equal(after.failures, failures + 1)
        if (after.status === 'failed') return { waits, dueAt: after.dueAt }
        waits.push((after.dueAt as number) - now)
      }
    }
    const plain = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR)]
    assert.deepEqual(PAUSES_MS, plain)
    assert.deepEqual(walk(0), { waits: plain, dueAt: null })
    assert.deepEqual(walk(1), { waits: plain.map((wait) => Math.round(wait * 1.1)), dueAt: null })
    const waits = walk(0.5).waits
    assert.deepEqual(
      waits,
      plain.map((wait) => Math.round(wait * 1.05)),
    )
  })

  test('that came through is done, whatever came before', () => {
    for (const failures of [0, 9])
      assert.deepEqual(deliveryAfter({ ...once, failures }, reply(204), now, 1), {
        status: 'delivered',
        failures,
        dueAt: null,
      })
  })

  test('waits as long as Retry-After says, in seconds or until a time, but at most a day and never shorter', () => {
    const waitAfter = (retry_after: string) =>
      (deliveryAfter(once, reply(503, { retry_after }), now, 0).dueAt as number) - now
    const table: [string, number][] = [
      ['120', 2 * MINUTE],
      [' 120 ', 2 * MINUTE],
      ['0', 5 * SECOND],
      ['3', 5 * SECOND],
      ['86400', DAY],
      ['86401', DAY],
      ['9'.repeat(30), DAY],
      ['Fri, 20 Nov 2026 08:46:00 GMT', 10 * MINUTE],
      ['Friday, 20-Nov-26 08:46:00 GMT', 10 * MINUTE],
      ['Fri, 27 Nov 2026 08:46:00 GMT', DAY],
      ['Fri, 20 Nov 2026 08:26:00 GMT', 5 * SECOND],
      ['-5', 5 * SECOND],
      ['soon', 5 * SECOND],
      ['', 5 * SECOND],
    ]
    for (const [text, wait] of table) assert.equal(waitAfter(text), wait, text)
  })

  test('does not use up its tries as a probe, and is tried once as a test', () => {
    const probe = deliveryAfter({ failures: 3, isProbe: true, isTest: false }, reply(500), now, 1)
    assert.deepEqual(probe, { status: 'pending', failures: 3, dueAt: now + 5 * MINUTE })
    const isTest = deliveryAfter({ ...once, isTest: true }, reply(500), now, 1)
    assert.deepEqual([isTest.status, isTest.dueAt], ['failed', null])
  })
})

describe('a webhook', () => {
  const failing = (failures: number, since = now) => ({
    ...FRESH,
    failures,
    failing_since: since,
    last_failure_at: now,
  })

  test('is down after ten failures in a row, and then held for five minutes at a time', () => {
    let health: Health & { disabled?: string } = FRESH
    for (let failures = 1; failures <= 9; failures++) {
      health = healthAfter(health, reply(500), now)
      assert.deepEqual([isDown(health), health.held_until], [false, null])
    }
    health = healthAfter(health, reply(null, { error: 'No answer.' }), now + SECOND)
    assert.deepEqual(health, { ...failing(10), held_until: now + SECOND + 5 * MINUTE, last_failure_at: now + SECOND })
    assert.ok(isDown(health))
  })

  test('is up again with its first success', () => {
    const down = { ...failing(12, now - DAY), held_until: now + MINUTE }
    assert.deepEqual(healthAfter(down, reply(200), now), { ...FRESH, last_failure_at: now, last_success_at: now })
  })

  test('is held as long as Retry-After says, also where another try that had begun before succeeds', () => {
    const held = healthAfter(FRESH, reply(429, { retry_after: '3600' }), now)
    assert.deepEqual([held.held_until, held.failures], [now + HOUR, 1])
    assert.equal(healthAfter(held, reply(500), now).held_until, now + HOUR)
    const after = healthAfter(held, reply(200), now + SECOND)
    assert.deepEqual([after.held_until, after.failures], [now + HOUR, 0])
    assert.equal(healthAfter(after, reply(200), now + HOUR).held_until, null)
  })

  test('is disabled by 410 at once, and by five days of failures', () => {
    assert.match(healthAfter(FRESH, reply(410), now).disabled ?? '', /410/)
    assert.equal(healthAfter(failing(50, now - 5 * DAY + 1), reply(500), now).disabled, undefined)
    const { disabled } = healthAfter(failing(50, now - 5 * DAY), reply(500), now)
    assert.match(disabled ?? '', /five days. The last error: The receiver answered 500/)
    assert.equal(healthAfter(failing(50, now - 5 * DAY), reply(200), now).disabled, undefined)
  })

  test('is not disabled by a few failures that lie days apart', () => {
    assert.equal(healthAfter(failing(1, now - 9 * DAY), reply(500), now).disabled, undefined)
    assert.equal(healthAfter(failing(8, now - 9 * DAY), reply(500), now).disabled, undefined)
    assert.match(healthAfter(failing(9, now - 9 * DAY), reply(500), now).disabled ?? '', /five days/)
  })
})
