import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { shares } from '../../../src/crm/deals/board-shares.ts'
import { DAY_MS, HOUR_MS } from '../../../src/lib/time.ts'
import { errorsOf, type Row, recordsOf } from '../../support/records.ts'
import { type Screens, type SignedIn, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'

// What the board asks besides its rows.

let server: TestServer
let screens: Screens
let viewer: SignedIn
let pipeline: string
let reasons: Row[]
const { getRecord, newCompany, newDeal } = recordsOf(() => server)

before(async () => {
  server = await startServer()
  screens = await startScreens(server)
  viewer = await screens.signedIn('viewer')
  const { data: stages } = await getRecord('/stages')
  pipeline = stages[0].pipeline_id
  reasons = (await getRecord('/close-reasons')).data
})
after(async () => {
  await screens.stop()
  await server.stop()
})

const ask = async (path: string, query: Record<string, string> = {}) =>
  viewer.call('GET', `/app/board/${path}?${new URLSearchParams({ pipeline_id: pipeline, ...query })}`)

const close = async (deal: Row, outcome: 'won' | 'lost') => {
  const reason = reasons.find((each) => each.outcome === outcome)
  const { status } = await server.call('POST', `/deals/${deal.id}/close`, { reason_id: reason.id })
  assert.equal(status, 200)
}

const moved = async ({ id }: Row, stage: string) => {
  assert.equal((await server.call('PATCH', `/deals/${id}`, { stage })).status, 200)
}

test('the ids of the open deals that fit a filter over fields which the rows do not have', async () => {
  const company = await newCompany({ industry: 'Optics' })
  const fits = await newDeal({ company_id: company.id })
  const other = await newDeal({})
  const closed = await newDeal({ company_id: company.id })
  await close(closed, 'lost')
  const filter = JSON.stringify({ field: 'company.industry', op: 'eq', value: 'optics' })
  const { status, body } = await ask('matches', { filter })
  assert.deepEqual([status, body], [200, { ids: [fits.id] }])
  const all = await ask('matches', { filter: JSON.stringify({ not: JSON.parse(filter) }) })
  assert.deepEqual(all.body.ids, [other.id])
})

test('a filter that the field does not support is refused at its place', async () => {
  const wrong = await ask('matches', { filter: JSON.stringify({ field: 'title', op: 'gt', value: 'x' }) })
  assert.equal(wrong.status, 422)
  assert.deepEqual(errorsOf(wrong.body), ['/filter/op wrong_operator'])
  assert.equal((await ask('matches', { filter: '{' })).status, 400)
  assert.equal((await ask('matches')).status, 400)
  assert.equal((await viewer.call('GET', '/app/board/matches?filter=%7B%7D')).status, 400)
})

test('the deals closed this month are counted by outcome, in the month of the organisation', async () => {
  const before = (await ask('closed')).body
  const deals = [await newDeal(), await newDeal(), await newDeal()]
  await close(deals[0], 'won')
  await close(deals[1], 'won')
  await close(deals[2], 'lost')
  const counted = { won: before.won + 2, lost: before.lost + 1 }
  assert.deepEqual((await ask('closed')).body, counted)

  const partner = await newDeal()
  await server.call('PATCH', `/deals/${partner.id}`, { stage: server.a.stages.partner })
  const { pipeline_id } = (await getRecord('/stages?limit=100')).data.find(
    ({ id }: Row) => id === server.a.stages.partner,
  )
  await close(partner, 'won')
  assert.deepEqual((await ask('closed')).body, counted, 'of this pipeline alone')
  assert.deepEqual((await ask('closed', { pipeline_id })).body, { won: 1, lost: 0 })

  const { b } = server
  const others = await screens.signedIn('viewer', b)
  const inB = { token: b.token }
  const theirs = (await server.call('GET', '/stages', undefined, inB)).body.data[0].pipeline_id
  const theirReasons: Row[] = (await server.call('GET', '/close-reasons', undefined, inB)).body.data
  const won = theirReasons.find(({ outcome }) => outcome === 'won')
  const one = (await server.call('POST', '/deals', { title: 'Theirs' }, inB)).body
  assert.equal((await server.call('POST', `/deals/${one.id}/close`, { reason_id: won?.id }, inB)).status, 200)
  assert.deepEqual((await ask('closed')).body, counted, 'and of this organisation')
  const { body } = await others.call('GET', `/app/board/closed?pipeline_id=${theirs}`)
  assert.deepEqual(body, { won: 1, lost: 0 })
  server.advance(40 * DAY_MS)
  viewer = await screens.signedIn('viewer')
  assert.deepEqual((await ask('closed')).body, { won: 0, lost: 0 })
  await server.call('PATCH', `/deals/${deals[0].id}`, { title: 'Changed long after' })
  assert.deepEqual((await ask('closed')).body, { won: 0, lost: 0 }, 'a later change is no closing')
})

test('counts and sums are those of all open deals that fit, by stage and currency, of this pipeline and organisation', async () => {
  const company = await newCompany({ industry: 'Sails' })
  const fits = { company_id: company.id }
  const stage = (await newDeal({ ...fits, amount: 1.5, currency: 'EUR' })).stage
  await newDeal({ ...fits, amount: 123_456_789.654321, currency: 'EUR' })
  await newDeal({ ...fits, amount: 7, currency: 'CHF' })
  await newDeal({ ...fits, amount: null })
  await moved(await newDeal({ ...fits, amount: 3, currency: 'EUR' }), server.a.stages.partner)
  await newDeal({ amount: 5, currency: 'EUR' })
  await close(await newDeal({ ...fits, amount: 11, currency: 'EUR' }), 'won')
  const filter = JSON.stringify({ field: 'company.industry', op: 'eq', value: 'sails' })
  const { status, body } = await ask('totals', { filter })
  assert.equal(status, 200)
  const sorted = (rows: Row[]) => rows.sort((one, other) => (`${one.currency}` < `${other.currency}` ? -1 : 1))
  const ofNone = body.stages.filter((each: Row) => each.micros === '0')
  assert.deepEqual(
    ofNone.map((each: Row) => each.count),
    [1],
  )
  assert.deepEqual(sorted(body.stages.filter((each: Row) => each.micros !== '0')), [
    { stage, currency: 'CHF', count: 1, micros: '7000000' },
    { stage, currency: 'EUR', count: 2, micros: '123456791154321' },
  ])
  const all = (await ask('totals')).body.stages.reduce((sum: number, each: Row) => sum + each.count, 0)
  const board = (await viewer.call('GET', `/app/board?pipeline_id=${pipeline}`)).body
  assert.equal(all, board.titles.length)
  assert.equal((await ask('totals', { filter: '{' })).status, 400)
})

test('a part of the board is the deals that fit, in the form of the whole', async () => {
  const company = await newCompany({ industry: 'Ropes' })
  const { title } = await newDeal({ company_id: company.id })
  await moved(await newDeal({ company_id: company.id }), server.a.stages.partner)
  const filter = JSON.stringify({ field: 'company.industry', op: 'eq', value: 'ropes' })
  const { status, body } = await ask('part', { filter })
  assert.equal(status, 200)
  assert.deepEqual([body.titles, body.is_complete], [[title], true])
  const wrong = await ask('part', { filter: JSON.stringify({ field: 'title', op: 'gt', value: 'x' }) })
  assert.deepEqual(errorsOf(wrong.body), ['/filter/op wrong_operator'])
  assert.equal((await ask('part')).status, 400)
})

test('what was closed follows a filter', async () => {
  const company = await newCompany({ industry: 'Masts' })
  await close(await newDeal({ company_id: company.id }), 'won')
  await close(await newDeal({ company_id: company.id }), 'lost')
  await close(await newDeal({}), 'won')
  const filter = JSON.stringify({ field: 'company.industry', op: 'eq', value: 'masts' })
  assert.deepEqual((await ask('closed', { filter })).body, { won: 1, lost: 1 })
})

test('of too many deals each stage has a share, and few are all there', () => {
  assert.deepEqual(shares([5, 3], 10), [5, 3])
  assert.deepEqual(shares([10, 10, 10], 9), [3, 3, 3])
  assert.deepEqual(shares([100, 2, 100], 12), [5, 2, 5])
  assert.deepEqual(shares([], 5), [])
  assert.deepEqual(shares([0, 7], 7), [0, 7])
})

test('a board is as it was within an hour at the most: a meeting that takes place is no event', async () => {
  const path = `/app/board?pipeline_id=${pipeline}`
  const first = await viewer.call('GET', path)
  const known = { 'if-none-match': first.headers.get('etag') as string }
  assert.equal((await viewer.call('GET', path, undefined, known)).status, 304)
  server.advance(HOUR_MS)
  const later = await viewer.call('GET', path, undefined, known)
  assert.equal(later.status, 200)
  assert.notEqual(later.headers.get('etag'), known['if-none-match'])
})
