import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { heldStore } from '../../src/inbox/messages/held.ts'
import { deskOf, person } from '../support/desk.ts'
import { errorsOf, type Row } from '../support/records.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { setLevels } from '../support/settings.ts'

// A message that is passed on to somebody else, such as a supplier: the customer is as if nothing had happened.

const MINUTE = 60_000
const POLICY = {
  key: 'usual',
  name: 'Usual',
  hours: null,
  match: { field: 'priority', op: 'ne', value: 'low' },
  pause_on: [],
  targets: { normal: { first_response_s: 3600, next_response_s: 1800 } },
}

let server: TestServer
let desk: ReturnType<typeof deskOf>
before(async () => {
  server = await startServer()
  desk = deskOf(server, { has_reply_tags: true })
  setLevels(server.store, server.a.org, { sla: [POLICY] })
})
after(() => server.stop())

let count = 0
const somebody = (name: string, host = 'firm.example') => person(`${name} ${++count}`, host)
const forward = (of: Row, given: Row = {}) =>
  desk.reply(of.conversation_id, { forwards_message_id: of.id, to: [somebody('Parts', 'supply.example')], ...given })
const emails = (list: Row[]): string[] => list.map(({ email }) => email)
/** What of a conversation tells whether, and since when, the customer waits. */
const clocks = async ({ conversation_id }: Row) => {
  const { contact_id, waiting_since, first_response_at, sla } = await desk.conversation(conversation_id)
  return { contact_id, waiting_since, first_response_at, sla }
}
const refusal = async (given: Row) => {
  const { status, body } = await server.call('POST', '/messages', { direction: 'outbound', body_text: 'Fwd', ...given })
  return [status, ...errorsOf(body)]
}

describe('a forward', () => {
  test('answers nobody, and neither does what comes back: the clocks of the customer go on', async () => {
    const [eva, parts] = [somebody('Eva'), somebody('Parts', 'supply.example')]
    const first = await desk.arrive({ from: eva, subject: 'Re: Spindle' })
    const before = await clocks(first)
    assert.ok(before.waiting_since && before.sla.first_response_due_at)
    server.advance(MINUTE)
    const sent = await forward(first, { to: [parts] })
    assert.deepEqual([sent.forwards_message_id, emails(sent.to)], [first.id, [parts.email]])
    const { subject } = desk.out(sent)
    assert.equal(subject, 'Fwd: Spindle')
    assert.deepEqual(await clocks(first), before)
    server.advance(MINUTE)
    const answer = await desk.arrive({ from: parts, inReplyTo: [sent.external_id], subject: 'Re: Fwd: Spindle' })
    assert.equal(answer.conversation_id, first.conversation_id)
    assert.deepEqual(await clocks(first), before)
    server.advance(MINUTE)
    const reply = await desk.reply(first.conversation_id)
    assert.deepEqual([emails(reply.to), reply.cc, reply.bcc], [[eva.email], [], []])
    const after = await clocks(first)
    assert.deepEqual([after.waiting_since, after.first_response_at], [null, reply.sent_at])
  })

  test('is answered into the conversation, which opens, also if it was closed, and nobody waits in it', async () => {
    const first = await desk.arrive({ from: somebody('Eva') })
    await desk.reply(first.conversation_id)
    const parts = somebody('Parts', 'supply.example')
    const sent = await forward(first, { to: [parts] })
    await desk.patch(first.conversation_id, { status: 'closed' })
    server.advance(MINUTE)
    const { contact_id } = await desk.conversation(first.conversation_id)
    await desk.arrive({ from: parts, inReplyTo: [sent.external_id] })
    const now = await desk.conversation(first.conversation_id)
    assert.deepEqual([now.status, now.waiting_since, now.contact_id], ['open', null, contact_id])
    assert.equal(now.sla.next_response_due_at, null)
    // When a second answer fails, it is not the supplier who waits.
    await desk.failed(await desk.reply(first.conversation_id))
    assert.equal((await desk.conversation(first.conversation_id)).waiting_since, null)
    const outside = await desk.make('/messages', {
      ...{ conversation_id: first.conversation_id, direction: 'inbound', body_text: '80 EUR', from: parts },
      in_reply_to: sent.external_id,
    })
    assert.equal(outside.direction, 'inbound')
    assert.equal((await desk.conversation(first.conversation_id)).waiting_since, null)
  })

  test('that comes back does not keep a reply that waits for the customer', async () => {
    const first = await desk.arrive({ from: somebody('Eva') })
    const parts = somebody('Parts', 'supply.example')
    const sent = await forward(first, { to: [parts] })
    const given = { send_at: desk.inMs(MINUTE), send_unless_reply: true }
    const held = await desk.reply(first.conversation_id, given)
    server.advance(1000)
    await desk.arrive({ from: parts, inReplyTo: [sent.external_id] })
    server.advance(MINUTE)
    assert.equal(
      server.store.transaction(() => heldStore(server.deps).release(server.a.org, held.id)),
      true,
    )
    assert.equal((await desk.conversation(first.conversation_id)).waiting_since, null)
  })

  test('is no answer to the customer, even if it goes to the customer', async () => {
    const eva = somebody('Eva')
    const first = await desk.arrive({ from: eva })
    await forward(first, { to: [eva] })
    assert.equal((await desk.conversation(first.conversation_id)).waiting_since, first.sent_at)
    const given = { to: [eva], sent_at: desk.inMs(0) }
    await forward(first, given)
    assert.equal((await desk.conversation(first.conversation_id)).waiting_since, first.sent_at)
  })

  test('and what is written to the supplier are a thread of their own: no header names the others', async () => {
    const [eva, parts] = [somebody('Eva'), somebody('Parts', 'supply.example')]
    const first = await desk.arrive({ from: eva })
    const sent = await forward(first, { to: [parts] })
    assert.equal(sent.in_reply_to, null)
    assert.ok(desk.out(sent).references.every((id) => id.endsWith('@acme.example>')))
    const answer = await desk.arrive({ from: parts, inReplyTo: [sent.external_id], subject: 'Re: Fwd: Price' })
    const more = await desk.reply(first.conversation_id, { to: [parts], in_reply_to: answer.external_id })
    assert.equal(more.in_reply_to, answer.external_id)
    assert.equal(desk.out(more).subject, 'Re: Fwd: Price')
    const ids = [more.in_reply_to, ...desk.out(more).references]
    assert.ok(ids.includes(answer.external_id) && !ids.includes(first.external_id), String(ids))
    const reply = await desk.reply(first.conversation_id)
    const theirs = [reply.in_reply_to, ...desk.out(reply).references]
    assert.ok(theirs.includes(first.external_id) && !theirs.includes(answer.external_id), String(theirs))
    assert.ok(!theirs.includes(sent.external_id))
  })

  test('by a colleague stops no answer to the customer', async () => {
    const first = await desk.arrive({ from: somebody('Eva') })
    await forward(first)
    const reply = { conversation_id: first.conversation_id, direction: 'outbound', body_text: 'Here' }
    const { status } = await server.call('POST', '/messages', { ...reply, last_seen_message_id: first.id })
    assert.equal(status, 201)
  })

  test('needs somebody to go to, and a message of its conversation that is no note and has left', async () => {
    const first = await desk.arrive({ from: somebody('Eva') })
    const other = await desk.arrive({ from: somebody('Eva') })
    const { conversation_id } = first
    const note = await desk.say('note', conversation_id)
    const held = await desk.reply(conversation_id, { send_at: desk.inMs(MINUTE) })
    const to = [somebody('Parts', 'supply.example')]
    const id = { forwards_message_id: first.id }
    assert.deepEqual(await refusal({ conversation_id, ...id }), [422, '/to required'])
    assert.deepEqual(await refusal({ conversation_id, ...id, to: [] }), [422, '/to required'])
    for (const wrong of [other, note, held, { id: conversation_id }])
      assert.deepEqual(await refusal({ conversation_id, to, forwards_message_id: wrong.id }), [
        422,
        '/forwards_message_id not_found',
      ])
    const wrong = [422, '/forwards_message_id not_outbound_email']
    assert.deepEqual(await refusal({ conversation_id, ...id, direction: 'note' }), wrong)
    assert.deepEqual(await refusal({ conversation_id, ...id, direction: 'inbound' }), wrong)
    const chat = await desk.opened({ channel: 'chat' })
    assert.deepEqual(await refusal({ conversation_id: chat.id, ...id }), wrong)
  })
})
