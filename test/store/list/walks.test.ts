import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { dealStore } from '../../../src/crm/deals/deals.ts'
import type { ListRoute } from '../../../src/http/route.ts'
import { NARROW, NARROW_SEARCH } from '../../../src/store/list/page.ts'
import { searchIndex } from '../../../src/store/search/search.ts'
import type { Statement } from '../../../src/store/sqlite/driver.ts'
import { examples } from '../../support/seed.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { type Asked, everyFilter, isMatch, ordered, parameter, type Row, takePlaces } from './model.ts'

// Paging through lists of deals, compared with the naive model, while other rows are created, deleted and changed
// between pages.

let server: TestServer
let route: ListRoute
let store: ReturnType<typeof dealStore>
let search: ReturnType<typeof searchIndex>
let removal: Statement
let tags: string[]
let stages: string[]
const companies: string[] = []
/** The current deals of the organisation. */
const live = new Map<string, Row>()

before(async () => {
  server = await startServer()
  route = server.routes.find(({ kind, path }) => kind === 'list' && path === '/deals') as ListRoute
  store = dealStore(server.deps)
  search = searchIndex(server.store.db, 'deal')
  removal = server.store.db.prepare('DELETE FROM deals WHERE id = ?')
  tags = []
  for (const name of ['one', 'two']) tags.push((await server.call('POST', '/tags', { name })).body.id)
  // Two of the same name, and one that no deal has.
  for (const name of ['Tarn', 'Åland', 'aland', 'Beck'])
    companies.push((await server.call('POST', '/companies', { name })).body.id)
  stages = (await server.call('GET', '/stages?is_open=true')).body.data.map(({ id }: Row) => id)
  await takePlaces(server.call)
})
after(() => server.stop())

const LONG = '\ufdfa'.repeat(255)
const TITLES = [
  'Åland deal',
  'aland',
  'Deal Łódź',
  'lodz deal',
  'Straße (DEAL)',
  '日本 déal',
  '🚀',
  '\uffff',
  'deal b',
  LONG,
]
/** Search texts that match many deals, a few, or none. */
const SEARCHES = ['deal', 'd', 'Déal', 'deal b', 'lodz', 'strass', 'a deal', '日', 'صلى', '🚀', 'nobody']
const SORTS = [
  'created_at',
  'updated_at',
  'amount',
  'title',
  'expected_close_date',
  'stage',
  'company_id',
  'owner_id',
].flatMap((name) => [name, `-${name}`])

/** The fields with which a deal is created or changed: few different values, for many ties, and gaps. */
const givenDeal: fc.Arbitrary<DealFields> = fc.record({
  title: fc.constantFrom(...TITLES),
  amount: fc.constantFrom(null, null, 0, 0.000001, 1.5, 1000, 9007199254.740993, 9000000000000),
  currency: fc.constantFrom(null, 'EUR', 'EUR', 'EUR', 'USD'),
  expected_close_date: fc.constantFrom(null, '2027-01-31', '2027-02-01', '2026-12-31'),
  owned: fc.boolean(),
  company: fc.constantFrom(null, 0, 1, 2),
  stage: fc.constantFrom(0, 1),
  tagged: fc.constantFrom<number[]>([], [0], [0], [1], [1, 0]),
})
type DealFields = {
  title: string
  amount: number | null
  currency: string | null
  expected_close_date: string | null
  owned: boolean
  company: number | null
  stage: number
  tagged: number[]
}

const anEvent = fc.oneof(
  fc.record({ kind: fc.constant('add' as const), given: givenDeal, afterMs: fc.nat(1) }),
  fc.record({ kind: fc.constant('remove' as const), which: fc.nat() }),
  fc.record({ kind: fc.constant('change' as const), which: fc.nat(), given: givenDeal, afterMs: fc.nat(1) }),
)
type Happening = typeof anEvent extends fc.Arbitrary<infer Value> ? Value : never

const who = () => ({ org: server.a.org, member: server.a.owner })
const fieldsOf = ({ owned, tagged, company, stage, ...fields }: DealFields) => ({
  ...fields,
  company_id: company === null ? null : (companies[company] as string),
  stage: stages[stage] as string,
  owner_id: owned ? server.a.owner : null,
  tag_ids: tagged.map((at) => tags[at] as string),
})

function add(given: DealFields): void {
  const deal = server.store.transaction(() => store.create(who(), fieldsOf(given)))
  live.set(deal.id, deal)
}

function remove(id: string): void {
  server.store.transaction(() => {
    search.remove(server.a.org, id)
    removal.run(id)
  })
  live.delete(id)
}

function removeAll(): void {
  server.store.transaction(() => [...live.keys()].forEach(remove))
}

/** Changes only fields that the query does not use. */
function change(id: string, given: DealFields, used: Set<string>): void {
  if (used.has('updated_at')) return
  const fields = Object.fromEntries(Object.entries(fieldsOf(given)).filter(([name]) => !used.has(name)))
  live.set(
    id,
    server.store.transaction(() => store.patch(who(), live.get(id), fields)),
  )
}

function happen(event: Happening, used: Set<string>): void {
  if ('afterMs' in event) server.advance(event.afterMs)
  const ids = [...live.keys()]
  const id = event.kind === 'add' ? undefined : ids[event.which % ids.length]
  if (event.kind === 'add') add(event.given)
  else if (id === undefined) return
  else if (event.kind === 'remove') remove(id)
  else change(id, event.given, used)
}

type Walk = { sort: string | undefined; asked: Asked[]; limit: number; events: Happening[][] }

/** The fields that filters compare, where the names differ. */
const FIELDS: Record<string, string> = { tag_id: 'tag_ids', q: 'title' }

/** Reads to the last page; `events[n]` happen after page n. Compares the pages with the deals that existed. */
async function walk({ sort, asked, limit, events }: Walk): Promise<Row[]> {
  const query = [`limit=${limit}`, ...(sort ? [`sort=${sort}`] : []), ...asked.map(parameter)].join('&')
  const used = new Set([sort?.replace('-', ''), ...asked.map(({ name }) => FIELDS[name] ?? name)])
  const before = new Set([...live.values()].filter((deal) => isMatch(route, deal, asked)).map(({ id }) => id))
  const shown: Row[] = []
  let cursor: string | null = ''
  for (let page = 0; cursor !== null; page++) {
    const { status, body } = await server.call('GET', `/deals?${query}${cursor ? `&cursor=${cursor}` : '&count=true'}`)
    assert.equal(status, 200, JSON.stringify(body))
    assert.ok(body.data.length <= limit && (body.next_cursor === null || body.data.length === limit))
    for (const deal of body.data) assert.deepEqual(deal, live.get(deal.id))
    if (page === 0) assert.equal(body.total, before.size)
    shown.push(...body.data)
    cursor = body.next_cursor
    for (const event of events[page] ?? []) happen(event, used as Set<string>)
  }
  const ids = shown.map(({ id }) => id)
  assert.equal(new Set(ids).size, ids.length, 'a row was shown twice')
  assert.ok(
    shown.every((deal) => isMatch(route, deal, asked)),
    'a row does not match',
  )
  assert.deepEqual(
    ids,
    ordered(route, shown, sort).map(({ id }) => id),
  )
  for (const id of before) assert.ok(ids.includes(id) || !live.has(id), 'a row was left out')
  return shown
}

const aSort = fc.option(fc.constantFrom(...SORTS), { nil: undefined })
const happenings = (most: number) => fc.array(fc.array(anEvent, { maxLength: 3 }), { maxLength: most })
/** Choices among the filters that the current records suggest. */
const picks = fc.array(fc.nat(), { maxLength: 3 })

function filtersAt(chosen: number[]): Asked[] {
  const all = everyFilter(route, [...live.values()])
  const asked = chosen.map((at) => all[at % all.length] as Asked)
  return asked.filter(
    (one, at) => asked.findIndex((each) => each.name === one.name && each.operator === one.operator) === at,
  )
}

describe('a walk', () => {
  test('through few rows shows each that was there throughout once, and in order', async () => {
    const property = fc.asyncProperty(
      fc.array(givenDeal, { maxLength: 30 }),
      aSort,
      picks,
      fc.integer({ min: 1, max: 6 }),
      happenings(12),
      async (deals, sort, chosen, limit, events) => {
        removeAll()
        for (const [at, given] of deals.entries()) {
          if (at % 3) server.advance(1)
          add(given)
        }
        await walk({ sort, asked: filtersAt(chosen), limit, events })
      },
    )
    await fc.assert(property, { numRuns: examples(40) })
  })

  // A filter that matches many rows uses another index than one that matches few.
  test('through many rows too', async () => {
    removeAll()
    const some = fc.sample(givenDeal, 2 * NARROW + 400)
    server.store.transaction(() => some.forEach(add))
    const property = fc.asyncProperty(aSort, picks, happenings(3), async (sort, chosen, events) => {
      await walk({ sort, asked: filtersAt(chosen), limit: 100, events })
    })
    await fc.assert(property, { numRuns: examples(4) })
  })

  test('through what a search finds, few and many, by every sort', async () => {
    const property = fc.asyncProperty(
      fc.constantFrom(...SEARCHES),
      aSort,
      picks,
      happenings(3),
      async (text, sort, chosen, events) => {
        const asked: Asked[] = [
          { name: 'q', operator: 'eq', text },
          ...filtersAt(chosen.slice(0, 1)).filter(({ name }) => name !== 'q'),
        ]
        await walk({ sort, asked, limit: 100, events })
      },
    )
    await fc.assert(property, { numRuns: examples(4) })
    const asked: Asked[] = [{ name: 'q', operator: 'eq', text: 'deal' }]
    for (const sort of [undefined, ...SORTS])
      assert.ok((await walk({ sort, asked, limit: 100, events: [] })).length > NARROW)
  })

  test('is the same on both sides of the number where a filter stops being narrow', async () => {
    const [given] = fc.sample(givenDeal, 1) as [DealFields]
    const asked: Asked[] = [{ name: 'currency', operator: 'eq', text: 'CHF' }]
    server.store.transaction(() => {
      for (let at = 0; at < NARROW - 1; at++) add({ ...given, currency: 'CHF', amount: at % 3 ? at % 7 : null })
    })
    for (const matching of [NARROW - 1, NARROW, NARROW + 1]) {
      for (const sort of [undefined, '-amount']) {
        assert.equal((await walk({ sort, asked, limit: 100, events: [] })).length, matching)
      }
      add({ ...given, currency: 'CHF' })
    }
  })

  test('begins right where a search finds too much to read all of it', async () => {
    removeAll()
    const some = fc.sample(givenDeal, NARROW_SEARCH + 200)
    server.store.transaction(() => {
      for (const [at, given] of some.entries()) add({ ...given, title: `Deal ${at % 97}` })
    })
    const words = { name: 'q', operator: 'eq', text: 'deal' } as const
    const currency = { name: 'currency', operator: 'eq', text: 'EUR' } as const
    const owner = { name: 'owner_id', operator: 'eq', text: server.a.owner } as const
    // Of one owner: many, some and few of them.
    const ofOwner = ['deal', 'deal 1', 'deal 77'].map((text) => ['-amount', [{ ...words, text }, owner]] as const)
    for (const [sort, asked] of [
      ['updated_at', [currency, words]],
      ['-amount', [words]],
      ['title', [currency, words]],
      ['-expected_close_date', [words]],
      ...ofOwner,
      ['title', [words, owner]],
      ['created_at', [words, owner]],
    ] as const) {
      const found = [...live.values()].filter((deal) => isMatch(route, deal, asked))
      const query = `/deals?limit=60&count=true&sort=${sort}&${asked.map(parameter).join('&')}`
      const { body: first } = await server.call('GET', query)
      const { body: second } = first.next_cursor
        ? await server.call('GET', `${query}&cursor=${first.next_cursor}`)
        : { body: { ...first, data: [] } }
      const wanted = ordered(route, found, sort).slice(0, 120)
      assert.deepEqual(
        [...first.data, ...second.data].map(({ id }) => id),
        wanted.map(({ id }) => id),
      )
      assert.deepEqual([first.total, second.total], [found.length, found.length])
    }
  })
})
