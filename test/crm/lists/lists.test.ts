import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { errorsOf, type Given, recordsOf, UNKNOWN } from '../../support/records.ts'
import { startServer, type TestServer } from '../../support/server.ts'

// Lists as records: create, read, update, delete. For their members, see members.test.ts.

let server: TestServer
const { newRecord } = recordsOf(() => server)
before(async () => {
  server = await startServer()
})
after(() => server.stop())

const EMPTY = { field: 'last_name', op: 'eq', value: 'Nobody' }

const newStatic = (given: Given = {}) =>
  newRecord('/lists', { name: 'Hand-picked', object: 'contact', kind: 'static', ...given })
const newSmart = (filter: unknown, given: Given = {}) =>
  newRecord('/lists', { name: 'By rule', object: 'contact', kind: 'smart', filter, ...given })

/** As in an event: its recipient may not be allowed to read the members. */
const announced = (list: object) => ({ ...list, member_count: null })

describe('create', () => {
  for (const object of ['contact', 'company', 'deal']) {
    test(`answers a static list of the object ${object}, with its event`, async () => {
      const { a, call, events, lastSeq } = server
      const seq = lastSeq()
      const { status, body, headers } = await call('POST', '/lists', { name: 'Lisbon', object, kind: 'static' })
      assert.equal(status, 201)
      assert.deepEqual(body, {
        id: body.id,
        name: 'Lisbon',
        object,
        kind: 'static',
        filter: null,
        description: null,
        owner_id: null,
        member_count: 0,
        created_at: body.created_at,
        updated_at: body.created_at,
        version: 1,
      })
      assert.equal(headers.get('location'), `/api/v1/lists/${body.id}`)
      assert.equal(headers.get('etag'), '"1"')
      const [event, ...more] = events(seq)
      assert.equal(more.length, 0)
      assert.deepEqual([event?.type, event?.actor, event?.object], ['list.created', a.owner, announced(body)])
      assert.deepEqual([event?.changed_fields, event?.previous], [[], {}])
    })
  }

  test('answers a smart list with its filter and the count of what meets it already', async () => {
    const { a, call, events, lastSeq } = server
    await newRecord('/contacts', { last_name: 'Counted' })
    await newRecord('/contacts', { last_name: 'counted' })
    const seq = lastSeq()
    const filter = { all: [{ field: 'last_name', op: 'eq', value: 'Counted' }, { not: EMPTY }] }
    const list = await newSmart(filter, { description: 'All of them', owner_id: a.owner })
    assert.deepEqual([list.filter, list.member_count], [filter, 2])
    assert.deepEqual([list.description, list.owner_id], ['All of them', a.owner])
    assert.deepEqual((await call('GET', `/lists/${list.id}`)).body, list)
    assert.deepEqual(events(seq)[0]?.object, announced(list))
  })

  const refused: [string, Given, string[]][] = [
    ['no name', { name: undefined }, ['/name required']],
    ['an empty name', { name: ' ' }, ['/name empty']],
    ['no object', { object: undefined }, ['/object required']],
    ['an object that has no lists', { object: 'task' }, ['/object invalid_choice']],
    ['no kind', { kind: undefined }, ['/kind required']],
    ['another kind', { kind: 'clever' }, ['/kind invalid_choice']],
    ['a smart list without a filter', { kind: 'smart' }, ['/filter required']],
    ['a smart list whose filter is null', { kind: 'smart', filter: null }, ['/filter required']],
    ['a static list with a filter', { filter: EMPTY }, ['/filter not_smart']],
    ['a filter that is no object', { kind: 'smart', filter: [] }, ['/filter invalid_type']],
    ['an unknown owner', { owner_id: UNKNOWN }, ['/owner_id reference_not_found']],
    ['a member count', { member_count: 3 }, ['/member_count unknown_field']],
    ['members', { add_ids: [] }, ['/add_ids unknown_field']],
  ]
  for (const [what, given, errors] of refused) {
    test(`refuses ${what} and writes nothing`, async () => {
      const { call, lastSeq } = server
      const seq = lastSeq()
      const { status, body } = await call('POST', '/lists', { name: 'x', object: 'contact', kind: 'static', ...given })
      assert.equal(status, 422)
      assert.deepEqual(errorsOf(body), errors)
      assert.equal(lastSeq(), seq)
    })
  }

  test('refuses a deactivated owner by a code of its own', async () => {
    const { a, call } = server
    const given = { name: 'x', object: 'deal', kind: 'static', owner_id: a.deactivated }
    assert.deepEqual(errorsOf((await call('POST', '/lists', given)).body), ['/owner_id member_deactivated'])
  })

  test('takes a null filter for a static list, as it answers it', async () => {
    assert.equal((await newStatic({ filter: null })).filter, null)
  })

  test('is done once for one Idempotency-Key', async () => {
    const { call, lastSeq } = server
    const headers = { 'idempotency-key': 'one-list' }
    const given = { name: 'Once', object: 'deal', kind: 'static' }
    const first = await call('POST', '/lists', given, { headers })
    const seq = lastSeq()
    const again = await call('POST', '/lists', given, { headers })
    assert.deepEqual([again.text, again.headers.get('idempotency-replayed')], [first.text, 'true'])
    assert.equal(lastSeq(), seq)
  })
})

describe('change', () => {
  for (const [name, value] of [
    ['object', 'deal'],
    ['kind', 'smart'],
    ['object', 'contact'],
    ['kind', 'static'],
  ]) {
    test(`refuses ${name} as ${value}: it stays what it was made as`, async () => {
      const { call, lastSeq } = server
      const { id } = await newStatic()
      const seq = lastSeq()
      const { status, body } = await call('PATCH', `/lists/${id}`, { [name as string]: value, name: 'Renamed' })
      assert.equal(status, 422)
      assert.deepEqual(errorsOf(body), [`/${name} unknown_field`])
      assert.deepEqual([(await call('GET', `/lists/${id}`)).body.name, lastSeq()], ['Hand-picked', seq])
    })
  }

  test('of name, description and owner makes one event and the next version', async () => {
    const { a, advance, call, events, lastSeq } = server
    const list = await newStatic()
    const seq = lastSeq()
    advance(1000)
    const given = { name: 'Renamed', description: 'Why', owner_id: a.owner }
    const { status, body, headers } = await call('PATCH', `/lists/${list.id}`, given)
    assert.equal(status, 200)
    assert.deepEqual(body, { ...list, ...given, version: 2, updated_at: body.updated_at })
    assert.equal(Date.parse(body.updated_at), Date.parse(list.updated_at) + 1000)
    assert.equal(headers.get('etag'), '"2"')
    const [event, ...more] = events(seq)
    assert.deepEqual(more, [])
    assert.deepEqual([event?.type, event?.object], ['list.updated', announced(body)])
    assert.deepEqual(event?.previous, { name: 'Hand-picked', description: null, owner_id: null })
  })

  test('to equal values writes nothing, also where the filter is written in another order or in NFD', async () => {
    const { call, lastSeq } = server
    const filter = { any: [{ field: 'last_name', op: 'in', value: ['Zoë', 'Ana'] }, { not: EMPTY }] }
    const list = await newSmart(filter)
    const seq = lastSeq()
    const swapped = [
      { value: ['Zoe\u0308', 'Ana'], op: 'in', field: 'last_name' },
      { not: { value: EMPTY.value, op: EMPTY.op, field: EMPTY.field } },
    ]
    for (const given of [{}, { name: list.name, filter }, { filter: { any: swapped } }]) {
      const { status, body } = await call('PATCH', `/lists/${list.id}`, given)
      assert.deepEqual([status, body], [200, list])
    }
    assert.equal(lastSeq(), seq)
  })

  test('of the filter answers the count that follows from it, and announces that it has changed', async () => {
    const { call, events, lastSeq } = server
    await newRecord('/contacts', { last_name: 'Refiltered' })
    const list = await newSmart(EMPTY)
    assert.equal(list.member_count, 0)
    const seq = lastSeq()
    const filter = { field: 'last_name', op: 'starts_with', value: 'refilter' }
    const { body } = await call('PATCH', `/lists/${list.id}`, { filter })
    assert.deepEqual([body.filter, body.member_count, body.version], [filter, 1, 2])
    const [event, ...more] = events(seq)
    assert.deepEqual([event?.changed_fields, more], [['filter', 'member_count'], []])
    assert.deepEqual(event?.previous, { filter: EMPTY, member_count: null })
  })

  test('of the filter is checked as on create, and null is refused', async () => {
    const { call, lastSeq } = server
    const smart = await newSmart(EMPTY)
    const plain = await newStatic()
    const seq = lastSeq()
    for (const [id, filter, error] of [
      [smart.id, null, '/filter required'],
      [smart.id, { ...EMPTY, op: 'gt' }, '/filter/op wrong_operator'],
      [smart.id, 'all', '/filter invalid_type'],
      [plain.id, EMPTY, '/filter not_smart'],
    ]) {
      const { status, body } = await call('PATCH', `/lists/${id}`, { filter })
      assert.deepEqual([status, errorsOf(body)], [422, [error]])
    }
    assert.equal((await call('PATCH', `/lists/${plain.id}`, { filter: null })).status, 200)
    assert.equal(lastSeq(), seq)
  })

  test('keeps to If-Match', async () => {
    const { call, lastSeq } = server
    const { id } = await newStatic()
    await call('PATCH', `/lists/${id}`, { name: 'Second' })
    const seq = lastSeq()
    const stale = await call('PATCH', `/lists/${id}`, { name: 'Third' }, { headers: { 'if-match': '"1"' } })
    assert.deepEqual([stale.status, stale.body.code], [412, 'version_mismatch'])
    assert.equal((await call('DELETE', `/lists/${id}`, undefined, { headers: { 'if-match': '"1"' } })).status, 412)
    assert.equal(lastSeq(), seq)
    const fresh = await call('PATCH', `/lists/${id}`, { name: 'Third' }, { headers: { 'if-match': '"2"' } })
    assert.deepEqual([fresh.status, fresh.body.version], [200, 3])
  })
})

test('a deleted list is gone, with one event, and its records stay', async () => {
  const { call, events, lastSeq, store } = server
  const contact = await newRecord('/contacts', { last_name: 'Stays' })
  const { id } = await newStatic()
  await call('POST', `/lists/${id}/members`, { add_ids: [contact.id] })
  const list = (await call('GET', `/lists/${id}`)).body
  const seq = lastSeq()
  assert.equal((await call('DELETE', `/lists/${id}`)).status, 204)
  for (const path of [`/lists/${id}`, `/lists/${id}/members`]) assert.equal((await call('GET', path)).status, 404)
  assert.equal((await call('POST', `/lists/${id}/members`, { add_ids: [] })).status, 404)
  assert.deepEqual((await call('GET', `/contacts?list_id=${id}`)).body.data, [])
  assert.deepEqual((await call('GET', `/contacts/${contact.id}`)).body, contact)
  const [event, ...more] = events(seq)
  assert.deepEqual([event?.type, event?.object, more], ['list.deleted', announced(list), []])
  assert.equal(store.db.prepare('SELECT count(*) FROM list_contacts WHERE list_id = ?').pluck().get(id), 0)
})

test('lists are filtered by object, kind and owner, and sorted by name', async () => {
  const { a, call } = server
  const own = { owner_id: a.owner }
  const names = ['Zebra', 'Ébène', 'eagle']
  for (const name of names) await newRecord('/lists', { name, object: 'company', kind: 'static', ...own })
  const smart = await newSmart({ field: 'title', op: 'not_null' }, { object: 'deal', ...own })
  const shown = async (query: string) =>
    (await call('GET', `/lists?${query}`)).body.data.map(({ name }: { name: string }) => name)
  assert.deepEqual(await shown(`object=company&owner_id=${a.owner}&sort=name`), ['eagle', 'Ébène', 'Zebra'])
  assert.deepEqual(await shown(`kind=smart&owner_id=${a.owner}&object=deal`), [smart.name])
  for (const wrong of ['object=task', 'kind=clever', 'name=x', 'sort=member_count', `list_id=${UNKNOWN}`])
    assert.equal((await call('GET', `/lists?${wrong}`)).status, 400, wrong)
})
