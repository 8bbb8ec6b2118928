import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { MailIn } from '../../src/lib/mail/mail.ts'
import { sendingStore } from '../../src/mail/sending.ts'
import { deskOf, person } from '../support/desk.ts'
import { mailIn, SUPPORT, setMailboxes } from '../support/mailbox.ts'
import type { Row } from '../support/records.ts'
import { startServer, type TestServer } from '../support/server.ts'

// Who wrote a mail, whether a person did, and what our own people send.

let server: TestServer
let desk: ReturnType<typeof deskOf>
before(async () => {
  server = await startServer()
  desk = deskOf(server)
})
after(() => server.stop())

const ours = { email: SUPPORT.address, name: 'Acme Support' }
const sales = { email: 'sales@acme.example', name: 'Acme Sales' }
let count = 0

/** A mail of these header fields, as it comes in. */
async function received(fields: Record<string, string>, body = 'Hello.'): Promise<Row> {
  const all = { From: `Eva <eva${++count}@firm.example>`, To: SUPPORT.address, ...fields }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  const mail = await desk.parsed([`Message-ID: <written${count}@firm.example>`, ...lines, '', body])
  await desk.take(mail)
  const message = (await desk.stored(mail.messageId)) as Row
  return { ...message, conversation: await desk.conversation(message.conversation_id) }
}

describe('who waits for an answer', () => {
  const ONE_CLICK = {
    'List-Unsubscribe': '<https://u.shop.example>',
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  }
  const people: Record<string, Record<string, string>> = {
    'a person by a group that is our own address': {
      'List-Id': '<help.acme.example>',
      Precedence: 'list',
      'List-Unsubscribe': '<mailto:leave@groups.example>',
    },
    'a person by a list whose address is ours': { 'Mailing-List': 'list support@acme.example', Precedence: 'list' },
    'a person by a sending service that only adds a way to unsubscribe': {
      'List-Unsubscribe': '<https://u.x.example>',
    },
    'a person whose mail a rule of Exchange passed on': {
      'Auto-Submitted': 'auto-generated',
      'X-MS-Exchange-Inbox-Rules-Loop': SUPPORT.address,
    },
    'a person whose mail Gmail passed on': {
      'Auto-Submitted': 'auto-generated',
      'X-Forwarded-To': SUPPORT.address,
      'X-Forwarded-For': 'info@acme.example support@acme.example',
    },
    'a person whose mail was passed on, as it says': { 'Auto-Submitted': 'auto-forwarded' },
    'a visitor by the form of a service that sends it as mass mail': {
      From: 'Forms <no-reply@forms.example>',
      'Reply-To': 'Vi <vi@visitor.example>',
      Precedence: 'bulk',
      ...ONE_CLICK,
    },
    'a visitor by a form that says that a program wrote it': {
      From: 'Site <wordpress@site.example>',
      'Reply-To': 'vi2@visitor.example',
      'Auto-Submitted': 'auto-generated',
    },
    'who writes about an absence': { Subject: 'Out of office: who takes my calls?' },
  }
  for (const [name, fields] of Object.entries(people))
    test(name, async () => {
      const { is_automatic, conversation } = await received(fields)
      assert.deepEqual([is_automatic, conversation.waiting_since === null], [false, false])
    })

  const machines: Record<string, Record<string, string>> = {
    'no newsletter': { 'List-Id': '<news.shop.example>', Precedence: 'bulk', ...ONE_CLICK },
    'no mass mail with one click to unsubscribe': ONE_CLICK,
    'no newsletter that a service sends for a shop': {
      From: 'Shop <no-reply@mailer.service.example>',
      'Reply-To': 'Shop <info@shop.example>',
      'List-Id': '<news.shop.example>',
      Precedence: 'bulk',
      ...ONE_CLICK,
    },
    'no list of others': { 'List-Id': '<dev.project.example>', Precedence: 'list' },
    'no program that says so': { 'Auto-Submitted': 'auto-generated' },
    'no automatic reply by our own group': { 'Auto-Submitted': 'auto-replied', 'List-Id': '<help.acme.example>' },
    'nobody who is away': { 'X-Autoreply': 'yes' },
  }
  for (const [name, fields] of Object.entries(machines))
    test(name, async () => {
      const { is_automatic, conversation } = await received(fields)
      assert.deepEqual([is_automatic, conversation.waiting_since], [true, null])
    })

  test('a visitor by a form whose service sends to a list, if the settings name it, or the form or the list is ours', async () => {
    const fields = {
      From: 'no-reply@forms.example',
      'Reply-To': 'vi3@visitor.example',
      'List-Id': '<one.forms.example>',
      Precedence: 'bulk',
    }
    desk.boxes.support = deskOf(server, { trusted_forwarders: ['forms.example'] }).boxes.support
    try {
      assert.equal((await received(fields)).is_automatic, false)
    } finally {
      desk.boxes.support = deskOf(server).boxes.support
    }
    assert.equal((await received(fields)).is_automatic, true)
    assert.equal((await received({ ...fields, From: 'no-reply@www.acme.example' })).is_automatic, false)
    assert.equal((await received({ ...fields, 'List-Id': '<help.acme.example>' })).is_automatic, false)
  })

  test('a person who answers us by a list, but no machine that confirms', async () => {
    const first = await desk.arrive()
    const answer = await desk.reply(first.conversation_id)
    const headers = { 'In-Reply-To': answer.external_id, From: first.author.email }
    const person = await received({ ...headers, 'List-Id': '<team.firm.example>', Precedence: 'list' })
    assert.deepEqual([person.is_automatic, person.conversation_id], [false, first.conversation_id])
    assert.equal(person.conversation.waiting_since, person.sent_at)
    const machine = await received({ ...headers, 'Auto-Submitted': 'auto-generated' })
    assert.equal(machine.is_automatic, true)
  })

  test('a list at a provider for everybody is not ours', async () => {
    setMailboxes(server, [{ ...SUPPORT, address: 'acme@gmail.com' }])
    const message = await received({ 'List-Id': '<club.gmail.com>', Precedence: 'list' })
    deskOf(server)
    assert.equal(message.is_automatic, true)
  })

  test('who sends by a trusted forwarder, however often', async () => {
    const trusted = { trusted_forwarders: ['forms.example', 'one@gate.example'] }
    desk.boxes.support = deskOf(server, trusted).boxes.support
    try {
      for (const email of ['many@forms.example', 'one@gate.example', 'other@gate.example']) {
        for (let n = 0; n < 60; n++) await desk.arrive({ from: { email, name: null } })
        assert.equal((await desk.arrive({ from: { email, name: null } })).is_automatic, email === 'other@gate.example')
      }
    } finally {
      desk.boxes.support = deskOf(server).boxes.support
    }
  })
})

describe('words make no report of a delivery', () => {
  const failed = 'My parcel could not be delivered: 550 5.1.1. Write to eva.again@firm.example.'
  const cases: Record<string, Record<string, string>> = {
    'by a person with an empty envelope': { 'Return-Path': '<>', Subject: 'Delivery failed' },
    'by a shop': { From: '"Mail Delivery GmbH" <info@parcel.example>', Subject: 'Delivery problem with order 12' },
    'by a postmaster who is a person': { From: 'Eva <postmaster@firm.example>', Subject: 'Delivery failed again' },
    'by a bounces address with an envelope of its own': {
      From: 'bounces@parcel.example',
      'Return-Path': '<x@parcel.example>',
      Subject: 'Delivery failed',
    },
  }
  for (const [name, fields] of Object.entries(cases))
    test(name, async () => {
      const { is_automatic, conversation } = await received(fields, failed)
      assert.deepEqual([is_automatic, conversation.waiting_since === null], [false, false])
    })

  const shaped = (more: Partial<MailIn> & { messageId?: string | null }, about: string | null, email: string) =>
    mailIn({
      from: { email: 'postmaster@relay.acme.example', name: null },
      isFromServer: true,
      report: {
        isStandard: false,
        messageId: about,
        recipients: [{ email, action: 'failed', status: '5.1.1', why: null }],
      },
      ...more,
    })

  test('with an empty envelope it is one if it names a mail or a recipient of ours, else if it names the mail', async () => {
    for (const [hasNoSender, isNamed, becomes] of [
      [true, true, 'failed'],
      [true, false, 'failed'],
      [null, true, 'failed'],
      [null, false, 'sent'],
      [false, true, 'sent'],
    ] as const) {
      const first = await desk.arrive()
      const answer = await desk.reply(first.conversation_id, { sent_at: new Date(server.now()).toISOString() })
      const { email } = first.author
      server.store.db
        .prepare("UPDATE messages SET sent_to = json_array(json_object('email', ?, 'name', NULL)) WHERE id = ?")
        .run(email, answer.id)
      await desk.take(
        shaped({ hasNoSender }, isNamed ? (answer.external_id ?? `<${answer.id}@acme.example>`) : null, email),
      )
      const { status } = await desk.get(`/messages/${answer.id}`)
      assert.equal(status, becomes, `${hasNoSender} ${isNamed}`)
    }
  })

  test('who names their own address does not report that it fails', async () => {
    const first = await desk.arrive()
    const answer = await desk.reply(first.conversation_id, { sent_at: new Date(server.now()).toISOString() })
    const { email } = first.author
    const mail = shaped({ hasNoSender: true, from: { email, name: null } }, `<${answer.id}@acme.example>`, email)
    await desk.take(mail)
    assert.equal((await desk.get(`/messages/${answer.id}`)).status, 'sent')
    assert.equal((await desk.stored(mail.messageId))?.is_automatic, false)
  })

  test('what a mailer daemon writes of an unknown mail is in no inbox', async () => {
    const mail = shaped(
      { hasNoSender: true, from: { email: 'MAILER-DAEMON@x.example', name: null } },
      null,
      'a@b.example',
    )
    assert.equal((await desk.take(mail)).outcome, 'rejected')
  })
})

describe('Reply-To is the customer', () => {
  const form = { email: 'forms.7@formservice.example', name: 'Acme web page' }
  const eva = person('Eva Ruiz', 'home.example')
  const author = async (given: Partial<MailIn>): Promise<string> => (await desk.arrive(given)).author.email

  test('if a form service sent it, or a program of our own domain', async () => {
    for (const email of [
      form.email,
      'no-reply@any.example',
      'www-data@web7.hoster.example',
      'notification@shop.example',
    ])
      assert.equal(await author({ from: { email, name: null }, replyTo: eva }), eva.email, email)
    assert.equal(await author({ from: { email: 'site@www.acme.example', name: null }, replyTo: eva }), eva.email)
  })

  test('and is answered, each in a conversation of their own', async () => {
    const one = await desk.arrive({ from: form, replyTo: person('Ana Form', 'home.example') })
    const two = await desk.arrive({ from: form, replyTo: person('Ben Form', 'home.example') })
    assert.notEqual(one.conversation.contact_id, two.conversation.contact_id)
    assert.deepEqual((await desk.reply(two.conversation_id)).to, [{ email: 'ben.form@home.example', name: 'Ben Form' }])
  })

  test('not if a person wants answers elsewhere: they go there', async () => {
    const message = await desk.arrive({ from: person('Eva Work'), replyTo: person('Eva Office', 'office.example') })
    assert.equal(message.author.email, 'eva.work@firm.example')
    assert.equal((await desk.reply(message.conversation_id)).to[0].email, 'eva.office@office.example')
  })

  test('nor if it is of the same organisation as the service, or our own', async () => {
    for (const email of ['sales@formservice.example', SUPPORT.address])
      assert.equal(await author({ from: form, replyTo: { email, name: null } }), form.email)
  })

  test('always or never, if the settings say so', async () => {
    try {
      desk.boxes.support = deskOf(server, { reply_to: 'always' }).boxes.support
      assert.equal(await author({ from: person('Max Mann'), replyTo: eva }), eva.email)
      desk.boxes.support = deskOf(server, { reply_to: 'never' }).boxes.support
      assert.equal(await author({ from: form, replyTo: eva }), form.email)
    } finally {
      desk.boxes.support = deskOf(server).boxes.support
    }
  })
})

describe('what our own people send', () => {
  const forwardedText = (remark: string, from = 'Eva Ruiz <eva.new@home.example>') =>
    `${remark}\n\n---------- Forwarded message ---------\nFrom: ${from}\nDate: Fri, 20 Nov 2026 at 09:00\nSubject: Pump leaks\nTo: <ana@acme.example>\n\nThe pump leaks.\nWhat now?\n`

  test('to a customer who is in the conversation answers them', async () => {
    const first = await desk.arrive()
    server.advance(1000)
    const { conversation, direction } = await desk.arrive({
      from: sales,
      to: [first.author],
      inReplyTo: [first.external_id],
    })
    assert.deepEqual([direction, conversation.waiting_since], ['outbound', null])
    assert.notEqual(conversation.first_response_at, null)
  })

  test('to somebody who was on what the customer sent answers, too', async () => {
    const boss = person('Boss Copy')
    const first = await desk.arrive({ cc: [boss] })
    const { conversation } = await desk.arrive({ from: sales, to: [boss], inReplyTo: [first.external_id] })
    assert.equal(conversation.waiting_since, null)
  })

  test('to somebody else, such as a supplier, answers nobody', async () => {
    const first = await desk.arrive()
    const copy = {
      from: sales,
      to: [person('Supplier', 'supply.example')],
      cc: [sales],
      inReplyTo: [first.external_id],
    }
    const { conversation, direction, conversation_id } = await desk.arrive(copy)
    assert.deepEqual([direction, conversation_id], ['outbound', first.conversation_id])
    assert.deepEqual([conversation.waiting_since, conversation.first_response_at], [first.sent_at, null])
    const answer = await desk.reply(conversation_id)
    const { store, deps, a } = server
    await store.write(() => void sendingStore(deps).failed(a.org, answer.id, 'It was refused.', false))
    const after = await desk.conversation(conversation_id)
    assert.deepEqual(
      [after.waiting_since, after.first_response_at],
      [first.sent_at, null],
      'also after an answer fails',
    )
  })

  test('and whose copy comes after what answers it leaves that one waiting', async () => {
    const first = await desk.arrive()
    const sent = '<late-copy@acme.example>'
    server.advance(60_000)
    const next = await desk.arrive({ from: first.author, inReplyTo: [sent], references: [first.external_id, sent] })
    server.advance(60_000)
    const { conversation } = await desk.arrive({
      ...{ messageId: sent, from: sales, to: [first.author], inReplyTo: [first.external_id] },
    })
    assert.deepEqual([conversation.waiting_since, conversation.last_message_at], [next.sent_at, next.sent_at])
  })

  test('before the question of the customer was seen answers it', async () => {
    const eva = person('Eva Quick')
    const question = '<quick@firm.example>'
    const answer = await desk.arrive({ from: sales, to: [eva], inReplyTo: [question] })
    const mail = mailIn({ messageId: question, from: eva })
    await desk.take(mail, desk.boxes.support, server.now() - 60_000)
    const stored = (await desk.stored(question)) as Row
    assert.equal(stored.conversation_id, answer.conversation_id)
    assert.equal((await desk.conversation(stored.conversation_id)).waiting_since, null)
  })

  test('to each other about a conversation is a note in it', async () => {
    const first = await desk.arrive()
    const note = await desk.arrive({ from: sales, to: [ours], inReplyTo: [first.external_id], text: 'Can you?' })
    assert.deepEqual([note.direction, note.conversation_id], ['note', first.conversation_id])
    assert.deepEqual([note.conversation.waiting_since, note.conversation.first_response_at], [first.sent_at, null])
    assert.equal(note.conversation.contact_id, first.conversation.contact_id)
  })

  const colleagues: Record<string, { email: string; name: string | null }> = {
    'a member': { email: 'ana@acme.example', name: 'Ana' },
    'somebody at our domain who has no account': { email: 'boss@acme.example', name: 'Boss' },
  }
  for (const [name, colleague] of Object.entries(colleagues)) {
    test(`to each other is in the inbox, or a note, also with ${name} in Cc`, async () => {
      const message = await desk.arrive({ from: sales, to: [ours], cc: [colleague], text: 'Mr Oak wants an offer.' })
      const { contact_id, status, waiting_since } = message.conversation
      assert.deepEqual([message.direction, contact_id, status], ['inbound', null, 'open'])
      assert.equal(waiting_since, message.sent_at)
      const first = await desk.arrive({ cc: [colleague] })
      const note = await desk.arrive({ from: sales, to: [colleague], cc: [ours], inReplyTo: [first.external_id] })
      assert.deepEqual([note.direction, note.conversation_id], ['note', first.conversation_id])
      assert.deepEqual([note.conversation.waiting_since, note.conversation.first_response_at], [first.sent_at, null])
    })

    test(`and what they forward becomes a conversation also with ${name} in Cc`, async () => {
      const subject = 'Fwd: Pump leaks'
      const mail = mailIn({ from: sales, to: [ours], cc: [colleague], subject, text: forwardedText('Yours?') })
      assert.deepEqual(await desk.take(mail), { outcome: 'imported', by: 'forward' })
      const note = (await desk.stored(mail.messageId)) as Row
      const { status, waiting_since } = await desk.conversation(note.conversation_id)
      assert.deepEqual([note.direction, status, waiting_since === null], ['note', 'open', false])
      const answer = await desk.reply(note.conversation_id)
      assert.deepEqual([answer.to.length, answer.cc], [1, []], 'the customer did not write to them')
    })
  }

  test('to a colleague whose own conversation it is answers them', async () => {
    const boss = { email: 'boss@acme.example', name: 'Boss' }
    const first = await desk.arrive({ from: boss, text: 'My screen is dark.' })
    const { conversation, direction } = await desk.arrive({ from: ours, to: [boss], inReplyTo: [first.external_id] })
    assert.deepEqual([direction, conversation.waiting_since], ['outbound', null])
    const helped = await desk.arrive({ from: boss })
    const answer = await desk.reply(helped.conversation_id, { to: [boss] })
    assert.equal((await desk.conversation(answer.conversation_id)).waiting_since, null)
  })

  test('a colleague alone who reads along in the conversation of a customer is not answered for them', async () => {
    const boss = { email: 'boss@acme.example', name: 'Boss' }
    const first = await desk.arrive({ cc: [boss] })
    await desk.reply(first.conversation_id, { to: [boss] })
    assert.equal((await desk.conversation(first.conversation_id)).waiting_since, first.sent_at)
  })

  test('to each other about something new is in the inbox, without a contact', async () => {
    const message = await desk.arrive({ from: sales, to: [ours], text: 'Mr Oak wants an offer.' })
    assert.deepEqual([message.direction, message.conversation.contact_id], ['inbound', null])
    assert.deepEqual(message.conversation.waiting_since, message.sent_at)
  })

  test('to a customer who is not known here yet opens their conversation, which nobody waits in', async () => {
    const message = await desk.arrive({ from: ours, to: [person('New Customer')], cc: [sales] })
    const { status, waiting_since, contact_id } = message.conversation
    assert.deepEqual([message.direction, status, waiting_since], ['outbound', 'closed', null])
    assert.equal((await desk.get(`/contacts/${contact_id}`)).emails[0].email, 'new.customer@firm.example')
    const next = await desk.arrive({ from: person('New Customer'), inReplyTo: [message.external_id] })
    assert.deepEqual([next.conversation_id, next.conversation.status], [message.conversation_id, 'open'])
  })

  test('and what they forward becomes the conversation of its writer, with their remark as a note', async () => {
    const mail = mailIn({
      from: sales,
      to: [ours],
      subject: 'Fwd: Pump leaks',
      text: forwardedText('Can you take this?'),
    })
    assert.deepEqual(await desk.take(mail), { outcome: 'imported', by: 'forward' })
    const note = (await desk.stored(mail.messageId)) as Row
    assert.deepEqual([note.direction, note.body_text, note.author.email], ['note', 'Can you take this?', sales.email])
    const conversation = await desk.conversation(note.conversation_id)
    assert.equal(conversation.subject, 'Pump leaks')
    const [question] = await desk.messagesOf(note.conversation_id)
    assert.deepEqual(
      [question?.direction, question?.body_text, question?.author.email],
      ['inbound', 'The pump leaks.\nWhat now?', 'eva.new@home.example'],
    )
    assert.equal(conversation.waiting_since, question?.sent_at)
    assert.deepEqual((await desk.reply(note.conversation_id)).to, [{ email: 'eva.new@home.example', name: 'Eva Ruiz' }])
    assert.deepEqual(await desk.take(mail), { outcome: 'skipped' })
  })

  test('also by a member from their own address, who is the author of the note', async () => {
    const { email, name } = server.store.db
      .prepare('SELECT email, name FROM members WHERE org_id = ? LIMIT 1')
      .get(server.a.org) as Row
    const text = forwardedText('From my phone', 'Ben Oak [mailto:ben.oak@home.example]')
    const forwards = async (trace: MailIn['trace']): Promise<Row> => {
      const mail = mailIn({ from: { email, name }, to: [ours], trace, subject: 'WG: Pump leaks', text })
      assert.deepEqual(await desk.take(mail), { outcome: 'imported', by: 'forward' })
      return (await desk.stored(mail.messageId)) as Row
    }
    const note = await forwards(found('pass'))
    assert.deepEqual([note.author.type, note.author.name, note.error], ['member', name, null])
    const unchecked = await forwards([])
    assert.deepEqual([unchecked.author.type, unchecked.author.email], ['system', email])
    assert.match(unchecked.error, /^Nobody has checked/)
  })

  const outside = { kind: 'received', from: 'mail.evil.example', by: 'mx.acme.example', isLocal: false } as const
  const found = (dmarc: 'pass' | 'none' | 'fail'): MailIn['trace'] => [
    {
      kind: 'results',
      host: (desk.boxes.support.imap as { host: string }).host,
      results: { spf: dmarc, dkim: null, dmarc },
    },
    outside,
  ]
  const doubts: Record<string, [trace: () => MailIn['trace'], error: RegExp]> = {
    'the mail server found it forged': [() => found('fail'), /^According to the mail server/],
    'the mail server found nothing': [() => found('none'), /^It names an address of ours/],
    'it came from outside, and nobody looked': [() => [outside], /^It names an address of ours/],
  }
  for (const [name, [trace, error]] of Object.entries(doubts)) {
    test(`does nothing in our name where ${name}: it answers nobody, and is in the inbox`, async () => {
      const eva = person(`Eva ${name}`)
      const first = await desk.arrive({ from: eva })
      server.advance(1000)
      const inReplyTo = [first.external_id]
      const answer = await desk.arrive({ from: ours, to: [ours, eva], inReplyTo, trace: trace(), text: 'Pay to X.' })
      assert.deepEqual([answer.direction, answer.status, answer.author.type], ['inbound', 'received', 'system'])
      assert.equal(answer.conversation_id, first.conversation_id)
      assert.deepEqual(
        [answer.conversation.waiting_since, answer.conversation.first_response_at],
        [first.sent_at, null],
      )
      assert.match(answer.error, error)
      const next = await desk.reply(first.conversation_id)
      assert.deepEqual([next.to, next.cc], [[eva], []], 'and no answer goes to ourselves')
      const opening = await desk.arrive({ from: ours, to: [person(`New ${name}`)], trace: trace(), text: 'Buy.' })
      const { status, contact_id } = opening.conversation
      assert.deepEqual([opening.direction, status, contact_id], ['inbound', 'open', null])
    })

    test(`writes no note, and forwards nothing, where ${name}`, async () => {
      const member = { email: 'ana@acme.example', name: 'Boss' }
      const first = await desk.arrive()
      const inReplyTo = [first.external_id]
      const fake = { subject: 'Fwd: x', text: forwardedText('New bank account: X'), trace: trace() }
      const inside = await desk.arrive({ from: member, to: [ours], inReplyTo, ...fake })
      assert.deepEqual([inside.direction, inside.author.type], ['inbound', 'contact'])
      assert.match(inside.error, error)
      const alone = await desk.arrive({ from: member, to: [ours], ...fake })
      assert.deepEqual([alone.direction, alone.author.email], ['inbound', member.email])
    })
  }

  test('is from us where our server found so, or it is a copy that somebody saved', async () => {
    for (const trace of [found('pass'), [{ ...outside, isLoggedIn: true }], []]) {
      const first = await desk.arrive()
      const copy = await desk.arrive({ from: ours, to: [first.author], inReplyTo: [first.external_id], trace })
      assert.deepEqual([copy.direction, copy.conversation.waiting_since, copy.error], ['outbound', null, null])
    }
  })

  test('unless somebody else wrote it in their name', async () => {
    const { email } = server.store.db
      .prepare('SELECT email FROM members WHERE org_id = ? LIMIT 1')
      .get(server.a.org) as Row
    desk.boxes.support = deskOf(server).boxes.support
    const host = (desk.boxes.support.imap as { host: string }).host
    const results = { spf: 'fail', dkim: 'fail', dmarc: 'fail' } as const
    const trace = [{ kind: 'results' as const, host, results }]
    const mail = mailIn({ from: { email, name: null }, to: [ours], trace, subject: 'Fwd: x', text: forwardedText('') })
    assert.deepEqual(await desk.take(mail), { outcome: 'imported' })
    assert.equal((await desk.stored(mail.messageId))?.direction, 'inbound')
  })

  test('and what a stranger forwards is theirs', async () => {
    const message = await desk.arrive({ subject: 'Fwd: Pump leaks', text: forwardedText('Look:') })
    assert.match(message.author.email, /^writer/)
  })

  test('and what they forward of a conversation that is here is a note in it', async () => {
    const first = await desk.arrive()
    const forwarded = {
      ...{
        messageId: first.external_id,
        from: first.author,
        subject: 'Question',
        date: null,
        text: 'x',
        remark: 'Yours?',
      },
    }
    const note = await desk.arrive({ from: sales, to: [ours], forwarded, text: 'Yours?' })
    assert.deepEqual([note.direction, note.conversation_id], ['note', first.conversation_id])
  })

  test('and what two of them forward is one conversation, also with the mail itself, and what answers it', async () => {
    const eva = person('Eva Twice', 'home.example')
    const messageId = '<original@home.example>'
    const forwarded = { messageId, from: eva, subject: 'Order', date: null, text: 'I want one', remark: 'Yours?' }
    const notes = [
      await desk.arrive({ from: sales, to: [ours], forwarded }),
      await desk.arrive({ from: sales, to: [ours], forwarded }),
    ]
    const conversation_id = notes[0]?.conversation_id as string
    assert.deepEqual(
      notes.map((note) => [note.direction, note.conversation_id]),
      [0, 1].map(() => ['note', conversation_id]),
    )
    const again = await desk.arrive({
      messageId,
      from: eva,
      text: 'I want one',
      cc: [person('Boss Twice', 'home.example')],
    })
    assert.deepEqual([again.direction, again.conversation_id], ['inbound', conversation_id])
    const answer = await desk.arrive({ from: eva, inReplyTo: [messageId], text: 'And?' })
    assert.equal(answer.conversation_id, conversation_id)
    const other = await desk.arrive({ messageId: '<original@home.example> ', from: person('Not Eva', 'evil.example') })
    assert.notEqual(other.conversation_id, conversation_id)
  })

  test('and what cannot be read stands under the one who forwards it', async () => {
    const message = await desk.arrive({
      from: sales,
      to: [ours],
      subject: 'Fwd: Pump',
      text: 'See below\n\nEva wrote: leaks',
    })
    assert.deepEqual([message.direction, message.author.email], ['inbound', sales.email])
  })

  test('an invitation makes a meeting and no message', async () => {
    const seq = server.lastSeq()
    const invitation = {
      method: 'REQUEST',
      uid: 'u',
      organizers: [],
      comment: null,
      isByOutlook: false,
      isByDealbox: false,
      main: null,
      isSeries: false,
      until: 0,
      isCut: false,
    }
    const mail = mailIn({ from: sales, to: [ours], invitations: [{ ...invitation, occurrences: [] } as never] })
    assert.equal((await desk.take(mail)).outcome, 'skipped')
    assert.equal(server.lastSeq(), seq)
  })
})

describe('history', () => {
  test('is shown, and nobody waits for an answer to it', async () => {
    const mail = mailIn()
    await desk.take(mail, desk.boxes.support, server.now() - 3 * 86_400_000, true)
    const message = (await desk.stored(mail.messageId)) as Row
    const conversation = await desk.conversation(message.conversation_id)
    assert.equal(message.is_history, true)
    assert.deepEqual(
      [
        conversation.status,
        conversation.unread_count,
        conversation.waiting_since,
        conversation.sla.first_response_due_at,
      ],
      ['open', 1, null, null],
    )
  })

  test('does not open a closed conversation', async () => {
    const first = await desk.arrive()
    await desk.patch(first.conversation_id, { status: 'closed' })
    const old = mailIn({ inReplyTo: [first.external_id] })
    await desk.take(old, desk.boxes.support, server.now() - 3 * 86_400_000, true)
    assert.equal((await desk.conversation(first.conversation_id)).status, 'closed')
  })

  test('is not waited for after an answer that fails, either', async () => {
    const mail = mailIn()
    await desk.take(mail, desk.boxes.support, server.now() - 3 * 86_400_000, true)
    const { conversation_id } = (await desk.stored(mail.messageId)) as Row
    const answer = await desk.reply(conversation_id)
    const { store, deps, a } = server
    await store.write(() => void sendingStore(deps).failed(a.org, answer.id, 'It was refused.', false))
    assert.equal((await desk.conversation(conversation_id)).waiting_since, null)
  })
})
