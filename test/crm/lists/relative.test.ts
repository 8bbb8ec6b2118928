import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { membership } from '../../../src/filters/membership.ts'
import { listing } from '../../../src/store/list/page.ts'
import { recordsOf } from '../../support/records.ts'
import { type Screens, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'

// "Me" and periods such as "this week": what is stored, and what it means for whoever asks, when they ask.

let server: TestServer
let screens: Screens
const { newRecord } = recordsOf(() => server)
before(async () => {
  server = await startServer()
  screens = await startScreens(server)
})
after(async () => {
  await screens.stop()
  await server.stop()
})

type Row = { id: string; title?: string; name?: string }
const leaf = (field: string, op: string, value: unknown) => ({ field, op, value })
const newSmart = (object: string, filter: unknown, more = {}) =>
  newRecord('/lists', { name: 'By rule', object, kind: 'smart', filter, ...more })
const filterOf = (filter: unknown) => `filter=${encodeURIComponent(JSON.stringify(filter))}`
const at = (iso: string) => Temporal.Instant.from(iso).epochMilliseconds
/** The clock only goes on: tests come in the order of their times. */
const goTo = (iso: string) => server.advance(at(iso) - server.now())
const setZone = (member: string, timezone: string) =>
  server.store.db.prepare('UPDATE members SET timezone = ? WHERE id = ?').run(timezone, member)
const setCountry = (country: string | null) =>
  server.store.db.prepare('UPDATE orgs SET country = ? WHERE id = ?').run(country, server.a.org)

describe('"me" is the one who asks', () => {
  test('in a smart list: its members, their number, and the filter list_id, each time anew', async () => {
    const ben = await screens.signedIn('member')
    const mine = await newRecord('/deals', { title: 'Mine', owner_id: server.a.owner })
    const his = await newRecord('/deals', { title: 'His', owner_id: ben.id })
    await newRecord('/deals', { title: 'Nobody’s' })
    const filter = leaf('owner_id', 'in', ['me'])
    const list = await newSmart('deal', filter)
    assert.deepEqual(list.filter, filter, 'stored as it was sent')
    const idsIn = ({ body }: { body: { data: Row[] } }) => body.data.map(({ id }) => id)
    for (const _ of [1, 2]) {
      for (const path of [`/lists/${list.id}/members`, `/deals?list_id=${list.id}`]) {
        assert.deepEqual(idsIn(await server.call('GET', path)), [mine.id], path)
        assert.deepEqual(idsIn(await ben.call('GET', `/api/v1${path}`)), [his.id], path)
      }
    }
    await newRecord('/deals', { title: 'His too', owner_id: ben.id })
    assert.equal((await server.call('GET', `/lists/${list.id}`)).body.member_count, 1)
    assert.equal((await ben.call('GET', `/api/v1/lists/${list.id}`)).body.member_count, 2)
    const counts = async (who: typeof ben) =>
      (await who.call('GET', '/api/v1/lists?limit=100')).body.data.find((one: Row) => one.id === list.id).member_count
    assert.equal(await counts(ben), 2)
    assert.equal(await counts(await screens.signedIn('viewer')), 0)
  })

  test('in filters of the screens, alone and among others, and its opposite', async () => {
    const ben = await screens.signedIn('member')
    const add = (title: string, owner_id: string | null) => ({ title, owner_id, currency: 'CHF' })
    const own = leaf('currency', 'eq', 'CHF')
    for (const [title, owner] of [
      ['ana', server.a.owner],
      ['ben', ben.id],
      ['none', null],
    ] as const)
      await newRecord('/deals', add(title, owner))
    const titles = async (op: string, value: unknown) => {
      const { body } = await ben.call('GET', `/app/rows/deals?${filterOf({ all: [own, leaf('owner_id', op, value)] })}`)
      return body.data.map(({ title }: Row) => title).sort()
    }
    assert.deepEqual(await titles('eq', 'me'), ['ben'])
    assert.deepEqual(await titles('in', ['me', server.a.owner]), ['ana', 'ben'])
    assert.deepEqual(await titles('ne', 'me'), ['ana', 'none'])
    assert.deepEqual(await titles('not_in', ['me']), ['ana', 'none'])
  })

  test('in the parameters of lists, for each token and session, and never from what was kept for another', async () => {
    // Pages are kept for all sessions together.
    const [ana, ben] = [await screens.signedIn({ id: server.a.owner }), await screens.signedIn('member')]
    const made: Record<string, string> = {}
    for (const [name, owner_id] of [
      ['ana', server.a.owner],
      ['ben', ben.id],
    ] as const) {
      const company = await newRecord('/companies', { name, owner_id, industry: 'parameters' })
      await newRecord('/tasks', { title: name, owner_id, company_ids: [company.id] })
      made[company.id] = name
    }
    const both = Object.keys(made)
    const of = (data: Row[]) => data.flatMap(({ id }) => made[id] ?? [])
    for (const [query, anas, bens] of [
      ['owner_id=me', ['ana'], ['ben']],
      ['owner_id[ne]=me', ['ben'], ['ana']],
      [`owner_id[in]=${server.a.owner},me`, ['ana'], ['ben', 'ana']],
    ] as const) {
      for (const _ of [1, 2]) {
        assert.deepEqual(of((await server.call('GET', `/companies?${query}&limit=100`)).body.data), anas, query)
        assert.deepEqual(of((await ana.call('GET', `/api/v1/companies?${query}&limit=100`)).body.data), anas, query)
        assert.deepEqual(of((await ben.call('GET', `/api/v1/companies?${query}&limit=100`)).body.data), bens, query)
      }
    }
    const tasks = await ben.call('GET', `/api/v1/tasks?owner_id=me&company_id[in]=${both.join()}`)
    assert.deepEqual(
      tasks.body.data.map(({ title }: Row) => title),
      ['ben'],
    )
    const refused = await server.call('GET', '/companies?owner_id=ME')
    assert.deepEqual(
      [refused.status, refused.body.detail],
      [400, 'The parameter "owner_id" must be a UUID in lower case, or me, or null.'],
    )
    assert.equal((await server.call('GET', '/companies?list_id=me')).status, 400, 'no member is meant')
  })

  test('in a job, where nobody asks, it is the owner of the list', async () => {
    const ben = await screens.signedIn('member')
    const { id } = await newRecord('/companies', { name: 'Job', owner_id: ben.id })
    const filter = { all: [leaf('name', 'eq', 'Job'), leaf('owner_id', 'eq', 'me')] }
    const [owned, nobodys] = [
      await newSmart('company', filter, { owner_id: ben.id }),
      await newSmart('company', filter),
    ]
    const { conditions } = membership(server.deps, 'company')
    const columns = { select: 'id', json: () => '' }
    const { list } = listing(server.store.db, { table: 'companies', columns, filters: {}, sorts: {} })
    const idsFor = (of: Row) => {
      const found = conditions({ org: server.a.org, member: null }, of.id)
      const ask = { limit: 10, sort: { column: 'id' }, descending: true, conditions: found, count: false }
      return list(server.a.org, ask).rows.map(([one]) => one)
    }
    assert.deepEqual([idsFor(owned), idsFor(nobodys)], [[id], []])
  })
})

describe('a period is that of the day on which somebody asks', () => {
  let list: Row
  /** The titles of the deals that the API finds, oldest first. */
  const members = async (of: Row) =>
    (await server.call('GET', `/lists/${of.id}/members?limit=100`)).body.data.map(({ title }: Row) => title).reverse()

  test('it goes on by itself at midnight in the zone of the one who asks, and keeps its name', async () => {
    goTo('2026-12-31T21:00:00Z')
    for (const day of ['2026-12-31', '2027-01-01', '2027-03-31', '2027-04-01'])
      await newRecord('/deals', { title: day, expected_close_date: day, currency: 'NOK' })
    const all = [leaf('currency', 'eq', 'NOK'), leaf('expected_close_date', 'eq', 'this_quarter')]
    list = await newSmart('deal', { all })
    assert.deepEqual(await members(list), ['2026-12-31'])
    goTo('2026-12-31T22:59:59.999Z')
    assert.deepEqual(await members(list), ['2026-12-31'])
    server.advance(1)
    assert.deepEqual(await members(list), ['2027-01-01', '2027-03-31'])
    const { body } = await server.call('GET', `/lists/${list.id}`)
    assert.deepEqual([body.filter, body.version, body.member_count], [{ all }, 1, 2])
  })

  test('in another zone it is another day, also in the one that was chosen for the screens', async () => {
    const ben = await screens.signedIn('member')
    const count = async () =>
      (await ben.call('GET', `/api/v1/lists/${list.id}/members?count=true`)).body.total as number
    assert.equal(await count(), 2)
    setZone(ben.id, 'America/New_York')
    assert.equal(await count(), 1, 'still the last quarter there')
    await ben.call('PATCH', '/app/preferences', { timezone: 'Asia/Tokyo' })
    assert.equal(await count(), 2)
  })

  test('days have 23 and 25 hours: a time belongs to the day that the clock on the wall shows', async () => {
    const made: [string, string][] = []
    /** Contacts that were made at these moments. */
    const add = async (iso: string) => {
      goTo(iso)
      const { id } = await newRecord('/contacts', { last_name: iso, source: 'clock' })
      made.push([id, iso])
    }
    const found = async (op: string, value: unknown) => {
      const filter = { all: [leaf('source', 'eq', 'clock'), leaf('created_at', op, value)] }
      const { id } = await newSmart('contact', filter)
      const { body } = await server.call('GET', `/lists/${id}/members?limit=100`)
      return made.flatMap(([one, iso]) => (body.data.some((each: Row) => each.id === one) ? [iso] : []))
    }
    // Clocks go forward on 28 March 2027 in Berlin, so that the day ends after 23 hours.
    await add('2027-03-27T22:59:59.999Z')
    await add('2027-03-27T23:00:00Z')
    await add('2027-03-28T21:59:59.999Z')
    assert.deepEqual(await found('eq', 'today'), ['2027-03-27T23:00:00Z', '2027-03-28T21:59:59.999Z'])
    await add('2027-03-28T22:00:00Z')
    assert.deepEqual(await found('eq', 'today'), ['2027-03-28T22:00:00Z'])
    assert.deepEqual(await found('eq', 'yesterday'), ['2027-03-27T23:00:00Z', '2027-03-28T21:59:59.999Z'])
    assert.deepEqual(await found('lt', 'yesterday'), ['2027-03-27T22:59:59.999Z'])
    assert.deepEqual(await found('in', ['today', '2027-03-27T22:59:59.999Z']), [
      '2027-03-27T22:59:59.999Z',
      '2027-03-28T22:00:00Z',
    ])
    // And back on 31 October, after 25 hours.
    made.length = 0
    await add('2027-10-30T21:59:59.999Z')
    await add('2027-10-30T22:00:00Z')
    await add('2027-10-31T22:59:59.999Z')
    assert.deepEqual(await found('eq', 'today'), ['2027-10-30T22:00:00Z', '2027-10-31T22:59:59.999Z'])
    await add('2027-10-31T23:00:00Z')
    assert.deepEqual(
      await found('lte', 'yesterday'),
      made.slice(0, 3).map(([, iso]) => iso),
    )
    assert.deepEqual(await found('gt', 'yesterday'), ['2027-10-31T23:00:00Z'])
    assert.deepEqual(await found('ne', 'last_month'), ['2027-10-31T23:00:00Z'])
    assert.deepEqual(await found('eq', 'this_month'), ['2027-10-31T23:00:00Z'])
  })

  test('a week begins on the day that is usual in the country of the organisation', async () => {
    goTo('2027-11-06T12:00:00Z') // a Saturday
    for (const day of ['2027-10-30', '2027-10-31', '2027-11-01', '2027-11-06', '2027-11-07', '2027-11-13'])
      await newRecord('/deals', { title: day, expected_close_date: day, currency: 'DKK' })
    const week = (value: string) =>
      newSmart('deal', { all: [leaf('currency', 'eq', 'DKK'), leaf('expected_close_date', 'eq', value)] })
    const [last, now, next] = [await week('last_week'), await week('this_week'), await week('next_week')]
    const weeks = async () => [await members(last), await members(now), await members(next)]
    const monday = [['2027-10-30', '2027-10-31'], ['2027-11-01', '2027-11-06', '2027-11-07'], ['2027-11-13']]
    assert.deepEqual(await weeks(), monday, 'that of the zone of the organisation')
    setCountry('US')
    const sunday = [['2027-10-30'], ['2027-10-31', '2027-11-01', '2027-11-06'], ['2027-11-07', '2027-11-13']]
    assert.deepEqual(await weeks(), sunday)
    setCountry('EG')
    const saturday = [['2027-10-30', '2027-10-31', '2027-11-01'], ['2027-11-06', '2027-11-07'], ['2027-11-13']]
    assert.deepEqual(await weeks(), saturday)
    setCountry(null)
  })

  test('"more than N days ago" is what "in the last N days" leaves', async () => {
    const day = (days: number) => Temporal.PlainDate.from('2027-11-06').add({ days }).toString()
    for (const days of [-31, -30, 0, 30, 31])
      await newRecord('/deals', { title: `${days}`, expected_close_date: day(days), currency: 'SEK' })
    const found = async (op: string) =>
      members(await newSmart('deal', { all: [leaf('currency', 'eq', 'SEK'), leaf('expected_close_date', op, 30)] }))
    assert.deepEqual(await found('in_last_days'), ['-30', '0'])
    assert.deepEqual(await found('before_last_days'), ['-31'])
    assert.deepEqual(await found('in_next_days'), ['0', '30'])
    assert.deepEqual(await found('after_next_days'), ['31'])
    const old = await newSmart('deal', {
      all: [leaf('currency', 'eq', 'SEK'), leaf('created_at', 'before_last_days', 2)],
    })
    server.advance(2 * 86_400_000)
    assert.deepEqual(await members(old), [])
    server.advance(1)
    assert.equal((await members(old)).length, 5)
  })
})
