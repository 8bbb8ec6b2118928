import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { hoursStore } from '../../src/inbox/hours/hours.ts'
import { openStore } from '../../src/store/open.ts'
import { recordsOf } from '../support/records.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { setLevels } from '../support/settings.ts'

const HOUR_MS = 3_600_000
const work = [{ from: '09:00', to: '17:30' }]
const weekdays = { mon: work, tue: work, wed: work, thu: work, fri: work }
const always = [{ from: '00:00', to: '24:00' }]
const everyDay = { mon: always, tue: always, wed: always, thu: always, fri: always, sat: always, sun: always }
const closedWeek = { mon: [], tue: [], wed: [], thu: [], fri: [], sat: [], sun: [] }

const office = { key: 'office', name: 'Office', timezone: 'Europe/Berlin', is_default: true, weekly: weekdays }
const night = {
  key: 'night',
  name: 'Night',
  timezone: 'America/New_York',
  weekly: { fri: [{ from: '22:00', to: '24:00' }] },
}
const clock = { key: 'clock', name: 'Clock', timezone: 'UTC', weekly: everyDay }
const never = { key: 'never', name: 'Never', timezone: 'UTC', weekly: {} }

// It is a Friday, 2026-11-20, 08:36 in UTC and 09:36 in Berlin.
let server: TestServer
const { getRecord } = recordsOf(() => server)
let ids: Record<string, string>
before(async () => {
  server = await startServer()
})
after(() => server.stop())
beforeEach(() => {
  ids = setLevels(server.store, server.a.org, { hours: [night, office, clock, never] })
})

test('answers how things stand now, on the wall clock of its zone', async () => {
  const { body, headers } = await server.call('GET', `/hours/${ids.office}`)
  assert.deepEqual(body, {
    id: ids.office,
    name: 'Office',
    timezone: 'Europe/Berlin',
    is_default: true,
    weekly: { ...closedWeek, ...weekdays },
    exceptions: [],
    is_open: true,
    next_open_at: '2026-11-23T08:00:00.000Z',
    next_close_at: '2026-11-20T16:30:00.000Z',
    created_at: body.created_at,
    updated_at: body.updated_at,
    version: body.version,
  })
  assert.equal(headers.get('etag'), `"${body.version}"`)
  const { is_open, next_open_at, next_close_at } = await getRecord(`/hours/${ids.night}`)
  assert.deepEqual(
    [is_open, next_open_at, next_close_at],
    [false, '2026-11-21T03:00:00.000Z', '2026-11-21T05:00:00.000Z'],
  )
})

test('what neither opens nor closes any more says null', async () => {
  const now = async (id: string | undefined) => {
    const { is_open, next_open_at, next_close_at } = await getRecord(`/hours/${id}`)
    return [is_open, next_open_at, next_close_at]
  }
  assert.deepEqual(await now(ids.clock), [true, null, null])
  assert.deepEqual(await now(ids.never), [false, null, null])
})

test('the list is in the order of the settings, each as it is answered alone', async () => {
  const { data, next_cursor } = await getRecord('/hours')
  assert.deepEqual(
    [data.map(({ name }: { name: string }) => name), next_cursor],
    [['Night', 'Office', 'Clock', 'Never'], null],
  )
  for (const one of data) assert.deepEqual(one, await getRecord(`/hours/${one.id}`))
  assert.deepEqual((await getRecord('/hours?is_default=true')).data, [data[1]])
  assert.equal((await getRecord('/hours?is_default=false&count=true')).total, 3)
})

test('a list is walked page by page', async () => {
  const first = await getRecord('/hours?limit=3')
  const second = await getRecord(`/hours?limit=3&cursor=${first.next_cursor}`)
  assert.deepEqual([...first.data, ...second.data], (await getRecord('/hours')).data)
})

test('exceptions are answered in full', async () => {
  const exceptions = [
    { from_date: '2026-11-20', to_date: '2026-11-20', name: 'Inventory', intervals: [{ from: '12:00', to: '13:00' }] },
    { from_date: '2026-12-24' },
  ]
  setLevels(server.store, server.a.org, { hours: [{ ...office, exceptions }] })
  const found = await getRecord(`/hours/${ids.office}`)
  assert.deepEqual(found.exceptions, [
    exceptions[0],
    { from_date: '2026-12-24', to_date: '2026-12-24', name: null, intervals: [] },
  ])
  assert.deepEqual([found.is_open, found.next_open_at], [false, '2026-11-20T11:00:00.000Z'])
})

test('a change of the settings is answered at once, with another version', async () => {
  const old = await getRecord(`/hours/${ids.office}`)
  setLevels(server.store, server.a.org, { hours: [{ ...office, timezone: 'Asia/Kathmandu' }] })
  const found = await getRecord(`/hours/${ids.office}`)
  assert.deepEqual([found.version, found.is_open], [old.version + 1, true])
  assert.equal(found.next_close_at, '2026-11-20T11:45:00.000Z')
})

test('while time goes by the answers follow, and are never 304', async () => {
  const openNow = async () => {
    const { version } = await getRecord(`/hours/${ids.office}`)
    const headers = { 'if-none-match': `"${version}"` }
    const one = await server.call('GET', `/hours/${ids.office}`, undefined, { headers })
    return [one.status, one.body.is_open, (await getRecord('/hours')).data[1].is_open]
  }
  assert.deepEqual(await openNow(), [200, true, true])
  server.advance(8 * HOUR_MS)
  assert.deepEqual(await openNow(), [200, false, false])
  server.advance(-8 * HOUR_MS)
})

test('hours of another organisation are not there', async () => {
  const foreign = setLevels(server.store, server.b.org, { hours: [office] })
  assert.equal((await server.call('GET', `/hours/${foreign.office}`)).status, 404)
  assert.equal((await getRecord('/hours')).data.length, 4)
  const { body } = await server.call('GET', '/hours', undefined, { token: server.b.token })
  assert.deepEqual(
    body.data.map(({ id }: { id: string }) => id),
    [foreign.office],
  )
})

test('the public interface does not write them', async () => {
  for (const [method, path] of [
    ['POST', '/hours'],
    ['PATCH', `/hours/${ids.office}`],
    ['DELETE', `/hours/${ids.office}`],
  ] as const) {
    const { status, headers } = await server.call(method, path, method === 'DELETE' ? undefined : {})
    assert.deepEqual([status, headers.get('allow')], [405, 'HEAD, GET, OPTIONS'])
  }
})

describe('businessTimeOf', () => {
  const ofOffice = (org = server.a.org) => hoursStore(server.deps).businessTimeOf(org, ids.office as string)

  test('is kept while the hours stay as they are', () => {
    const time = ofOffice()
    assert.equal(ofOffice(), time)
    assert.equal(time.between(server.now(), server.now() + 24 * HOUR_MS), 16.5 * HOUR_MS - 36 * 60_000 - 8 * HOUR_MS)
    setLevels(server.store, server.a.org, { hours: [{ ...office, weekly: {} }] })
    assert.notEqual(ofOffice(), time)
    assert.equal(ofOffice().between(server.now(), server.now() + 24 * HOUR_MS), 0)
  })

  test('sees what another process has changed', () => {
    assert.equal(ofOffice().isOpen(server.now()), true)
    const other = openStore(server.dataDir, { wall: server.now })
    setLevels(other, server.a.org, { hours: [{ ...office, timezone: 'UTC' }] })
    other.close()
    assert.equal(ofOffice().isOpen(server.now()), false)
  })

  test('forgets what was rolled back', () => {
    const { store, a } = server
    const sundays = () => ofOffice().nextOpenAt(server.now())
    server.advance(1)
    assert.throws(() =>
      store.transaction(() => {
        setLevels(store, a.org, { hours: [{ ...office, weekly: { sun: work } }] })
        assert.equal(sundays(), Date.UTC(2026, 10, 22, 8))
        throw new Error('rolled back')
      }),
    )
    server.advance(1)
    setLevels(store, a.org, { hours: [{ ...office, weekly: { sat: work } }] })
    assert.equal(sundays(), Date.UTC(2026, 10, 21, 8))
  })

  test('is 404 for hours of another organisation and for such as there are none', () => {
    for (const job of [
      () => ofOffice(server.b.org),
      () => hoursStore(server.deps).businessTimeOf(server.a.org, 'none'),
    ])
      assert.throws(job, { status: 404 })
  })
})
