import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Scope } from '../../../src/auth/scopes.ts'
import { contactStore } from '../../../src/crm/contacts.ts'
import { listStore } from '../../../src/crm/lists/lists.ts'
import { DATABASE } from '../../../src/store/open.ts'
import { openSqlite } from '../../../src/store/sqlite/driver.ts'
import { recordsOf, UNKNOWN } from '../../support/records.ts'
import { startServer, type TestServer } from '../../support/server.ts'

// Who may see and name what is in a list, and that pages, cursors and counts belong to the one question they answer.

let server: TestServer
const { newRecord, listIds } = recordsOf(() => server)
const lists = { contact: ['', ''], company: ['', ''], deal: ['', ''] }
const records = { contact: [''], company: [''], deal: [''] }
const PATHS = { contact: '/contacts', company: '/companies', deal: '/deals' }
const NAMES = { contact: 'last_name', company: 'name', deal: 'title' }
const OBJECTS = ['contact', 'company', 'deal'] as const

before(async () => {
  server = await startServer()
  for (const object of OBJECTS) {
    records[object] = []
    for (const name of ['one', 'two', 'three'])
      records[object].push((await newRecord(PATHS[object], { [NAMES[object]]: name })).id)
    const filter = { field: NAMES[object], op: 'ne', value: 'two' }
    const smart = await newRecord('/lists', { name: 'smart', object, kind: 'smart', filter })
    const plain = await newRecord('/lists', { name: 'static', object, kind: 'static' })
    await server.call('POST', `/lists/${plain.id}/members`, { add_ids: [records[object][0], records[object][2]] })
    lists[object] = [smart.id, plain.id]
  }
})
after(() => server.stop())

const tokenWith = async (...scopes: Scope[]) => (await server.tokenWith(scopes)).token

describe('the members of a list need the scope to read them, and that of lists', () => {
  for (const object of OBJECTS) {
    test(object, async () => {
      const { call } = server
      const own = `rest.crm.${PATHS[object].slice(1)}.read` as Scope
      const others = OBJECTS.filter((each) => each !== object).map(
        (each) => `rest.crm.${PATHS[each].slice(1)}.read` as Scope,
      )
      const lacks = await tokenWith('rest.crm.lists.read', 'rest.crm.lists.write', ...others)
      const enough = await tokenWith('rest.crm.lists.read', 'rest.crm.lists.write', own)
      const alone = await tokenWith(own)
      for (const list of lists[object]) {
        const path = `/lists/${list}/members`
        for (const token of [enough, lacks, enough, lacks]) {
          const { status, body } = await call('GET', path, undefined, { token }) // the page is kept by now
          if (token === enough) assert.deepEqual([status, body.data.length], [200, 2])
          else assert.deepEqual([status, body.code, body.scope], [403, 'insufficient_scope', own])
        }
        const without = await call('GET', path, undefined, { token: alone })
        assert.deepEqual([without.status, without.body.scope], [403, 'rest.crm.lists.read'])
        assert.equal((await call('GET', `${PATHS[object]}?list_id=${list}`, undefined, { token: alone })).status, 200)
        const seq = server.lastSeq()
        for (const given of [{}, { add_ids: [records[object][1]] }, { add_ids: [UNKNOWN] }, { surprise: 1 }]) {
          const { status, body } = await call('POST', path, given, { token: lacks })
          assert.deepEqual([status, body.code, body.scope], [403, 'insufficient_scope', own])
        }
        assert.equal(server.lastSeq(), seq)
      }
      const unchanged = await call('POST', `/lists/${lists[object][1]}/members`, {}, { token: enough })
      assert.equal(unchanged.status, 200)
    })
  }
})

test('a list of another organisation is not there, and neither is one that never was', async () => {
  const { b, call } = server
  for (const object of OBJECTS) {
    for (const list of lists[object]) {
      for (const path of [`/lists/${list}`, `/lists/${list}/members`])
        assert.equal((await call('GET', path, undefined, { token: b.token })).status, 404)
      assert.equal((await call('POST', `/lists/${list}/members`, {}, { token: b.token })).status, 404)
      for (const id of [list, UNKNOWN])
        assert.deepEqual(await listIds(`${PATHS[object]}?list_id=${id}`, { token: b.token }), [])
    }
    for (const query of [`list_id=${UNKNOWN}`, `list_id=${UNKNOWN}&count=true&sort=updated_at`])
      assert.deepEqual(await listIds(`${PATHS[object]}?${query}`), [])
    const others = OBJECTS.filter((each) => each !== object).flatMap((each) => lists[each])
    for (const list of others) assert.deepEqual(await listIds(`${PATHS[object]}?list_id=${list}`), [])
    for (const wrong of ['x', 'null', lists[object][0]?.toUpperCase()])
      assert.equal((await call('GET', `${PATHS[object]}?list_id=${wrong}`)).status, 400)
    assert.equal((await call('GET', `${PATHS[object]}?list_id[in]=${lists[object]}`)).status, 400)
  }
})

test('list_id goes together with other filters and sorts', async () => {
  const { a, call } = server
  const tag = (await newRecord('/tags', { name: 'Together' })).id
  const [one, two, three] = records.contact
  server.advance(1000)
  await call('PATCH', `/contacts/${one}`, { owner_id: a.owner, tag_ids: [tag], emails: [{ email: 'one@x.example' }] })
  await call('PATCH', `/contacts/${two}`, { owner_id: a.owner, tag_ids: [tag] })
  for (const list of lists.contact) {
    for (const [query, ids] of [
      ['sort=name', [one, three]],
      ['sort=-name', [three, one]],
      ['sort=updated_at', [three, one]],
      [`owner_id=${a.owner}`, [one]],
      ['owner_id=null', [three]],
      [`tag_id=${tag}&sort=name`, [one]],
      ['email=ONE@x.example', [one]],
      ['q=thr', [three]],
      ['q=two', []],
      ['limit=1&sort=name', [one]],
    ] as const) {
      assert.deepEqual(await listIds(`/contacts?list_id=${list}&${query}`), ids, query)
    }
    for (const [query, ids] of [
      ['', [three, one]],
      ['sort=created_at', [one, three]],
      ['sort=updated_at', [three, one]],
    ] as const)
      assert.deepEqual(await listIds(`/lists/${list}/members?${query}`), ids, query)
    for (const query of ['sort=name', 'owner_id=null', 'list_id=x', 'custom_fields.x=1'])
      assert.equal((await call('GET', `/lists/${list}/members?${query}`)).status, 400, query)
  }
})

test('a cursor belongs to its list, its sort and its organisation', async () => {
  const { call } = server
  const [smart, plain] = lists.contact
  const first = await call('GET', `/lists/${smart}/members?limit=1`)
  const cursor = first.body.next_cursor
  assert.deepEqual(await listIds(`/lists/${smart}/members?cursor=${cursor}`), [records.contact[0]])
  for (const path of [
    `/lists/${plain}/members?`,
    `/lists/${lists.deal[0]}/members?`,
    `/lists/${smart}/members?sort=created_at&`,
    `/contacts?list_id=${smart}&`,
    '/contacts?',
    '/lists?',
  ]) {
    const { status, body } = await call('GET', `${path}cursor=${cursor}`)
    assert.deepEqual([status, body.code], [400, 'invalid_cursor'], path)
  }
  const { next_cursor } = (await call('GET', `/contacts?list_id=${smart}&limit=1`)).body
  assert.equal((await call('GET', `/contacts?list_id=${plain}&cursor=${next_cursor}`)).status, 400)
})

describe('a count that is kept', () => {
  const countOf = async (list: string) => (await server.call('GET', `/lists/${list}`)).body.member_count
  const smart = (value: string) =>
    newRecord('/lists', {
      name: 'Counted',
      object: 'contact',
      kind: 'smart',
      filter: { field: 'source', op: 'eq', value },
    })

  test('is read once while nothing changes, and again after any change', async () => {
    const { store } = server
    const list = (await smart('kept')).id
    await countOf(list)
    // Bypasses the events, as no program does, to show that the count is cached.
    store.db
      .prepare("UPDATE contacts SET source = 'kept' WHERE org_id = ? AND id = ?")
      .run(server.a.org, records.contact[0])
    assert.equal(await countOf(list), 0)
    await newRecord('/tags', { name: 'An event' })
    assert.equal(await countOf(list), 1)
  })

  test('belongs to its organisation and its object', async () => {
    const { a, b, call, lastSeq } = server
    const filter = { field: 'owner_id', op: 'is_null' }
    const lists: [string, string][] = []
    for (const [token, object] of [
      [a.token, 'contact'],
      [b.token, 'contact'],
      [a.token, 'deal'],
    ] as const) {
      const { body } = await call('POST', '/lists', { name: 'Alike', object, kind: 'smart', filter }, { token })
      lists.push([token, body.id])
    }
    while (lastSeq(b) < lastSeq(a)) await call('POST', '/tags', { name: `${lastSeq(b)}` }, { token: b.token })
    const total = async (path: string) => (await call('GET', `${path}?owner_id=null&count=true`)).body.total
    const counts = [await total('/contacts'), 0, await total('/deals')]
    assert.equal(new Set(counts).size, 3)
    for (const [at, [token, id]] of [...lists, ...lists].entries())
      assert.equal((await call('GET', `/lists/${id}`, undefined, { token })).body.member_count, counts[at % 3])
  })

  test('is forgotten after a commit of another process', async () => {
    const { a, dataDir } = server
    const list = (await smart('other process')).id
    assert.equal(await countOf(list), 0)
    const other = openSqlite(`${dataDir}/${DATABASE}`)
    other.prepare("UPDATE contacts SET source = 'other process' WHERE org_id = ?").run(a.org)
    other.close()
    assert.equal(await countOf(list), 3)
  })

  test('is not kept of what is rolled back, whose seq another event gets', async () => {
    const { a, deps, store } = server
    const contacts = contactStore(deps)
    const own = listStore(deps)
    const who = { org: a.org, member: a.owner }
    const list = (await smart('rolled back')).id
    const count = () =>
      own.list(a.org, { limit: 1, sort: { column: 'id' }, descending: true, conditions: [], count: false }, who)
        .rows[0]?.[7]
    assert.equal(count(), 0)
    const attempt = () =>
      store.transaction(() => {
        contacts.create(who, { last_name: 'Rolled back', source: 'rolled back' })
        assert.equal(count(), 1, 'a change of the same transaction counts')
        throw new Error('rolled back')
      })
    assert.throws(attempt, /rolled back/)
    store.transaction(() => contacts.create(who, { last_name: 'Another' }))
    assert.equal(count(), 0)
    assert.equal(await countOf(list), 0)
  })
})
