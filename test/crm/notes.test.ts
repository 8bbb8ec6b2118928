import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { noteStore } from '../../src/crm/notes.ts'
import { errorsOf, type Given, idOf, recordsOf, UNKNOWN } from '../support/records.ts'
import { startServer, type TestServer } from '../support/server.ts'

let server: TestServer
const { newRecord, newId, newContact, newCompany, listIds } = recordsOf(() => server)
/** Records of the organisation to link notes to. */
let ids: { contact: string; company: string; deal: string }
before(async () => {
  server = await startServer()
  ids = {
    contact: await idOf(newContact()),
    company: await idOf(newCompany()),
    deal: await newId('/deals', { title: 'Rollout' }),
  }
})
after(() => server.stop())

const newNote = (given: Given = {}) =>
  newRecord('/notes', { body: 'Wants a demo.', contact_ids: [ids.contact], ...given })

const noteIds = (query: string) => listIds(`/notes?${query}`)

/** The events after `seq`, as `note.created 0189…`. */
const eventsSince = (seq: number) => server.events(seq).map(({ type, object_id }) => `${type} ${object_id}`)

describe('create', () => {
  test('answers the note of the member whose token it is, with its event', async () => {
    const { a, call, events, lastSeq } = server
    const seq = lastSeq()
    const { status, body, headers } = await call('POST', '/notes', { body: 'Called.', deal_ids: [ids.deal] })
    assert.equal(status, 201)
    assert.deepEqual(body, {
      id: body.id,
      title: null,
      body: 'Called.',
      contact_ids: [],
      company_ids: [],
      deal_ids: [ids.deal],
      meeting_id: null,
      conversation_id: null,
      author_id: a.owner,
      is_pinned: false,
      created_at: body.created_at,
      updated_at: body.created_at,
      version: 1,
    })
    assert.equal(headers.get('location'), `/api/v1/notes/${body.id}`)
    assert.equal(headers.get('etag'), '"1"')
    const [event, ...more] = events(seq)
    assert.deepEqual(more, [])
    assert.deepEqual([event?.type, event?.object, event?.actor, event?.previous], ['note.created', body, a.owner, {}])
  })

  test('keeps every field that it takes, and every link', async () => {
    const given = {
      title: 'Kick-off',
      body: '# Kick-off\n\n- Ana brings **the plan** ✅\n',
      contact_ids: [ids.contact, await idOf(newContact())],
      company_ids: [ids.company],
      deal_ids: [ids.deal],
      is_pinned: true,
    }
    const note = await newNote(given)
    assert.deepEqual({ ...note, ...given }, note)
    assert.deepEqual((await server.call('GET', `/notes/${note.id}`)).body, note)
  })

  for (const [field, kind] of [
    ['contact_ids', 'contact'],
    ['company_ids', 'company'],
    ['deal_ids', 'deal'],
  ] as const) {
    test(`is content with one of ${field}`, async () => {
      const note = await newNote({ contact_ids: [], [field]: [ids[kind]] })
      assert.deepEqual(note[field], [ids[kind]])
    })
  }

  test('answers links without duplicates, in the order given', async () => {
    const other = await idOf(newContact())
    const { contact_ids } = await newNote({ contact_ids: [other, ids.contact, other] })
    assert.deepEqual(contact_ids, [other, ids.contact])
  })

  test('takes a body of 256 KiB', async () => {
    const body = 'ü'.repeat(131_072)
    assert.equal((await newNote({ body })).body, body)
  })

  test('without a member, as jobs do it, has no author', async () => {
    const { a, deps, store, call } = server
    const who = { org: a.org, member: null }
    const given = { body: 'Imported.', deal_ids: [ids.deal] }
    const { id } = store.transaction(() => noteStore(deps).create(who, given))
    assert.equal((await call('GET', `/notes/${id}`)).body.author_id, null)
    assert.deepEqual(await noteIds('author_id=null'), [id])
  })

  const refused: [string, () => Given, string[]][] = [
    ['no body', () => ({ body: undefined }), ['/body required']],
    ['a null body', () => ({ body: null }), ['/body not_null']],
    ['a body over 256 KiB', () => ({ body: `${'ü'.repeat(131_072)}.` }), ['/body too_long']],
    ['a title of 256 characters', () => ({ title: 'x'.repeat(256) }), ['/title too_long']],
    ['no link', () => ({ contact_ids: undefined }), [' no_link']],
    ['empty links', () => ({ contact_ids: [], company_ids: [], deal_ids: [] }), [' no_link']],
    ['links that are null', () => ({ contact_ids: null }), ['/contact_ids not_null']],
    ['a link that is no UUID', () => ({ deal_ids: [ids.deal, 'x'] }), ['/deal_ids/1 invalid_id']],
    [
      'unknown contacts',
      () => ({ contact_ids: [UNKNOWN, ids.contact, ids.deal] }),
      ['/contact_ids/0 reference_not_found', '/contact_ids/2 reference_not_found'],
    ],
    ['a company of another kind', () => ({ company_ids: [ids.contact] }), ['/company_ids/0 reference_not_found']],
    ['an unknown deal', () => ({ deal_ids: [UNKNOWN] }), ['/deal_ids/0 reference_not_found']],
    ['a meeting', () => ({ meeting_id: UNKNOWN }), ['/meeting_id reference_not_found']],
    ['a conversation', () => ({ conversation_id: ids.deal }), ['/conversation_id reference_not_found']],
    ['an author', () => ({ author_id: server.a.owner }), ['/author_id unknown_field']],
    ['a pin that is no flag', () => ({ is_pinned: 1 }), ['/is_pinned invalid_type']],
  ]
  for (const [what, given, errors] of refused) {
    test(`refuses ${what} and writes nothing`, async () => {
      const { call, lastSeq } = server
      const seq = lastSeq()
      const { status, body } = await call('POST', '/notes', { body: 'x', contact_ids: [ids.contact], ...given() })
      assert.deepEqual([status, errorsOf(body)], [422, errors])
      assert.equal(lastSeq(), seq)
    })
  }
})

describe('change', () => {
  test('replaces links whole, and the filters follow', async () => {
    const { advance, call, events, lastSeq } = server
    const [gone, stays, comes] = [await idOf(newContact()), await idOf(newContact()), await idOf(newContact())]
    const note = await newNote({ contact_ids: [gone, stays] })
    const seq = lastSeq()
    advance(1000)
    const { status, body, headers } = await call('PATCH', `/notes/${note.id}`, { contact_ids: [comes, stays] })
    assert.equal(status, 200)
    const updated_at = new Date(server.now()).toISOString()
    assert.deepEqual(body, { ...note, contact_ids: [comes, stays], updated_at, version: 2 })
    assert.equal(headers.get('etag'), '"2"')
    assert.deepEqual((await call('GET', `/notes/${note.id}`)).body, body)
    for (const [contact, found] of [
      [gone, []],
      [stays, [note.id]],
      [comes, [note.id]],
    ] as const)
      assert.deepEqual(await noteIds(`contact_id=${contact}`), found)
    const [event, ...more] = events(seq)
    assert.deepEqual(more, [])
    assert.deepEqual(
      [event?.type, event?.object, event?.changed_fields, event?.previous],
      ['note.updated', body, ['contact_ids'], { contact_ids: [gone, stays] }],
    )
  })

  test('keeps what is absent and clears what is null', async () => {
    const note = await newNote({ title: 'Gone soon', is_pinned: true })
    const { body } = await server.call('PATCH', `/notes/${note.id}`, { title: null, is_pinned: false })
    assert.deepEqual(body, { ...note, title: null, is_pinned: false, version: 2 })
  })

  test('moves a note from one record to another, but takes it off the last only with another', async () => {
    const { call, lastSeq } = server
    const note = await newNote()
    const moved = await call('PATCH', `/notes/${note.id}`, { contact_ids: [], company_ids: [ids.company] })
    assert.deepEqual([moved.status, moved.body.contact_ids, moved.body.company_ids], [200, [], [ids.company]])
    const seq = lastSeq()
    const { status, body } = await call('PATCH', `/notes/${note.id}`, { company_ids: [], title: 'Not this' })
    assert.deepEqual([status, errorsOf(body)], [422, [' no_link']])
    assert.deepEqual((await call('GET', `/notes/${note.id}`)).body, moved.body)
    assert.equal(lastSeq(), seq)
  })

  test('with {} or equal values answers 200 and writes nothing', async () => {
    const { call, lastSeq } = server
    const note = await newNote({ title: 'Same' })
    const seq = lastSeq()
    const { title, body: text, contact_ids, company_ids, meeting_id, is_pinned } = note
    for (const patch of [{}, { title, body: text, contact_ids, company_ids, meeting_id, is_pinned }]) {
      const { status, body } = await call('PATCH', `/notes/${note.id}`, patch)
      assert.deepEqual([status, body], [200, note])
    }
    assert.equal(lastSeq(), seq)
  })

  for (const [what, patch, errors] of [
    ['a null body', { body: null }, ['/body not_null']],
    ['another author', { author_id: UNKNOWN }, ['/author_id unknown_field']],
    ['an unknown company', { company_ids: [UNKNOWN] }, ['/company_ids/0 reference_not_found']],
    ['a meeting', { meeting_id: UNKNOWN }, ['/meeting_id reference_not_found']],
    ['a conversation', { conversation_id: UNKNOWN }, ['/conversation_id reference_not_found']],
  ] as const) {
    test(`refuses ${what}`, async () => {
      const note = await newNote()
      const { status, body } = await server.call('PATCH', `/notes/${note.id}`, patch)
      assert.deepEqual([status, errorsOf(body)], [422, errors])
      assert.deepEqual((await server.call('GET', `/notes/${note.id}`)).body, note)
    })
  }
})

describe('delete', () => {
  test('takes the note with its links and what it was found by, with one event', async () => {
    const { call, events, lastSeq, store } = server
    const contact = await idOf(newContact())
    const note = await newNote({ body: 'Ephemeral', contact_ids: [contact], deal_ids: [ids.deal] })
    const seq = lastSeq()
    assert.equal((await call('DELETE', `/notes/${note.id}`)).status, 204)
    assert.equal((await call('GET', `/notes/${note.id}`)).status, 404)
    assert.deepEqual([await noteIds(`contact_id=${contact}`), await noteIds('q=ephemeral')], [[], []])
    const words = store.db.prepare('SELECT count(*) FROM search_docs WHERE record_id = ?').pluck()
    assert.equal(words.get(note.id), 0)
    const [event, ...more] = events(seq)
    assert.deepEqual([event?.type, event?.object, more], ['note.deleted', note, []])
  })

  for (const [path, field, make] of [
    ['/contacts', 'contact_ids', () => idOf(newContact())],
    ['/companies', 'company_ids', () => idOf(newCompany())],
  ] as const) {
    test(`of one of ${path} takes it off its notes in the same transaction, each with its own event`, async () => {
      const { advance, call, events, lastSeq, store } = server
      const [gone, stays] = [await make(), await make()]
      const first = await newNote({ contact_ids: [], [field]: [gone], deal_ids: [ids.deal] })
      const second = await newNote({ contact_ids: [], [field]: [stays, gone] })
      const other = await newNote({ contact_ids: [], [field]: [stays] })
      advance(1000)
      const seq = lastSeq()
      assert.equal((await call('DELETE', `${path}/${gone}`, undefined, { headers: { 'if-match': '"2"' } })).status, 412)
      assert.equal(lastSeq(), seq)
      assert.equal((await call('DELETE', `${path}/${gone}`)).status, 204)
      const updated_at = new Date(server.now()).toISOString()
      const expected = [
        { ...first, [field]: [], updated_at, version: 2 },
        { ...second, [field]: [stays], updated_at, version: 2 },
      ]
      for (const note of [...expected, other]) assert.deepEqual((await call('GET', `/notes/${note.id}`)).body, note)
      const written = events(seq)
      assert.deepEqual(
        written.slice(0, -1).map(({ type, object, changed_fields }) => [type, object, changed_fields]),
        expected.map((note) => ['note.updated', note, [field]]),
      )
      assert.deepEqual(written[1]?.previous, { [field]: [stays, gone] })
      assert.equal(written[2]?.object_id, gone)
      assert.deepEqual(store.db.pragma('foreign_key_check'), [])
    })
  }

  test('of the last record that a note was about leaves the note, which can still be changed', async () => {
    const { call, lastSeq } = server
    const contact = await idOf(newContact())
    const note = await newNote({ contact_ids: [contact] })
    await call('DELETE', `/contacts/${contact}`)
    const alone = (await call('GET', `/notes/${note.id}`)).body
    assert.deepEqual([alone.contact_ids, alone.version], [[], 2])
    const seq = lastSeq()
    const same = await call('PATCH', `/notes/${note.id}`, { contact_ids: [] })
    assert.deepEqual([same.status, same.body, lastSeq()], [200, alone, seq])
    const changed = await call('PATCH', `/notes/${note.id}`, { title: 'Left over', contact_ids: [] })
    assert.deepEqual([changed.status, changed.body.title], [200, 'Left over'])
    assert.equal((await call('PATCH', `/notes/${note.id}`, { deal_ids: [ids.deal] })).status, 200)
    assert.equal((await call('PATCH', `/notes/${note.id}`, { deal_ids: [] })).status, 422)
    assert.deepEqual(eventsSince(seq), Array(2).fill(`note.updated ${note.id}`))
  })
})

describe('list', () => {
  test('filters and sorts by each of its parameters', async () => {
    const { a, advance, call } = server
    const [contact, company] = [await idOf(newContact()), await idOf(newCompany())]
    const deal = await newId('/deals', { title: 'Listed' })
    advance(60_000)
    const start = new Date(server.now()).toISOString()
    const first = await newNote({ contact_ids: [contact, ids.contact], is_pinned: true })
    advance(1000)
    const second = await newNote({ contact_ids: [], company_ids: [company] })
    advance(1000)
    const third = await newNote({ contact_ids: [contact], deal_ids: [deal], body: 'Déjà vu' })
    advance(1000)
    await call('PATCH', `/notes/${first.id}`, { title: 'Changed' })
    const expected: [string, string[]][] = [
      ['', [third.id, second.id, first.id]],
      [`contact_id=${contact}`, [third.id, first.id]],
      [`contact_id[in]=${ids.contact},${UNKNOWN}`, [first.id]],
      [`contact_id=${UNKNOWN}`, []],
      [`company_id=${company}`, [second.id]],
      [`deal_id=${deal}`, [third.id]],
      [`deal_id=${deal}&contact_id=${contact}`, [third.id]],
      [`deal_id=${contact}`, []],
      ['meeting_id=null', [third.id, second.id, first.id]],
      [`meeting_id=${UNKNOWN}`, []],
      ['conversation_id=null', [third.id, second.id, first.id]],
      ['conversation_id[ne]=null', []],
      [`author_id=${a.owner}`, [third.id, second.id, first.id]],
      [`author_id=${a.deactivated}`, []],
      ['author_id=null', []],
      ['is_pinned=true', [first.id]],
      ['is_pinned=false', [third.id, second.id]],
      [`created_at=${start}`, [first.id]],
      [`updated_at[gt]=${third.updated_at}`, [first.id]],
      ['q=deja', [third.id]],
      ['sort=created_at', [first.id, second.id, third.id]],
      ['sort=-updated_at', [first.id, third.id, second.id]],
      ['sort=updated_at', [second.id, third.id, first.id]],
    ]
    for (const [query, found] of expected) {
      assert.deepEqual(await noteIds(encodeURI(`created_at[gte]=${start}&${query}`)), found, query)
    }
  })

  test('searches title and body as they are now', async () => {
    const { call } = server
    const note = await newNote({ title: 'Quarterly Überblick', body: 'Budget **approved**' })
    for (const q of ['quarter', 'uberblick', 'appr', 'BUDGET quarterly'])
      assert.deepEqual(await noteIds(`q=${q}`), [note.id], q)
    await call('PATCH', `/notes/${note.id}`, { body: 'Budget declined' })
    assert.deepEqual([await noteIds('q=approved'), await noteIds('q=declined')], [[], [note.id]])
    await call('PATCH', `/notes/${note.id}`, { title: null })
    assert.deepEqual([await noteIds('q=quarterly'), await noteIds('q=budget')], [[], [note.id]])
  })
})
