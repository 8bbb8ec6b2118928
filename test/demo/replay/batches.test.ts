import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { replaySeed } from '../../../src/demo/replay/replay.ts'
import { SIZES } from '../../../src/demo/story/steps.ts'
import { BATCH_GAP_MS } from '../../../src/store/batches.ts'
import { DATABASE } from '../../../src/store/open.ts'
import { type Connection, openSqlite } from '../../../src/store/sqlite/driver.ts'
import { makeOrg } from '../../support/org.ts'
import { slowPace, stillPace } from '../../support/pace.ts'
import { startServer, type TestServer } from '../../support/server.ts'

const AS_OF = Date.UTC(2026, 10, 20)

let server: TestServer
/** The server on the same folder. */
let other: Connection
const whole = { ...SIZES['10k'] }
before(async () => {
  server = await startServer()
  other = openSqlite(join(server.dataDir, DATABASE), { timeout: 0 })
  SIZES['10k'] = { ...whole, companies: 40, contacts: 80, deals: 200 }
})
after(async () => {
  SIZES['10k'] = whole
  other.close()
  await server.stop()
})

const countsOf = (org: number): Record<string, unknown> =>
  Object.fromEntries(
    ['deals', 'contacts', 'events', 'tasks', 'messages', 'conversations', 'enrollments', 'jobs'].map((table) => [
      table,
      other.prepare(`SELECT count(*) FROM ${table} WHERE org_id = ?`).pluck().get(org),
    ]),
  )
const storyOf = (org: number): unknown[] => [
  countsOf(org),
  other.prepare('SELECT title, amount_micros, status, closed_at FROM deals WHERE org_id = ? ORDER BY id').all(org),
  other.prepare('SELECT number, subject, status, sla_status FROM conversations WHERE org_id = ? ORDER BY id').all(org),
  other.prepare('SELECT status, stop_reason, finished_at FROM enrollments WHERE org_id = ? ORDER BY id').all(org),
  other.prepare('SELECT kind, payload, due_at FROM jobs WHERE org_id = ? ORDER BY kind, due_at, payload').all(org),
]

test('a seed frees the lock after a few steps, keeps its jobs to itself until the end, and makes what it always makes', async () => {
  const [quick, slow] = [
    await makeOrg(server.store, server.dataDir, 'Quick'),
    await makeOrg(server.store, server.dataDir, 'Slow'),
  ]
  replaySeed(server.store, { org: quick.org, seed: 3, profile: '10k', asOf: AS_OF, pace: stillPace })
  const gaps: number[] = []
  const jobs: unknown[] = []
  const events: number[] = []
  const lastSeq = other.prepare('SELECT last_seq FROM orgs WHERE id = ?').pluck()
  const pace = slowPace(10, (ms) => {
    gaps.push(ms)
    jobs.push(countsOf(slow.org).jobs)
    events.push((lastSeq.get(slow.org) as number) - seq)
    seq = lastSeq.get(slow.org) as number
    other.exec('BEGIN IMMEDIATE; ROLLBACK') // throws SQLITE_BUSY where the seed has the lock
  })
  let seq = 0
  let steps = 0
  let most = 0
  const onProgress = (played: number) => {
    most = Math.max(most, played - steps)
    steps = played
  }
  replaySeed(server.store, { org: slow.org, seed: 3, profile: '10k', asOf: AS_OF, pace, onProgress })
  assert.ok(steps > 1000 && most <= 4, `${most} steps in a transaction`)
  assert.ok(gaps.length > steps / 4 && gaps.every((ms) => ms === BATCH_GAP_MS))
  // One step sets the service up, as the settings would. What is due is done in between, and in the end all enrollments
  // are looked at, and the open deals written.
  const mostEvents = events.toSorted((one, other) => other - one)
  assert.ok((mostEvents[1] as number) <= 12, `${mostEvents.slice(0, 9)} events in a transaction`)
  const quiet = Math.max(
    ...events
      .join('')
      .matchAll(/0+/g)
      .map(([zeros]) => zeros.length),
  )
  assert.ok(quiet > (countsOf(slow.org).enrollments as number) / 8, `${quiet} transactions without an event in a row`)
  // The last two: what a server on the folder does from now on.
  assert.deepEqual(new Set(jobs.slice(0, -2)), new Set([0]))
  assert.ok((jobs.at(-1) as number) > 0)
  assert.deepEqual(storyOf(slow.org), storyOf(quick.org))
})

test('a seed that fails leaves no table of its own behind', async () => {
  const org = await makeOrg(server.store, server.dataDir, 'Broken')
  const onProgress = () => assert.fail('cut off')
  assert.throws(
    () =>
      replaySeed(server.store, {
        org: org.org,
        seed: 1,
        profile: 'demo',
        asOf: AS_OF,
        onProgress,
        pace: slowPace(10, () => undefined),
      }),
    /cut off/,
  )
  const { db } = server.store
  assert.deepEqual(db.prepare('SELECT name FROM temp.sqlite_schema').all(), [])
  assert.equal(db.inTransaction, false)
})
