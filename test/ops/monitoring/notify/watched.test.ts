import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../src/lib/time.ts'
import {
  type Checks,
  dueFor,
  type Found,
  failedToTell,
  NOTHING_TOLD,
  noted,
  onlyOf,
  type Told,
  toldOf,
} from '../../../../src/ops/monitoring/notify/watched.ts'

const NAMES = ['disk', 'backup', 'jobs']
const BAD: Found = { status: 'warn', detail: 'It is bad.' }
const PASS: Found = { status: 'pass' }

/** A server that is looked at each minute, and one way to tell; the messages are noted with their minute. */
function watching() {
  let now = Date.UTC(2026, 10, 20)
  const begun = now
  let checks: Checks = {}
  let told: Told = NOTHING_TOLD
  const messages: string[] = []

  function look(found: Record<string, Found>): void {
    checks = noted(checks, NAMES, found, now)
    const due = dueFor(told, checks, now)
    if (!due) return
    told = toldOf(told, due, now)
    messages.push(
      `${(now - begun) / MINUTE_MS}: ${due.bad.join(' ')}${due.well.length > 0 ? ` +${due.well.join(' ')}` : ''}`,
    )
  }

  return {
    /** Looks each minute, for so long. */
    last: (ms: number, found: (minute: number) => Record<string, Found>) => {
      for (const end = now + ms; now < end; now += MINUTE_MS) look(found((now - begun) / MINUTE_MS))
    },
    set: (ms: number) => {
      now += ms
    },
    messages,
    checks: () => checks,
  }
}

const all = (some: Record<string, Found>): Record<string, Found> => ({ disk: PASS, backup: PASS, jobs: PASS, ...some })

describe('a check', () => {
  test('that is bad is told of after five minutes, once a day, and once when it is well again for a while', () => {
    const server = watching()
    server.last(HOUR_MS, () => all({}))
    server.last(2 * DAY_MS, () => all({ disk: BAD }))
    server.last(DAY_MS, () => all({}))
    assert.deepEqual(server.messages, ['65: disk', `${65 + 1440}: disk`, `${60 + 2880 + 15}:  +disk`])
  })

  test('that was bad for a moment is not told of', () => {
    const server = watching()
    server.last(4 * MINUTE_MS, () => all({ disk: BAD }))
    server.last(DAY_MS, () => all({}))
    assert.deepEqual(server.messages, [])
  })

  test('that goes on and off is told of once a day as one thing, and in the end that it is well', () => {
    const server = watching()
    server.last(3 * DAY_MS, (minute) => all({ disk: minute % 20 < 10 ? BAD : PASS }))
    server.last(3 * DAY_MS, () => all({}))
    assert.equal(server.messages.filter((each) => each.endsWith(': disk')).length, 3, server.messages.join('\n'))
    assert.match(server.messages.at(-1) as string, /\+disk$/)
    assert.equal(server.messages.length, 4)
  })

  test('that is bad again a while after it was well is told of, and each time it takes longer to be well', () => {
    const server = watching()
    server.last(10 * DAY_MS, (minute) => all({ disk: minute % 120 < 60 ? BAD : PASS }))
    const first = server.messages.slice(0, 3)
    assert.deepEqual(first, ['5: disk', '75:  +disk', '125: disk'])
    assert.ok(server.messages.length < 20, `${server.messages.length} messages in ten days`)
  })

  test('that was not looked at stays as it was', () => {
    const server = watching()
    server.last(10 * MINUTE_MS, () => all({ jobs: BAD }))
    server.last(HOUR_MS, () => ({ disk: { status: 'fail', detail: 'Full.' } }))
    server.last(HOUR_MS, () => all({}))
    assert.deepEqual(server.messages, ['5: jobs', '20: disk', '85:  +jobs disk'])
  })

  test('that the server no longer has is forgotten, and nobody hears that it is well', () => {
    const told = toldOf(NOTHING_TOLD, { bad: ['replication'], well: [] }, 0)
    assert.deepEqual(onlyOf(told, NAMES).of, {})
    const checks = noted({}, ['replication'], { replication: BAD }, 0)
    assert.deepEqual(noted(checks, NAMES, all({}), 1), {})
  })
})

describe('many checks', () => {
  test('are one message, also those that follow soon', () => {
    const server = watching()
    server.last(3 * MINUTE_MS, () => all({ disk: BAD }))
    server.last(5 * MINUTE_MS, () => all({ disk: BAD, backup: BAD }))
    server.last(HOUR_MS, () => all({ disk: BAD, backup: BAD, jobs: BAD }))
    assert.deepEqual(server.messages, ['5: disk backup', '20: jobs'])
  })

  test('have one message a day', () => {
    const server = watching()
    server.last(HOUR_MS, () => all({ disk: BAD }))
    server.last(4 * DAY_MS, () => all({ disk: BAD, backup: BAD }))
    assert.deepEqual(server.messages, [
      '5: disk',
      '65: backup',
      `${5 + 1440}: disk backup`,
      `${5 + 2880}: disk backup`,
      `${5 + 4320}: disk backup`,
      `${5 + 5760}: disk backup`,
    ])
  })
})

describe('a clock', () => {
  test('that was set back does not keep anybody from hearing of it', () => {
    const server = watching()
    server.last(10 * MINUTE_MS, () => all({ disk: BAD }))
    server.set(-30 * DAY_MS)
    server.last(10 * MINUTE_MS, () => all({ disk: BAD }))
    assert.equal(server.messages.length, 2)
    assert.ok((server.checks().disk?.bad_since as number) <= Date.UTC(2026, 9, 21) + 10 * MINUTE_MS)
  })
})

describe('an attempt that failed', () => {
  test('is made again after a while that becomes longer, up to an hour', () => {
    const checks = noted({}, NAMES, all({ disk: BAD }), 0)
    let now = 5 * MINUTE_MS
    let told = NOTHING_TOLD
    const pauses: number[] = []
    for (let n = 0; n < 7; n++) {
      const before = now
      while (!dueFor(told, checks, now)) now += MINUTE_MS
      pauses.push((now - before) / MINUTE_MS)
      told = failedToTell(told, 'No answer.', now)
    }
    assert.deepEqual(pauses, [0, 5, 10, 20, 40, 60, 60])
  })
})
