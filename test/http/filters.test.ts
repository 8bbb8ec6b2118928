import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { parameterNames } from '../../src/http/query.ts'
import type { ListRoute } from '../../src/http/route.ts'
import { companies, everyFilter, isMatch, ordered, parameter, type Row } from '../store/list/model.ts'
import { idsOf } from '../support/records.ts'
import type { TestServer } from '../support/server.ts'
import { DEALS, type ListFixture, listFixture } from './list-fixture.ts'

let fixture: ListFixture
let server: TestServer
before(async () => {
  fixture = await listFixture()
  server = fixture.server
  for (const company of fixture.recordsOf('/companies')) companies.set(company.id, company)
})
after(() => server.stop())

const dealsList = () => fixture.lists.find(({ path }) => path === '/deals') as ListRoute

describe('filters', () => {
  test('every filter of every list gives with each of its operators what matches, and counts it', async () => {
    for (const route of fixture.lists) {
      const all = fixture.recordsOf(route.path)
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
    const all = fixture.recordsOf('/deals')
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
    const [one, other] = idsOf(fixture.recordsOf('/tags'))
    const wanted = fixture.recordsOf('/deals').filter((deal) => deal.tag_ids.length === 2)
    const { body } = await server.call('GET', `/deals?tag_id=${one}&tag_id[in]=${other}&limit=100`)
    assert.deepEqual(idsOf(body.data), idsOf(wanted))
  })

  test('bounds on the field of the sort hold on every page', async () => {
    const route = dealsList()
    const wanted = fixture.recordsOf('/deals').filter(({ amount }) => amount >= 1 && amount < 25000.1)
    for (const sort of ['amount', '-amount']) {
      const pages = await fixture.walk('/deals', ['amount[gte]=1', 'amount[lt]=25000.1', `sort=${sort}`, 'limit=7'])
      assert.deepEqual(idsOf(pages.flat()), idsOf(ordered(route, wanted, sort)))
    }
  })

  test('records of another organisation are never among them, nor does its id match', async () => {
    const { a, b, call } = server
    for (const { path } of fixture.lists) {
      const { status, body } = await call('GET', `${path}?count=true&limit=100`, undefined, { token: b.token })
      if (status === 404) continue // a list below a single record
      const own = new Set(idsOf(fixture.recordsOf(path)))
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
    search: ['x'.repeat(256), `e${'\u0301'.repeat(31)}`],
    number: ['', 'x', '1e3', '1,5', '0x1', '.5', '5.', '--1', '1'.repeat(21), 'NaN'],
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
    for (const { path, filters } of fixture.lists) {
      for (const [name, filter] of Object.entries(filters)) {
        for (const written of parameterNames({ filters: { [name]: filter }, sorts: {} }).slice(0, -3)) {
          for (const wrong of WRONG[filter.type] as string[]) {
            const detail = await fixture.refused(`${path}?${written}=${encodeURIComponent(wrong)}`)
            assert.ok(detail.includes(`"${written}"`), detail)
          }
          if (!filter.nullable && filter.type !== 'text' && filter.type !== 'search')
            await fixture.refused(`${path}?${written}=null`)
        }
      }
    }
  })

  test('what cannot be an email, a host name or a phone is refused, with the sentence about the plus', async () => {
    for (const [path, parameter, wrong] of [
      ['/contacts', 'email', 'ana+crm@x.example'],
      ['/contacts', 'email', 'ana'],
      ['/contacts', 'email[in]', 'ana@x.example,ana'],
      ['/contacts', 'phone', '+49301234567'],
      ['/contacts', 'phone', 'soon'],
      ['/companies', 'domain', 'https://x.example'],
      ['/companies', 'domain', 'x'],
      ['/companies', 'phone', 'none'],
      ['/members', 'email', 'ana+crm@x.example'],
    ]) {
      const detail = await fixture.refused(`${path}?${parameter}=${wrong}`)
      assert.ok(detail.includes(`"${parameter}" must be a`), detail)
      assert.match(detail, /\("\+" is written %2B\)/)
    }
    const found = await server.call('GET', '/contacts?email=ana%2Bcrm@x.example&count=true')
    assert.equal(found.body.total, 0)
  })

  test('a text has as many characters as people count', async () => {
    const { call } = server
    assert.equal((await call('GET', `/deals?q=${encodeURIComponent('🙂'.repeat(255))}`)).status, 200)
    for (const text of ['🙂'.repeat(256), 'a'.repeat(256)])
      await fixture.refused(`/deals?q=${encodeURIComponent(text)}`)
  })

  test('null is a value of eq and ne only', async () => {
    for (const query of ['amount[gt]=null', 'owner_id[in]=null', 'expected_close_date[lte]=null'])
      await fixture.refused(`/deals?${query}`)
  })

  test('in takes up to 100 values, each of them well-formed', async () => {
    const id = fixture.recordsOf('/deals')[0].stage
    assert.equal((await server.call('GET', `/deals?stage[in]=${Array(100).fill(id)}`)).status, 200)
    for (const wrong of [Array(101).fill(id).join(), `${id},`, `,${id}`, `${id},x`])
      await fixture.refused(`/deals?stage[in]=${wrong}`)
  })

  test('an unknown parameter is refused, naming the allowed ones', async () => {
    for (const route of fixture.lists) {
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
        const detail = await fixture.refused(`${route.path}?${unknown}=1`)
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
      assert.match(await fixture.refused(`/deals?${query}`), /There is no parameter/)
  })

  test('a repeated parameter is refused, however it is encoded', async () => {
    for (const query of [
      'limit=5&limit=5',
      'amount[gte]=1&amount%5Bgte%5D=2',
      'sort=title&s%6Frt=title',
      'count=true&count=true',
      'status=open&status=open',
    ])
      assert.match(await fixture.refused(`/deals?${query}`), /given more than once/)
    assert.equal((await server.call('GET', '/deals?amount[gte]=1&amount[gt]=1&amount=1000')).status, 200)
  })

  test('percent-encoding is read strictly, and + is a space', async () => {
    const { call } = server
    assert.equal((await call('GET', '/deals?curr%65ncy=E%55R&count=true')).body.total, 60)
    assert.equal((await call('GET', '/deals?updated_at[gte]=2026-11-20T09:36:00%2B01:00&count=true')).body.total, DEALS)
    assert.match(await fixture.refused('/deals?updated_at[gte]=2026-11-20T09:36:00+01:00'), /%2B/)
    assert.equal((await call('GET', '/deals?q=E+R&count=true')).body.total, 0)
    assert.equal((await call('GET', '/deals?&&limit=5&')).body.data.length, 5)
    for (const wrong of ['%', '%zz', '%f', '%ff', '%c3%28', '%ed%a0%80', '%00'])
      for (const query of [`currency=${wrong}`, `${wrong}=1`])
        assert.match(await fixture.refused(`/deals?${query}`), /percent-encoded/)
  })
})
