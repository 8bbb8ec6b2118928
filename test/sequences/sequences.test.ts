import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { applySettings } from '../../src/app/settings/document.ts'
import { enrollmentEngine } from '../../src/sequences/enrollments/engine.ts'
import { LIVE } from '../../src/sequences/enrollments/enrollment.ts'
import { type SequenceHead, sequenceStore } from '../../src/sequences/sequences/sequences.ts'
import { recordsOf } from '../support/records.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { setLevels } from '../support/settings.ts'

const HOUR_MS = 3_600_000
const work = [{ from: '09:00', to: '17:30' }]
const office = {
  key: 'office',
  name: 'Office',
  timezone: 'Europe/Berlin',
  weekly: { mon: work, tue: work, wed: work, thu: work, fri: work },
}
const hello = { type: 'email', delay_s: 0, subject: 'Hello {{contact.first_name}}', body: 'Dear {{contact.name}}' }
const call = { type: 'call', delay_s: 86_400, business_days_only: true, task_title: 'Call {{contact.name}}' }
const fair = {
  key: 'fair',
  name: 'After the fair',
  description: 'For those who were there.',
  status: 'active',
  stop_on: ['reply'],
  hours: 'office',
  steps: [hello, call],
}
const back = { key: 'back', name: 'Back again', status: 'paused', steps: [call] }
const cold = { key: 'cold', name: 'Cold', status: 'draft', steps: [] }
const old = { key: 'old', name: 'Old', status: 'archived', steps: [] }

// It is a Friday, 2026-11-20, 08:36 in UTC and 09:36 in Berlin.
let server: TestServer
const { getRecord } = recordsOf(() => server)
let ids: Record<string, string>
before(async () => {
  server = await startServer()
})
after(() => server.stop())
beforeEach(() => {
  server.store.db.exec('DELETE FROM enrollments; DELETE FROM sequences')
  ids = setLevels(server.store, server.a.org, { hours: [office], sequences: [fair, back, cold, old] })
})

const names = ({ data }: { data: { name: string }[] }) => data.map(({ name }) => name)

/** Rows of enrollments alone, as many as `count` says. */
function enroll(key: string, status: string, count = 1, org = server.a.org, number = 1): void {
  const { db, clock } = server.store
  const insert = db.prepare(
    `INSERT INTO enrollments (org_id, id, sequence_id, sequence_version, status, due_at, finished_at, stop_reason,
       current_step, created_at, updated_at, version) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0, 1)`,
  )
  const [dueAt, finishedAt] = LIVE.some((live) => live === status) ? [0, null] : [null, 0]
  const reason = { stopped: 'manual', failed: 'error' }[status] ?? null
  for (let n = 0; n < count; n++) insert.run(org, clock.id(), ids[key], number, status, dueAt, finishedAt, reason)
}

test('a sequence is answered as the settings say it, each step in full', async () => {
  const { body, headers } = await server.call('GET', `/sequences/${ids.fair}`)
  assert.deepEqual(body, {
    id: ids.fair,
    name: 'After the fair',
    description: 'For those who were there.',
    status: 'active',
    steps: [
      { id: body.steps[0].id, position: 0, business_days_only: false, ...hello, task_title: null },
      { id: body.steps[1].id, position: 1, ...call, subject: null, body: null },
    ],
    send_window: { hours_id: ids.office },
    stop_on: ['reply'],
    counts: { active: 0, paused: 0, completed: 0, stopped: 0 },
    created_at: '2026-11-20T08:36:00.000Z',
    updated_at: body.updated_at,
    version: 1,
  })
  assert.equal(headers.get('etag'), '"1"')
  const { description, send_window, stop_on } = await getRecord(`/sequences/${ids.back}`)
  assert.deepEqual([description, send_window], [null, { hours_id: null }])
  assert.deepEqual(stop_on, ['reply', 'meeting_booked', 'deal_closed', 'unsubscribe', 'bounce'])
})

test('the list is in the order of the settings, each as it is answered alone', async () => {
  const all = await getRecord('/sequences')
  assert.deepEqual([names(all), all.next_cursor], [['After the fair', 'Back again', 'Cold', 'Old'], null])
  for (const one of all.data) assert.deepEqual(one, await getRecord(`/sequences/${one.id}`))
  setLevels(server.store, server.a.org, { sequences: [cold, fair, old, back] })
  assert.deepEqual(names(await getRecord('/sequences')), ['Cold', 'After the fair', 'Old', 'Back again'])
})

test('a list is walked page by page', async () => {
  const first = await getRecord('/sequences?limit=3')
  const second = await getRecord(`/sequences?limit=3&cursor=${first.next_cursor}`)
  assert.deepEqual([...first.data, ...second.data], (await getRecord('/sequences')).data)
})

test('a list is filtered by status and by times', async () => {
  assert.deepEqual(names(await getRecord('/sequences?status=active')), ['After the fair'])
  assert.deepEqual(names(await getRecord('/sequences?status[in]=archived,paused')), ['Back again', 'Old'])
  assert.equal((await getRecord('/sequences?status[ne]=draft&count=true')).total, 3)
  const created = (await getRecord(`/sequences/${ids.fair}`)).created_at
  assert.deepEqual(names(await getRecord(`/sequences?created_at[lt]=${created}`)), [])
  server.advance(HOUR_MS)
  setLevels(server.store, server.a.org, { sequences: [fair, back, { ...cold, name: 'Colder' }, old] })
  assert.deepEqual(names(await getRecord(`/sequences?updated_at[gt]=${created}`)), ['Colder'])
  server.advance(-HOUR_MS)
  const { status, body } = await server.call('GET', '/sequences?status=done')
  assert.deepEqual([status, body.code], [400, 'invalid_query'])
})

test('enrollments are counted by what is of them, and those of other sequences are not', async () => {
  enroll('fair', 'scheduled', 2)
  enroll('fair', 'active', 3)
  enroll('fair', 'paused', 4)
  enroll('fair', 'completed', 5)
  enroll('fair', 'stopped', 6)
  enroll('fair', 'failed', 1)
  enroll('back', 'active')
  const counts = { active: 5, paused: 4, completed: 5, stopped: 7 }
  assert.deepEqual((await getRecord(`/sequences/${ids.fair}`)).counts, counts)
  const [first, second] = (await getRecord('/sequences')).data
  assert.deepEqual([first.counts, second.counts.active, second.counts.stopped], [counts, 1, 0])
})

test('enrollments of every version are counted', async () => {
  enroll('fair', 'active')
  setLevels(server.store, server.a.org, { sequences: [{ ...fair, steps: [call] }, back, cold, old] })
  enroll('fair', 'active', 1, server.a.org, 2)
  const { counts, steps, version } = await getRecord(`/sequences/${ids.fair}`)
  assert.deepEqual([counts.active, steps.length, version], [2, 1, 2])
})

test('the counts are those of the moment, and never answered with 304 or from what was kept', async () => {
  const list = async () => (await getRecord('/sequences')).data[0].counts.active
  const one = async () => {
    const headers = { 'if-none-match': '"1"' }
    const { status, body } = await server.call('GET', `/sequences/${ids.fair}`, undefined, { headers })
    return [status, body.counts.active]
  }
  assert.deepEqual([await list(), await one()], [0, [200, 0]])
  enroll('fair', 'active')
  assert.deepEqual([await list(), await one()], [1, [200, 1]])
})

test('no count looks at a row of the enrollments', () => {
  const plan = server.store.db
    .prepare(
      `EXPLAIN QUERY PLAN
       SELECT status, count(*) FROM enrollments WHERE org_id = ? AND sequence_id = ? GROUP BY status`,
    )
    .all(1, 'x') as { detail: string }[]
  assert.deepEqual(
    plan.map(({ detail }) => detail),
    ['SEARCH enrollments USING COVERING INDEX enrollments_counts (org_id=? AND sequence_id=?)'],
  )
})

test('sequences of another organisation are not there', async () => {
  const foreign = setLevels(server.store, server.b.org, { sequences: [{ ...cold, name: 'Theirs' }] })
  assert.equal((await server.call('GET', `/sequences/${foreign.cold}`)).status, 404)
  const { body } = await server.call('GET', '/sequences', undefined, { token: server.b.token })
  assert.deepEqual(names(body), ['Theirs'])
  assert.equal(names(await getRecord('/sequences')).length, 4)
})

test('the public interface does not write them', async () => {
  for (const [method, path] of [
    ['POST', '/sequences'],
    ['PATCH', `/sequences/${ids.fair}`],
    ['DELETE', `/sequences/${ids.fair}`],
  ] as const) {
    const { status, headers } = await server.call(method, path, method === 'DELETE' ? undefined : {})
    assert.deepEqual([status, headers.get('allow')], [405, 'HEAD, GET, OPTIONS'])
  }
})

test('a change of the settings is no event', () => {
  const seq = server.lastSeq()
  setLevels(server.store, server.a.org, { sequences: [{ ...fair, name: 'Other' }] })
  assert.equal(server.lastSeq(), seq)
})

describe('the store', () => {
  const of = () => sequenceStore(server.deps)

  test('tells what a sequence is without its steps', () => {
    applySettings(server.store, server.a.org, {
      mailboxes: [
        { key: 'm', name: 'M', address: 'm@acme.example', smtp: { host: 'mail.acme.example', port: 25, tls: 'none' } },
      ],
      sequences: [{ ...fair, mailbox: 'm' }],
    })
    const mailbox = server.store.db.prepare('SELECT id FROM mailboxes').pluck().get()
    assert.deepEqual(of().byId(server.a.org, ids.fair as string), {
      id: ids.fair,
      name: 'After the fair',
      status: 'active',
      hours_id: ids.office,
      mailbox_id: mailbox,
      current_version: 1,
    })
    assert.equal(of().byId(server.b.org, ids.fair as string), undefined)
    assert.equal(of().byId(server.a.org, 'none'), undefined)
    setLevels(server.store, server.a.org, { sequences: [fair] })
    applySettings(server.store, server.a.org, { mailboxes: [] })
  })

  test('gives the steps of a version, and 404 for one that is not there', async () => {
    const { steps } = await getRecord(`/sequences/${ids.fair}`)
    assert.deepEqual(of().versionOf(server.a.org, ids.fair as string, 1), { steps, stop_on: ['reply'] })
    for (const [org, number] of [
      [server.a.org, 2],
      [server.b.org, 1],
    ] as const)
      assert.throws(() => of().versionOf(org, ids.fair as string, number), { status: 404 })
  })

  test('gives the hours in which a sequence sends', () => {
    const { a, b, now } = server
    const { windowOf } = enrollmentEngine(server.deps)
    const hoursOf = (name: string) => windowOf(a.org, of().byId(a.org, ids[name] as string) as SequenceHead).hours
    const time = hoursOf('fair')
    assert.equal(time?.isOpen(now()), true)
    assert.equal(time?.isOpen(now() + 8 * HOUR_MS), false)
    assert.equal(hoursOf('fair'), time)
    assert.equal(hoursOf('back'), undefined)
    assert.equal(of().byId(b.org, ids.fair as string), undefined)
    setLevels(server.store, a.org, { hours: [{ ...office, weekly: {} }] })
    assert.equal(hoursOf('fair')?.isOpen(now()), false)
  })
})
