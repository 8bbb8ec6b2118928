import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { replyTags } from '../../src/inbox/mailboxes/reply-tags.ts'
import { type Whose, whoseAddresses } from '../../src/inbox/mailboxes/whose.ts'
import { deskOf, person } from '../support/desk.ts'
import { SUPPORT, setMailboxes } from '../support/mailbox.ts'
import { startServer, type TestServer } from '../support/server.ts'

// Whose an address is.

let server: TestServer
let desk: ReturnType<typeof deskOf>
before(async () => {
  server = await startServer()
  desk = deskOf(server, { aliases: ['Help@acme.example', 'desk+de@other.example'] })
})
after(() => server.stop())

describe('an address is', () => {
  const cases: [email: string, whose: Whose][] = [
    ['support@acme.example', 'mailbox'],
    ['SUPPORT@Acme.example', 'mailbox'],
    ['help@acme.example', 'alias'],
    ['support+shop@acme.example', 'alias'],
    ['help+a+b@acme.example', 'alias'],
    ['desk+de@other.example', 'alias'],
    ['desk+de+x@other.example', 'alias'],
    ['desk@other.example', 'domain'],
    ['ana@acme.example', 'member'],
    ['boss@acme.example', 'domain'],
    ['boss@mail.acme.example', 'domain'],
    ['support@acme.example.evil.example', 'outside'],
    ['support+c1-000000000000@firm.example', 'outside'],
    ['eva@firm.example', 'outside'],
    ['+@firm.example', 'outside'],
    ['not an address', 'outside'],
  ]
  for (const [email, whose] of cases)
    test(`${email}: ${whose}`, () => {
      assert.equal(whoseAddresses(server.deps).oursOf(server.a.org).whose(email), whose)
    })

  test('one that identifies a conversation, and not that of another organisation', () => {
    const { oursOf } = whoseAddresses(server.deps)
    const tag = replyTags(server.deps).addressOf(server.a.org, desk.boxes.support, 7)
    assert.deepEqual(
      [server.a.org, server.b.org].map((org) => oursOf(org).whose(tag)),
      ['tag', 'outside'],
    )
  })

  test('of somebody else at a provider for everybody', () => {
    setMailboxes(server, [{ ...SUPPORT, address: 'acme@gmail.com' }])
    const { whose } = whoseAddresses(server.deps).oursOf(server.a.org)
    deskOf(server, { aliases: ['Help@acme.example', 'desk+de@other.example'] })
    assert.deepEqual(['acme@gmail.com', 'acme+x@gmail.com', 'eva@gmail.com'].map(whose), [
      'mailbox',
      'alias',
      'outside',
    ])
  })
})

test('what stands behind a "+" makes nobody of our mailbox a person: in mails among ourselves, and in answers', async () => {
  const tagged = { email: 'support+shop@acme.example', name: null }
  const eva = person('Eva Plus')
  const first = await desk.arrive({ from: eva, to: [tagged] })
  const note = await desk.arrive({
    from: { email: 'sales@acme.example', name: 'Sales' },
    to: [tagged],
    inReplyTo: [first.external_id],
  })
  assert.deepEqual([note.direction, note.conversation_id], ['note', first.conversation_id])
  assert.deepEqual(note.conversation.waiting_since, first.sent_at)
  const answer = await desk.reply(first.conversation_id)
  assert.deepEqual([answer.to, answer.cc], [[eva], []])
  const own = await desk.arrive({ from: tagged, to: [eva], inReplyTo: [first.external_id] })
  assert.deepEqual([own.direction, own.conversation.contact_id], ['outbound', first.conversation.contact_id])
})
