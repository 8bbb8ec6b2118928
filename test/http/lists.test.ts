import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { parameterNames } from '../../src/http/query.ts'
import type { ListRoute } from '../../src/http/route.ts'
import { everyFilter, isMatch, ordered, parameter, type Row } from '../store/model.ts'
import { startServer, type TestServer } from '../support/server.ts'

const DEALS = 120
const TITLES = ['Åland', 'aland', 'ALAND', 'Łódź', 'lodz', 'Straße', 'strasse', 'Zürich', '日本', '🚀 launch', 'b', 'B']

let server: TestServer
let lists: ListRoute[]
/** All records of each list, by its path. */
const records = new Map<string, Row[]>()

before(async () => {
  server = await startServer()
  lists = server.routes.filter((route) => route.kind === 'list')
  await fill()
  for (const { path, filters } of lists) {
    const all = Object.entries(filters).flatMap(([name, { lifts }]) => (lifts ? [`${name}=true`] : []))
    records.set(path, (await walk(path, [...all, 'limit=100'])).flat())
  }
})
after(() => server.stop())

/** Deals with ties and gaps in every field, and some of everything that they refer to. */
async function fill(): Promise<void> {
  const { a, advance, call } = server
  const make = async (path: string, body: Row): Promise<string> => {
    const { status, body: made } = await call('POST', path, body)
    assert.equal(status, 201, JSON.stringify(made))
    return made.id
  }
  const tags = [await make('/tags', { name: 'Éclair' }), await make('/tags', { name: 'eclair 2', color: '#00ff00' })]
  const companies: string[] = []
  const contacts: string[] = []
  for (let n = 0; n < 8; n++) {
    advance(n % 2)
    companies.push(
      await make('/companies', {
        name: TITLES[n % 5],
        domains: n % 3 === 0 ? [] : [`c${n}.example`, `d${n}.example`],
        parent_company_id: n > 5 ? companies[n % 2] : null,
        owner_id: n % 2 ? a.owner : null,
        tag_ids: tags.slice(0, n % 3),
        external_id: n % 2 ? `ext-${n}` : null,
      }),
    )
    contacts.push(
      await make('/contacts', {
        last_name: TITLES[n % 4],
        emails: n % 3 === 0 ? [] : [{ email: `P${n}@example.com` }, { email: `q${n}@example.com` }],
        company_id: n % 3 ? companies[0] : null,
        owner_id: n % 2 ? a.owner : null,
        tag_ids: tags.slice(n % 3),
        do_not_contact: n % 4 === 0,
        external_id: n % 2 ? null : `ext-${n}`,
      }),
    )
  }
  const amounts = [null, 0, 1.5, 1000, 25000.1, 9000000000000, 1000, null]
  for (let n = 0; n < DEALS; n++) {
    advance(n % 3)
    const id = await make('/deals', {
      title: TITLES[n % TITLES.length],
      amount: amounts[n % amounts.length],
      currency: [null, 'EUR', 'USD', 'EUR'][n % 4],
      company_id: companies[n % 11] ?? null,
      primary_contact_id: contacts[n % 13] ?? null,
      owner_id: n % 5 ? a.owner : null,
      tag_ids: tags.slice(n % 3),
      expected_close_date: n % 4 ? `2027-0${1 + (n % 3)}-15` : null,
    })
    if (n % 6 === 0) await call('PATCH', `/deals/${id}`, { stage: a.stages.demo })
    if (n % 10 === 0) await call('POST', `/deals/${id}/close`, { reason_id: n % 20 ? a.reasons.won : a.reasons.lost })
  }
}

/** The pages of a list, by next_cursor; the Link of each has to name the same page. */
async function walk(path: string, parameters: string[]): Promise<Row[][]> {
  const pages: Row[][] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: string = [...parameters, ...(cursor === '' ? [] : [`cursor=${cursor}`])].join('&')
    const { status, body, headers } = await server.call('GET', `${path}?${query}`)
    assert.equal(status, 200, `${path}?${query}: ${JSON.stringify(body)}`)
    pages.push(body.data)
    cursor = body.next_cursor
    const link =
      cursor === null ? null : `</api/v1${path}?${[...parameters, `cursor=${cursor}`].join('&')}>; rel="next"`
    assert.equal(headers.get('link'), link)
  }
  return pages
}

const idsOf = (rows: Row[]): string[] => rows.map(({ id }) => id)

async function refused(path: string, code = 'invalid_query', options = {}): Promise<string> {
  const { status, body } = await server.call('GET', path, undefined, options)
  assert.equal(status, 400, path)
  assert.equal(body.code, code, path)
  return body.detail
}

describe('paging', () => {
  for (const limit of ['1', '2', '99', '100']) {
    test(`gives pages of ${limit}, all of them full but the last`, async () => {
      const pages = await walk('/deals', [`limit=${limit}`])
      assert.ok(pages.slice(0, -1).every((page) => page.length === Number(limit)))
      assert.equal(pages.length, Math.ceil(DEALS / Number(limit)))
      assert.deepEqual(pages.flat(), records.get('/deals'))
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
      for (const { path } of lists)
        assert.match(
          await refused(`${path}?limit=${encodeURIComponent(limit)}`),
          /"limit" has to be a whole number from 1 to 100/,
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
    const wanted = (records.get('/deals') as Row[]).filter(({ amount }) => amount >= 1)
    assert.deepEqual(idsOf(rows), idsOf(ordered(dealsList(), wanted, '-amount')))
  })

  test('count=true adds the number of all that match, on every page; count=false does not', async () => {
    for (const [query, total] of [
      ['', DEALS],
      ['status=open', DEALS - 12],
      ['status=won&amount[gte]=1', 6],
      ['currency[ne]=EUR', 60],
      [`tag_id[in]=${idsOf(records.get('/tags') as Row[])}`, 80],
      ['amount[gt]=9000000000000', 0],
    ] as const) {
      const first = await server.call('GET', `/deals?${query}&count=true&limit=5`)
      assert.equal(first.body.total, total, query)
      assert.ok(!('total' in (await server.call('GET', `/deals?${query}&count=false`)).body))
      if (total === 0) continue
      const second = await server.call('GET', `/deals?${query}&count=true&limit=5&cursor=${first.body.next_cursor}`)
      assert.equal(second.body.total, total)
    }
    for (const wrong of ['count=1', 'count=', 'count=TRUE', 'count=null']) await refused(`/deals?${wrong}`)
  })
})

const dealsList = () => lists.find(({ path }) => path === '/deals') as ListRoute

describe('order', () => {
  test('every list has its own order, and every sort both ways, with a tie broken by the id', async () => {
    for (const route of lists) {
      const shown = (records.get(route.path) as Row[]).filter((record) => isMatch(route, record, []))
      for (const sort of [undefined, ...Object.keys(route.sorts).flatMap((name) => [name, `-${name}`])]) {
        const pages = await walk(route.path, ['limit=17', ...(sort ? [`sort=${sort}`] : [])])
        assert.deepEqual(idsOf(pages.flat()), idsOf(ordered(route, shown, sort)), `${route.path} by ${sort}`)
      }
    }
  })

  test('newest first is by the id, whatever the wall clock did', async () => {
    const ids = idsOf(records.get('/deals') as Row[])
    assert.deepEqual(ids, [...ids].sort().reverse())
  })

  test('what has no value comes last, both ways', async () => {
    for (const sort of ['amount', '-amount', 'expected_close_date', '-expected_close_date']) {
      const field = sort.replace('-', '')
      const values = (await walk('/deals', ['limit=100', `sort=${sort}`])).flat().map((deal) => deal[field])
      const first = values.indexOf(null)
      assert.ok(first > 0 && values.slice(first).every((value) => value === null), sort)
    }
  })

  test('titles sort without case and accents', async () => {
    const keys = ['aland', 'b', 'lodz', 'strasse', 'zurich', '日本', '🚀 launch']
    const plain: Record<string, string> = { Åland: 'aland', Łódź: 'lodz', Straße: 'strasse', Zürich: 'zurich' }
    const titles: string[] = (await walk('/deals', ['limit=100', 'sort=title'])).flat().map(({ title }) => title)
    const found = titles.map((title) => plain[title] ?? title.toLowerCase())
    assert.deepEqual(
      found.filter((title, at) => title !== found[at - 1]),
      keys,
    )
  })

  test('a sort that a list does not have is refused, naming those that it has', async () => {
    for (const { path, sorts } of lists) {
      for (const sort of ['nonsense', '', '-', '--created_at', 'Created_At', 'id', 'constructor', 'created_at,title']) {
        const detail = await refused(`${path}?sort=${sort}`)
        for (const name of Object.keys(sorts)) assert.ok(detail.includes(name), detail)
      }
    }
  })
})

describe('filters', () => {
  test('every filter of every list gives with each of its operators what matches, and counts it', async () => {
    for (const route of lists) {
      const all = records.get(route.path) as Row[]
      for (const asked of everyFilter(route, all)) {
        const query = `${route.path}?${parameter(asked)}`
        const wanted = all.filter((record) => isMatch(route, record, [asked]))
        const { status, body } = await server.call('GET', `${query}&limit=100&count=true`)
        assert.equal(status, 200, `${query} ${JSON.stringify(body)}`)
        assert.deepEqual(idsOf(body.data), idsOf(ordered(route, wanted)).slice(0, 100), query)
        assert.equal(body.total, wanted.length, query)
      }
    }
  })

  test('two filters give what matches both, also twice on one field', async () => {
    const route = dealsList()
    const all = records.get('/deals') as Row[]
    const filters = everyFilter(route, all).filter((_, at) => at % 3 === 0)
    for (const [at, one] of filters.entries()) {
      for (const other of filters.slice(at + 1).filter(({ name }, far) => name === one.name || far % 4 === at % 4)) {
        if (one.name === other.name && one.operator === other.operator) continue
        const wanted = all.filter((record) => isMatch(route, record, [one, other]))
        const query = `/deals?${parameter(one)}&${parameter(other)}&limit=100&count=true&sort=amount`
        const { body } = await server.call('GET', query)
        assert.deepEqual(
          [idsOf(body.data), body.total],
          [idsOf(ordered(route, wanted, 'amount')).slice(0, 100), wanted.length],
          query,
        )
      }
    }
  })

  test('two filters by a tag are met by two tags of one record', async () => {
    const [one, other] = idsOf(records.get('/tags') as Row[])
    const wanted = (records.get('/deals') as Row[]).filter((deal) => deal.tag_ids.length === 2)
    const { body } = await server.call('GET', `/deals?tag_id=${one}&tag_id[in]=${other}&limit=100`)
    assert.deepEqual(idsOf(body.data), idsOf(wanted))
  })

  test('bounds on the field of the sort hold on every page', async () => {
    const route = dealsList()
    const wanted = (records.get('/deals') as Row[]).filter(({ amount }) => amount >= 1 && amount < 25000.1)
    for (const sort of ['amount', '-amount']) {
      const pages = await walk('/deals', ['amount[gte]=1', 'amount[lt]=25000.1', `sort=${sort}`, 'limit=7'])
      assert.deepEqual(idsOf(pages.flat()), idsOf(ordered(route, wanted, sort)))
    }
  })

  test('records of another organisation are never among them, nor does its id match', async () => {
    const { a, b, call } = server
    for (const { path } of lists) {
      const { body } = await call('GET', `${path}?count=true&limit=100`, undefined, { token: b.token })
      const own = new Set(idsOf(records.get(path) as Row[]))
      assert.ok(
        body.data.every(({ id }: Row) => !own.has(id)),
        path,
      )
    }
    const { body } = await call('GET', `/deals?owner_id=${a.owner}&count=true`, undefined, { token: b.token })
    assert.deepEqual([body.data, body.total], [[], 0])
  })

  const WRONG: Record<string, string[]> = {
    id: ['', 'x', 'NULL', '01890000-0000-7000-8000-00000000000', '01890000-0000-7000-8000-00000000000G'],
    text: ['', 'x'.repeat(2049)],
    choice: ['', 'nonsense', 'null', 'constructor'],
    flag: ['', '1', 'TRUE', 'null', 'yes'],
    amount: [
      '',
      'x',
      '-1',
      '1e3',
      '1,5',
      '0.1234567',
      '9000000000000.000001',
      '9000000000001',
      '.5',
      '5.',
      ' 1',
      '+1',
      'NaN',
    ],
    date: ['', '2027-02-29', '2027-13-01', '2027-1-1', '20270101', '0000-01-01', '2027-01-01T00:00:00Z'],
    time: [
      '',
      '2026-11-20',
      '2026-11-20T08:36',
      '2026-11-20 08:36:00Z',
      '2026-11-20T24:00:00Z',
      '2026-11-20T08:36:60Z',
      '2026-11-20T08:36:00.0001Z',
      '1763627760',
      '10000-01-01T00:00:00Z',
      '9999-12-31T23:59:59-01:00',
      '0001-01-01T00:00:00+00:01',
    ],
  }

  test('a malformed value is refused, naming the parameter, whatever the operator', async () => {
    for (const { path, filters } of lists) {
      for (const [name, filter] of Object.entries(filters)) {
        for (const written of parameterNames({ filters: { [name]: filter }, sorts: {} }).slice(0, -3)) {
          for (const wrong of WRONG[filter.type] as string[]) {
            const detail = await refused(`${path}?${written}=${encodeURIComponent(wrong)}`)
            assert.ok(detail.includes(`"${written}"`), detail)
          }
          if (!filter.nullable && filter.type !== 'text') await refused(`${path}?${written}=null`)
        }
      }
    }
  })

  test('null is a value of eq and ne only', async () => {
    for (const query of ['amount[gt]=null', 'owner_id[in]=null', 'expected_close_date[lte]=null'])
      await refused(`/deals?${query}`)
  })

  test('in takes up to 100 values, each of them well-formed', async () => {
    const id = (records.get('/deals') as Row[])[0].stage
    assert.equal((await server.call('GET', `/deals?stage[in]=${Array(100).fill(id)}`)).status, 200)
    for (const wrong of [Array(101).fill(id).join(), `${id},`, `,${id}`, `${id},x`])
      await refused(`/deals?stage[in]=${wrong}`)
  })

  test('an unknown parameter is refused, naming the allowed ones', async () => {
    for (const route of lists) {
      for (const unknown of [
        'nonsense',
        'Limit',
        'constructor',
        '__proto__',
        'offset',
        'page',
        '',
        'created_at[gte',
        'created_at]',
        'limit[eq]',
        'cursor[]',
        'sort[eq]',
        'q[eq]',
        'x.y',
      ]) {
        const detail = await refused(`${route.path}?${unknown}=1`)
        for (const name of parameterNames(route)) assert.ok(detail.includes(name), `${detail} has no ${name}`)
      }
    }
  })

  test('an operator that a filter does not offer is refused', async () => {
    for (const query of [
      'amount[like]=1',
      'amount[eq]=1',
      'amount[]=1',
      'amount[GTE]=1',
      'status[gt]=open',
      'created_at[ne]=2026-11-20T08:36:00Z',
      'tag_id[ne]=null',
      'amount[in]=1,2',
      'title=x',
      'tag_ids=x',
    ])
      assert.match(await refused(`/deals?${query}`), /There is no parameter/)
  })

  test('a repeated parameter is refused, however it is encoded', async () => {
    for (const query of [
      'limit=5&limit=5',
      'amount[gte]=1&amount%5Bgte%5D=2',
      'sort=title&s%6Frt=title',
      'count=true&count=true',
      'status=open&status=open',
    ])
      assert.match(await refused(`/deals?${query}`), /given more than once/)
    assert.equal((await server.call('GET', '/deals?amount[gte]=1&amount[gt]=1&amount=1000')).status, 200)
  })

  test('percent-encoding is read strictly, and + is a space', async () => {
    const { call } = server
    assert.equal((await call('GET', '/deals?curr%65ncy=E%55R&count=true')).body.total, 60)
    assert.equal((await call('GET', '/deals?updated_at[gte]=2026-11-20T09:36:00%2B01:00&count=true')).body.total, DEALS)
    assert.match(await refused('/deals?updated_at[gte]=2026-11-20T09:36:00+01:00'), /%2B/)
    assert.equal((await call('GET', '/deals?currency=E+R&count=true')).body.total, 0)
    assert.equal((await call('GET', '/deals?&&limit=5&')).body.data.length, 5)
    for (const wrong of ['%', '%zz', '%f', '%ff', '%c3%28', '%ed%a0%80', '%00'])
      for (const query of [`currency=${wrong}`, `${wrong}=1`])
        assert.match(await refused(`/deals?${query}`), /percent-encoded/)
  })
})

describe('cursors', () => {
  const ask = 'sort=amount&status=open&limit=4'
  const cursorOf = async (query: string) => (await server.call('GET', `/deals?${query}`)).body.next_cursor as string
  const invalid = (path: string, options = {}) => refused(path, 'invalid_cursor', options)

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
    for (const { path } of lists.filter((list) => list.path !== '/deals'))
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
    assert.equal(body.data[0].id, (records.get('/deals') as Row[])[0].id)
  })

  test('fits into a request line, however long its key is', async () => {
    const { call, store } = server
    const ids: string[] = []
    for (const title of ['\ufdfa'.repeat(255), '\u0001'.repeat(254) + 'x', '🚀'.repeat(255), '\uffff'.repeat(255)])
      ids.push((await call('POST', '/deals', { title })).body.id)
    const shown = (await walk('/deals', ['sort=-title', 'limit=1'])).flat()
    assert.equal(shown.length, DEALS + ids.length)
    assert.ok(ids.every((id) => idsOf(shown).includes(id)))
    for (const id of ids) store.db.prepare('DELETE FROM deals WHERE id = ?').run(id)
  })
})
