import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { meetingStore } from '../../src/meetings/meetings.ts'
import { errorsOf, type Given, type Row, recordsOf, UNKNOWN } from '../support/records.ts'
import { startServer, type TestServer } from '../support/server.ts'

let server: TestServer
const { newRecord, newId, patchRecord, listIds } = recordsOf(() => server)
before(async () => {
  server = await startServer()
})
after(() => server.stop())

const HOUR_MS = 3_600_000
const TIMES = { starts_at: '2026-12-01T09:00:00.000Z', ends_at: '2026-12-01T10:00:00.000Z' }

let count = 0
const newContact = (given: Given = {}) => newRecord('/contacts', { last_name: `Ruiz ${++count}`, ...given })
const reachable = (email: string, given: Given = {}) => newContact({ emails: [{ email }], ...given })
const newMeeting = (given: Given = {}) => newRecord('/meetings', { title: 'Demo', ...TIMES, ...given })
const getMeeting = async (id: string) => (await server.call('GET', `/meetings/${id}`)).body
const patchMeeting = (id: string, given: Given) => patchRecord(`/meetings/${id}`, given)
const withParticipants = async (...participants: Given[]): Promise<Row[]> =>
  (await newMeeting({ participants })).participants

/** Returns the time that many milliseconds from now, as in JSON. */
const inMs = (ms: number) => new Date(server.now() + ms).toISOString()

const meetingIds = (query: string) => listIds(`/meetings?${query}`)

/** A participant as the API returns it. */
const taking = (given: Given): Row => ({
  contact_id: null,
  member_id: null,
  email: null,
  name: null,
  role: 'attendee',
  response: 'pending',
  ...given,
})

const assertSound = (): void => {
  const { db } = server.store
  assert.deepEqual(db.pragma('foreign_key_check'), [])
  db.exec("INSERT INTO search (search, rank) VALUES ('integrity-check', 1)")
  for (const [table, column] of [
    ['meeting_contacts', 'contact_id'],
    ['meeting_members', 'member_id'],
  ]) {
    const inRecords = db
      .prepare(
        `SELECT m.id || ' ' || (p.value ->> '${column}') FROM meetings AS m, json_each(m.participants) AS p
         WHERE p.value ->> '${column}' IS NOT NULL ORDER BY 1`,
      )
      .pluck()
      .all()
    const inLinks = db.prepare(`SELECT meeting_id || ' ' || ${column} FROM ${table} ORDER BY 1`).pluck().all()
    assert.deepEqual(inLinks, inRecords)
  }
}

describe('create', () => {
  test('answers a scheduled meeting without participants, with its event', async () => {
    const { a, call, events, lastSeq } = server
    const seq = lastSeq()
    const { status, body, headers } = await call('POST', '/meetings', { title: 'Demo', ...TIMES })
    assert.equal(status, 201)
    assert.deepEqual(body, {
      id: body.id,
      title: 'Demo',
      description: null,
      ...TIMES,
      timezone: null,
      status: 'scheduled',
      location: null,
      conference_url: null,
      participants: [],
      company_id: null,
      deal_id: null,
      owner_id: null,
      ical_uid: null,
      send_invitations: false,
      conversation_id: null,
      recording_url: null,
      summary: null,
      has_transcript: false,
      created_at: body.created_at,
      updated_at: body.created_at,
      version: 1,
    })
    assert.deepEqual(Object.keys(body).slice(0, 3), ['id', 'title', 'description'])
    assert.equal(headers.get('location'), `/api/v1/meetings/${body.id}`)
    assert.equal(headers.get('etag'), '"1"')
    const [event, ...more] = events(seq)
    assert.deepEqual(more, [])
    assert.deepEqual(
      [event?.type, event?.object, event?.actor, event?.previous],
      ['meeting.created', body, a.owner, {}],
    )
  })

  test('keeps every field that it takes', async () => {
    const { a } = server
    const given = {
      title: 'Demo for Northwind',
      description: 'About the *renewal*',
      starts_at: '2026-12-01T09:00:00.123Z',
      ends_at: '2026-12-01T09:00:00.124Z',
      timezone: 'Asia/Kathmandu',
      status: 'no_show',
      location: 'Room 4; east',
      conference_url: 'https://meet.example/abc',
      company_id: await newId('/companies', { name: 'Northwind' }),
      deal_id: await newId('/deals', { title: 'Rollout' }),
      owner_id: a.owner,
      ical_uid: 'every-field@example.com',
      recording_url: 'https://rec.example/abc',
      summary: 'They will *buy*',
    }
    const meeting = await newMeeting(given)
    assert.deepEqual({ ...meeting, ...given }, meeting)
    assert.deepEqual(await getMeeting(meeting.id), meeting)
  })

  test('answers times in UTC', async () => {
    const { starts_at } = await newMeeting({ starts_at: '2026-12-01T09:30:00+01:00' })
    assert.equal(starts_at, '2026-12-01T08:30:00.000Z')
  })

  const long = 'x'.repeat(65_537)
  const refused: [string, Given | (() => Given), string[]][] = [
    [
      'nothing at all',
      { title: undefined, starts_at: undefined, ends_at: undefined },
      ['/title', '/starts_at', '/ends_at'].map((each) => `${each} required`),
    ],
    ['an empty title', { title: ' ' }, ['/title empty']],
    ['a day as starts_at', { starts_at: '2026-12-01' }, ['/starts_at invalid_time']],
    ['an end at the start', { ends_at: TIMES.starts_at }, ['/ends_at wrong_order']],
    ['an end before the start', { ends_at: '2026-12-01T08:59:59.999Z' }, ['/ends_at wrong_order']],
    ['a zone that is none', { timezone: 'Mars/Base' }, ['/timezone invalid_timezone']],
    ['another status', { status: 'cancelled' }, ['/status invalid_choice']],
    ['a description over 64 KiB', { description: long }, ['/description too_long']],
    ['a summary over 64 KiB', { summary: long }, ['/summary too_long']],
    ['a location over 255', { location: 'x'.repeat(256) }, ['/location too_long']],
    ['a conference of another scheme', { conference_url: 'tel:+4930' }, ['/conference_url invalid_url']],
    ['a recording that is no address', { recording_url: 'x' }, ['/recording_url invalid_url']],
    ['an empty ical_uid', { ical_uid: '' }, ['/ical_uid empty']],
    ['an ical_uid over 255', { ical_uid: 'x'.repeat(256) }, ['/ical_uid too_long']],
    ['has_transcript', { has_transcript: true }, ['/has_transcript unknown_field']],
    ['an unknown company', { company_id: UNKNOWN }, ['/company_id reference_not_found']],
    ['an unknown deal', { deal_id: UNKNOWN }, ['/deal_id reference_not_found']],
    ['an unknown owner', { owner_id: UNKNOWN }, ['/owner_id reference_not_found']],
    ['a deactivated owner', () => ({ owner_id: server.a.deactivated }), ['/owner_id member_deactivated']],
    ['participants that are null', { participants: null }, ['/participants not_null']],
    ['somebody without anything', { participants: [{}] }, ['/participants/0 nobody']],
    ['somebody with a name alone', { participants: [{ name: 'Ana', email: null }] }, ['/participants/0 nobody']],
    ['an email that is none', { participants: [{ email: 'ana' }] }, ['/participants/0/email invalid_email']],
    [
      'another role',
      { participants: [{ email: 'a@x.example', role: 'chair' }] },
      ['/participants/0/role invalid_choice'],
    ],
    [
      'another response',
      { participants: [{ email: 'a@x.example', response: 'yes' }] },
      ['/participants/0/response invalid_choice'],
    ],
    [
      'a member of a participant that is none',
      { participants: [{ email: 'a@x.example', id: UNKNOWN }] },
      ['/participants/0/id unknown_field'],
    ],
    [
      'a name over 511',
      { participants: [{ email: 'a@x.example', name: 'x'.repeat(512) }] },
      ['/participants/0/name too_long'],
    ],
    [
      'a contact who is a member',
      { participants: [{ contact_id: UNKNOWN, member_id: UNKNOWN }] },
      ['/participants/0 contact_and_member'],
    ],
    [
      'unknown contacts and members',
      { participants: [{ email: 'a@x.example' }, { contact_id: UNKNOWN }, { member_id: UNKNOWN }] },
      ['/participants/1/contact_id reference_not_found', '/participants/2/member_id reference_not_found'],
    ],
    [
      'the same email twice',
      { participants: [{ email: 'a@x.example' }, { email: 'A@x.example' }] },
      ['/participants/1 repeated'],
    ],
    [
      'the same member by id and by email',
      () => ({ participants: [{ email: 'ANA@acme.example' }, { member_id: server.a.owner }] }),
      ['/participants/1 repeated'],
    ],
    [
      'two organizers',
      { participants: ['a', 'b'].map((name) => ({ email: `${name}@x.example`, role: 'organizer' })) },
      ['/participants more_than_one_organizer'],
    ],
    [
      'more than 500',
      { participants: Array.from({ length: 501 }, (_, n) => ({ email: `p${n}@x.example` })) },
      ['/participants too_many'],
    ],
  ]
  for (const [what, given, errors] of refused) {
    test(`refuses ${what} and writes nothing`, async () => {
      const { call, lastSeq } = server
      const seq = lastSeq()
      const more = typeof given === 'function' ? given() : given
      const { status, body } = await call('POST', '/meetings', { title: 'Fine', ...TIMES, ...more })
      assert.deepEqual([status, errorsOf(body)], [422, errors])
      assert.equal(lastSeq(), seq)
    })
  }

  test('takes 500 participants', async () => {
    const participants = Array.from({ length: 500 }, (_, n) => ({ email: `p${n}@many.example` }))
    assert.equal((await withParticipants(...participants)).length, 500)
  })

  test('refuses an ical_uid that another meeting has, and names that, but takes it in another organisation', async () => {
    const { a, b, call, lastSeq } = server
    const { id } = await newMeeting({ ical_uid: 'once@example.com' })
    const seq = lastSeq()
    const given = { title: 'Again', ...TIMES, ical_uid: 'once@example.com' }
    for (const [method, path] of [
      ['POST', '/meetings'],
      ['PATCH', `/meetings/${(await newMeeting()).id}`],
    ] as const) {
      const { status, body } = await call(method, path, given)
      assert.deepEqual([status, body.code, body.duplicate_id], [409, 'duplicate', id])
    }
    assert.equal(lastSeq(), seq + 1)
    assert.equal((await call('POST', '/meetings', given, { token: b.token })).status, 201)
    assert.equal((await patchMeeting(id, { ical_uid: null })).ical_uid, null)
    assert.equal((await call('POST', '/meetings', given, { token: a.token })).status, 201)
  })
})

describe('a participant', () => {
  test('is a member by the email, without case, active or not', async () => {
    const { a } = server
    assert.deepEqual(
      await withParticipants(
        { email: 'Gone@ACME.example', response: 'declined' },
        { email: 'ana@acme.example', name: 'A.', role: 'organizer' },
      ),
      [
        taking({ member_id: a.deactivated, email: 'Gone@ACME.example', name: 'Gone', response: 'declined' }),
        taking({ member_id: a.owner, email: 'ana@acme.example', name: 'A.', role: 'organizer' }),
      ],
    )
  })

  test('is else a contact by any of its emails, the oldest where several have it', async () => {
    const both = { emails: [{ email: 'first@who.example' }, { email: 'Shared@who.example' }] }
    const oldest = await newContact({ first_name: 'Ida', last_name: 'Olsen', ...both })
    await server.call('POST', '/contacts?allow_duplicate=true', { last_name: 'Later', ...both })
    assert.deepEqual(await withParticipants({ email: 'sHARED@who.example' }), [
      taking({ contact_id: oldest.id, email: 'sHARED@who.example', name: 'Ida Olsen' }),
    ])
  })

  test('is a member where a contact has the same email', async () => {
    await reachable('ana@acme.example')
    const [participant] = await withParticipants({ email: 'ana@acme.example' })
    assert.deepEqual([participant.member_id, participant.contact_id], [server.a.owner, null])
  })

  test('who is neither stays known by the email, also when a contact has it later', async () => {
    const meeting = await newMeeting({ participants: [{ email: 'stranger@who.example', name: 'Stranger' }] })
    assert.deepEqual(meeting.participants, [taking({ email: 'stranger@who.example', name: 'Stranger' })])
    const { id } = await reachable('stranger@who.example')
    assert.deepEqual(await getMeeting(meeting.id), meeting)
    assert.deepEqual(await patchMeeting(meeting.id, { participants: meeting.participants }), meeting)
    const [found] = (await patchMeeting(meeting.id, { participants: [{ email: 'stranger@who.example' }] })).participants
    assert.equal(found.contact_id, id)
  })

  test('of the other organisation is nobody here', async () => {
    const { b, call } = server
    await call('POST', '/contacts', { last_name: 'B', emails: [{ email: 'b@who.example' }] }, { token: b.token })
    const all = [{ email: 'b@who.example' }, { email: 'ana@birch.example' }]
    assert.deepEqual(await withParticipants(...all), all.map(taking))
  })

  test('given by id gets the email and the name that are missing, and keeps those that are given', async () => {
    const { a } = server
    const emails = [{ email: 'second@own.example' }, { email: 'main@own.example', is_primary: true }]
    const contact = await newContact({ first_name: 'Ida', last_name: 'Olsen', emails })
    const other = await reachable('other@own.example')
    assert.deepEqual(
      await withParticipants(
        { contact_id: contact.id },
        { member_id: a.owner, email: null },
        { contact_id: other.id, email: 'elsewhere@own.example', name: 'Nick' },
      ),
      [
        taking({ contact_id: contact.id, email: 'main@own.example', name: 'Ida Olsen' }),
        taking({ member_id: a.owner, email: 'ana@acme.example', name: 'Ana' }),
        taking({ contact_id: other.id, email: 'elsewhere@own.example', name: 'Nick' }),
      ],
    )
  })

  test('who shares a mailbox with another one has it only where it is free', async () => {
    const one = await reachable('office@own.example')
    const { body: two } = await server.call('POST', '/contacts?allow_duplicate=true', {
      last_name: 'Two',
      emails: [{ email: 'Office@own.example' }],
    })
    const meeting = await newMeeting({ participants: [{ contact_id: two.id }, { contact_id: one.id }] })
    assert.deepEqual(
      meeting.participants.map(({ contact_id, email }: Row) => [contact_id, email]),
      [
        [two.id, 'Office@own.example'],
        [one.id, null],
      ],
    )
    assert.deepEqual(await patchMeeting(meeting.id, { participants: meeting.participants }), meeting)
  })

  test('without an email is known by the name that a contact always has, however long', async () => {
    const names = { first_name: 'x'.repeat(255), last_name: 'y'.repeat(255) }
    const contact = await newContact(names)
    const meeting = await newMeeting({ participants: [{ contact_id: contact.id }] })
    assert.deepEqual(meeting.participants, [taking({ contact_id: contact.id, name: contact.name })])
    assert.deepEqual(await patchMeeting(meeting.id, { participants: meeting.participants }), meeting)
  })
})

describe('change', () => {
  test('writes one event with the fields that changed', async () => {
    const { advance, call, events, lastSeq } = server
    const meeting = await newMeeting({ title: 'Early' })
    const seq = lastSeq()
    advance(60_000)
    const { status, body, headers } = await call('PATCH', `/meetings/${meeting.id}`, {
      title: 'Late',
      status: 'completed',
    })
    const changed = { ...meeting, title: 'Late', status: 'completed', updated_at: inMs(0), version: 2 }
    assert.deepEqual([status, body], [200, changed])
    assert.equal(headers.get('etag'), '"2"')
    assert.deepEqual(await getMeeting(meeting.id), changed)
    const [event, ...more] = events(seq)
    assert.deepEqual(more, [])
    assert.deepEqual([event?.type, event?.object], ['meeting.updated', changed])
    assert.deepEqual(event?.changed_fields, ['title', 'status'])
    assert.deepEqual(event?.previous, { title: 'Early', status: 'scheduled' })
  })

  test('with {} or what came back answers 200 and writes nothing', async () => {
    const { a, lastSeq } = server
    const contact = await reachable('same@change.example')
    const gone = await newContact()
    const meeting = await newMeeting({
      participants: [
        { email: 'same@change.example' },
        { contact_id: gone.id },
        { member_id: a.owner, role: 'organizer', response: 'accepted' },
        { email: 'free@change.example' },
      ],
      timezone: 'Europe/Berlin',
      ical_uid: 'same@change',
    })
    await server.call('DELETE', `/contacts/${gone.id}`)
    const now = await getMeeting(meeting.id)
    assert.deepEqual(now.participants[1], taking({ name: gone.name }))
    await server.call('PATCH', `/contacts/${contact.id}`, { first_name: 'New', emails: [] })
    const { id, conversation_id, has_transcript, created_at, updated_at, version, ...written } = now
    const seq = lastSeq()
    for (const patch of [{}, written]) assert.deepEqual(await patchMeeting(id, patch), now)
    assert.equal(lastSeq(), seq)
  })

  test('replaces participants whole, down to none, and the filters follow', async () => {
    const { a, events, lastSeq } = server
    const [gone, comes] = [await newContact(), await newContact()]
    const { id } = await newMeeting({ participants: [{ contact_id: gone.id }, { member_id: a.owner }] })
    const own = `created_at[gte]=${(await getMeeting(id)).created_at}`
    const seq = lastSeq()
    await patchMeeting(id, { participants: [{ contact_id: comes.id }] })
    assert.deepEqual(
      [await meetingIds(`contact_id=${gone.id}`), await meetingIds(`contact_id=${comes.id}`)],
      [[], [id]],
    )
    assert.ok(!(await meetingIds(`member_id=${a.owner}&${own}`)).includes(id))
    assert.deepEqual((await patchMeeting(id, { participants: [] })).participants, [])
    assert.deepEqual(await meetingIds(`contact_id=${comes.id}`), [])
    assert.deepEqual(
      events(seq).map(({ type, changed_fields }) => [type, changed_fields]),
      [
        ['meeting.updated', ['participants']],
        ['meeting.updated', ['participants']],
      ],
    )
    assertSound()
  })

  test('to another order or another answer is a change', async () => {
    const meeting = await newMeeting({ participants: [{ email: 'a@order.example' }, { email: 'b@order.example' }] })
    const [one, two] = meeting.participants
    const turned = await patchMeeting(meeting.id, { participants: [two, one] })
    assert.deepEqual([turned.participants, turned.version], [[two, one], 2])
    const answered = [{ ...two, response: 'accepted' }, one]
    assert.deepEqual((await patchMeeting(meeting.id, { participants: answered })).participants, answered)
  })

  test('clears what is null', async () => {
    const given = {
      description: 'x',
      timezone: 'UTC',
      location: 'x',
      conference_url: 'https://x.example',
      owner_id: server.a.owner,
      company_id: await newId('/companies', { name: 'Cleared' }),
      deal_id: await newId('/deals', { title: 'Cleared' }),
      ical_uid: 'cleared',
      recording_url: 'https://x.example',
      summary: 'x',
    }
    const meeting = await newMeeting(given)
    const nothing = Object.fromEntries(Object.keys(given).map((name) => [name, null]))
    const cleared = await patchMeeting(meeting.id, nothing)
    assert.deepEqual({ ...cleared, ...nothing }, cleared)
  })

  for (const [what, patch, errors] of [
    ['an empty title', { title: '' }, ['/title empty']],
    ['a start behind the end', { starts_at: TIMES.ends_at }, ['/starts_at wrong_order']],
    ['an end before the start', { ends_at: TIMES.starts_at }, ['/ends_at wrong_order']],
    ['both the wrong way round', { starts_at: TIMES.ends_at, ends_at: TIMES.starts_at }, ['/ends_at wrong_order']],
    ['a null start', { starts_at: null }, ['/starts_at not_null']],
    ['has_transcript', { has_transcript: false }, ['/has_transcript unknown_field']],
    ['somebody by a name that nobody has', { participants: [{ name: 'Nobody' }] }, ['/participants/0 nobody']],
    ['an unknown deal', { deal_id: UNKNOWN }, ['/deal_id reference_not_found']],
  ] as const) {
    test(`refuses ${what}`, async () => {
      const meeting = await newMeeting()
      const { status, body } = await server.call('PATCH', `/meetings/${meeting.id}`, patch)
      assert.deepEqual([status, errorsOf(body)], [422, errors])
      assert.deepEqual(await getMeeting(meeting.id), meeting)
    })
  }

  test('of both times together may go beyond the old ones', async () => {
    const { id } = await newMeeting()
    const later = { starts_at: '2027-01-01T09:00:00.000Z', ends_at: '2027-01-01T10:00:00.000Z' }
    assert.deepEqual({ ...(await patchMeeting(id, later)), ...later }, await getMeeting(id))
    assert.deepEqual({ ...(await patchMeeting(id, TIMES)), ...TIMES }, await getMeeting(id))
  })
})

describe('delete', () => {
  test('takes the meeting with its links and what it was found by, and its notes stay, each with its event', async () => {
    const { a, advance, call, events, lastSeq, store } = server
    const contact = await newContact()
    const meeting = await newMeeting({
      title: 'Ephemeral',
      participants: [{ contact_id: contact.id }, { member_id: a.owner }],
    })
    const alone = await newRecord('/notes', { body: 'x', meeting_id: meeting.id })
    const linked = await newRecord('/notes', { body: 'x', meeting_id: meeting.id, contact_ids: [contact.id] })
    const seq = lastSeq()
    advance(1000)
    assert.equal((await call('DELETE', `/meetings/${meeting.id}`)).status, 204)
    assert.equal((await call('GET', `/meetings/${meeting.id}`)).status, 404)
    assert.deepEqual([await meetingIds(`contact_id=${contact.id}`), await meetingIds('q=ephemeral')], [[], []])
    assert.equal(store.db.prepare('SELECT count(*) FROM search_docs WHERE record_id = ?').pluck().get(meeting.id), 0)
    const notes = [alone, linked].map((note) => ({ ...note, meeting_id: null, updated_at: inMs(0), version: 2 }))
    for (const note of notes) assert.deepEqual((await call('GET', `/notes/${note.id}`)).body, note)
    assert.deepEqual(
      events(seq).map(({ type, object, changed_fields }) => [type, object, changed_fields]),
      [...notes.map((note) => ['note.updated', note, ['meeting_id']]), ['meeting.deleted', meeting, []]],
    )
    assertSound()
  })

  test('of a contact leaves it in its meetings by email and name, in the same transaction, each with its own event', async () => {
    const { advance, call, events, lastSeq } = server
    const [gone, stays] = [await reachable('gone@left.example'), await newContact()]
    const one = await newMeeting({ participants: [{ contact_id: gone.id, response: 'accepted' }] })
    const two = await newMeeting({ participants: [{ contact_id: stays.id }, { email: 'GONE@left.example' }] })
    const other = await newMeeting({ participants: [{ contact_id: stays.id }] })
    advance(1000)
    const seq = lastSeq()
    assert.equal((await call('DELETE', `/contacts/${gone.id}`)).status, 204)
    const left = (meeting: Row, index: number): Row => ({
      ...meeting,
      participants: meeting.participants.with(index, { ...meeting.participants[index], contact_id: null }),
      updated_at: inMs(0),
      version: 2,
    })
    const expected = [left(one, 0), left(two, 1)]
    assert.deepEqual(expected[1].participants[1], taking({ email: 'GONE@left.example', name: gone.name }))
    for (const meeting of [...expected, other]) assert.deepEqual(await getMeeting(meeting.id), meeting)
    const written = events(seq)
    assert.deepEqual(
      written.map(({ type, object_id, changed_fields }) => [type, object_id, changed_fields]),
      [...expected.map(({ id }) => ['meeting.updated', id, ['participants']]), ['contact.deleted', gone.id, []]],
    )
    assert.deepEqual(await meetingIds(`contact_id=${gone.id}`), [])
    assertSound()
  })

  test('of a contact who is a participant without email and name takes the participant out', async () => {
    const [gone, named, reached] = [await newContact(), await newContact(), await reachable('mira@nobody.example')]
    const participants = [
      { contact_id: gone.id, name: '' },
      { contact_id: named.id },
      { contact_id: reached.id, name: '' },
    ]
    const { id } = await newMeeting({ participants })
    for (const each of [gone, named, reached])
      assert.equal((await server.call('DELETE', `/contacts/${each.id}`)).status, 204)
    const { participants: left } = await getMeeting(id)
    assert.deepEqual(left, [taking({ name: named.name }), taking({ email: 'mira@nobody.example', name: '' })])
    assertSound()
  })

  test('of a company clears it from its meetings', async () => {
    const { call, events, lastSeq } = server
    const company = await newId('/companies', { name: 'Leaves' })
    const meeting = await newMeeting({ company_id: company })
    const seq = lastSeq()
    assert.equal((await call('DELETE', `/companies/${company}`)).status, 204)
    assert.deepEqual(
      events(seq).map(({ type, previous }) => [type, previous]),
      [
        ['meeting.updated', { company_id: company }],
        ['company.deleted', {}],
      ],
    )
    assert.equal((await getMeeting(meeting.id)).company_id, null)
  })
})

describe('list', () => {
  test('filters and sorts by each of its parameters', async () => {
    const { a, advance } = server
    const contact = await newContact()
    const [company, deal] = [await newId('/companies', { name: 'Filter' }), await newId('/deals', { title: 'Filter' })]
    advance(60_000)
    const start = inMs(0)
    const [soon, later, last] = [inMs(HOUR_MS), inMs(2 * HOUR_MS), inMs(3 * HOUR_MS)]
    const [one] = [await newMeeting({ starts_at: later, ends_at: last, participants: [{ contact_id: contact.id }] })]
    advance(1000)
    const two = await newMeeting({
      ends_at: last,
      starts_at: soon,
      status: 'canceled',
      owner_id: a.owner,
      participants: [{ member_id: a.deactivated }],
    })
    advance(1000)
    const three = await newMeeting({
      starts_at: inMs(-HOUR_MS),
      ends_at: soon,
      company_id: company,
      deal_id: deal,
      title: 'Déjeuner',
    })
    advance(1000)
    await patchMeeting(one.id, { location: 'in Łódź' })
    const [first, second, third] = [one.id, two.id, three.id]
    const expected: [string, string[]][] = [
      ['', [third, second, first]],
      ['status=scheduled', [third, first]],
      ['status[ne]=scheduled', [second]],
      ['status[in]=canceled,no_show', [second]],
      [`starts_at=${soon}`, [second]],
      [`starts_at[gte]=${soon}`, [second, first]],
      [`starts_at[lt]=${soon}`, [third]],
      [`starts_at[gt]=${soon}&starts_at[lte]=${later}`, [first]],
      [`contact_id=${contact.id}`, [first]],
      [`contact_id[in]=${contact.id},${UNKNOWN}`, [first]],
      [`member_id=${a.deactivated}`, [second]],
      [`member_id=${a.owner}`, []],
      [`company_id=${company}`, [third]],
      ['company_id=null', [second, first]],
      [`deal_id=${deal}`, [third]],
      ['deal_id=null', [second, first]],
      [`owner_id=${a.owner}`, [second]],
      ['owner_id=null', [third, first]],
      [`created_at=${start}`, [first]],
      [`updated_at[gt]=${three.updated_at}`, [first]],
      ['q=dejeuner', [third]],
      ['q=lodz', [first]],
      ['sort=created_at', [first, second, third]],
      ['sort=-updated_at', [first, third, second]],
      ['sort=starts_at', [third, second, first]],
      ['sort=-starts_at', [first, second, third]],
    ]
    for (const [query, found] of expected) {
      assert.deepEqual(await meetingIds(encodeURI(`created_at[gte]=${start}&${query}`)), found, query)
    }
  })

  test('searches title, description, location, summary, names and emails as they are now', async () => {
    const meeting = await newMeeting({
      title: 'Quarterly',
      description: 'Budget',
      location: 'Reykjavík',
      summary: 'Approved',
      participants: [{ email: 'zelda@found.example', name: 'Åsa Nygård' }],
    })
    for (const q of ['quart', 'BUDG', 'reykjavik', 'appr', 'nygard', 'zelda', 'quarterly asa found'])
      assert.deepEqual(await meetingIds(`q=${encodeURIComponent(q)}`), [meeting.id], q)
    await patchMeeting(meeting.id, { summary: null })
    await patchMeeting(meeting.id, { participants: [{ email: 'yann@found.example' }] })
    assert.deepEqual(
      [await meetingIds('q=approved'), await meetingIds('q=zelda'), await meetingIds('q=yann')],
      [[], [], [meeting.id]],
    )
    assertSound()
  })
})

describe('the transcript of a meeting', () => {
  /** As the transcript's own path does it. */
  const transcript = (meetingId: string, words: string | undefined, isThere = words !== undefined): void => {
    const { a, store, deps, now } = server
    store.transaction(() => {
      store.db.prepare('DELETE FROM transcripts WHERE meeting_id = ?').run(meetingId)
      if (words !== undefined)
        store.db
          .prepare(
            `INSERT INTO transcripts (org_id, id, meeting_id, speakers, duration_ms, word_count, words, created_at, updated_at, version)
             VALUES (?, ?, ?, '[]', 0, 0, ?, ?, ?, 1)`,
          )
          .run(a.org, store.clock.id(), meetingId, words, now(), now())
      meetingStore(deps).transcriptChanged({ org: a.org, member: a.owner }, meetingId, isThere)
    })
  }

  test('makes it found by what was said, and changes has_transcript once, with its event', async () => {
    const { advance, events, lastSeq } = server
    const meeting = await newMeeting({ title: 'Talk' })
    const seq = lastSeq()
    advance(1000)
    transcript(meeting.id, 'zucchini talk')
    const now = { ...meeting, has_transcript: true, updated_at: inMs(0), version: 2 }
    assert.deepEqual(await getMeeting(meeting.id), now)
    assert.deepEqual([await meetingIds('q=zucchini'), await meetingIds('q=talk%20zucch')], [[meeting.id], [meeting.id]])
    advance(1000)
    transcript(meeting.id, 'aubergine')
    assert.deepEqual(await getMeeting(meeting.id), now)
    assert.deepEqual([await meetingIds('q=zucchini'), await meetingIds('q=aubergine')], [[], [meeting.id]])
    const renamed = await patchMeeting(meeting.id, { title: 'Chat' })
    assert.deepEqual(
      [await meetingIds('q=aubergine'), await meetingIds('q=chat%20aubergine')],
      [[meeting.id], [meeting.id]],
    )
    transcript(meeting.id, undefined)
    assert.deepEqual(await getMeeting(meeting.id), { ...renamed, has_transcript: false, version: 4 })
    assert.deepEqual([await meetingIds('q=aubergine'), await meetingIds('q=chat')], [[], [meeting.id]])
    assert.deepEqual(
      events(seq).map(({ type, changed_fields }) => [type, changed_fields]),
      [
        ['meeting.updated', ['has_transcript']],
        ['meeting.updated', ['title']],
        ['meeting.updated', ['has_transcript']],
      ],
    )
    assertSound()
  })

  test('goes with it', async () => {
    const { call, store } = server
    const { id } = await newMeeting()
    transcript(id, 'parsnip')
    assert.equal((await call('DELETE', `/meetings/${id}`)).status, 204)
    assert.equal(store.db.prepare('SELECT count(*) FROM transcripts WHERE meeting_id = ?').pluck().get(id), 0)
    assert.deepEqual(await meetingIds('q=parsnip'), [])
  })
})
