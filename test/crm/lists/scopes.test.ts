import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Scope } from '../../../src/auth/scopes.ts'
import { recordsOf, UNKNOWN } from '../../support/records.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { setLevels } from '../../support/settings.ts'

// A list reveals what its filter compares: by its count, by its members, and to everyone who may write the filter.

const OBJECTS = ['contact', 'company', 'deal'] as const
const READS = {
  contact: 'rest.crm.contacts.read',
  company: 'rest.crm.companies.read',
  deal: 'rest.crm.deals.read',
} as const
const PATHS = { contact: '/contacts', company: '/companies', deal: '/deals' }
const LISTS: Scope[] = ['rest.crm.lists.read', 'rest.crm.lists.write']
const OWN = { field: 'owner_id', op: 'is_null' }
const COMPANYS = { all: [OWN, { not: { field: 'company.name', op: 'eq', value: 'Nobody' } }] }
const CUSTOM = { any: [{ field: 'company.custom_fields.tier', op: 'is_null' }] }

let server: TestServer
const { newRecord } = recordsOf(() => server)
before(async () => {
  server = await startServer()
  const company_id = (await newRecord('/companies', { name: 'Acme' })).id
  await newRecord('/contacts', { last_name: 'One', company_id })
  await newRecord('/deals', { title: 'One', company_id })
  await newRecord('/custom-fields', { object: 'company', key: 'tier', label: 'Tier', type: 'text' })
})
after(() => server.stop())

const tokenWith = async (...scopes: Scope[]) => (await server.tokenWith(scopes)).token
const others = (object: (typeof OBJECTS)[number], ...more: (typeof OBJECTS)[number][]) =>
  OBJECTS.filter((each) => each !== object && !more.includes(each)).map((each) => READS[each])
const smart = (object: string, filter: unknown) => ({ name: 'By rule', object, kind: 'smart', filter })

/** Every filter that a list may have, by what it looks at beside the records of the list. */
const CASES = OBJECTS.flatMap((object) => [
  { object, what: 'fields of its own', filter: OWN, needs: [READS[object]] },
  ...(object === 'company'
    ? []
    : [
        { object, what: 'a field of the company', filter: COMPANYS, needs: [READS[object], READS.company] },
        { object, what: 'a custom field of the company', filter: CUSTOM, needs: [READS[object], READS.company] },
      ]),
])

for (const { object, what, filter, needs } of CASES) {
  describe(`a list of the object ${object} by ${what}`, () => {
    for (const lacking of needs) {
      test(`is not written, counted or read without ${lacking}`, async () => {
        const { call, lastSeq } = server
        const rest = needs.filter((scope) => scope !== lacking)
        const token = await tokenWith(...LISTS, ...rest, ...others(object, 'company'))
        const list = await newRecord('/lists', smart(object, filter))
        assert.equal(typeof list.member_count, 'number')
        const seq = lastSeq()
        const writes: [string, string, unknown][] = [
          ['POST', '/lists', smart(object, filter)],
          ['POST', '/lists', smart(object, { any: [filter, { field: 'no such field', op: 'eq', value: 1 }] })],
          ['PATCH', `/lists/${list.id}`, { filter: { not: filter } }],
        ]
        for (const [method, path, given] of writes) {
          const { status, body } = await call(method, path, given, { token })
          assert.deepEqual([status, body.code, body.scope], [403, 'insufficient_scope', lacking])
        }
        assert.equal(lastSeq(), seq)
        const one = await call('GET', `/lists/${list.id}`, undefined, { token })
        assert.deepEqual(one.body, { ...list, member_count: null })
        const all = await call('GET', '/lists?limit=1', undefined, { token })
        assert.deepEqual(all.body.data, [one.body])
        const renamed = await call('PATCH', `/lists/${list.id}`, { name: 'Renamed' }, { token })
        assert.deepEqual([renamed.status, renamed.body.name, renamed.body.member_count], [200, 'Renamed', null])
        assert.deepEqual((await call('PATCH', `/lists/${list.id}`, { filter }, { token })).status, 200, 'it has it')
        for (const path of [`/lists/${list.id}/members`, `${PATHS[object]}?list_id=${list.id}&count=true`]) {
          const { status, body } = await call('GET', path, undefined, { token })
          const isShut = path.startsWith(PATHS[object]) && lacking === READS[object]
          const scope = isShut ? READS[object] : lacking
          assert.deepEqual([status, body.code, body.scope], [403, 'insufficient_scope', scope], path)
        }
        assert.equal((await call('DELETE', `/lists/${list.id}`, undefined, { token })).status, 204)
      })
    }

    test('is written, counted and read with the scopes to read that, and no other', async () => {
      const { call } = server
      const token = await tokenWith(...LISTS, ...needs)
      const list = (await call('POST', '/lists', smart(object, OWN), { token })).body
      const { status, body } = await call('PATCH', `/lists/${list.id}`, { filter: { all: [filter] } }, { token })
      assert.equal(status, 200)
      assert.equal(body.member_count, 1)
      assert.equal((await call('GET', `/lists/${list.id}`, undefined, { token })).body.member_count, 1)
      assert.equal((await call('GET', '/lists?limit=1', undefined, { token })).body.data[0].member_count, 1)
      assert.equal((await call('GET', `/lists/${list.id}/members`, undefined, { token })).body.data.length, 1)
      const records = await call('GET', `${PATHS[object]}?list_id=${list.id}&count=true`, undefined, { token })
      assert.equal(records.body.total, 1)
    })
  })
}

for (const object of OBJECTS) {
  test(`a static list of the object ${object} is made and renamed without ${READS[object]}, and not counted`, async () => {
    const { call } = server
    const token = await tokenWith(...LISTS, ...others(object))
    const made = await call('POST', '/lists', { name: 'By hand', object, kind: 'static' }, { token })
    assert.deepEqual([made.status, made.body.member_count], [201, null])
    const { body } = await call('PATCH', `/lists/${made.body.id}`, { name: 'Other' }, { token })
    assert.deepEqual([body.name, body.member_count], ['Other', null])
    assert.equal((await call('GET', `/lists/${made.body.id}`)).body.member_count, 0)
  })
}

test('a page that a token with more scopes has asked for is not answered to one with fewer', async () => {
  const { call } = server
  const list = await newRecord('/lists', smart('contact', COMPANYS))
  const path = `/contacts?list_id=${list.id}`
  const [more, fewer] = [await tokenWith(READS.contact, READS.company), await tokenWith(READS.contact)]
  for (const [token, expected] of [
    [more, 200],
    [fewer, 403],
    [more, 200],
    [fewer, 403],
  ] as const)
    assert.equal((await call('GET', path, undefined, { token })).status, expected)
})

test('a list is never 304: its count changes without its version, and so may the scopes of the token', async () => {
  const { call } = server
  const { id } = await newRecord('/lists', smart('contact', OWN))
  const { status, headers } = await call('GET', `/lists/${id}`, undefined, { headers: { 'if-none-match': '"1"' } })
  assert.deepEqual([status, headers.get('etag')], [200, '"1"'])
})

test('events never have the count, whoever makes the change', async () => {
  const { events, lastSeq, call } = server
  const seq = lastSeq()
  const { id } = await newRecord('/lists', smart('contact', COMPANYS))
  await call('PATCH', `/lists/${id}`, { filter: { field: 'last_name', op: 'eq', value: 'Nobody' } })
  await call('DELETE', `/lists/${id}`)
  const told = events(seq)
  assert.deepEqual(
    told.map(({ object }) => object.member_count),
    [null, null, null],
  )
  assert.deepEqual(told[1]?.changed_fields, ['filter', 'member_count'])
  assert.equal(told[1]?.previous.member_count, null)
})

test('the text of a filter is no name of a field', async () => {
  const token = await tokenWith(...LISTS, READS.contact)
  const filter = { all: [{ field: 'source', op: 'in', value: ['company.name', '"field":"company.name"'] }] }
  const { status, body } = await server.call('POST', '/lists', smart('contact', filter), { token })
  assert.deepEqual([status, body.member_count], [201, 0])
})

describe('a list is enrolled', () => {
  for (const [what, filter, needs] of [
    ['its contacts', OWN, [READS.contact]],
    ['fields of their companies', COMPANYS, [READS.contact, READS.company]],
  ] as const) {
    test(`by those who may read ${what}`, async () => {
      const { a, call, store, lastSeq } = server
      const steps = [{ type: 'call', delay_s: 60, task_title: 'Call' }]
      const levels = setLevels(store, a.org, {
        sequences: [{ key: 'calls', name: 'Calls', status: 'active', steps }],
      })
      const list_id = (await newRecord('/lists', smart('contact', filter))).id
      const given = { sequence_id: levels.calls, list_id }
      const seq = lastSeq()
      for (const lacking of needs) {
        const rest = needs.filter((scope) => scope !== lacking)
        const token = await tokenWith('rest.sequences.enrollments.write', ...rest)
        const { status, body } = await call('POST', '/enrollments', given, { token })
        assert.deepEqual([status, body.code, body.scope], [403, 'insufficient_scope', lacking])
        const unknown = await call('POST', '/enrollments', { ...given, list_id: UNKNOWN }, { token })
        assert.equal(unknown.status, 422)
      }
      assert.equal(lastSeq(), seq)
      const token = await tokenWith('rest.sequences.enrollments.write', ...needs)
      assert.equal((await call('POST', '/enrollments', given, { token })).status, 201)
    })
  }
})
