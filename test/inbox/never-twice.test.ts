import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { deskOf, person } from '../support/desk.ts'
import { inboxOf } from '../support/inbox.ts'
import { errorsOf, type Row } from '../support/records.ts'
import { startServer, type TestServer } from '../support/server.ts'

// A reply says which message its writer has seen, so that nobody is answered twice.

let server: TestServer
let inbox: ReturnType<typeof inboxOf>
let first: Row
before(async () => {
  server = await startServer()
  inbox = inboxOf(server)
})
after(() => server.stop())
beforeEach(async () => {
  first = await inbox.say('inbound')
})

const answer = (seen: string | null, given: Row = {}) =>
  server.call('POST', '/messages', {
    conversation_id: first.conversation_id,
    direction: 'outbound',
    body_text: 'Here you are',
    last_seen_message_id: seen,
    ...given,
  })
const count = async (): Promise<number> =>
  (await inbox.get(`/conversations/${first.conversation_id}/messages`)).data.length

test('a reply is stored if its writer has seen the newest message of a person', async () => {
  await inbox.say('note', first.conversation_id)
  await inbox.say('inbound') // in another conversation
  assert.equal((await answer(first.id)).status, 201)
})

for (const direction of ['inbound', 'outbound'])
  test(`a reply is stopped by a newer ${direction} message, and stores nothing`, async () => {
    const newer = await inbox.say(direction, first.conversation_id)
    await inbox.say('outbound', first.conversation_id)
    const seq = server.lastSeq()
    const { status, body } = await answer(first.id)
    assert.deepEqual([status, body.code, body.message_id], [409, 'newer_message', newer.id])
    assert.deepEqual([await count(), server.lastSeq()], [3, seq])
    assert.equal((await answer(newer.id)).status, 409)
    assert.equal((await answer(null)).status, 201)
  })

test('of two replies at the same moment one goes', async () => {
  const all = await Promise.all([1, 2, 3, 4].map(() => answer(first.id)))
  assert.deepEqual(all.map(({ status }) => status).sort(), [201, 409, 409, 409])
  assert.equal(await count(), 2)
})

test('a note, a message that came in and a new conversation are never stopped', async () => {
  await inbox.say('outbound', first.conversation_id)
  for (const direction of ['note', 'inbound']) assert.equal((await answer(first.id, { direction })).status, 201)
  const other = await inbox.say('inbound')
  assert.equal((await answer(first.id, { conversation_id: other.conversation_id })).status, 409)
  assert.deepEqual(errorsOf((await answer('x')).body).slice(0, 1), ['/last_seen_message_id invalid_id'])
})

test('an automatic reply stops nobody', async () => {
  const desk = deskOf(server)
  const mail = await desk.arrive({ from: person('Eva') })
  await desk.arrive({ from: person('Eva'), inReplyTo: [mail.external_id], automatic: 'reply' })
  const given = { conversation_id: mail.conversation_id, direction: 'outbound', body_text: 'Yes' }
  assert.equal((await server.call('POST', '/messages', { ...given, last_seen_message_id: mail.id })).status, 201)
})
