import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
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
