import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { outgoingStore } from '../../src/inbox/messages/outgoing.ts'
import type { MailIn } from '../../src/lib/mail/mail.ts'
import { outgoingMails } from '../../src/mail/mail-out.ts'
import { sendingStore } from '../../src/mail/sending.ts'
import { deskOf, person } from '../support/desk.ts'
import { mailIn, SUPPORT } from '../support/mailbox.ts'
import type { Row } from '../support/records.ts'
import { startServer, type TestServer } from '../support/server.ts'

// Whose talk a mail belongs to. In a conversation are only people who have written to each other.

let server: TestServer
let desk: ReturnType<typeof deskOf>
before(async () => {
  server = await startServer()
  desk = deskOf(server)
})
after(() => server.stop())

let count = 0
const newId = (host = 'elsewhere.example'): string => `<thread${++count}@${host}>`
const ours = { email: SUPPORT.address, name: 'Acme Support' }
const nobody = { email: 'undisclosed@lists.example', name: null }

const isTogether = (one: Row, other: Row): boolean => one.conversation_id === other.conversation_id

describe('answers of strangers to one mass mail', () => {
  const cases: Record<string, () => Promise<string>> = {
    'that nobody here knows': async () => newId(),
    'that a colleague sent by Bcc, with us in To': async () => {
      const { external_id } = await desk.arrive({ from: ours, to: [ours] })
      return external_id
    },
    'that came in by Bcc from outside': async () => {
      const { external_id } = await desk.arrive({ to: [], deliveredTo: [SUPPORT.address] })
      return external_id
    },
    'that came in for an address which is not ours': async () => {
      const { external_id } = await desk.arrive({ to: [nobody] })
      return external_id
    },
  }
  for (const [name, root] of Object.entries(cases))
    test(`${name} are conversations of their own`, async () => {
      const id = await root()
      const headers = { inReplyTo: [id], references: [id] }
      const ana = await desk.arrive({ ...headers, from: person('Ana One') })
      const bert = await desk.arrive({ ...headers, from: person('Bert Two') })
      assert.equal(isTogether(ana, bert), false)
      assert.equal(bert.author.email, 'bert.two@firm.example')
      const answer = await desk.reply(ana.conversation_id)
      assert.deepEqual(
        answer.to.map(({ email }: Row) => email),
        ['ana.one@firm.example'],
      )
      const again = await desk.arrive({ ...headers, from: person('Ana One') })
      assert.equal(isTogether(ana, again), true, 'the same person goes on')
    })

  test('are conversations of their own also where each names the other one of a reader before', async () => {
    const [root, unseen] = [newId(), newId()]
    const ana = await desk.arrive({ inReplyTo: [unseen], references: [root, unseen], from: person('Ana Three') })
    const bert = await desk.arrive({ inReplyTo: [unseen], references: [root, unseen], from: person('Bert Four') })
    assert.equal(isTogether(ana, bert), false)
  })

  test('are one conversation if they wrote to each other', async () => {
    const root = newId()
    const ana = await desk.arrive({ inReplyTo: [root], from: person('Ana Five'), cc: [person('Bert Six')] })
    const bert = await desk.arrive({ inReplyTo: [root], from: person('Bert Six') })
    assert.equal(isTogether(ana, bert), true)
    const other = newId()
    const first = await desk.arrive({ inReplyTo: [other], from: person('Ana Seven') })
    const second = await desk.arrive({
      inReplyTo: [other],
      from: person('Bert Eight'),
      to: [ours, person('Ana Seven')],
    })
    assert.equal(isTogether(first, second), true)
  })
})

describe('a mail joins', () => {
  test('what was written to somebody by name, also from a colleague of theirs who was not on it', async () => {
    const question = await desk.arrive({ from: person('Eva Ruiz') })
    const colleague = await desk.arrive({
      inReplyTo: [question.external_id],
      from: person('Carl Ruiz', 'other.example'),
    })
    assert.equal(isTogether(question, colleague), true)
    const answer = await desk.reply(question.conversation_id)
    const boss = await desk.arrive({ inReplyTo: [answer.external_id], from: person('Boss Ruiz', 'other.example') })
    assert.equal(isTogether(question, boss), true)
  })

  test('the later answer of the same person, whatever the case of their address', async () => {
    const root = newId()
    const first = await desk.arrive({ inReplyTo: [root], from: person('Mia Lang') })
    const second = await desk.arrive({ inReplyTo: [root], from: { email: 'MIA.Lang@Firm.example', name: null } })
    assert.equal(isTogether(first, second), true)
  })

  test('the answer that came before it, unless that is by a stranger', async () => {
    const question = newId()
    const early = await desk.arrive({ inReplyTo: [question], from: person('Kim Early') })
    const stranger = await desk.arrive({ messageId: question, from: person('Zed Stranger') })
    assert.equal(isTogether(early, stranger), false)
    const own = newId()
    const answer = await desk.arrive({ inReplyTo: [own], from: person('Kim Later') })
    const late = await desk.arrive({ messageId: own, from: person('Kim Later') })
    assert.equal(isTogether(answer, late), true)
  })

  test('what we have signed in any of its references, unless it answers another mail that is here', async () => {
    const [first, second] = [await desk.arrive(), await desk.arrive()]
    const answer = await desk.reply(first.conversation_id)
    const { deps, a } = server
    const waiting = sendingStore(deps).waiting(a.org, answer.id)
    const { references } = outgoingMails(deps).mailOut(a.org, waiting as never, desk.boxes.support)
    const token = references[0] as string
    assert.match(token, /^<thread\+c\d+-[0-9a-f]{12}@acme\.example>$/)
    const next = await desk.arrive({ inReplyTo: [newId()], references: [token], from: person('Ines Alt') })
    assert.equal(isTogether(first, next), true)
    const nearer = { inReplyTo: [second.external_id], references: [token, second.external_id] }
    for (const from of [person('Ines Alt'), ours])
      assert.equal(isTogether(second, await desk.arrive({ ...nearer, from, to: [ours, second.author] })), true)
    const changed = token.replace(/-[0-9a-f]{2}/, (hex) => (hex === '-00' ? '-11' : '-00'))
    const forged = await desk.arrive({ references: [changed] })
    assert.equal(isTogether(first, forged), false)
  })

  test('a mail of ours by the id that its provider gave it, and never one of two', async () => {
    const first = await desk.arrive()
    const answer = await desk.reply(first.conversation_id)
    const { deps, store, a } = server
    const replaced = newId('provider.example')
    await store.write(() => void outgoingStore(deps).alias(a.org, answer.id, [replaced]))
    const next = await desk.arrive({ inReplyTo: [replaced], from: person('Ines Neu') })
    assert.equal(isTogether(first, next), true)
    const other = await desk.arrive()
    const second = await desk.reply(other.conversation_id)
    await store.write(() => void outgoingStore(deps).alias(a.org, second.id, [replaced, first.external_id]))
    assert.equal(isTogether(first, await desk.arrive({ inReplyTo: [replaced] })), true, 'the first one keeps it')
    assert.equal(isTogether(first, await desk.arrive({ inReplyTo: [first.external_id] })), true)
  })

  test('what was sent to nobody by name, if its own writer goes on, or somebody answers both them and us', async () => {
    const hidden = await desk.arrive({ from: person('Xaver Mass'), to: [nobody] })
    const to = [person('Xaver Mass'), ours]
    const open = await desk.arrive({ from: person('Bert Open'), to, inReplyTo: [hidden.external_id] })
    assert.equal(isTogether(hidden, open), true)
    const more = await desk.arrive({ from: person('Xaver Mass'), inReplyTo: [hidden.external_id] })
    assert.equal(isTogether(hidden, more), true)
  })

  test('what the contact of its conversation goes on with, also where only a colleague of theirs named it', async () => {
    const first = await desk.arrive({ from: person('Eva Chief') })
    const root = newId()
    const headers = { inReplyTo: [first.external_id], references: [root] }
    const colleague = { ...headers, inReplyTo: [root], references: [first.external_id] }
    const joined = await desk.arrive({ ...colleague, from: person('Carl Chief') })
    assert.equal(isTogether(first, joined), true)
    assert.equal(isTogether(first, await desk.arrive({ inReplyTo: [root], from: person('Eva Chief') })), true)
  })

  test('nothing by its subject alone', async () => {
    const [one, other] = [await desk.arrive({ subject: 'Invoice 7' }), await desk.arrive({ subject: 'Re: Invoice 7' })]
    assert.equal(isTogether(one, other), false)
  })
})

describe('who got a mail of ours by Bcc', () => {
  const emails = (list: Row[]): string[] => list.map(({ email }) => email)
  let round = 0

  /** A mail to Ana, with Bert and Cora in Bcc, and what is on the wire of it. */
  async function mailed(given: (people: Row) => Row = () => ({})) {
    const n = ++round
    const people = {
      ana: person(`Ana ${n}`, `one${n}.example`),
      bert: person(`Bert ${n}`, `two${n}.example`),
      cora: person(`Cora ${n}`, 'gmail.com'),
    }
    const { ana, bert, cora } = people
    const contact = await desk.make('/contacts', {
      first_name: 'Ana',
      emails: [{ email: ana.email, is_primary: true }],
    })
    const sent = await desk.make('/messages', {
      ...{ contact_id: contact.id, channel: 'email', subject: 'New prices', direction: 'outbound', body_text: 'Hello' },
      ...{ to: [ana], bcc: [bert, cora], ...given(people) },
    })
    const { messageId, references } = desk.out(sent)
    await desk.sent(sent)
    server.advance(1000)
    const answering = { inReplyTo: [messageId], references: [...references, messageId] }
    const replaced = { inReplyTo: [newId('provider.example')], references: [...references, newId('provider.example')] }
    return { ...people, sent, answering, replaced }
  }

  for (const id of ['answering', 'replaced'] as const)
    test(`answers in a conversation of their own, and goes on there: ${id}`, async () => {
      const { ana, bert, cora, sent, ...ids } = await mailed()
      const [b, c] = [
        await desk.arrive({ ...ids[id], from: bert, text: 'We take 500.' }),
        await desk.arrive({ ...ids[id], from: cora }),
      ]
      const a = await desk.arrive({ ...ids[id], from: ana })
      assert.equal(new Set([sent, b, c].map(({ conversation_id }) => conversation_id)).size, 3)
      assert.equal(isTogether(sent, a), true)
      for (const [who, message] of [
        [ana, a],
        [bert, b],
        [cora, c],
      ] as const) {
        assert.deepEqual([message.author.email, message.conversation.waiting_since], [who.email, message.sent_at])
        const answer = await desk.reply(message.conversation_id)
        assert.deepEqual([emails(answer.to), answer.cc, answer.bcc], [[who.email], [], []])
        const wire = desk.out(answer)
        server.advance(1000)
        const again = await desk.arrive({ from: who, inReplyTo: [wire.messageId], references: wire.references })
        assert.equal(isTogether(message, again), true)
        const old = await desk.arrive({ ...ids[id], from: who })
        assert.equal(isTogether(message, old), true, 'also with another answer to the first mail')
      }
    })

  test('is in it once they write to who is, or are written to by name', async () => {
    const { ana, bert, cora, sent, answering } = await mailed()
    assert.equal(isTogether(sent, await desk.arrive({ ...answering, from: bert, cc: [ana] })), true)
    assert.equal(isTogether(sent, await desk.arrive({ ...answering, from: bert })), true)
    await desk.reply(sent.conversation_id, { to: [ana, cora] })
    assert.equal(isTogether(sent, await desk.arrive({ ...answering, from: cora })), true)
  })

  test('does not bring in somebody to whom they passed it on, but those who are in it by name do', async () => {
    const { ana, sent, answering } = await mailed()
    const host = ana.email.split('@')[1] as string
    assert.equal(isTogether(sent, await desk.arrive({ ...answering, from: person('Carl', host) })), true)
    assert.equal(isTogether(sent, await desk.arrive({ ...answering, from: person('Dora', 'gmail.com') })), false)
  })

  test('is no stranger as a member, who makes none of the others', async () => {
    const member = { email: 'ana@acme.example', name: 'Ana' }
    const { sent, answering } = await mailed(() => ({ bcc: [member] }))
    assert.equal(isTogether(sent, await desk.arrive({ ...answering, from: member })), true)
    assert.equal(isTogether(sent, await desk.arrive({ ...answering, from: person('Passed On', 'web.de') })), true)
  })

  test('opens their own where nobody was written to by name', async () => {
    const { ana, bert, cora, sent, answering } = await mailed(({ ana, bert, cora }) => ({
      ...{ to: [], bcc: [ana, bert, cora] },
    }))
    const all = [await desk.arrive({ ...answering, from: bert }), await desk.arrive({ ...answering, from: cora })]
    assert.equal(new Set([sent, ...all].map(({ conversation_id }) => conversation_id)).size, 3)
    assert.equal(isTogether(sent, await desk.arrive({ ...answering, from: ana })), true, 'the contact')
  })
})

test('a mail by Bcc of which only a colleague is in To brings no strangers together', async () => {
  const boss = { email: 'boss@acme.example', name: 'Boss' }
  const root = await desk.arrive({ from: ours, to: [boss, person('Ina Named', 'named.example')] })
  assert.equal(isTogether(root, await desk.arrive({ from: person('Any One'), inReplyTo: [root.external_id] })), true)
  const first = await desk.arrive()
  const hidden = await desk.reply(first.conversation_id, { to: [boss] })
  await desk.sent(hidden)
  const inReplyTo = [hidden.external_id]
  assert.equal(isTogether(hidden, await desk.arrive({ from: boss, inReplyTo })), true)
  assert.equal(isTogether(hidden, await desk.arrive({ from: person('Some Stranger'), inReplyTo })), false)
})

describe('one mail in two mailboxes', () => {
  const both = async (given: Row, other: Row, second = desk.boxes.sales): Promise<Row> => {
    const mail = mailIn({ date: server.now() - 60_000, ...given })
    await desk.take(mail)
    const { outcome } = await desk.take(mailIn({ ...mail, digest: '', ...other }), second)
    return { ...(await desk.stored(mail.messageId)), outcome }
  }

  test('is one message that names both', async () => {
    const message = await both({ text: 'Same' }, {})
    assert.equal(message.outcome, 'skipped')
    const same = { subject: null, body_text: null, body_html: null }
    assert.deepEqual(message.copies, [{ mailbox: 'sales', received_at: message.sent_at, ...same }])
  })

  test('is one message also where a gateway changed one of them, and both can be read', async () => {
    for (const [given, other, kept] of [
      [
        { text: 'Hello' },
        { text: 'Hello\n\nThis mail was scanned.' },
        { body_text: 'Hello\n\nThis mail was scanned.' },
      ],
      [{ text: 'Order 7' }, { text: 'Order 7', subject: '[EXTERN] Order' }, { subject: '[EXTERN] Order' }],
      [
        { text: 'See http://a.example' },
        { text: 'See http://safe.example/a' },
        { body_text: 'See http://safe.example/a' },
      ],
      [
        { text: 'Dear all, the pump leaks since Monday. Yours, Eva' },
        { text: 'CAUTION: external. Dear all, the pump leaks since Monday. Yours: Eva' },
        { body_text: 'CAUTION: external. Dear all, the pump leaks since Monday. Yours: Eva' },
      ],
    ]) {
      const message = await both(given as Row, other as Row)
      assert.equal(message.outcome, 'skipped')
      const same = { subject: null, body_text: null, body_html: null }
      assert.deepEqual(message.copies, [{ mailbox: 'sales', received_at: message.sent_at, ...same, ...(kept as Row) }])
    }
  })

  test('is two if the sender or the time differs, or no time is known', async () => {
    for (const [given, other] of [
      [{}, { from: person('Some Else'), text: 'Other' }],
      [{}, { date: server.now() - 61_000, text: 'Other' }],
      [{ date: null }, { date: null, text: 'Other' }],
    ]) {
      const { outcome, copies } = await both(given as Row, other as Row)
      assert.deepEqual([outcome, copies], ['imported', []])
    }
  })

  test('in one mailbox is one if something was only added, else two', async () => {
    const { support } = desk.boxes
    const added = await both({ text: 'Hello' }, { text: 'Hello\n-- \nA list' }, support)
    assert.deepEqual([added.outcome, added.copies.length], ['skipped', 1])
    const other = await both({ text: 'Pay 10' }, { text: 'Pay 99' }, support)
    assert.deepEqual([other.outcome, other.copies], ['imported', []])
  })

  test('that comes again and again is noted once', async () => {
    const mail = mailIn({ date: server.now() })
    await desk.take(mail)
    for (let n = 0; n < 3; n++) await desk.take(mail, desk.boxes.sales)
    assert.equal((await desk.stored(mail.messageId))?.copies.length, 1)
    for (let n = 0; n < 15; n++)
      await desk.take(mailIn({ ...mail, digest: '', text: `${mail.text} ${n}` }), desk.boxes.sales)
    assert.equal((await desk.stored(mail.messageId))?.copies.length, 10, 'bounded')
  })

  test('is one of its own if its text has no more room in the message', async () => {
    const text = 'word '.repeat(40_000)
    const mail = mailIn({ date: server.now(), text })
    await desk.take(mail)
    const again = (more: string) => desk.take(mailIn({ ...mail, digest: '', text: text + more }), desk.boxes.sales)
    assert.deepEqual([(await again('one')).outcome, (await again('two')).outcome], ['skipped', 'imported'])
    assert.equal((await desk.stored(mail.messageId))?.copies.length, 1)
  })

  test('is two by two mailboxes as well if the text is another one: both are announced, and wait', async () => {
    const first = await desk.arrive({ text: 'Hello', date: server.now() - 60_000 })
    await desk.patch(first.conversation_id, { status: 'closed', read_at: desk.inMs(0) })
    const seq = server.lastSeq()
    const other = mailIn({
      ...{ messageId: first.external_id, from: first.author, date: server.now() - 60_000, subject: 'URGENT' },
      text: 'Please cancel my contract by tomorrow.',
    })
    assert.deepEqual(await desk.take(other, desk.boxes.sales), { outcome: 'imported' })
    assert.equal(server.events(seq).filter(({ type }) => type === 'message.received').length, 1)
  })

  test('is told of, by its conversation, and found by its words', async () => {
    const first = await desk.arrive({ text: 'Hello', date: server.now() - 60_000, subject: 'A' })
    const seq = server.lastSeq()
    const given = { messageId: first.external_id, from: first.author, date: server.now() - 60_000, subject: 'A' }
    await desk.take(mailIn({ ...given, text: 'Hello zyxwvut' }), desk.boxes.sales)
    assert.deepEqual(desk.told(seq, first.conversation_id), ['conversation.updated'])
    const { data } = await desk.get('/conversations?q=zyxwvut')
    assert.deepEqual(
      data.map(({ id }: Row) => id),
      [first.conversation_id],
    )
    const { waiting_since, unread_count } = await desk.conversation(first.conversation_id)
    assert.deepEqual([waiting_since, unread_count], [first.sent_at, 1])
  })

  describe('of which only the later one has a file', () => {
    const bytes = Buffer.from('%PDF order')
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const file = { name: 'order.pdf', content_type: 'application/pdf', cid: null, bytes, sha256 }
    const trace = (result: 'pass' | 'fail'): MailIn['trace'] => [
      { kind: 'results', host: '127.0.0.1', results: { spf: result, dkim: null, dmarc: result } },
    ]
    let last = 0
    async function twice(one: Partial<MailIn>, other: Partial<MailIn>, mailbox = desk.boxes.support) {
      const base = {
        messageId: newId(),
        from: person(`Dyn ${++last}`),
        date: server.now() - 1000,
        text: 'See the order.',
      }
      const first = await desk.arrive({ ...base, digest: `first${last}`, ...one })
      const second = mailIn({ ...base, files: [file], digest: `second${last}`, ...other })
      const { outcome } = await desk.take(second, mailbox)
      return { outcome, first, again: await desk.get(`/messages/${first.id}`), second }
    }

    for (const box of ['support', 'sales'] as const)
      test(`is one, and has it: by ${box}`, async () => {
        const { outcome, again, second } = await twice({}, {}, desk.boxes[box])
        assert.equal(outcome, 'skipped')
        assert.deepEqual(
          again.attachments.map(({ name }: Row) => name),
          ['order.pdf'],
        )
        assert.match(again.error, /^The file "order.pdf" came with a later copy/)
        const { text } = await server.call('GET', `/messages/${again.id}/attachments/${again.attachments[0].id}`)
        assert.equal(text, '%PDF order')
        await desk.take(second, desk.boxes[box])
        const { attachments } = await desk.get(`/messages/${again.id}`)
        assert.equal(attachments.length, 1, 'once')
      })

    test('is two if our server is less sure of the sender', async () => {
      for (const [one, other] of [
        ['pass', undefined],
        [undefined, 'fail'],
      ] as const) {
        const { outcome, again } = await twice(one ? { trace: trace(one) } : {}, other ? { trace: trace(other) } : {})
        assert.deepEqual([outcome, again.attachments], ['imported', []])
      }
      const { outcome } = await twice({ trace: trace('pass') }, { trace: trace('pass') })
      assert.equal(outcome, 'skipped')
    })
  })
})
