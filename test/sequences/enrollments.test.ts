import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { applySettings } from '../../src/app/settings/document.ts'
import { contactStore } from '../../src/crm/contacts.ts'
import { errorsOf, type Given, recordsOf, UNKNOWN } from '../support/records.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { setLevels } from '../support/settings.ts'

let server: TestServer
const { newId } = recordsOf(() => server)
/** Ids of sequences by key. */
let sequences: Record<string, string>
before(async () => {
  server = await startServer()
  apply()
})
after(() => server.stop())

const HOUR_MS = 3_600_000
const email = { type: 'email', delay_s: 3600, subject: 'Hello', body: 'Hello {{contact.first_name}}' }
const again = { type: 'email', delay_s: 86_400, body: 'Once more' }
const call = { type: 'call', delay_s: 0, task_title: 'Call {{contact.name}}' }
const welcome = { key: 'welcome', name: 'Welcome', status: 'active', steps: [email, again] }

/** One active sequence, one of calls only, and one of each other status. */
function apply(): void {
  const others = ['draft', 'paused', 'archived'].map((status) => ({ ...welcome, key: status, status }))
  const calls = { ...welcome, key: 'calls', steps: [{ ...call, delay_s: 60 }] }
  sequences = setLevels(server.store, server.a.org, { sequences: [welcome, calls, ...others] })
}

let people = 0
const newContact = (given: Given = {}) =>
  newId('/contacts', { first_name: 'Ana', emails: [{ email: `ana${people++}@x.example` }], ...given })
const enroll = (given: Given, headers = {}) =>
  server.call('POST', '/enrollments', { sequence_id: sequences.welcome, ...given }, { headers })
const enrolled = async (given: Given = {}) => {
  const { status, body } = await enroll({ contact_id: await newContact(), ...given })
  assert.equal(status, 201, JSON.stringify(body))
  return body
}
const get = async (id: string) => (await server.call('GET', `/enrollments/${id}`)).body
const patch = (id: string, given: Given) => server.call('PATCH', `/enrollments/${id}`, given)

/** Returns the time that many milliseconds from now, as in JSON. */
const inMs = (ms: number) => new Date(server.now() + ms).toISOString()
const typesSince = (seq: number) => server.events(seq).map(({ type }) => type)

async function refused(given: Given, ...errors: string[]): Promise<void> {
  const seq = server.lastSeq()
  const { status, body } = await enroll(given)
  assert.equal(status, 422, JSON.stringify(body))
  assert.deepEqual(errorsOf(body), errors)
  assert.equal(server.lastSeq(), seq, 'nothing was written')
}

describe('one contact', () => {
  test('is enrolled: the answer is the enrollment, with its event', async () => {
    const contact_id = await newContact()
    const seq = server.lastSeq()
    const { status, body, headers } = await enroll({ contact_id })
    assert.equal(status, 201)
    assert.deepEqual(body, {
      id: body.id,
      sequence_id: sequences.welcome,
      sequence_version: 1,
      contact_id,
      sender_id: server.a.owner,
      deal_id: null,
      status: 'active',
      stop_reason: null,
      current_step: 0,
      next_step_at: inMs(HOUR_MS),
      conversation_id: null,
      replied_at: null,
      finished_at: null,
      created_at: body.created_at,
      updated_at: body.created_at,
      version: 1,
    })
    assert.equal(headers.get('location'), `/api/v1/enrollments/${body.id}`)
    assert.equal(headers.get('etag'), '"1"')
    const [event, ...more] = server.events(seq)
    assert.deepEqual([event?.type, event?.actor, event?.object], ['enrollment.created', server.a.owner, body])
    assert.deepEqual(more, [])
    assert.deepEqual(await get(body.id), body)
  })

  test('begins later where that is asked for, in any offset, and now where that has passed', async () => {
    const start = new Date(server.now() + 5 * HOUR_MS).toISOString().replace('Z', '+00:00')
    const later = await enrolled({ start_at: start })
    assert.deepEqual([later.status, later.next_step_at], ['scheduled', inMs(6 * HOUR_MS)])
    const now = await enrolled({ start_at: '2020-01-01T00:00:00Z' })
    assert.deepEqual([now.status, now.next_step_at], ['active', inMs(HOUR_MS)])
  })

  test('has another sender, and a deal, where they are given', async () => {
    const settings = { email: 'ben@acme.example', name: 'Ben', role: 'member' }
    const known = server.store.db
      .prepare("SELECT email, name, role FROM members WHERE org_id = ? AND status = 'active'")
      .all(server.a.org)
    applySettings(server.store, server.a.org, { members: [...known, settings] })
    const [ben] = (await server.call('GET', '/members?email=ben@acme.example')).body.data
    const deal_id = await newId('/deals', { title: 'Rollout' })
    const { sender_id, deal_id: of } = await enrolled({ sender_id: ben.id, deal_id })
    assert.deepEqual([sender_id, of], [ben.id, deal_id])
    assert.equal((await enrolled({ deal_id: null })).deal_id, null)
  })

  test('cannot be there twice in one sequence while it goes on, but in another, and afterwards', async () => {
    const contact_id = await newContact()
    const first = await enrolled({ contact_id })
    const seq = server.lastSeq()
    const { status, body } = await enroll({ contact_id })
    assert.deepEqual([status, body.code, body.duplicate_id], [409, 'already_enrolled', first.id])
    assert.equal(server.lastSeq(), seq)
    await enrolled({ contact_id, sequence_id: sequences.calls })
    await patch(first.id, { status: 'paused' })
    assert.equal((await enroll({ contact_id })).status, 409)
    await patch(first.id, { status: 'stopped' })
    await enrolled({ contact_id })
  })

  test('cannot be enrolled in a sequence that is not active', async () => {
    const contact_id = await newContact()
    for (const key of ['draft', 'paused', 'archived']) {
      const { status, body } = await enroll({ contact_id, sequence_id: sequences[key] })
      assert.deepEqual([status, body.code], [409, 'sequence_inactive'], key)
    }
  })

  test('who is to be left alone, has unsubscribed, or has no email for the mails is refused', async () => {
    const alone = await newContact({ do_not_contact: true })
    await refused({ contact_id: alone }, '/contact_id do_not_contact')
    await refused({ contact_id: alone, sequence_id: sequences.draft }, '/contact_id do_not_contact')
    const without = await newContact({ emails: [] })
    await refused({ contact_id: without }, '/contact_id no_email')
    await enrolled({ contact_id: without, sequence_id: sequences.calls })
    const gone = await newContact()
    server.store.db.prepare('UPDATE contacts SET unsubscribed_at = 1 WHERE id = ?').run(gone)
    await refused({ contact_id: gone }, '/contact_id unsubscribed')
  })

  test('may be asked for again under one key: it is enrolled once', async () => {
    const given = { contact_id: await newContact() }
    const [first, second] = [
      await enroll(given, { 'idempotency-key': 'k1' }),
      await enroll(given, { 'idempotency-key': 'k1' }),
    ]
    assert.deepEqual([first.status, second.status, second.text], [201, 201, first.text])
    assert.equal(second.headers.get('location'), first.headers.get('location'))
  })
})

describe('what is given', () => {
  test('names contacts in exactly one way', async () => {
    const contact_id = await newContact()
    await refused({}, ' one_of')
    await refused({ contact_id, contact_ids: [contact_id] }, ' one_of')
    await refused({ contact_ids: [contact_id], list_id: UNKNOWN }, ' one_of')
  })

  test('has up to 100 contacts, each once', async () => {
    const contact_id = await newContact()
    await refused({ contact_ids: [] }, '/contact_ids empty')
    await refused({ contact_ids: [contact_id, contact_id] }, '/contact_ids repeated')
    await refused({ contact_ids: Array.from({ length: 101 }, () => server.store.clock.id()) }, '/contact_ids too_many')
  })

  test('refers to what is there, and all of it is told that is not', async () => {
    const contact_id = await newContact()
    const gone = { sender_id: UNKNOWN, deal_id: UNKNOWN, sequence_id: UNKNOWN }
    await refused(
      { contact_ids: [contact_id, UNKNOWN], ...gone },
      ...['/sequence_id', '/contact_ids/1', '/sender_id', '/deal_id'].map(
        (pointer) => `${pointer} reference_not_found`,
      ),
    )
    await refused({ list_id: UNKNOWN }, '/list_id reference_not_found')
    await refused({ contact_id, sender_id: server.a.deactivated }, '/sender_id member_deactivated')
  })

  test('takes no status, no step and no time that is none', async () => {
    const contact_id = await newContact()
    await refused({ contact_id, status: 'paused' }, '/status unknown_field')
    await refused({ contact_id, current_step: 1 }, '/current_step unknown_field')
    await refused({ contact_id, start_at: 'tomorrow' }, '/start_at invalid_time')
    await refused({ contact_id, start_at: null }, '/start_at not_null')
  })

  test('begins so early that its first step comes before the year 10000', async () => {
    const contact_id = await newContact()
    const start_at = '9999-12-31T23:00:00.000Z'
    await refused({ contact_id, start_at }, '/start_at out_of_range')
    await refused({ contact_ids: [contact_id], start_at }, '/start_at out_of_range')
    const { next_step_at } = await enrolled({ contact_id, start_at: '9999-12-31T22:00:00.000Z' })
    assert.equal(next_step_at, start_at)
  })
})

describe('several contacts', () => {
  test('are enrolled as far as they can be, and the others are named with the reason', async () => {
    const [ana, bo, alone, without, gone] = [
      await newContact(),
      await newContact(),
      await newContact({ do_not_contact: true }),
      await newContact({ emails: [] }),
      await newContact(),
    ]
    server.store.db.prepare('UPDATE contacts SET unsubscribed_at = 1 WHERE id = ?').run(gone)
    await enrolled({ contact_id: bo })
    const seq = server.lastSeq()
    const { status, body, headers } = await enroll({ contact_ids: [without, ana, bo, gone, alone] })
    assert.equal(status, 201)
    assert.deepEqual(
      body.data.map(({ contact_id }: Given) => contact_id),
      [ana],
    )
    assert.deepEqual(body.skipped, [
      { contact_id: without, reason: 'no_email' },
      { contact_id: bo, reason: 'already_enrolled' },
      { contact_id: gone, reason: 'unsubscribed' },
      { contact_id: alone, reason: 'do_not_contact' },
    ])
    assert.deepEqual([headers.get('location'), headers.get('etag')], [null, null])
    assert.deepEqual(typesSince(seq), ['enrollment.created'])
    assert.deepEqual(await get(body.data[0].id), body.data[0])
  })

  test('are all skipped where the sequence is not active', async () => {
    const ids = [await newContact(), await newContact({ do_not_contact: true })]
    const { status, body } = await enroll({ contact_ids: ids, sequence_id: sequences.paused })
    assert.equal(status, 201)
    const skipped = ids.map((contact_id) => ({ contact_id, reason: 'sequence_inactive' }))
    assert.deepEqual(body, { data: [], skipped })
  })

  test('come from a list, static or smart, as it is at the moment', async () => {
    const ids = [await newContact({ source: 'fair' }), await newContact({ source: 'fair', do_not_contact: true })]
    await newContact({ source: 'elsewhere' })
    const filter = { field: 'source', op: 'eq', value: 'fair' }
    const smart = await newId('/lists', { name: 'Fair', object: 'contact', kind: 'smart', filter })
    const { body } = await enroll({ list_id: smart })
    assert.deepEqual(
      [body.data.map(({ contact_id }: Given) => contact_id), body.skipped],
      [[ids[0]], [{ contact_id: ids[1], reason: 'do_not_contact' }]],
    )
    const fixed = await newId('/lists', { name: 'Chosen', object: 'contact', kind: 'static' })
    assert.deepEqual((await enroll({ list_id: fixed })).body, { data: [], skipped: [] })
    await server.call('POST', `/lists/${fixed}/members`, { add_ids: ids })
    assert.equal((await enroll({ list_id: fixed, sequence_id: sequences.calls })).body.data.length, 1)
  })

  test('of a list that holds no contacts, or too many, are refused', async () => {
    const deals = await newId('/lists', { name: 'Deals', object: 'deal', kind: 'static' })
    await refused({ list_id: deals }, '/list_id wrong_object')
    const large = await newId('/lists', {
      name: 'Large',
      object: 'contact',
      kind: 'smart',
      filter: { field: 'source', op: 'eq', value: 'large' },
    })
    const { create } = contactStore(server.deps)
    const who = { org: server.a.org, member: null }
    const add = (count: number) =>
      server.store.write(() => {
        for (let n = 0; n < count; n++) create(who, { last_name: `L${n}`, source: 'large' })
        return null
      })
    await add(1000)
    const all = await enroll({ list_id: large, sequence_id: sequences.calls })
    assert.deepEqual([all.status, all.body.data.length], [201, 1000])
    await add(1)
    await refused({ list_id: large }, '/list_id list_too_large')
    assert.match((await enroll({ list_id: large })).body.errors[0].message, /at most 1000 contacts; this list has 1001/)
  })
})

test('a list of enrollments has filters by sequence, contact, status, sender and deal', async () => {
  const contact_id = await newContact()
  const deal_id = await newId('/deals', { title: 'Rollout' })
  const first = await enrolled({ contact_id, deal_id })
  const second = await enrolled({ contact_id, sequence_id: sequences.calls, start_at: inMs(HOUR_MS) })
  const idsOf = async (query: string) =>
    (await server.call('GET', `/enrollments?contact_id=${contact_id}&${query}`)).body.data.map(({ id }: Given) => id)
  assert.deepEqual(await idsOf(''), [second.id, first.id])
  assert.deepEqual(await idsOf('sort=updated_at'), [first.id, second.id])
  assert.deepEqual(await idsOf(`sequence_id=${sequences.calls}`), [second.id])
  assert.deepEqual(await idsOf('status[in]=scheduled,paused'), [second.id])
  assert.deepEqual(await idsOf(`deal_id=${deal_id}`), [first.id])
  assert.deepEqual(await idsOf('deal_id=null'), [second.id])
  assert.deepEqual(await idsOf(`sender_id=${server.a.owner}`), [second.id, first.id])
})

describe('a change', () => {
  test('of its status pauses it, has it go on, and stops it, each with its event', async () => {
    const { id, next_step_at } = await enrolled()
    const seq = server.lastSeq()
    const paused = await patch(id, { status: 'paused' })
    assert.deepEqual(
      [paused.status, paused.body.status, paused.body.next_step_at, paused.body.version],
      [200, 'paused', null, 2],
    )
    const active = await patch(id, { status: 'active' })
    assert.deepEqual([active.body.status, active.body.next_step_at, active.body.version], ['active', next_step_at, 3])
    const stopped = await patch(id, { status: 'stopped' })
    const { status, stop_reason, finished_at, next_step_at: none } = stopped.body
    assert.deepEqual([status, stop_reason, finished_at, none], ['stopped', 'manual', inMs(0), null])
    assert.deepEqual(typesSince(seq), ['enrollment.paused', 'enrollment.updated', 'enrollment.stopped'])
    const [event] = server.events(seq)
    assert.deepEqual(event?.changed_fields, ['status', 'next_step_at'])
  })

  test('that changes nothing writes nothing', async () => {
    const { id } = await enrolled()
    await patch(id, { status: 'stopped' })
    const seq = server.lastSeq()
    assert.equal((await patch(id, {})).status, 200)
    assert.equal((await patch(id, { status: 'stopped' })).body.version, 2)
    assert.equal(server.lastSeq(), seq)
  })

  test('of one that is over is refused', async () => {
    const { id } = await enrolled()
    await patch(id, { status: 'stopped' })
    for (const status of ['active', 'paused']) {
      const answer = await patch(id, { status })
      assert.deepEqual([answer.status, answer.body.code], [409, 'enrollment_finished'])
    }
  })

  test('to active is for one that is paused, in a sequence that is active', async () => {
    const { id } = await enrolled({ start_at: inMs(HOUR_MS) })
    assert.deepEqual((await patch(id, { status: 'active' })).body.code, 'enrollment_scheduled')
    await patch(id, { status: 'paused' })
    setLevels(server.store, server.a.org, { sequences: [{ ...welcome, status: 'paused' }] })
    const { status, body } = await patch(id, { status: 'active' })
    assert.deepEqual([status, body.code], [409, 'sequence_inactive'])
    apply()
    assert.equal((await patch(id, { status: 'active' })).status, 200)
  })

  test('knows these three statuses, and nothing else', async () => {
    const { id } = await enrolled()
    for (const [given, error] of [
      [{ status: 'completed' }, '/status invalid_choice'],
      [{ status: null }, '/status invalid_choice'],
      [{ sender_id: server.a.owner }, '/sender_id unknown_field'],
    ] as const) {
      const { status, body } = await patch(id, given)
      assert.deepEqual([status, errorsOf(body)], [422, [error]])
    }
  })
})
