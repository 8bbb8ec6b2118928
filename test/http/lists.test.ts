import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { ListRoute } from '../../src/http/route.ts'
import { isMatch, ordered, type Row, takePlaces } from '../store/list/model.ts'
import { idsOf } from '../support/records.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { DEALS, type ListFixture, listFixture } from './list-fixture.ts'

let fixture: ListFixture
let server: TestServer
before(async () => {
  fixture = await listFixture()
  server = fixture.server
  await takePlaces(server.call)
})
after(() => server.stop())

const dealsList = () => fixture.lists.find(({ path }) => path === '/deals') as ListRoute

describe('paging', () => {
  for (const limit of ['1', '2', '99', '100']) {
    test(`gives pages of ${limit}, all of them full but the last`, async () => {
      const pages = await fixture.walk('/deals', [`limit=${limit}`])
      assert.ok(pages.slice(0, -1).every((page) => page.length === Number(limit)))
      assert.equal(pages.length, Math.ceil(DEALS / Number(limit)))
      assert.deepEqual(pages.flat(), fixture.recordsOf('/deals'))
    })
  }

  for (const limit of [
    '0',
    '101',
    '-1',
    '1.5',
    '',
    ' 5',
    '5 ',
    '+5',
    '1e1',
    '0x10',
    '050',
    '1000',
    'NaN',
    'null',
    '５',
  ]) {
    test(`refuses limit=${JSON.stringify(limit)}`, async () => {
      for (const { path } of fixture.lists)
        assert.match(
          await fixture.refused(`${path}?limit=${encodeURIComponent(limit)}`),
          /"limit" must be a whole number from 1 to 100/,
        )
    })
  }

  test('gives 50 where no limit is named', async () => {
    const { body } = await server.call('GET', '/deals')
    assert.equal(body.data.length, 50)
    assert.ok(!('total' in body))
  })

  test('a full last page has neither next_cursor nor Link', async () => {
    const { body, headers } = await server.call('GET', `/deals?limit=${DEALS / 2}`)
    const last = await server.call('GET', `/deals?limit=${DEALS / 2}&cursor=${body.next_cursor}`)
    assert.equal(last.body.data.length, DEALS / 2)
    assert.deepEqual([last.body.next_cursor, last.headers.get('link')], [null, null])
    assert.notEqual(headers.get('link'), null)
  })

  test('Link is followed as it is to the end and keeps the other parameters as they were written', async () => {
    const query = 'amount%5Bgte%5D=1&sort=%2Damount&limit=9&count=true&updated_at[gte]=2026-11-20T08:36:00%2B00:00'
    const rows: Row[] = []
    for (let target: string | undefined = `/api/v1/deals?${query}`; target; ) {
      const { status, body, headers } = await server.call('GET', target.slice('/api/v1'.length))
      assert.equal(status, 200)
      rows.push(...body.data)
      target = /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1]
      assert.ok(target === undefined || target.startsWith(`/api/v1/deals?${query}&cursor=`))
      assert.equal(body.total, 75)
    }
    const wanted = fixture.recordsOf('/deals').filter(({ amount }) => amount >= 1)
    assert.deepEqual(idsOf(rows), idsOf(ordered(dealsList(), wanted, '-amount')))
  })

  test('count=true adds the number of all that match, on every page; count=false does not', async () => {
    for (const [query, total] of [
      ['', DEALS],
      ['status=open', DEALS - 12],
      ['status=won&amount[gte]=1', 6],
      ['currency[ne]=EUR', 60],
      [`tag_id[in]=${idsOf(fixture.recordsOf('/tags'))}`, 80],
      ['amount[gt]=9000000000000', 0],
    ] as const) {
      const first = await server.call('GET', `/deals?${query}&count=true&limit=5`)
      assert.equal(first.body.total, total, query)
      assert.ok(!('total' in (await server.call('GET', `/deals?${query}&count=false`)).body))
      if (total === 0) continue
      const second = await server.call('GET', `/deals?${query}&count=true&limit=5&cursor=${first.body.next_cursor}`)
      assert.equal(second.body.total, total)
    }
    for (const wrong of ['count=1', 'count=', 'count=TRUE', 'count=null']) await fixture.refused(`/deals?${wrong}`)
  })
})

describe('order', () => {
  test('every list has its own order, and every sort both ways, with a tie broken by the id', async () => {
    for (const route of fixture.lists) {
      const shown = fixture.recordsOf(route.path).filter((record) => isMatch(route, record, []))
      for (const sort of [undefined, ...Object.keys(route.sorts).flatMap((name) => [name, `-${name}`])]) {
        const pages = await fixture.walk(route.path, ['limit=17', ...(sort ? [`sort=${sort}`] : [])])
        assert.deepEqual(idsOf(pages.flat()), idsOf(ordered(route, shown, sort)), `${route.path} by ${sort}`)
      }
    }
  })

  test('newest first is by the id, whatever the wall clock did', async () => {
    const ids = idsOf(fixture.recordsOf('/deals'))
    assert.deepEqual(ids, [...ids].sort().reverse())
  })

  test('what has no value comes last, both ways', async () => {
    for (const sort of ['amount', '-amount', 'expected_close_date', '-expected_close_date']) {
      const field = sort.replace('-', '')
      const values = (await fixture.walk('/deals', ['limit=100', `sort=${sort}`])).flat().map((deal) => deal[field])
      const first = values.indexOf(null)
      assert.ok(first > 0 && values.slice(first).every((value) => value === null), sort)
    }
  })

  test('titles sort without case and accents', async () => {
    const keys = ['aland', 'b', 'lodz', 'strasse', 'zurich', '日本', '🚀 launch']
    const plain: Record<string, string> = { Åland: 'aland', Łódź: 'lodz', Straße: 'strasse', Zürich: 'zurich' }
    const titles: string[] = (await fixture.walk('/deals', ['limit=100', 'sort=title']))
      .flat()
      .map(({ title }) => title)
    const found = titles.map((title) => plain[title] ?? title.toLowerCase())
    assert.deepEqual(
      found.filter((title, at) => title !== found[at - 1]),
      keys,
    )
  })

  test('a sort that a list does not have is refused, naming those that it has', async () => {
    for (const { path, sorts } of fixture.lists) {
      for (const sort of ['nonsense', '', '-', '--created_at', 'Created_At', 'id', 'constructor', 'created_at,title']) {
        const detail = await fixture.refused(`${path}?sort=${sort}`)
        for (const name of Object.keys(sorts)) assert.ok(detail.includes(name), detail)
      }
    }
  })
})

describe('cursors', () => {
  const ask = 'sort=amount&status=open&limit=4'
  const cursorOf = async (query: string) => (await server.call('GET', `/deals?${query}`)).body.next_cursor as string
  const invalid = (path: string, options = {}) => fixture.refused(path, 'invalid_cursor', options)

  test('altered in any position, shortened or lengthened is refused', async () => {
    const cursor = await cursorOf(ask)
    const other = (letter: string | undefined) => (letter === 'A' ? 'B' : 'A')
    for (let at = 0; at < cursor.length; at++) {
      await invalid(`/deals?${ask}&cursor=${cursor.slice(0, at)}${other(cursor[at])}${cursor.slice(at + 1)}`)
      await invalid(`/deals?${ask}&cursor=${cursor.slice(0, at)}`)
    }
    for (const wrong of [
      `${cursor}A`,
      `${cursor}=`,
      `${cursor}%20`,
      cursor.toUpperCase(),
      'null',
      'W251bGwsIiJd',
      '%F0%9F%9A%80',
    ])
      await invalid(`/deals?${ask}&cursor=${wrong}`)
    assert.equal((await server.call('GET', `/deals?${ask}&cursor=${cursor}`)).status, 200)
  })

  test('without one of its bytes is refused, also where the text would be read the same', async () => {
    const ids: string[] = []
    for (const title of ['\ufffd', '\ufffd']) {
      ids.push((await server.call('POST', '/deals', { title, currency: 'CHF' })).body.id)
    }
    const query = 'currency=CHF&sort=title&limit=1'
    const bytes = [...Buffer.from(await cursorOf(query), 'base64url')]
    for (let at = 0; at < bytes.length; at++) {
      await invalid(`/deals?${query}&cursor=${Buffer.from(bytes.toSpliced(at, 1)).toString('base64url')}`)
    }
    for (const id of ids) server.store.db.prepare('DELETE FROM deals WHERE id = ?').run(id)
  })

  test('belongs to its sort and filters; limit, count and the order of parameters may change', async () => {
    const cursor = await cursorOf(ask)
    for (const query of [
      'sort=-amount&status=open',
      'sort=title&status=open',
      'status=open',
      'sort=amount',
      'sort=amount&status=won',
      'sort=amount&status[in]=open',
      'sort=amount&status=open&amount[gte]=0',
      'sort=amount&owner_id=null',
    ])
      await invalid(`/deals?${query}&cursor=${cursor}`)
    const next = idsOf((await server.call('GET', `/deals?${ask}&cursor=${cursor}`)).body.data)
    for (const query of [
      `cursor=${cursor}&status=open&limit=2&sort=amount`,
      `status=open&sort=amount&count=true&limit=100&cursor=${cursor}`,
    ]) {
      const { status, body } = await server.call('GET', `/deals?${query}`)
      assert.equal(status, 200)
      assert.equal(body.data[0].id, next[0])
    }
  })

  test('belongs to its list, its organisation and its installation', async () => {
    const cursor = await cursorOf('limit=1')
    for (const { path } of fixture.lists.filter((list) => list.path !== '/deals'))
      await invalid(`${path}?limit=1&cursor=${cursor}`)
    await invalid(`/deals?limit=1&cursor=${cursor}`, { token: server.b.token })
    const elsewhere = await startServer()
    try {
      const { status, body } = await elsewhere.call('GET', `/deals?limit=1&cursor=${cursor}`)
      assert.deepEqual([status, body.code], [400, 'invalid_cursor'])
    } finally {
      await elsewhere.stop()
    }
  })

  test('outlives the row that it stands on', async () => {
    const { store, call } = server
    const { body: made } = await call('POST', '/deals', { title: 'Going' })
    const cursor = await cursorOf('limit=1')
    store.db.prepare('DELETE FROM deals WHERE id = ?').run(made.id)
    const { body } = await call('GET', `/deals?limit=1&cursor=${cursor}`)
    assert.equal(body.data[0].id, fixture.recordsOf('/deals')[0].id)
  })

  test('fits into a request line, however long its key is', async () => {
    const { call, store } = server
    const ids: string[] = []
    for (const title of ['\ufdfa'.repeat(255), '\u0001'.repeat(254) + 'x', '🚀'.repeat(255), '\uffff'.repeat(255)])
      ids.push((await call('POST', '/deals', { title })).body.id)
    const shown = (await fixture.walk('/deals', ['sort=-title', 'limit=1'])).flat()
    assert.equal(shown.length, DEALS + ids.length)
    assert.ok(ids.every((id) => idsOf(shown).includes(id)))
    for (const id of ids) store.db.prepare('DELETE FROM deals WHERE id = ?').run(id)
  })
})
