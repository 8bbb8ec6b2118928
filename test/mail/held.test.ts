import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { waitingMails } from '../../src/inbox/mailboxes/waiting-mails.ts'
import { sendingStore } from '../../src/mail/sending.ts'
import { errorsOf, type Row } from '../support/records.ts'
import { type Screens, startScreens } from '../support/screens.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { startSmtp } from '../support/smtp.ts'
import { officeOf } from './office.ts'

// Mails that are held until a time, and what closes with them.

const MINUTE = 60_000
const AGAIN = { direction: 'outbound', body_text: 'Once more' }

let server: TestServer
let screens: Screens
let desk: ReturnType<typeof officeOf>
let inbox: (typeof desk)['inbox']
before(async () => {
  server = await startServer()
  screens = await startScreens(server)
  desk = officeOf(server)
  inbox = desk.inbox
})
after(async () => {
  await screens.stop()
  await server.stop()
})

const inMinutes = (minutes: number) => inbox.inMs(minutes * MINUTE)
const cancel = ({ id }: Row) => server.call('POST', `/messages/${id}/cancel`)
const conversationOf = ({ conversation_id }: Row) => inbox.conversation(conversation_id)
/** What of a conversation an answer would change. */
const state = async (message: Row) => {
  const { status, waiting_since, first_response_at, last_message_at, preview, sla } = await conversationOf(message)
  return { status, waiting_since, first_response_at, last_message_at, preview, sla }
}
const refusal = async (question: Row, given: Row) => {
  const { status, body } = await server.call('POST', '/messages', {
    conversation_id: question.conversation_id,
    direction: 'outbound',
    body_text: 'Later',
    ...given,
  })
  return [status, ...errorsOf(body)]
}

describe('a held mail', () => {
  test('leaves at its time, and answers nobody before, however often its mailbox is hurried', async (t) => {
    const smtp = await startSmtp(t)
    const { tick } = desk.office(t, smtp.server.port)
    const question = await desk.asked()
    const before = await state(question)
    const held = await desk.answer(question, { send_at: inMinutes(30) })
    assert.deepEqual([held.status, held.send_at, held.sent_at], ['queued', held.sent_at, inMinutes(30)])
    assert.deepEqual(await state(question), before)
    server.advance(29 * MINUTE)
    await tick()
    const { mailbox_id } = server.store.db
      .prepare('SELECT mailbox_id FROM message_headers WHERE message_id = ?')
      .get(held.id) as { mailbox_id: string }
    waitingMails(server.store).hurry(server.a.org, mailbox_id)
    await tick()
    assert.deepEqual([smtp.mails.length, await state(question)], [0, before])
    server.advance(MINUTE)
    await tick()
    assert.equal(smtp.mails.length, 1)
    const sent = await desk.now(held)
    assert.deepEqual([sent.status, sent.send_at, sent.sent_at], ['sent', null, new Date(server.now()).toISOString()])
    const { waiting_since, first_response_at, preview } = await state(question)
    assert.deepEqual([waiting_since, first_response_at], [null, sent.sent_at])
    assert.equal(preview, sent.body_text)
  })

  test('can be taken back until then, and is as if it had never been written', async (t) => {
    const smtp = await startSmtp(t)
    const { tick } = desk.office(t, smtp.server.port)
    const question = await desk.asked()
    const before = await state(question)
    const data = Buffer.from('a file').toString('base64')
    const held = await desk.answer(question, { send_at: inMinutes(5), attachments: [{ name: 'a.txt', data }] })
    const { status, body } = await cancel(held)
    assert.deepEqual([status, body.id, body.body_text], [200, held.id, held.body_text])
    assert.equal((await server.call('GET', `/messages/${held.id}`)).status, 404)
    assert.equal((await cancel(held)).status, 404)
    assert.equal(server.store.db.prepare('SELECT count(*) FROM jobs WHERE key = ?').pluck().get(held.id), 0)
    server.advance(10 * MINUTE)
    await tick()
    assert.deepEqual([smtp.mails.length, await state(question)], [0, before])
    const left = await desk.answer(question)
    await tick()
    assert.deepEqual([(await cancel(left)).status, (await cancel(left)).body.code], [409, 'not_held'])
    const note = await inbox.say('note', question.conversation_id)
    assert.equal((await cancel(note)).body.code, 'not_held')
  })

  test('does not go if they have written before, and a machine does not count', async (t) => {
    const smtp = await startSmtp(t)
    const { tick } = desk.office(t, smtp.server.port)
    const [one, two, three] = [await desk.asked(), await desk.asked(), await desk.asked()]
    const later = { send_at: inMinutes(5), send_unless_reply: true }
    const [dropped, sent] = [await desk.answer(one, later), await desk.answer(two, later)]
    const always = await desk.answer(three, { send_at: inMinutes(5) })
    for (const { conversation_id } of [one, three]) await inbox.say('inbound', conversation_id)
    const machine = await inbox.say('inbound', two.conversation_id)
    server.store.db.prepare('UPDATE messages SET is_automatic = 1 WHERE id = ?').run(machine.id)
    const seq = server.lastSeq()
    server.advance(5 * MINUTE)
    await tick()
    const { status, error, send_at } = await desk.now(dropped)
    assert.deepEqual([status, send_at], ['failed', null])
    assert.match(error, /they have written before/)
    assert.deepEqual(
      inbox.told(seq, dropped.id).map((told) => told.split(' ')[0]),
      ['message.failed'],
    )
    assert.notEqual((await conversationOf(one)).waiting_since, null)
    assert.equal((await desk.now(sent)).status, 'sent')
    assert.equal((await desk.now(always)).status, 'sent')
  })

  test('is no message that others thread by, and stops a second answer until it is taken back', async (t) => {
    const smtp = await startSmtp(t)
    const { tick } = desk.office(t, smtp.server.port)
    const question = await desk.asked()
    const held = await desk.answer(question, { send_at: inMinutes(5), last_seen_message_id: question.id })
    const second = { last_seen_message_id: question.id }
    assert.deepEqual((await refusal(question, second))[0], 409)
    const insisting = await desk.answer(question)
    await tick()
    assert.doesNotMatch(String(smtp.mails[0]?.source), new RegExp(held.external_id.slice(1, -1)))
    assert.equal((await desk.now(insisting)).in_reply_to, question.external_id)
    await cancel(held)
    // Who had seen it has seen all that was there.
    const seen = { ...AGAIN, conversation_id: question.conversation_id, last_seen_message_id: insisting.id }
    assert.equal((await server.call('POST', '/messages', seen)).status, 201)
    const gone = await desk.answer(question, { send_at: inMinutes(5) })
    await cancel(gone)
    assert.equal((await server.call('POST', '/messages', { ...seen, last_seen_message_id: gone.id })).status, 201)
  })

  test('is no answer either when another one is refused', async (t) => {
    const smtp = await startSmtp(t)
    const { tick } = desk.office(t, smtp.server.port)
    const question = await desk.asked()
    const { waiting_since } = await state(question)
    const reply = await desk.answer(question)
    await tick()
    const held = await desk.answer(question, { send_at: inMinutes(5) })
    const { bounced } = sendingStore(server.deps)
    await server.store.write(() => void bounced(server.a.org, reply.id, '550 no such user'))
    assert.deepEqual((await state(question)).waiting_since, waiting_since)
    await cancel(held)
    // Nor does one that has failed stop the next one.
    assert.equal(
      (
        await server.call('POST', '/messages', {
          ...AGAIN,
          conversation_id: question.conversation_id,
          last_seen_message_id: question.id,
        })
      ).status,
      201,
    )
  })

  test('is not held by a time that has passed, as when the network was away', async (t) => {
    desk.office(t, 1)
    const question = await desk.asked()
    const { send_at, status } = await desk.answer(question, { send_at: inMinutes(-1) })
    assert.deepEqual([send_at, status], [null, 'queued'])
    assert.equal((await state(question)).waiting_since, null)
  })

  test('needs a time in the next year, and a conversation by email', async (t) => {
    desk.office(t, 1)
    const question = await desk.asked()
    const at = inMinutes(5)
    const chat = await inbox.say('inbound')
    for (const [given, errors, into = question] of [
      [{ send_at: inMinutes(367 * 24 * 60) }, ['/send_at too_late']],
      [{ send_at: at, sent_at: inMinutes(-5) }, ['/send_at sent_already']],
      [{ send_at: at, direction: 'note' }, ['/send_at not_outbound_email']],
      [{ send_at: at }, ['/send_at not_outbound_email'], chat],
      [{ send_unless_reply: true }, ['/send_at required']],
    ] as [Row, string[], Row?][])
      assert.deepEqual(await refusal(into, given), [422, ...errors])
    const opening = { conversation_id: undefined, contact_id: question.author.id, channel: 'email', send_at: at }
    assert.deepEqual(await refusal(question, opening), [422, '/send_at opening'])
  })
})

describe('who has written while a reply was held', () => {
  test('waits on, since its writer has not seen that, and the conversation does not close', async (t) => {
    const smtp = await startSmtp(t)
    const { tick } = desk.office(t, smtp.server.port)
    for (const closes_conversation of [false, true]) {
      const question = await desk.asked()
      const reply = await desk.answer(question, { send_at: inMinutes(1), closes_conversation })
      server.advance(1000)
      const more = await inbox.say('inbound', question.conversation_id)
      server.advance(MINUTE)
      await tick()
      const { status, waiting_since, first_response_at } = await state(question)
      const sent = await desk.now(reply)
      assert.deepEqual([sent.status, status, waiting_since], ['sent', 'open', more.sent_at])
      assert.equal(first_response_at, sent.sent_at)
    }
    // The same while it waits for the mail server.
    const question = await desk.asked()
    await desk.answer(question, { closes_conversation: true })
    await inbox.say('inbound', question.conversation_id)
    await tick()
    assert.equal((await conversationOf(question)).status, 'open')
  })
})

describe('a held mail of somebody', () => {
  test('is taken back and sent at once by its writer alone', async (t) => {
    const smtp = await startSmtp(t)
    const { tick } = desk.office(t, smtp.server.port)
    const question = await desk.asked()
    const held = await desk.answer(question, { send_at: inMinutes(30), closes_conversation: true })
    const [other, owner] = [await screens.signedIn('admin'), await screens.signedIn({ id: server.a.owner })]
    const refused = await other.call('POST', `/api/v1/messages/${held.id}/cancel`)
    assert.deepEqual([refused.status, refused.body.code], [403, 'not_author'])
    const sendNow = (who = owner) => who.call('POST', `/app/messages/${held.id}/send-now`)
    assert.equal((await sendNow(other)).status, 403)
    const { status, body } = await sendNow()
    assert.deepEqual([status, body.id], [200, held.id])
    await tick()
    assert.deepEqual([(await desk.now(held)).status, (await conversationOf(question)).status], ['sent', 'closed'])
    assert.equal((await sendNow()).body.code, 'not_held')
  })

  test('does not go once its writer was deactivated', async (t) => {
    const smtp = await startSmtp(t)
    const { tick } = desk.office(t, smtp.server.port)
    const question = await desk.asked()
    const held = await desk.answer(question, { send_at: inMinutes(5) })
    const { author } = held
    const set = (status: string) =>
      server.store.db.prepare('UPDATE members SET status = ? WHERE id = ?').run(status, author.id)
    set('deactivated')
    server.advance(5 * MINUTE)
    await tick()
    set('active')
    const { status, error } = await desk.now(held)
    assert.deepEqual([status, smtp.mails.length], ['failed', 0])
    assert.match(error, /was deactivated/)
  })

  test('that does not go is in the bell of its writer and of whoever has the conversation', async (t) => {
    const smtp = await startSmtp(t)
    const { later } = desk.office(t, smtp.server.port)
    const [ben, kim] = [await screens.signedIn('member'), await screens.signedIn('member')]
    const bell = async (who: typeof ben): Promise<unknown[]> =>
      (await who.call('GET', '/app/notifications')).body.data
        .filter(({ kind }: Row) => kind === 'failed')
        .map(({ record }: Row) => record.id)
    const held = async (): Promise<string> => {
      const { conversation_id } = await desk.asked()
      await inbox.patch(conversation_id, { owner_id: kim.id })
      const given = { conversation_id, ...AGAIN, send_at: inMinutes(5), send_unless_reply: true }
      assert.equal((await ben.call('POST', '/api/v1/messages', given)).status, 201)
      return conversation_id
    }
    const answered = await held()
    await inbox.say('inbound', answered)
    await later(5 * MINUTE)
    assert.deepEqual([await bell(ben), await bell(kim)], [[answered], [answered]])
    const left = await held()
    server.store.db.prepare("UPDATE members SET status = 'deactivated' WHERE id = ?").run(ben.id)
    await later(5 * MINUTE)
    assert.deepEqual([await bell(kim), smtp.mails.length], [[left, answered], 0])
  })
})

describe('a reply that closes', () => {
  test('closes when the mail server has taken it, and not before', async (t) => {
    const smtp = await startSmtp(t)
    const { tick } = desk.office(t, smtp.server.port)
    const question = await desk.asked()
    await desk.answer(question, { closes_conversation: true })
    assert.equal((await conversationOf(question)).status, 'open')
    await tick()
    assert.equal((await conversationOf(question)).status, 'closed')
  })

  test('opens it again if it is refused later, and whoever waits is seen', async (t) => {
    const smtp = await startSmtp(t)
    const { tick } = desk.office(t, smtp.server.port)
    const question = await desk.asked()
    const before = await state(question)
    server.advance(MINUTE)
    const reply = await desk.answer(question, { closes_conversation: true })
    await tick()
    assert.equal((await state(question)).status, 'closed')
    server.advance(MINUTE)
    const { bounced } = sendingStore(server.deps)
    await server.store.write(() => void bounced(server.a.org, reply.id, '550 no such user'))
    const { status, waiting_since, first_response_at } = await state(question)
    assert.deepEqual([status, waiting_since, first_response_at], ['open', before.waiting_since, null])
    assert.equal((await desk.now(reply)).status, 'failed')
  })

  test('that fails later is told to its writer and to whoever has the conversation, and to nobody of a sequence', async (t) => {
    const smtp = await startSmtp(t)
    const { tick } = desk.office(t, smtp.server.port)
    const [ben, kim] = [await screens.signedIn('member'), await screens.signedIn('member')]
    const told = async (who: typeof ben): Promise<unknown[]> =>
      (await who.call('GET', '/app/notifications')).body.data
        .filter(({ kind }: Row) => kind === 'failed')
        .map(({ record, actor_id }: Row) => [record.kind, record.id, actor_id])
    const question = await desk.asked()
    const { conversation_id } = question
    await inbox.patch(conversation_id, { owner_id: kim.id })
    const given = { conversation_id, direction: 'outbound', body_text: 'Here it is.', closes_conversation: true }
    const { body: reply } = await ben.call('POST', '/api/v1/messages', given)
    await tick()
    assert.deepEqual([await told(ben), await told(kim)], [[], []])
    const { bounced } = sendingStore(server.deps)
    await server.store.write(() => void bounced(server.a.org, reply.id, '550 no such user'))
    const notice = ['conversations', conversation_id, null]
    assert.deepEqual([await told(ben), await told(kim)], [[notice], [notice]])
    // The page of a sequence says what became of its mails.
    const other = await desk.asked()
    await inbox.patch(other.conversation_id, { owner_id: kim.id })
    server.deps.react({ org: server.a.org, member: null }, 'message.failed', {
      ...{ id: other.id, conversation_id: other.conversation_id, enrollment_id: other.id },
      author: { type: 'member', id: ben.id },
    })
    assert.deepEqual([(await told(ben)).length, (await told(kim)).length], [1, 1])
  })

  test('closes at once where nothing has to be sent', async () => {
    const chat = await inbox.say('inbound')
    await inbox.say('outbound', chat.conversation_id, { closes_conversation: true })
    assert.equal((await inbox.conversation(chat.conversation_id)).status, 'closed')
    const other = await inbox.say('inbound')
    await inbox.say('note', other.conversation_id, { closes_conversation: true })
    assert.equal((await inbox.conversation(other.conversation_id)).status, 'open')
  })
})
