import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { errorsOf, idsOf, type Row, recordsOf } from '../../support/records.ts'
import { type Screens, type SignedIn, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'

// The lists behind the tables of the screens.

let server: TestServer
let screens: Screens
let viewer: SignedIn
const { newContact, newCompany, newDeal } = recordsOf(() => server)
let [ana, ben, cem]: Row[] = []
before(async () => {
  server = await startServer()
  screens = await startScreens(server)
  viewer = await screens.signedIn('viewer')
  const company = await newCompany({ industry: 'Optics' })
  ana = await newContact({
    first_name: 'Ana',
    last_name: null,
    company_id: company.id,
    emails: [{ email: 'ana@x.example' }],
  })
  ben = await newContact({ first_name: 'Ben', last_name: null, job_title: 'Büyer' })
  cem = await newContact({ first_name: 'Cem', last_name: null, company_id: company.id })
  await newDeal({ title: 'Rollout', amount: 5, currency: 'EUR' })
})
after(async () => {
  await screens.stop()
  await server.stop()
})

const filter = (tree: unknown): string => `filter=${encodeURIComponent(JSON.stringify(tree))}`
const namesOf = (rows: Row[]): string[] => rows.map(({ name }) => name)

test('the rows of a table are the records of the API', async () => {
  for (const path of ['contacts', 'companies', 'deals']) {
    const { status, body } = await viewer.call('GET', `/app/rows/${path}?count=true`)
    const expected = await server.call('GET', `/${path}?count=true`)
    assert.deepEqual([status, body], [200, expected.body])
  }
  const { body } = await viewer.call('GET', '/app/rows/contacts?sort=name&limit=2')
  assert.deepEqual(idsOf(body.data), [ana.id, ben.id])
  const next = await viewer.call('GET', `/app/rows/contacts?sort=name&limit=2&cursor=${body.next_cursor}`)
  assert.deepEqual(idsOf(next.body.data), [cem.id])
})

test('a filter like that of a smart list selects rows, together with a search', async () => {
  const ask = async (query: string) => (await viewer.call('GET', `/app/rows/contacts?sort=name&${query}`)).body
  assert.deepEqual(namesOf((await ask(filter({ field: 'job_title', op: 'contains', value: 'buy' }))).data), ['Ben'])
  const ofOptics = filter({ all: [{ field: 'company.industry', op: 'eq', value: 'optics' }] })
  assert.deepEqual(namesOf((await ask(`${ofOptics}&count=true`)).data), ['Ana', 'Cem'])
  assert.deepEqual(namesOf((await ask(`${ofOptics}&q=cem`)).data), ['Cem'])
})

test('a wrong filter is refused at its place', async () => {
  const refused = async (query: string) => {
    const { status, body } = await viewer.call('GET', `/app/rows/contacts?${query}`)
    return [status, body.code, ...errorsOf(body)]
  }
  assert.deepEqual(await refused(filter({ all: [{ field: 'shoe_size', op: 'eq', value: 1 }] })), [
    422,
    'invalid_fields',
    '/filter/all/0/field unknown_field',
  ])
  assert.deepEqual(await refused('filter=%7B'), [400, 'invalid_query'])
  assert.deepEqual(await refused('filter=null'), [400, 'wrong_root'])
  assert.deepEqual(await refused(`filter=${'x'.repeat(6001)}`), [400, 'invalid_query'])
})

test('rows can begin in the middle', async () => {
  const ask = async (query: string) => viewer.call('GET', `/app/rows/contacts?sort=name&limit=1&${query}`)
  assert.deepEqual(namesOf((await ask('skip=2')).body.data), ['Cem'])
  const { body } = await ask('skip=1&count=true')
  assert.deepEqual([namesOf(body.data), body.total], [['Ben'], 3])
  assert.deepEqual(namesOf((await ask(`cursor=${body.next_cursor}`)).body.data), ['Cem'])
  const beyond = await ask('skip=3&count=true')
  assert.deepEqual(beyond.body, { data: [], next_cursor: null, total: 3 })
  for (const wrong of ['skip=-1', 'skip=1e3', 'skip=', `skip=1&cursor=${body.next_cursor}`])
    assert.deepEqual([(await ask(wrong)).status, (await ask(wrong)).body.code], [400, 'invalid_query'], wrong)
})

test('rows that are named are given where they match', async () => {
  const ask = async (query: string) => viewer.call('GET', `/app/rows/contacts?sort=name&${query}`)
  const named = `ids=${[cem, ana].map(({ id }) => id).join(',')}`
  assert.deepEqual(namesOf((await ask(named)).body.data), ['Ana', 'Cem'])
  assert.deepEqual(namesOf((await ask(`${named}&q=cem`)).body.data), ['Cem'])
  const ofBen = filter({ field: 'job_title', op: 'contains', value: 'buy' })
  assert.deepEqual((await ask(`${named}&${ofBen}&count=true`)).body, { data: [], next_cursor: null, total: 0 })
  const stranger = await screens.signedIn('owner', server.b)
  assert.deepEqual((await stranger.call('GET', `/app/rows/contacts?${named}`)).body.data, [])
  for (const wrong of ['ids=', 'ids=x', `ids=${ana.id},`, `ids=${`${ana.id},`.repeat(100)}${ana.id}`])
    assert.deepEqual([(await ask(wrong)).status, (await ask(wrong)).body.code], [400, 'invalid_query'], wrong)
  assert.equal((await ask(`ids=${`${ana.id},`.repeat(99)}${ana.id}`)).body.data.length, 1)
})

test('rows are those of the own organisation', async () => {
  const stranger = await screens.signedIn('owner', server.b)
  assert.deepEqual((await stranger.call('GET', '/app/rows/contacts?count=true')).body.total, 0)
  assert.equal((await screens.send('GET', '/app/rows/contacts')).status, 401)
})

test('a filter by days goes with the time', async () => {
  const recent = filter({ field: 'created_at', op: 'in_last_days', value: 1 })
  const count = async (who: SignedIn) => (await who.call('GET', `/app/rows/contacts?${recent}`)).body.data.length
  assert.equal(await count(viewer), 3)
  server.advance(2 * 86_400_000)
  assert.equal(await count(await screens.signedIn('viewer')), 0)
})
