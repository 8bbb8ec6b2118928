import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import fc from 'fast-check'
import { applySettings } from '../../src/app/settings/document.ts'
import { memberSettings } from '../../src/crm/members/settings.ts'
import { conversationStore } from '../../src/inbox/conversations/conversations.ts'
import { inboxKinds } from '../../src/inbox/conversations/jobs.ts'
import { messageStore } from '../../src/inbox/messages/messages.ts'
import { rowsOf, schedulerHarness } from '../store/jobs/scheduler-harness.ts'
import { inboxOf } from '../support/inbox.ts'
import { errorsOf, type Given, idOf, type Row, recordsOf, UNKNOWN } from '../support/records.ts'
import { examples } from '../support/seed.ts'
import { startServer, type TestServer } from '../support/server.ts'

let server: TestServer
const { newId, newContact, newCompany, newDeal, listIds } = recordsOf(() => server)
let scheduler: ReturnType<typeof schedulerHarness>
let inbox: ReturnType<typeof inboxOf>
let say: typeof inbox.say
let patch: typeof inbox.patch
let conversation: typeof inbox.conversation
let inMs: typeof inbox.inMs
before(async () => {
  server = await startServer()
  scheduler = schedulerHarness(server, { kinds: inboxKinds(server.deps) })
  inbox = inboxOf(server)
  ;({ say, patch, conversation, inMs } = inbox)
})
after(async () => {
  await scheduler.stop()
  await server.stop()
})
beforeEach(() => server.advance(1000))

const HOUR_MS = 3_600_000

let tags = 0
const newTag = () => newId('/tags', { name: `Tag ${++tags}` })

const conversationIds = (query: string) => listIds(`/conversations?${query}`)

const refusal = async (id: string, given: Given) => {
  const { status, body } = await server.call('PATCH', `/conversations/${id}`, given)
  return [status, ...errorsOf(body)]
}

/** A conversation of each status, and what was told on its way there. */
const withStatus = async (status: string): Promise<Row> => {
  const { id } = await inbox.opened()
  const given = status === 'snoozed' ? { snoozed_until: inMs(HOUR_MS) } : {}
  return patch(id, { status, ...given })
}

const NO_SLA = {
  policy_id: null,
  status: 'none',
  first_response_due_at: null,
  next_response_due_at: null,
  resolution_due_at: null,
  breaches: [],
}

describe('the first message', () => {
  test('of a contact opens a conversation with all that is known of it', async () => {
    const { events, lastSeq } = server
    const company_id = await idOf(newCompany())
    const contact_id = await idOf(newContact({ company_id }))
    const seq = lastSeq()
    const now = inMs(0)
    const message = await inbox.make('/messages', {
      contact_id,
      channel: 'phone',
      subject: 'Invoice 1042',
      direction: 'inbound',
      body_text: ' Where\n is  it? ',
    })
    const { number, ...made } = await conversation(message.conversation_id)
    assert.ok(number > 0)
    assert.deepEqual(made, {
      id: message.conversation_id,
      subject: 'Invoice 1042',
      channel: 'phone',
      status: 'open',
      priority: 'normal',
      owner_id: null,
      contact_id,
      company_id,
      deal_id: null,
      tag_ids: [],
      snoozed_until: null,
      unread_count: 1,
      read_at: null,
      waiting_since: now,
      first_response_at: null,
      last_message_at: now,
      preview: 'Where is it?',
      sla: NO_SLA,
      closed_at: null,
      created_at: now,
      updated_at: now,
      version: 1,
    })
    assert.deepEqual(
      events(seq).map(({ type, object, changed_fields, actor }) => [type, object, changed_fields, actor]),
      [
        ['conversation.created', { number, ...made }, [], server.a.owner],
        ['message.received', message, [], server.a.owner],
      ],
    )
  })

  test('of somebody unknown makes a contact first', async () => {
    const { events, lastSeq } = server
    const seq = lastSeq()
    const { id, contact_id } = await inbox.opened()
    const told = events(seq)
    assert.deepEqual(inbox.told(seq), ['contact.created', 'conversation.created', 'message.received'])
    assert.deepEqual([told[0]?.object_id, told[1]?.object_id], [contact_id, id])
    assert.deepEqual(told[1]?.object.contact_id, contact_id)
  })

  test('of a member counts as the first response, and nobody waits', async () => {
    const contact_id = await idOf(newContact())
    const message = await inbox.make('/messages', {
      contact_id,
      channel: 'sms',
      direction: 'outbound',
      body_text: 'We are here',
    })
    const made = await conversation(message.conversation_id)
    assert.deepEqual(
      [made.subject, made.unread_count, made.waiting_since, made.first_response_at, made.last_message_at, made.preview],
      [null, 0, null, inMs(0), inMs(0), 'We are here'],
    )
  })

  test('may be of an earlier time, which is not the one at which the conversation was made', async () => {
    const sent_at = inMs(-HOUR_MS)
    const made = await inbox.opened({ sent_at })
    assert.deepEqual([made.waiting_since, made.last_message_at], [sent_at, sent_at])
    assert.deepEqual([made.created_at, made.updated_at], [inMs(0), inMs(0)])
  })

  test('counts up in the organisation: what is refused takes no number, and others have their own', async () => {
    const first = await inbox.opened()
    const refused = await server.call('POST', '/messages', {
      contact_id: UNKNOWN,
      channel: 'chat',
      direction: 'inbound',
      body_text: 'x',
    })
    assert.equal(refused.status, 422)
    await say('inbound', first.id)
    const second = await inbox.opened()
    assert.equal(second.number, first.number + 1)
    const given = { from: { email: 'a@b.example' }, channel: 'chat', direction: 'inbound', body_text: 'x' }
    const { token } = server.b
    const { body } = await server.call('POST', '/messages', given, { token })
    const other = await server.call('GET', `/conversations/${body.conversation_id}`, undefined, { token })
    assert.equal(other.body.number, 1)
  })

  test('is what the preview shows, up to 200 characters, and a file by its name', async () => {
    const long = await inbox.opened({ body_text: '🦄'.repeat(201) })
    assert.equal(long.preview, '🦄'.repeat(200))
    const html = await inbox.opened({ body_text: undefined, body_html: '<p>One</p><p>two</p>' })
    assert.equal(html.preview, 'One two')
    const attachments = [{ name: 'order.pdf', data: 'AAAA' }]
    assert.equal((await inbox.opened({ body_text: undefined, attachments })).preview, 'order.pdf')
  })
})

describe('a message that comes in', () => {
  test('is unread, waits, and is what the conversation shows', async () => {
    const { events, lastSeq, advance } = server
    const { id, ...before } = await inbox.opened()
    advance(1000)
    const seq = lastSeq()
    const message = await say('inbound', id, { body_text: 'Anybody there?' })
    const now = await conversation(id)
    assert.deepEqual(now, {
      ...before,
      id,
      unread_count: 2,
      last_message_at: inMs(0),
      preview: 'Anybody there?',
      updated_at: inMs(0),
      version: 2,
    })
    const [first, second, ...more] = events(seq)
    assert.deepEqual([first?.type, first?.object, more], ['message.received', message, []])
    assert.deepEqual(second, {
      ...second,
      type: 'conversation.updated',
      object: now,
      changed_fields: ['unread_count', 'last_message_at', 'preview'],
      previous: { unread_count: 1, last_message_at: before.last_message_at, preview: 'Hello' },
    })
  })

  for (const [status, changed, event] of [
    ['open', [], 'conversation.updated'],
    ['pending', ['status'], 'conversation.updated'],
    ['snoozed', ['status', 'snoozed_until'], 'conversation.updated'],
    ['closed', ['status'], 'conversation.reopened'],
  ] as const) {
    test(`into one that is ${status} leaves it open, with ${event}`, async () => {
      const { id } = await withStatus(status)
      server.advance(1000)
      const seq = server.lastSeq()
      await say('inbound', id, { body_text: 'Again' })
      const now = await conversation(id)
      assert.deepEqual([now.status, now.snoozed_until, now.closed_at], ['open', null, null])
      const waits = status === 'closed' ? ['waiting_since'] : []
      const closed = status === 'closed' ? ['closed_at'] : []
      assert.deepEqual(inbox.told(seq), [
        'message.received',
        [event, ...changed, 'unread_count', ...waits, 'last_message_at', 'preview', ...closed].join(' '),
      ])
      assert.equal(now.waiting_since, status === 'closed' ? inMs(0) : inMs(-1000))
      assert.equal(rowsOf(server.store).length, 0, 'nothing is left to wake it')
    })
  }
})

describe('a message that goes out', () => {
  test('by a member is the first response once, and ends the waiting each time', async () => {
    const { advance, lastSeq } = server
    const { id } = await inbox.opened()
    advance(1000)
    const first = inMs(0)
    let seq = lastSeq()
    await say('outbound', id, { body_text: 'We look' })
    assert.deepEqual(inbox.told(seq), [
      'message.sent',
      'conversation.updated waiting_since first_response_at last_message_at preview',
    ])
    advance(1000)
    await say('inbound', id)
    assert.equal((await conversation(id)).waiting_since, inMs(0))
    advance(1000)
    seq = lastSeq()
    await say('outbound', id, { body_text: 'It is there' })
    const { first_response_at, waiting_since, unread_count } = await conversation(id)
    assert.deepEqual([first_response_at, waiting_since, unread_count], [first, null, 2])
    assert.deepEqual(inbox.told(seq), ['message.sent', 'conversation.updated waiting_since last_message_at preview'])
  })

  test('by the server is no answer of a member', async () => {
    const { store, deps, a } = server
    const { post } = messageStore(deps)
    const { id, waiting_since } = await inbox.opened()
    server.advance(1000)
    const by = (member: string | null, sent_at: string) =>
      store.transaction(() => {
        const given = { conversation_id: id, direction: 'outbound', body_text: 'We are closed', sent_at } as const
        return post({ org: a.org, member }, given)
      })
    const made = by(null, inMs(0)) as Row
    assert.deepEqual(made.author, { type: 'system', id: null, name: null, email: null, phone: null })
    by(null, inMs(-500))
    const now = await conversation(id)
    assert.deepEqual([now.waiting_since, now.first_response_at, now.last_message_at], [waiting_since, null, inMs(0)])
    await say('inbound', id, { sent_at: inMs(-800) })
    assert.equal((await conversation(id)).waiting_since, waiting_since)
    await say('outbound', id)
    await say('inbound', id, { sent_at: inMs(-100) })
    server.advance(1000)
    by(null, inMs(0))
    await say('inbound', id, { sent_at: inMs(-500) })
    const { waiting_since: waits } = await conversation(id)
    assert.equal(waits, inMs(-500), 'what went out by the server behind it has not answered it')
  })

  for (const status of ['open', 'pending', 'snoozed', 'closed']) {
    test(`leaves the status ${status} as it is`, async () => {
      const before = await withStatus(status)
      const seq = server.lastSeq()
      await say('outbound', before.id)
      const now = await conversation(before.id)
      assert.deepEqual([now.status, now.snoozed_until, now.closed_at], [status, before.snoozed_until, before.closed_at])
      assert.ok(inbox.told(seq)[1]?.startsWith('conversation.updated'))
      await patch(before.id, { status: 'open' })
    })
  }
})

describe('a note', () => {
  for (const status of ['open', 'pending', 'snoozed', 'closed']) {
    test(`in one that is ${status} changes nothing but the version, and is told as an update of the conversation`, async () => {
      const before = await withStatus(status)
      server.advance(1000)
      const seq = server.lastSeq()
      await say('note', before.id, { body_text: 'Call them' })
      const now = await conversation(before.id)
      assert.deepEqual(now, { ...before, updated_at: inMs(0), version: before.version + 1 })
      const [event, ...more] = server.events(seq)
      assert.deepEqual(
        [event?.type, event?.object, event?.changed_fields, event?.previous, more],
        ['conversation.updated', now, [], {}, []],
      )
      await patch(before.id, { status: 'open' })
    })
  }
})

describe('a message of an earlier time', () => {
  const at = (minute: number) => inMs(minute * 60_000)

  test('is not the last one, and not what the conversation shows', async () => {
    const { id } = await inbox.opened({ body_text: 'Newest', sent_at: at(-5) })
    const before = await conversation(id)
    for (const direction of ['inbound', 'outbound']) await say(direction, id, { body_text: 'Late', sent_at: at(-6) })
    const { last_message_at, preview, unread_count } = await conversation(id)
    assert.deepEqual([last_message_at, preview, unread_count], [before.last_message_at, 'Newest', 2])
  })

  /** Each message is a direction and its minute, in the order in which they are stored. */
  for (const [what, stored, waiting, first] of [
    ['that came in before the first that waits is the first then', ['in -5', 'in -9'], -9, null],
    ['that came in after the first that waits changes nothing', ['in -9', 'in -5', 'in -7'], -9, null],
    ['that was answered already does not wait', ['in -9', 'out -5', 'in -7'], null, -5],
    ['that came in after the last answer waits', ['in -9', 'out -8', 'out -3', 'in -5', 'in -2', 'in -4'], -2, -8],
    ['that answers only what was there then', ['in -9', 'in -5', 'out -7'], -5, -7],
    ['that answers the first of three', ['in -9', 'in -6', 'in -5', 'out -8'], -6, -8],
    ['that answers nothing', ['in -9', 'out -8', 'in -5', 'out -7'], -5, -8],
    ['that was the first answer after all', ['in -9', 'out -5', 'out -7'], null, -7],
    ['that went out before anybody wrote', ['in -5', 'out -9'], -5, -9],
    ['that came in when it was answered is answered', ['in -9', 'out -5', 'in -3', 'out -5', 'in -6'], -3, -5],
    ['that came in at the time of an answer, but after it, waits', ['in -9', 'out -5', 'in -3', 'in -5'], -5, -5],
    ['that answers what came in at its time', ['in -9', 'in -5', 'in -3', 'out -5'], -3, -5],
    ['that is a note is no message of either side', ['in -9', 'note -8', 'in -5'], -9, null],
  ] as [string, string[], number | null, number | null][]) {
    test(`${what}: ${stored.join(', ')}`, async () => {
      let id: string | undefined
      for (const one of stored) {
        const [side, minute] = one.split(' ')
        const direction = side === 'in' ? 'inbound' : side === 'out' ? 'outbound' : 'note'
        id = (await say(direction, id, { sent_at: at(Number(minute)) })).conversation_id
      }
      const { waiting_since, first_response_at } = await conversation(id as string)
      const expected = [waiting, first].map((minute) => (minute === null ? null : at(minute)))
      assert.deepEqual([waiting_since, first_response_at], expected)
    })
  }

  test('makes of a conversation what it would have made in its place, in whatever order they are stored', async () => {
    const message = fc.record({ minute: fc.integer({ min: 1, max: 40 }), isInbound: fc.boolean() })
    const story = fc.uniqueArray(message, { selector: ({ minute }) => minute, minLength: 2, maxLength: 7 })
    const play = async (messages: { minute: number; isInbound: boolean }[]) => {
      let id: string | undefined
      const contact_id = await idOf(newContact())
      for (const { minute, isInbound } of messages) {
        const where = id === undefined ? { contact_id, channel: 'chat' } : { conversation_id: id }
        const given = { direction: isInbound ? 'inbound' : 'outbound', body_text: `At ${minute}`, sent_at: at(-minute) }
        id = (await inbox.make('/messages', { ...where, ...given })).conversation_id
      }
      const { waiting_since, first_response_at, last_message_at, preview, unread_count } = await conversation(
        id as string,
      )
      return { waiting_since, first_response_at, last_message_at, preview, unread_count }
    }
    await fc.assert(
      fc.asyncProperty(story, async (messages) => {
        const inOrder = messages.toSorted((one, other) => other.minute - one.minute)
        assert.deepEqual(await play(messages), await play(inOrder))
      }),
      { numRuns: examples(25) },
    )
  })

  test('leaves settled what was settled by closing', async () => {
    const { advance } = server
    const { id } = await inbox.opened({ sent_at: at(-9) })
    await patch(id, { status: 'closed' })
    await patch(id, { status: 'open' })
    advance(60_000)
    const waiting = inMs(0)
    await say('inbound', id)
    await say('outbound', id, { sent_at: at(-20) })
    assert.equal((await conversation(id)).waiting_since, waiting)
    await say('inbound', id, { sent_at: at(-5) })
    assert.equal((await conversation(id)).waiting_since, at(-5))
    await say('outbound', id, { sent_at: at(-4) })
    assert.equal((await conversation(id)).waiting_since, waiting)
    const other = await inbox.opened({ sent_at: at(-9) })
    advance(1000)
    await patch(other.id, { status: 'closed' })
    advance(60_000)
    await say('inbound', other.id, { sent_at: at(-30) })
    assert.equal((await conversation(other.id)).waiting_since, at(-30))
    await say('outbound', other.id, { sent_at: at(-25) })
    assert.equal((await conversation(other.id)).waiting_since, null)
  })

  test('opens one that was closed since, where it waits unless it was answered', async () => {
    for (const [sent_at, waiting] of [
      [at(-3), at(-3)],
      [at(-5), null],
    ]) {
      const { id } = await inbox.opened({ sent_at: at(-9) })
      await say('outbound', id, { sent_at: at(-4) })
      await patch(id, { status: 'closed' })
      const seq = server.lastSeq()
      await say('inbound', id, { sent_at })
      const { status, waiting_since } = await conversation(id)
      assert.deepEqual([status, waiting_since], ['open', waiting])
      assert.ok(inbox.told(seq)[1]?.startsWith('conversation.reopened status'))
    }
  })

  test('that goes out into a closed one makes nobody wait', async () => {
    const { id } = await inbox.opened({ sent_at: at(-9) })
    await say('inbound', id, { sent_at: at(-5) })
    await patch(id, { status: 'closed' })
    await say('outbound', id, { sent_at: at(-7) })
    const { status, waiting_since, first_response_at } = await conversation(id)
    assert.deepEqual([status, waiting_since, first_response_at], ['closed', null, at(-7)])
  })
})

describe('a patch', () => {
  test('changes each field with its own event, and clears what is null', async () => {
    const { a, lastSeq, advance } = server
    const { id } = await inbox.opened({ subject: 'Order' })
    const given: Given = {
      subject: 'Order 7',
      priority: 'urgent',
      owner_id: a.owner,
      contact_id: await idOf(newContact()),
      company_id: await idOf(newCompany()),
      deal_id: await idOf(newDeal()),
      tag_ids: [await newTag(), await newTag()],
      status: 'pending',
      read_at: inMs(0),
    }
    let before = await conversation(id)
    for (const [name, value] of Object.entries(given)) {
      advance(1000)
      const seq = lastSeq()
      const after = await patch(id, { [name]: value })
      const unread = name === 'read_at' ? { unread_count: 0 } : {}
      assert.deepEqual(after, {
        ...before,
        ...unread,
        [name]: value,
        updated_at: inMs(0),
        version: before.version + 1,
      })
      const [event, ...more] = server.events(seq)
      const changed = [...Object.keys(unread), name]
      assert.deepEqual([event?.type, event?.object, more], ['conversation.updated', after, []])
      assert.deepEqual(event?.changed_fields, changed)
      assert.deepEqual(event?.previous, Object.fromEntries(changed.map((one) => [one, before[one]])))
      assert.equal(event?.actor, a.owner)
      assert.deepEqual(await conversation(id), after)
      before = after
    }
    const none = { subject: null, owner_id: null, contact_id: null, company_id: null, deal_id: null, read_at: null }
    const cleared = await patch(id, { ...none, tag_ids: [] })
    assert.deepEqual(cleared, { ...before, ...none, tag_ids: [], unread_count: 1, version: before.version + 1 })
  })

  test('with {} or equal values writes nothing', async () => {
    const { a, lastSeq } = server
    const { id } = await inbox.opened({ subject: 'Order' })
    const tag = await newTag()
    const before = await patch(id, {
      status: 'snoozed',
      snoozed_until: inMs(HOUR_MS),
      tag_ids: [tag, tag],
      owner_id: a.owner,
      read_at: inMs(0),
    })
    assert.deepEqual(before.tag_ids, [tag])
    const seq = lastSeq()
    const { subject, status, priority, owner_id, contact_id, tag_ids, snoozed_until, read_at } = before
    for (const same of [
      {},
      { subject, status, priority, owner_id, contact_id, tag_ids, snoozed_until, read_at },
      { snoozed_until: snoozed_until.replace('Z', '+00:00') },
    ])
      assert.deepEqual(await patch(id, same), before)
    assert.equal(lastSeq(), seq)
    await patch(id, { status: 'open' })
  })

  for (const [what, given, ...errors] of [
    ['a status that there is not', { status: 'done' }, '/status invalid_choice'],
    ['a null status', { status: null }, '/status invalid_choice'],
    ['a null priority', { priority: null }, '/priority invalid_choice'],
    ['an unknown owner', { owner_id: UNKNOWN }, '/owner_id reference_not_found'],
    ['an unknown contact', { contact_id: UNKNOWN }, '/contact_id reference_not_found'],
    ['an unknown company', { company_id: UNKNOWN }, '/company_id reference_not_found'],
    ['an unknown deal', { deal_id: UNKNOWN }, '/deal_id reference_not_found'],
    ['an unknown tag', { tag_ids: [UNKNOWN] }, '/tag_ids/0 reference_not_found'],
    ['null for tags', { tag_ids: null }, '/tag_ids not_null'],
    ['a subject that is too long', { subject: 'a'.repeat(256) }, '/subject too_long'],
    ['a time that is none', { read_at: 'now' }, '/read_at invalid_time'],
    ['snoozed without a time', { status: 'snoozed' }, '/snoozed_until required'],
    ['snoozed with null', { status: 'snoozed', snoozed_until: null }, '/snoozed_until required'],
    ['snoozed_until alone', { snoozed_until: '2099-01-01T00:00:00Z' }, '/snoozed_until not_snoozed'],
    [
      'snoozed_until with another status',
      { status: 'pending', snoozed_until: '2099-01-01T00:00:00Z' },
      '/snoozed_until not_snoozed',
    ],
    [
      'snoozed until the past',
      { status: 'snoozed', snoozed_until: '2026-11-20T08:36:00Z' },
      '/snoozed_until not_in_future',
    ],
    ...[
      'number',
      'channel',
      'unread_count',
      'waiting_since',
      'first_response_at',
      'last_message_at',
      'preview',
      'sla',
      'closed_at',
    ].map((name): [string, Given, string] => [name, { [name]: null }, `/${name} unknown_field`]),
  ] as [string, Given, ...string[]][]) {
    test(`refuses ${what}`, async () => {
      const before = await inbox.opened()
      const seq = server.lastSeq()
      assert.deepEqual(await refusal(before.id, given), [422, ...errors])
      assert.deepEqual(await conversation(before.id), before)
      assert.equal(server.lastSeq(), seq)
    })
  }

  test('refuses an owner who is deactivated', async () => {
    const { id } = await inbox.opened()
    assert.deepEqual(await refusal(id, { owner_id: server.a.deactivated }), [422, '/owner_id member_deactivated'])
  })

  test('of another version is 412', async () => {
    const { id } = await inbox.opened()
    const headers = { 'if-match': '"2"' }
    const { status, body } = await server.call('PATCH', `/conversations/${id}`, { priority: 'low' }, { headers })
    assert.deepEqual([status, body.code], [412, 'version_mismatch'])
    const ok = await server.call(
      'PATCH',
      `/conversations/${id}`,
      { priority: 'low' },
      { headers: { 'if-match': '"1"' } },
    )
    assert.deepEqual([ok.status, ok.headers.get('etag')], [200, '"2"'])
  })
})

describe('closing', () => {
  for (const status of ['open', 'pending', 'snoozed']) {
    test(`one that is ${status} ends the waiting, with one event also where more changes`, async () => {
      const before = await withStatus(status)
      server.advance(1000)
      const seq = server.lastSeq()
      const after = await patch(before.id, { status: 'closed', priority: 'low' })
      assert.deepEqual(after, {
        ...before,
        status: 'closed',
        priority: 'low',
        waiting_since: null,
        snoozed_until: null,
        closed_at: inMs(0),
        updated_at: inMs(0),
        version: before.version + 1,
      })
      const snoozed = status === 'snoozed' ? ['snoozed_until'] : []
      const changed = ['status', 'priority', ...snoozed, 'waiting_since', 'closed_at']
      assert.deepEqual(inbox.told(seq), [`conversation.closed ${changed.join(' ')}`])
      assert.equal(rowsOf(server.store).length, 0)
    })

    test(`and then making it ${status} is told as reopening, and nobody waits`, async () => {
      const closed = await withStatus('closed')
      const seq = server.lastSeq()
      const until = status === 'snoozed' ? { snoozed_until: inMs(HOUR_MS) } : {}
      const after = await patch(closed.id, { status, ...until })
      assert.deepEqual(after, { ...closed, status, ...until, closed_at: null, version: 3 })
      const snoozed = status === 'snoozed' ? ['snoozed_until'] : []
      assert.deepEqual(inbox.told(seq), [['conversation.reopened', 'status', ...snoozed, 'closed_at'].join(' ')])
      await patch(closed.id, { status: 'closed' })
    })
  }

  test('again changes nothing: it is closed since the first time', async () => {
    const closed = await withStatus('closed')
    server.advance(1000)
    assert.deepEqual(await patch(closed.id, { status: 'closed' }), closed)
    const seq = server.lastSeq()
    const after = await patch(closed.id, { status: 'closed', subject: 'Late' })
    assert.equal(after.closed_at, closed.closed_at)
    assert.deepEqual(inbox.told(seq), ['conversation.updated subject'])
  })
})

describe('snoozing', () => {
  const jobs = () => rowsOf(server.store).map(({ kind, key, due_at }) => [kind, key, due_at])

  test('lasts until its time; then the conversation wakes up by itself', async () => {
    const { advance, lastSeq, events } = server
    const { id } = await inbox.opened()
    const seq = lastSeq()
    const until = inMs(HOUR_MS)
    const before = await patch(id, { status: 'snoozed', snoozed_until: until })
    assert.deepEqual(inbox.told(seq), ['conversation.updated status snoozed_until'])
    assert.deepEqual(jobs(), [['conversation.wake', id, Date.parse(until)]])
    advance(HOUR_MS - 1)
    await scheduler.tick()
    server.store.transaction(() => conversationStore(server.deps).wake(server.a.org, id))
    assert.deepEqual(await conversation(id), before)
    advance(1)
    await scheduler.tick()
    const after = await conversation(id)
    assert.deepEqual(after, { ...before, status: 'open', snoozed_until: null, updated_at: until, version: 3 })
    const event = events(seq)[1]
    assert.deepEqual(
      [event?.type, event?.actor, event?.object, event?.changed_fields],
      ['conversation.updated', null, after, ['status', 'snoozed_until']],
    )
    assert.deepEqual([jobs(), events(seq).length], [[], 2])
  })

  test('anew lasts until the new time, earlier or later', async () => {
    const { advance } = server
    const { id } = await inbox.opened()
    await patch(id, { status: 'snoozed', snoozed_until: inMs(HOUR_MS) })
    for (const ms of [2 * HOUR_MS, 1]) {
      const snoozed_until = inMs(ms)
      assert.equal((await patch(id, { snoozed_until })).snoozed_until, snoozed_until)
      assert.deepEqual(jobs(), [['conversation.wake', id, Date.parse(snoozed_until)]])
    }
    assert.deepEqual(await refusal(id, { snoozed_until: inMs(0) }), [422, '/snoozed_until not_in_future'])
    assert.deepEqual(await refusal(id, { snoozed_until: null }), [422, '/snoozed_until required'])
    advance(1)
    await scheduler.tick()
    assert.equal((await conversation(id)).status, 'open')
  })

  test('ends with any other status, and then nothing wakes it', async () => {
    for (const status of ['open', 'pending', 'closed']) {
      const { id } = await withStatus('snoozed')
      const { snoozed_until } = await patch(id, { status, snoozed_until: null })
      assert.deepEqual([snoozed_until, jobs()], [null, []])
    }
  })

  test('whose time is over before the server came to wake it can still be changed', async () => {
    const { advance } = server
    const { id, snoozed_until } = await withStatus('snoozed')
    advance(2 * HOUR_MS)
    const after = await patch(id, { priority: 'high', status: 'snoozed', snoozed_until })
    assert.deepEqual([after.status, after.snoozed_until, after.priority], ['snoozed', snoozed_until, 'high'])
    await scheduler.tick()
    assert.equal((await conversation(id)).status, 'open')
  })
})

describe('read_at', () => {
  test('says up to when it was read: what was stored after it is unread, by their own times or not', async () => {
    const { advance } = server
    const { id } = await inbox.opened()
    const [first] = [inMs(0)]
    advance(1000)
    const second = inMs(0)
    await say('inbound', id, { sent_at: inMs(-HOUR_MS) })
    advance(1000)
    await say('outbound', id)
    await say('note', id)
    await say('inbound', id)
    const third = inMs(0)
    const before = Date.parse(first as string) - 1
    for (const [read_at, unread] of [
      [third, 0],
      [second, 1],
      [first, 2],
      [new Date(before).toISOString(), 3],
      ['1969-12-31T23:59:59.000Z', 3],
      [second, 1],
      [null, 3],
    ] as const) {
      const after = await patch(id, { read_at })
      assert.deepEqual([after.read_at, after.unread_count], [read_at, unread])
    }
    await patch(id, { read_at: third })
    await say('inbound', id)
    assert.equal((await conversation(id)).unread_count, 1, 'also in the same millisecond')
  })

  test('may be five minutes ahead, and is now then', async () => {
    const { id } = await inbox.opened()
    assert.deepEqual(await refusal(id, { read_at: inMs(5 * 60_000 + 1) }), [422, '/read_at in_future'])
    for (const ms of [5 * 60_000, 1]) {
      const { read_at, unread_count } = await patch(id, { read_at: inMs(ms) })
      assert.deepEqual([read_at, unread_count], [inMs(0), 0])
      server.advance(1000)
    }
  })
})

describe('what is deleted', () => {
  test('a contact leaves its conversations, each with its own event, and its messages keep who it was', async () => {
    const { call, events, lastSeq, advance, store } = server
    const contact_id = await idOf(newContact({ emails: [{ email: 'gone@firm.example' }] }))
    const [open, closed] = [await inbox.openedWith(contact_id), await inbox.openedWith(contact_id)]
    const other = await inbox.opened()
    const message = await say('inbound', other.id, { from: { email: 'GONE@firm.example', name: 'Once here' } })
    await say('outbound', open.id)
    await patch(closed.id, { status: 'closed' })
    const before = [await conversation(open.id), await conversation(closed.id)]
    const unchanged = await conversation(other.id)
    advance(1000)
    const seq = lastSeq()
    assert.equal((await call('DELETE', `/contacts/${contact_id}`)).status, 204)
    const expected = before.map((one) => ({
      ...one,
      contact_id: null,
      updated_at: inMs(0),
      version: one.version + 1,
    }))
    for (const one of [...expected, unchanged]) assert.deepEqual(await conversation(one.id), one)
    const told = events(seq)
    assert.deepEqual(
      told.map(({ type, object, changed_fields }) => [type, object.id, ...changed_fields]),
      [...expected.map(({ id }) => ['conversation.updated', id, 'contact_id']), ['contact.deleted', contact_id]].sort(
        (one, another) => (one[0] === another[0] ? 0 : one[0] === 'contact.deleted' ? 1 : -1),
      ),
    )
    assert.deepEqual(await inbox.get(`/messages/${message.id}`), {
      ...message,
      author: { ...message.author, id: null },
      updated_at: inMs(0),
      version: 2,
    })
    const [answer] = (await inbox.get(`/conversations/${open.id}/messages`)).data
    assert.deepEqual([answer.author.id, answer.version], [server.a.owner, 1])
    assert.deepEqual(store.db.pragma('foreign_key_check'), [])
    const { author } = await say('inbound', open.id)
    assert.deepEqual(author, { type: 'contact', id: null, name: null, email: null, phone: null })
  })

  test('a company leaves its conversations', async () => {
    const { call, lastSeq, store } = server
    const company_id = await idOf(newCompany())
    const one = await inbox.openedWith(await idOf(newContact({ company_id })))
    const seq = lastSeq()
    assert.equal((await call('DELETE', `/companies/${company_id}`)).status, 204)
    const after = await conversation(one.id)
    assert.deepEqual(after, { ...one, company_id: null, version: 2 })
    assert.deepEqual(inbox.told(seq, one.id), ['conversation.updated company_id'])
    assert.deepEqual(await conversationIds(`company_id=${company_id}`), [])
    assert.deepEqual(store.db.pragma('foreign_key_check'), [])
  })

  test('a tag leaves its conversations, with the one event of the tag', async () => {
    const { call, lastSeq, advance, store } = server
    const [gone, stays] = [await newTag(), await newTag()]
    const { id } = await inbox.opened()
    const before = await patch(id, { tag_ids: [gone, stays] })
    advance(1000)
    const seq = lastSeq()
    assert.equal((await call('DELETE', `/tags/${gone}`)).status, 204)
    assert.deepEqual(await conversation(id), { ...before, tag_ids: [stays], updated_at: inMs(0), version: 3 })
    assert.deepEqual(inbox.told(seq), ['tag.deleted'])
    assert.deepEqual([await conversationIds(`tag_id=${gone}`), await conversationIds(`tag_id=${stays}`)], [[], [id]])
    assert.deepEqual(store.db.pragma('foreign_key_check'), [])
  })
})

describe('the list', () => {
  test('filters and sorts by each of its parameters', async () => {
    const { a, advance } = server
    const [contact, company, deal] = [await idOf(newContact()), await idOf(newCompany()), await idOf(newDeal())]
    const [one, two] = [await newTag(), await newTag()]
    advance(60_000)
    const start = inMs(0)
    const first = await inbox.openedWith(contact, { channel: 'email', subject: 'Łódź order', body_text: 'Café' })
    advance(1000)
    const second = await inbox.opened({ body_text: 'Second' })
    advance(1000)
    const third = await inbox.opened({ channel: 'phone', body_text: 'Third' })
    await patch(first.id, { owner_id: a.owner, priority: 'high', company_id: company, tag_ids: [one, two] })
    advance(1000)
    await say('outbound', second.id, { body_text: 'Answered' })
    await say('note', second.id, { body_text: 'Internal remark' })
    await patch(second.id, { status: 'pending', deal_id: deal, tag_ids: [two] })
    advance(1000)
    await say('inbound', first.id, { body_text: 'And more' })
    const [waits, late] = [third.waiting_since, inMs(0)]
    const expected: [string, Row[]][] = [
      ['', [third, second, first]],
      ['status=open', [third, first]],
      ['status[ne]=open', [second]],
      ['status[in]=pending,closed', [second]],
      [`owner_id=${a.owner}`, [first]],
      ['owner_id=null', [third, second]],
      ['priority=high', [first]],
      ['priority[ne]=high', [third, second]],
      ['channel=phone', [third]],
      ['channel[in]=email,chat', [second, first]],
      [`contact_id=${contact}`, [first]],
      [`contact_id[ne]=${contact}`, [third, second]],
      ['contact_id=null', []],
      [`company_id=${company}`, [first]],
      [`deal_id=${deal}`, [second]],
      ['deal_id=null', [third, first]],
      [`tag_id=${one}`, [first]],
      [`tag_id[in]=${one},${two}`, [second, first]],
      ['sla.status=none', [third, second, first]],
      ['sla.status[in]=at_risk,breached', []],
      ['waiting_since=null', [second]],
      [`waiting_since=${waits}`, [third]],
      [`waiting_since[lt]=${waits}`, [first]],
      [`waiting_since[gte]=${waits}`, [third]],
      [`last_message_at=${late}`, [first]],
      [`last_message_at[lt]=${late}`, [third, second]],
      [`created_at=${start}`, [first]],
      [`updated_at[gte]=${late}`, [first]],
      ['q=lodz', [first]],
      ['q=cafe more', [first]],
      ['q=answered', [second]],
      ['q=remark', [second]],
      ['q=third', [third]],
      ['q=hello', []],
      ['sort=created_at', [first, second, third]],
      ['sort=-created_at', [third, second, first]],
      ['sort=last_message_at', [third, second, first]],
      ['sort=-last_message_at', [first, second, third]],
      ['sort=waiting_since', [first, third, second]],
      ['sort=-waiting_since', [third, first, second]],
      ['sort=-updated_at', [first, second, third]],
    ]
    for (const [query, found] of expected) {
      const ids = await conversationIds(encodeURI(`created_at[gte]=${start}&${query}`))
      assert.deepEqual(
        ids,
        found.map(({ id }) => id),
        query,
      )
    }
  })

  test('filters by how the promises stand', async () => {
    const { store, a, advance } = server
    advance(60_000)
    const start = inMs(0)
    const target = { first_response_s: 3600 }
    const sla = (targets: object) =>
      applySettings(store, a.org, { sla: [{ key: 'all', name: 'All', is_default: true, hours: null, targets }] })
    sla({ normal: target })
    const first = await inbox.opened()
    advance(2880_000)
    await scheduler.tick()
    const second = await inbox.opened()
    const third = await inbox.opened()
    await say('outbound', third.id)
    const [policy] = (await inbox.get('/sla')).data
    const stands = async (status: string) => conversationIds(`created_at[gte]=${start}&sla.status=${status}`)
    assert.deepEqual(
      [await stands('at_risk'), await stands('ok'), await stands('met'), await stands('none')],
      [[first.id], [second.id], [third.id], []],
    )
    const shown = await conversation(first.id)
    assert.deepEqual(shown.sla, {
      ...NO_SLA,
      policy_id: policy.id,
      status: 'at_risk',
      first_response_due_at: new Date(Date.parse(start) + HOUR_MS).toISOString(),
    })
    for (const { id } of [first, second, third]) await patch(id, { status: 'closed' })
    sla({})
    await scheduler.tick()
  })

  test('pages through what waits, and what does not', async () => {
    const { advance } = server
    advance(60_000)
    const start = inMs(0)
    const made: string[] = []
    for (let n = 0; n < 9; n++) {
      const { id } = await inbox.opened({ sent_at: inMs(-(n % 4) * HOUR_MS) })
      if (n % 3 === 0) await say('outbound', id)
      made.push(id)
    }
    const walk = async (query: string): Promise<number[]> => {
      const found: number[] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const path = `/conversations?created_at[gte]=${start}&${query}&limit=2${cursor && `&cursor=${cursor}`}`
        const { data, next_cursor } = await inbox.get(path)
        found.push(...data.map(({ id }: Row) => made.indexOf(id)))
        cursor = next_cursor
      }
      return found
    }
    assert.deepEqual(await walk('sort=waiting_since'), [7, 2, 1, 5, 4, 8, 0, 3, 6])
    assert.deepEqual(await walk('sort=-waiting_since'), [8, 4, 5, 1, 2, 7, 6, 3, 0])
    assert.deepEqual(await walk('waiting_since=null&sort=waiting_since'), [0, 3, 6])
    assert.deepEqual(await walk('sort=last_message_at'), [7, 2, 1, 5, 0, 3, 4, 6, 8])
  })

  test('searches subject, messages and notes as they are now', async () => {
    const { id } = await inbox.opened({ subject: 'Quarterly review', body_text: 'Budget approved' })
    await say('outbound', id, { body_text: undefined, body_html: '<b class="zebra">Wunder</b>bar' })
    await say('note', id, { body_text: 'Handle gently' })
    const found = async (...words: string[]) =>
      Promise.all(words.map(async (q) => (await conversationIds(`q=${encodeURIComponent(q)}`)).includes(id)))
    assert.deepEqual(await found('quarter', 'APPR', 'wunderbar', 'gently review'), [true, true, true, true])
    assert.deepEqual(await found('zebra', 'class'), [false, false])
    await patch(id, { subject: 'Yearly review' })
    assert.deepEqual(await found('quarterly', 'yearly', 'approved', 'wunderbar', 'gently'), [
      false,
      true,
      true,
      true,
      true,
    ])
    await patch(id, { subject: null })
    assert.deepEqual(await found('yearly', 'approved'), [false, true])
  })
})

describe('a conversation whose owner was deactivated', () => {
  test('comes back to all by a message, and does not wait for who has left', async () => {
    const store = server.store
    const { set, add } = memberSettings(store)
    const zoe = store.transaction(() =>
      add(server.a.org, { email: 'zoe@acme.example', name: 'Zoë', role: 'member', timezone: 'UTC' }),
    )
    const rows = {
      closed: await withStatus('closed'),
      snoozed: await withStatus('snoozed'),
      open: await inbox.opened(),
    }
    for (const { id } of Object.values(rows)) await patch(id, { owner_id: zoe.id })
    const setStatus = (status: 'active' | 'deactivated') =>
      store.transaction(() => void set(server.a.org, zoe.email, { status }))
    setStatus('deactivated')
    const seq = server.lastSeq()
    for (const { id } of Object.values(rows)) await say('inbound', id)
    const owners = async () => {
      const all = await Promise.all(Object.values(rows).map(({ id }) => conversation(id)))
      return all.map(({ status, owner_id }) => [status, owner_id])
    }
    assert.deepEqual(await owners(), [
      ['open', null],
      ['open', null],
      ['open', zoe.id],
    ])
    const told = server
      .events(seq)
      .find(({ object_id, type }) => object_id === rows.closed.id && type !== 'message.received')
    assert.ok(told?.changed_fields.includes('owner_id'))
    // Whoever is there gets it back.
    setStatus('active')
    await patch(rows.closed.id, { owner_id: zoe.id, status: 'closed' })
    await say('inbound', rows.closed.id)
    assert.equal((await conversation(rows.closed.id)).owner_id, zoe.id)
  })
})
