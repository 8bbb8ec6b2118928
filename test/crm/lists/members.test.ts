import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { contactStore } from '../../../src/crm/contacts.ts'
import { errorsOf, type Given, recordsOf, UNKNOWN } from '../../support/records.ts'
import { startServer, type TestServer } from '../../support/server.ts'

// The members of lists: added and removed by hand, or selected by a filter; the count is always exact.

let server: TestServer
const { newRecord, listIds } = recordsOf(() => server)
let contacts: string[]
let company: string
let deal: string
before(async () => {
  server = await startServer()
  company = (await newRecord('/companies', { name: 'Firm' })).id
  deal = (await newRecord('/deals', { title: 'Sale' })).id
  contacts = []
  for (let n = 0; n < 5; n++) contacts.push((await newRecord('/contacts', { last_name: `Listed ${n}` })).id)
})
after(() => server.stop())

const newStatic = async (object = 'contact', add_ids: string[] = []): Promise<string> => {
  const { id } = await newRecord('/lists', { name: 'Hand-picked', object, kind: 'static' })
  if (add_ids.length > 0) await change(id, { add_ids })
  return id
}
const newSmart = async (filter: unknown, object = 'contact'): Promise<string> =>
  (await newRecord('/lists', { name: 'By rule', object, kind: 'smart', filter })).id
const change = (list: string, given: Given) => server.call('POST', `/lists/${list}/members`, given)
const countOf = async (list: string): Promise<number> => (await server.call('GET', `/lists/${list}`)).body.member_count

const shown = async (path: string): Promise<string[]> => (await listIds(path)).sort()

/** Returns the members of the list, read and counted in every way; all must agree. */
async function membersOf(list: string, path = '/contacts'): Promise<string[]> {
  const members = await shown(`/lists/${list}/members?limit=100`)
  assert.deepEqual(await shown(`${path}?list_id=${list}&limit=100`), members)
  const { body } = await server.call('GET', `/lists/${list}/members?limit=1&count=true`)
  assert.equal(body.total, members.length)
  assert.equal(await countOf(list), members.length)
  const all = (await server.call('GET', '/lists?limit=100')).body.data
  assert.equal(all.find(({ id }: { id: string }) => id === list)?.member_count ?? members.length, members.length)
  return members
}

describe('members of a static list', () => {
  test('are put in and taken out, with one event and the next version', async () => {
    const { advance, call, events, lastSeq } = server
    const list = await newStatic()
    const [one, two, three] = contacts as [string, string, string]
    const seq = lastSeq()
    advance(1000)
    const first = await change(list, { add_ids: [one, two] })
    assert.deepEqual([first.status, first.body], [200, { added: 2, removed: 0, unchanged: 0 }])
    assert.deepEqual(await membersOf(list), [one, two])
    const second = await change(list, { add_ids: [two, three], remove_ids: [one] })
    assert.deepEqual(second.body, { added: 1, removed: 1, unchanged: 1 })
    const third = await change(list, { remove_ids: [one, two] })
    assert.deepEqual(third.body, { added: 0, removed: 1, unchanged: 1 })
    assert.deepEqual(await membersOf(list), [three])
    const { body } = await call('GET', `/lists/${list}`)
    assert.equal(body.version, 4)
    assert.equal(Date.parse(body.updated_at), server.now())
    const [event, ...more] = events(seq)
    assert.deepEqual(
      [event?.type, event?.changed_fields, event?.previous],
      ['list.updated', ['member_count'], { member_count: null }],
    )
    assert.deepEqual([event?.object.member_count, event?.object.version], [null, 2])
    assert.deepEqual([more.length, more[1]?.object], [2, { ...body, member_count: null }])
  })

  test('that are there already, or are not, change nothing: no event, no version', async () => {
    const { call, lastSeq } = server
    const list = await newStatic('contact', [contacts[0]!])
    const before = (await call('GET', `/lists/${list}`)).body
    const seq = lastSeq()
    for (const [given, unchanged] of [
      [{}, 0],
      [{ add_ids: [], remove_ids: [] }, 0],
      [{ add_ids: [contacts[0], contacts[0]] }, 1],
      [{ add_ids: [contacts[0]], remove_ids: [contacts[1], contacts[2]] }, 3],
    ] as const) {
      const { status, body } = await change(list, given)
      assert.deepEqual([status, body], [200, { added: 0, removed: 0, unchanged }])
    }
    assert.deepEqual((await call('GET', `/lists/${list}`)).body, before)
    assert.equal(lastSeq(), seq)
  })

  test('that are not there, foreign or of another object are the same 422, and nothing is put in', async () => {
    const { a, b, call, lastSeq } = server
    const foreign = (await newRecord('/contacts', { last_name: 'Theirs' }, { token: b.token })).id
    const list = await newStatic('contact', [contacts[0]!])
    const seq = lastSeq()
    for (const name of ['add_ids', 'remove_ids']) {
      const answers = []
      for (const id of [UNKNOWN, foreign, deal, company, list, a.owner]) {
        const headers = { 'x-request-id': 'same' }
        const given =
          name === 'add_ids'
            ? { add_ids: [contacts[1], id] }
            : { add_ids: [contacts[1]], remove_ids: [contacts[0], id] }
        answers.push(await call('POST', `/lists/${list}/members`, given, { headers }))
      }
      for (const { status, text, body } of answers) {
        assert.deepEqual([status, errorsOf(body)], [422, [`/${name}/1 reference_not_found`]])
        assert.equal(text, answers[0]?.text)
      }
    }
    assert.deepEqual(await membersOf(list), [contacts[0]])
    assert.equal(lastSeq(), seq)
  })

  const refused: [string, () => Given, string[]][] = [
    [
      'an id in both',
      () => ({ add_ids: [contacts[1]], remove_ids: [contacts[0], contacts[1]] }),
      ['/remove_ids/1 contradiction'],
    ],
    ['more than 1,000 to add', () => ({ add_ids: Array(1001).fill(contacts[1]) }), []],
    ['more than 1,000 to remove', () => ({ remove_ids: Array(1001).fill(contacts[0]) }), []],
    ['what is no UUID', () => ({ add_ids: [contacts[1], 'x'] }), ['/add_ids/1 invalid_id']],
    ['null', () => ({ add_ids: null }), ['/add_ids not_null']],
    ['a single id', () => ({ add_ids: contacts[1] }), ['/add_ids invalid_type']],
    ['another member', () => ({ ids: [contacts[1]] }), ['/ids unknown_field']],
  ]
  for (const [what, given, errors] of refused) {
    test(`refuse ${what}`, async () => {
      const list = await newStatic('contact', [contacts[0]!])
      const seq = server.lastSeq()
      const { status, body } = await change(list, given())
      if (errors.length > 0) assert.deepEqual([status, errorsOf(body)], [422, errors])
      else assert.deepEqual([status, body.code], [400, 'array_too_long'])
      assert.deepEqual([await membersOf(list), server.lastSeq()], [[contacts[0]], seq])
    })
  }

  test('are up to 1,000 at once', async () => {
    const { a, deps, store } = server
    const { create } = contactStore(deps)
    const who = { org: a.org, member: a.owner }
    const ids = store.transaction(() =>
      Array.from({ length: 1000 }, (_, n) => create(who, { last_name: `Many ${n}` }).id),
    )
    const list = await newStatic()
    assert.deepEqual((await change(list, { add_ids: ids })).body, { added: 1000, removed: 0, unchanged: 0 })
    assert.equal(await countOf(list), 1000)
    assert.deepEqual((await change(list, { remove_ids: ids })).body, { added: 0, removed: 1000, unchanged: 0 })
    assert.equal(await countOf(list), 0)
  })

  test('of a smart list are 409, whatever is asked, but wrong fields come first', async () => {
    const list = await newSmart({ field: 'last_name', op: 'eq', value: 'Nobody' })
    const seq = server.lastSeq()
    for (const given of [{}, { add_ids: [contacts[0]] }, { remove_ids: [contacts[0]] }]) {
      const { status, body } = await change(list, given)
      assert.deepEqual([status, body.code], [409, 'smart_list'])
    }
    assert.equal((await change(list, { add_ids: [UNKNOWN] })).status, 422)
    assert.equal(server.lastSeq(), seq)
  })

  test('are put in once for one Idempotency-Key, and for one version with If-Match', async () => {
    const { call, lastSeq } = server
    const list = await newStatic()
    const headers = { 'idempotency-key': 'members', 'if-match': '"1"' }
    const path = `/lists/${list}/members`
    const first = await call('POST', path, { add_ids: [contacts[0]] }, { headers })
    const seq = lastSeq()
    const again = await call('POST', path, { add_ids: [contacts[0]] }, { headers })
    assert.deepEqual([again.status, again.text], [200, first.text])
    assert.equal(again.headers.get('idempotency-replayed'), 'true')
    const stale = await call('POST', path, { add_ids: [contacts[1]] }, { headers: { 'if-match': '"1"' } })
    assert.deepEqual([stale.status, stale.body.code], [412, 'version_mismatch'])
    const other = await call('POST', path, { add_ids: [contacts[1]] }, { headers })
    assert.deepEqual([other.status, other.body.code], [422, 'idempotency_key_reused'])
    assert.deepEqual([await membersOf(list), lastSeq()], [[contacts[0]], seq])
  })

  for (const [object, path, id] of [
    ['company', '/companies', () => company],
    ['deal', '/deals', () => deal],
  ] as const) {
    test(`may be of the object ${object}`, async () => {
      const list = await newStatic(object, [id()])
      assert.deepEqual(await membersOf(list, path), [id()])
      assert.deepEqual((await server.call('GET', `/lists/${list}/members`)).body.data[0].id, id())
      assert.equal((await change(list, { add_ids: [contacts[0]] })).status, 422)
      assert.deepEqual(await shown(`/contacts?list_id=${list}`), [])
    })
  }

  test('that are deleted leave it: the count and the version follow, with an event before their own', async () => {
    const { advance, call, events, lastSeq } = server
    const gone = (await newRecord('/contacts', { last_name: 'Gone' })).id
    const list = await newStatic('contact', [contacts[0]!, gone])
    const other = await newStatic('contact', [contacts[0]!])
    const seq = lastSeq()
    advance(1000)
    await call('DELETE', `/contacts/${gone}`)
    assert.deepEqual(await membersOf(list), [contacts[0]])
    const { body } = await call('GET', `/lists/${list}`)
    assert.deepEqual([body.version, Date.parse(body.updated_at)], [3, server.now()])
    assert.equal((await call('GET', `/lists/${other}`)).body.version, 2)
    assert.deepEqual(
      events(seq).map(({ type }) => type),
      ['list.updated', 'contact.deleted'],
    )
    const firm = (await newRecord('/companies', { name: 'Gone' })).id
    const firms = await newStatic('company', [firm])
    await call('DELETE', `/companies/${firm}`)
    assert.deepEqual(
      [await membersOf(firms, '/companies'), (await call('GET', `/lists/${firms}`)).body.version],
      [[], 3],
    )
  })
})

describe('a smart list follows', () => {
  test('records that are made, changed and deleted', async () => {
    const { call } = server
    const list = await newSmart({
      all: [
        { field: 'source', op: 'eq', value: 'Fair' },
        { field: 'owner_id', op: 'is_null' },
      ],
    })
    assert.deepEqual(await membersOf(list), [])
    const { id } = await newRecord('/contacts', { last_name: 'In', source: 'FAIR' })
    assert.deepEqual(await membersOf(list), [id])
    await call('PATCH', `/contacts/${id}`, { owner_id: server.a.owner })
    assert.deepEqual(await membersOf(list), [])
    await call('PATCH', `/contacts/${id}`, { owner_id: null })
    assert.deepEqual(await membersOf(list), [id])
    await call('DELETE', `/contacts/${id}`)
    assert.deepEqual(await membersOf(list), [])
    assert.equal((await call('GET', `/lists/${list}`)).body.version, 1)
  })

  test('a tag that is taken off, or is deleted', async () => {
    const { call } = server
    const [one, two] = [(await newRecord('/tags', { name: 'One' })).id, (await newRecord('/tags', { name: 'Two' })).id]
    const id = (await newRecord('/contacts', { last_name: 'Tagged', tag_ids: [one, two] })).id
    const both = await newSmart({ field: 'tag_ids', op: 'has_all', value: [one, two] })
    const none = await newSmart({
      all: [
        { field: 'tag_ids', op: 'is_null' },
        { field: 'last_name', op: 'eq', value: 'Tagged' },
      ],
    })
    assert.deepEqual([await membersOf(both), await membersOf(none)], [[id], []])
    await call('PATCH', `/contacts/${id}`, { tag_ids: [two] })
    assert.deepEqual([await membersOf(both), await membersOf(none)], [[], []])
    await call('DELETE', `/tags/${two}`)
    assert.deepEqual([await membersOf(both), await membersOf(none)], [[], [id]])
  })

  test('the company of its records: renamed, replaced, deleted', async () => {
    const { call } = server
    const firm = (await newRecord('/companies', { name: 'Acme' })).id
    const id = (await newRecord('/contacts', { last_name: 'Employed', company_id: firm })).id
    const sale = (await newRecord('/deals', { title: 'Employed', company_id: firm })).id
    const filter = { field: 'company.name', op: 'eq', value: 'Globex' }
    const [people, sales] = [await newSmart(filter), await newSmart(filter, 'deal')]
    const others = await newSmart({ all: [{ not: filter }, { field: 'last_name', op: 'eq', value: 'Employed' }] })
    const all = async () => [await membersOf(people), await membersOf(sales, '/deals'), await membersOf(others)]
    assert.deepEqual(await all(), [[], [], [id]])
    await call('PATCH', `/companies/${firm}`, { name: 'GLOBEX' })
    assert.deepEqual(await all(), [[id], [sale], []])
    await call('PATCH', `/contacts/${id}`, { company_id: null })
    assert.deepEqual(await all(), [[], [sale], [id]])
    await call('DELETE', `/companies/${firm}`)
    assert.deepEqual(await all(), [[], [], [id]])
  })

  test('its count also where the change is rolled back', async () => {
    const { call } = server
    const list = await newSmart({ field: 'source', op: 'eq', value: 'Rolled' })
    const given = { last_name: 'Rolled', source: 'Rolled', external_id: 'rolled' }
    const both = await Promise.all([call('POST', '/contacts', given), call('POST', '/contacts', given)])
    assert.deepEqual(both.map(({ status }) => status).sort(), [201, 409])
    assert.equal((await membersOf(list)).length, 1)
  })
})
