import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { unknownAddresses } from '../../src/inbox/mailboxes/unknown-addresses.ts'
import type { MailIn } from '../../src/lib/mail/mail.ts'
import { deskOf, person } from '../support/desk.ts'
import { mailIn } from '../support/mailbox.ts'
import type { Row } from '../support/records.ts'
import { startServer, type TestServer } from '../support/server.ts'

// To whom an email goes, and by which address of ours.

let server: TestServer
let desk: ReturnType<typeof deskOf>
before(async () => {
  server = await startServer()
  desk = deskOf(server, { has_reply_tags: true, aliases: ['Help@acme.example', 'office@other.example'] })
})
after(() => server.stop())

const SUPPORT = { email: 'support@acme.example', name: null }
const emails = (list: Row[]): string[] => list.map(({ email }) => email)
const goesTo = ({ to, cc, bcc }: Row): string[][] => [to, cc, bcc].map(emails)

let count = 0
const somebody = (name: string) => person(`${name} ${++count}`)
const answering = ({ external_id }: Row): Partial<MailIn> => ({ inReplyTo: [external_id] })

const refused = async (given: Row): Promise<string[]> => {
  const { status, body, text } = await server.call('POST', '/messages', { body_text: 'Hello', ...given })
  assert.equal(status, 422, text)
  return body.errors.map(({ pointer, code }: Row) => `${pointer} ${code}`)
}

describe('an answer without recipients', () => {
  test('goes to everybody of the last inbound email but ourselves, once each', async () => {
    const [eva, bob, ida] = [somebody('Eva'), somebody('Bob'), somebody('Ida')]
    const upper = { email: bob.email.toUpperCase(), name: null }
    const own = [
      { email: 'HELP@acme.example', name: null },
      { email: 'sales@acme.example', name: 'Sales' },
    ]
    const first = await desk.arrive({ from: eva, to: [SUPPORT, bob, eva], cc: [upper, ida, ...own] })
    const message = await desk.reply(first.conversation_id)
    assert.deepEqual(goesTo(message), [[eva.email], [bob.email, ida.email], []])
    assert.deepEqual(message.to[0], eva)
  })

  test('is refused where these are too many, alone or with those who are added', async () => {
    const many = (count: number, name: string) =>
      Array.from({ length: count }, (_, n) => ({ email: `${name}${n}@crowd.example`, name: null }))
    const first = await desk.arrive({ from: somebody('Eva'), to: [SUPPORT, ...many(49, 'to')], cc: many(50, 'cc') })
    const place = { conversation_id: first.conversation_id, direction: 'outbound' }
    const before = server.lastSeq()
    assert.deepEqual(await refused({ ...place, cc: many(100, 'more') }), ['/cc too_many'])
    assert.deepEqual(await refused({ ...place, bcc: many(1, 'more') }), ['/bcc too_many'])
    assert.equal(server.lastSeq(), before)
    const all = await desk.reply(first.conversation_id)
    assert.equal(goesTo(all).flat().length, 100)
    assert.deepEqual(goesTo(await desk.reply(first.conversation_id, { bcc: many(1, 'cc') })).flat().length, 100)
    const second = await desk.arrive({ from: somebody('Eva'), to: many(50, 'to'), cc: many(50, 'cc') })
    const { status, body } = await server.call('POST', '/messages', {
      ...place,
      conversation_id: second.conversation_id,
      body_text: 'Hello',
    })
    assert.equal(status, 422)
    const message =
      'must have at most 100 recipients together with everybody who is answered, not 101; choose them with to'
    assert.deepEqual(body.errors, [{ pointer: '/to', code: 'too_many', message }])
  })

  test('leaves out the address that identifies the conversation', async () => {
    const [eva, bob] = [somebody('Eva'), somebody('Bob')]
    const first = await desk.arrive({ from: eva })
    const { replyTo } = await desk.out(await desk.reply(first.conversation_id))
    const second = await desk.arrive({ from: eva, to: [replyTo as never], cc: [bob] })
    assert.equal(second.conversation_id, first.conversation_id)
    assert.deepEqual(goesTo(await desk.reply(first.conversation_id)), [[eva.email], [bob.email], []])
  })

  test('goes to the Reply-To of its writer, unless that is a group of ours', async () => {
    const eva = somebody('Eva')
    const other = { email: `private.${eva.email}`, name: null }
    const first = await desk.arrive({ from: eva, replyTo: other })
    assert.deepEqual(goesTo(await desk.reply(first.conversation_id)), [[other.email], [], []])
    const group = { email: 'team@acme.example', name: null }
    const lists = ['team.acme.example']
    const listed = await desk.arrive({ from: eva, to: [group], replyTo: group, lists, automatic: 'bulk' })
    assert.deepEqual(goesTo(await desk.reply(listed.conversation_id)), [[eva.email], [], []])
  })

  test('keeps a group of others, and colleagues of ours who are no mailbox', async () => {
    const eva = somebody('Eva')
    const cc = [
      { email: 'users@lists.firm.example', name: null },
      { email: 'boss@acme.example', name: null },
    ]
    const first = await desk.arrive({ from: eva, cc })
    assert.deepEqual(goesTo(await desk.reply(first.conversation_id)), [[eva.email], emails(cc), []])
  })

  test('goes to the contact as well where a colleague of theirs wrote last, without them', async () => {
    const [eva, bob] = [somebody('Eva'), somebody('Bob')]
    const first = await desk.arrive({ from: eva })
    const answer = await desk.reply(first.conversation_id)
    server.advance(1000)
    await desk.arrive({ from: bob, ...answering(answer) })
    assert.deepEqual(goesTo(await desk.reply(first.conversation_id)), [[bob.email, eva.email], [], []])
    server.advance(1000)
    await desk.arrive({ from: bob, cc: [eva], ...answering(answer) })
    assert.deepEqual(goesTo(await desk.reply(first.conversation_id)), [[bob.email], [eva.email], []])
  })

  test('goes by no machine: nobody of an automatic reply, or of a report, is asked', async () => {
    const [eva, bob] = [somebody('Eva'), somebody('Bob')]
    const first = await desk.arrive({ from: eva, cc: [bob] })
    const answer = await desk.reply(first.conversation_id)
    server.advance(1000)
    const out = somebody('Out')
    await desk.arrive({ from: out, cc: [somebody('Deputy')], automatic: 'reply', ...answering(answer) })
    assert.deepEqual(goesTo(await desk.reply(first.conversation_id)), [[eva.email], [bob.email], []])
  })

  test('goes to whom we wrote before where nobody has answered', async () => {
    const [eva, bob] = [somebody('Eva'), somebody('Bob')]
    const contact = await desk.make('/contacts', {
      first_name: 'Eva',
      emails: [{ email: eva.email, label: 'work', is_primary: true }],
    })
    const given = {
      contact_id: contact.id,
      channel: 'email',
      subject: 'Offer',
      direction: 'outbound',
      body_text: 'Hello',
    }
    const plain = await desk.make('/messages', given)
    assert.deepEqual(goesTo(plain), [[eva.email], [], []])
    const first = await desk.make('/messages', { ...given, cc: [bob] })
    assert.deepEqual(goesTo(first), [[eva.email], [bob.email], []])
    server.advance(1000)
    assert.deepEqual(goesTo(await desk.reply(first.conversation_id)), [[eva.email], [bob.email], []])
  })
})

describe('whom we ask on the side', () => {
  const parts = () => person(`Parts ${++count}`, 'supply.example')
  const replaced = () => ({ inReplyTo: [`<replaced${++count}@provider.example>`] })
  /** Somebody else than the one who was asked, of their organisation. */
  const colleague = () => person(`Stock ${++count}`, 'supply.example')

  const answers: Record<string, (aside: Row, asked: Row) => Partial<MailIn>> = {
    'naming the mail': (aside, asked) => ({ from: asked as never, ...answering(aside) }),
    'naming an id that a provider gave it': (aside, asked) => ({
      ...{ from: asked as never, references: [...desk.out(aside).references, ...replaced().inReplyTo] },
      ...replaced(),
    }),
    'to the address that identifies the conversation': (aside, asked) => ({
      ...{ from: asked as never, to: [desk.out(aside).replyTo as never] },
    }),
    'by a colleague who was not asked': (aside) => ({ from: colleague(), ...answering(aside) }),
    'by a colleague, naming an id that a provider gave it': (aside) => ({
      ...{ from: colleague(), references: desk.out(aside).references, ...replaced() },
    }),
    'with a reader of their own': (aside, asked) => ({
      ...{ from: asked as never, cc: [colleague()], ...answering(aside) },
    }),
  }
  for (const [name, write] of Object.entries(answers))
    test(`is in no conversation, in whichever round they answer: ${name}`, async () => {
      const [eva, asked] = [somebody('Eva'), parts()]
      const first = await desk.arrive({ from: eva })
      for (let round = 0; round < 3; round++) {
        server.advance(1000)
        const aside = await desk.reply(first.conversation_id, { to: [asked] })
        assert.equal((await desk.conversation(first.conversation_id)).waiting_since, first.sent_at, `round ${round}`)
        server.advance(1000)
        const answer = await desk.arrive(write(aside, asked))
        assert.equal(answer.conversation_id, first.conversation_id)
        // The next mail may also be a second one in a row.
        await desk.arrive({ from: asked as never, ...answering(answer) })
      }
      server.advance(1000)
      assert.deepEqual(goesTo(await desk.reply(first.conversation_id)), [[eva.email], [], []])
      assert.equal((await desk.conversation(first.conversation_id)).waiting_since, null)
    })

  test('also where a colleague of ours writes to them with another program, or another system told of their answer', async () => {
    const [eva, asked] = [somebody('Eva'), parts()]
    const sales = { email: 'sales@acme.example', name: 'Sales' }
    const first = await desk.arrive({ from: eva })
    const aside = await desk.reply(first.conversation_id, { to: [asked] })
    server.advance(1000)
    const { conversation_id } = first
    await desk.make('/messages', {
      ...{ conversation_id, direction: 'inbound', body_text: '80 EUR', from: asked, in_reply_to: aside.external_id },
    })
    const next = await desk.arrive({ from: sales, to: [asked], ...answering(first) })
    assert.deepEqual([next.direction, next.conversation.waiting_since], ['outbound', first.sent_at])
    assert.deepEqual(goesTo(await desk.reply(conversation_id)), [[eva.email], [], []])
  })

  test('is in it once they write to the customer, or we write to both', async () => {
    for (const isByUs of [true, false]) {
      const [eva, asked] = [somebody('Eva'), parts()]
      const first = await desk.arrive({ from: eva })
      const aside = await desk.reply(first.conversation_id, { to: [asked] })
      server.advance(1000)
      const both = isByUs ? await desk.reply(first.conversation_id, { to: [eva], cc: [asked] }) : aside
      server.advance(1000)
      await desk.arrive({ from: asked, ...(isByUs ? {} : { cc: [eva] }), ...answering(both) })
      assert.deepEqual(goesTo(await desk.reply(first.conversation_id)).flat(), [asked.email, eva.email])
    }
  })

  test('is no colleague of a customer who was told of it', async () => {
    const eva = somebody('Eva')
    const first = await desk.arrive({ from: eva })
    const answer = await desk.reply(first.conversation_id)
    server.advance(1000)
    const carl = person('Carl', 'firm.example')
    await desk.arrive({ from: carl, references: desk.out(answer).references, ...replaced() })
    assert.deepEqual(goesTo(await desk.reply(first.conversation_id)), [[carl.email, eva.email], [], []])
  })
})

describe('recipients that are given', () => {
  test('are exactly these with `to`, and come on top without it', async () => {
    const [eva, bob, ida, cy] = [somebody('Eva'), somebody('Bob'), somebody('Ida'), somebody('Cy')]
    const first = await desk.arrive({ from: eva, cc: [bob] })
    const one = await desk.reply(first.conversation_id, { cc: [ida], bcc: [{ email: cy.email }] })
    assert.deepEqual(goesTo(one), [[eva.email], [bob.email, ida.email], [cy.email]])
    assert.deepEqual(one.bcc, [{ email: cy.email, name: null }])
    const other = await desk.reply(first.conversation_id, { to: [ida], cc: [bob] })
    assert.deepEqual(goesTo(other), [[ida.email], [bob.email], []])
    const hidden = await desk.reply(first.conversation_id, { to: [], bcc: [eva] })
    assert.deepEqual(goesTo(hidden), [[], [], [eva.email]])
  })

  test('are in one list each, ignoring case', async () => {
    const [eva, bob] = [somebody('Eva'), somebody('Bob')]
    const first = await desk.arrive({ from: eva })
    const again = { email: eva.email.toUpperCase() }
    const message = await desk.reply(first.conversation_id, { to: [eva, again], cc: [again, bob], bcc: [bob, again] })
    assert.deepEqual(goesTo(message), [[eva.email], [bob.email], []])
  })

  test('answer nobody if none of them is in the conversation: who waits still does', async () => {
    const [eva, bob] = [somebody('Eva'), somebody('Bob')]
    const first = await desk.arrive({ from: eva, cc: [bob] })
    const waits = async () => (await desk.conversation(first.conversation_id)).waiting_since
    const since = await waits()
    assert.ok(since)
    const aside = await desk.reply(first.conversation_id, { to: [person('Parts', 'supply.example')] })
    assert.equal(await waits(), since)
    const sent_at = desk.inMs(0)
    await desk.reply(first.conversation_id, { to: [person('Parts', 'supply.example')], sent_at })
    assert.equal(await waits(), since)
    const answer = await desk.reply(first.conversation_id, { to: [bob] })
    assert.equal(await waits(), null)
    // Of the aside nothing counts when the answer fails.
    await desk.failed(answer)
    assert.equal(await waits(), since)
    assert.equal((await desk.get(`/messages/${aside.id}`)).status, 'queued')
  })

  test('are stored of an email that another system sent', async () => {
    const [eva, bob] = [somebody('Eva'), somebody('Bob')]
    const first = await desk.arrive({ from: eva })
    const given = { to: [eva], bcc: [bob], from: { email: 'sales@acme.example' }, sent_at: desk.inMs(0) }
    const message = await desk.reply(first.conversation_id, given)
    assert.equal(message.status, 'sent')
    assert.deepEqual(goesTo(message), [[eva.email], [], [bob.email]])
    assert.equal(message.from.email, 'sales@acme.example')
    assert.equal((await desk.conversation(first.conversation_id)).waiting_since, null)
  })

  test('are refused of anything but an outbound email', async () => {
    const first = await desk.arrive()
    const chat = await desk.opened()
    const to = [{ email: 'eva@firm.example' }]
    const into = { conversation_id: first.conversation_id }
    assert.deepEqual(await refused({ ...into, direction: 'note', to, cc: to }), [
      '/to not_outbound_email',
      '/cc not_outbound_email',
    ])
    assert.deepEqual(await refused({ ...into, direction: 'inbound', bcc: to }), ['/bcc not_outbound_email'])
    assert.deepEqual(await refused({ conversation_id: chat.id, direction: 'outbound', to }), ['/to not_outbound_email'])
    const opening = { direction: 'outbound', contact_id: chat.contact_id, channel: 'sms', cc: to }
    assert.deepEqual(await refused(opening), ['/cc not_outbound_email'])
  })

  test('are valid emails, at most 100 together; empty lists are as none, as generated clients send them', async () => {
    const { conversation_id } = await desk.arrive()
    const into = { conversation_id, direction: 'outbound' }
    const many = (n: number) => Array.from({ length: n }, (_, k) => ({ email: `n${k}@many.example` }))
    const none = { to: [], cc: [], bcc: [] }
    const usual = await desk.reply(conversation_id)
    assert.deepEqual((await desk.reply(conversation_id, none)).to, usual.to)
    const said = {
      ...none,
      from: { email: 'eva@lists.example' },
      channel: 'email',
      direction: 'inbound',
      body_text: 'Hi',
    }
    assert.equal((await server.call('POST', '/messages', said)).status, 201)
    assert.deepEqual(await refused({ ...into, direction: 'note', cc: many(1) }), ['/cc not_outbound_email'])
    assert.deepEqual(await refused({ ...into, to: many(1), cc: [{ email: 'nobody' }] }), ['/cc/0/email invalid_email'])
    assert.deepEqual(await refused({ ...into, to: many(101) }), ['/to too_many'])
    assert.deepEqual(
      await refused({ ...into, to: many(60), bcc: many(61).map(({ email }) => ({ email: `b${email}` })) }),
      ['/bcc too_many'],
    )
    assert.equal((await desk.reply(conversation_id, { to: many(100), cc: many(100) })).to.length, 100)
  })
})

describe('the address that an email leaves by', () => {
  test('is the alias that they wrote to, also after an answer to the signed address', async () => {
    const eva = somebody('Eva')
    const first = await desk.arrive({ from: eva, to: [{ email: 'help@ACME.example', name: null }] })
    assert.equal(first.from.email, 'help@ACME.example')
    const answer = await desk.reply(first.conversation_id)
    assert.deepEqual(answer.from, { email: 'help@acme.example', name: 'Acme Support' })
    const { from, replyTo } = await desk.out(answer)
    assert.deepEqual(from, { email: 'help@acme.example', name: 'Acme Support' })
    server.advance(1000)
    const next = await desk.arrive({ from: eva, to: [replyTo as never], ...answering(answer) })
    assert.equal(next.from.email, 'help@acme.example')
    assert.equal((await desk.reply(first.conversation_id)).from.email, 'help@acme.example')
  })

  test('can be changed, and stays so until they write to another one', async () => {
    const eva = somebody('Eva')
    const first = await desk.arrive({ from: eva, to: [{ email: 'help@acme.example', name: null }] })
    const answer = await desk.reply(first.conversation_id, { from: { email: 'OFFICE@other.example', name: 'Ana' } })
    assert.deepEqual(answer.from, { email: 'office@other.example', name: 'Ana' })
    assert.deepEqual((await desk.out(answer)).from, { email: 'office@other.example', name: 'Ana' })
    server.advance(1000)
    assert.equal((await desk.reply(first.conversation_id)).from.email, 'office@other.example')
    server.advance(1000)
    await desk.arrive({ from: eva, to: [SUPPORT], ...answering(answer) })
    assert.equal((await desk.reply(first.conversation_id)).from.email, 'support@acme.example')
    server.advance(1000)
    const sales = await desk.reply(first.conversation_id, { from: { email: 'sales@acme.example' } })
    assert.deepEqual(sales.from, { email: 'sales@acme.example', name: 'Acme Sales' })
    server.advance(1000)
    assert.equal((await desk.reply(first.conversation_id)).from.email, 'sales@acme.example')
  })

  test('is not changed by the remark of a colleague to another mailbox', async () => {
    const eva = somebody('Eva')
    const first = await desk.arrive({ from: eva, to: [{ email: 'help@acme.example', name: null }] })
    server.advance(1000)
    const own = { email: 'support@acme.example', name: 'Acme Support' }
    const remark = mailIn({ from: own, to: [{ email: 'sales@acme.example', name: null }], ...answering(first) })
    await desk.take(remark, desk.boxes.sales)
    assert.equal((await desk.stored(remark.messageId))?.direction, 'note')
    assert.equal((await desk.reply(first.conversation_id)).from.email, 'help@acme.example')
  })

  test('has to be ours', async () => {
    const { conversation_id } = await desk.arrive()
    const into = { conversation_id, direction: 'outbound' }
    assert.deepEqual(await refused({ ...into, from: { email: 'boss@acme.example' } }), ['/from/email not_ours'])
    assert.deepEqual(await refused({ ...into, from: { email: 'x@y.example' }, sent_at: desk.inMs(0) }), [
      '/from/email not_ours',
    ])
    assert.deepEqual(await refused({ ...into, from: { name: 'Ana' } }), ['/from/email required'])
    const from = { email: 'support@acme.example' }
    assert.deepEqual(await refused({ ...into, from: { ...from, phone: '+49 4711' } }), ['/from/phone not_inbound'])
    assert.deepEqual(await refused({ ...into, direction: 'note', from }), ['/from not_inbound'])
    assert.deepEqual(await refused({ direction: 'outbound', channel: 'email', from }), [' no_contact'])
  })
})

describe('an address of ours that no mailbox has', () => {
  const of = () => unknownAddresses(server.deps).of(server.a.org, desk.boxes.sales.id)
  const sales = (given: Partial<MailIn>) => desk.arrive({ from: somebody('Eva'), ...given }, desk.boxes.sales)

  test('is offered for the mailbox that it comes to, and left out of answers', async () => {
    assert.deepEqual(of(), [])
    const info = { email: 'Info@acme.example', name: null }
    const first = await sales({ to: [info], deliveredTo: ['sales@acme.example', 'info@acme.example'] })
    assert.deepEqual(goesTo(await desk.reply(first.conversation_id))[1], [])
    await sales({ to: [info] }) // nothing else could have brought it here
    await sales({ deliveredTo: ['old@mail.acme.example'] })
    await sales({
      to: [{ email: 'team@acme.example', name: null }, SUPPORT],
      lists: ['team.acme.example'],
      automatic: null,
    })
    assert.deepEqual(of(), [
      { address: 'info@acme.example', mails: 2 },
      { address: 'old@mail.acme.example', mails: 1 },
      { address: 'team@acme.example', mails: 1 },
    ])
  })

  test('is not that of a colleague, of others, or one of several that are named', async () => {
    const before = of()
    const SALES = { email: 'sales@acme.example', name: null }
    const boss = { email: 'boss@acme.example', name: null }
    const first = await sales({ to: [SALES, boss] })
    assert.deepEqual(goesTo(await desk.reply(first.conversation_id))[1], ['boss@acme.example'])
    await sales({ to: [boss], cc: [{ email: 'dan@acme.example', name: null }] })
    const ana = { email: 'ana@acme.example', name: null } // a member
    const second = await sales({ to: [SALES], cc: [ana], deliveredTo: ['ana@acme.example'] })
    assert.deepEqual(goesTo(await desk.reply(second.conversation_id))[1], ['ana@acme.example'])
    await sales({ to: [SALES], deliveredTo: ['eva@firm.example', 'sales@acme.example'] })
    assert.deepEqual(of(), before)
  })
})

describe('the report of a failed delivery', () => {
  const about = (message: Row, email: string): Partial<MailIn> => ({
    from: { email: `mailer-daemon@${email.split('@')[1]}`, name: null },
    isFromServer: true,
    report: {
      isStandard: true,
      messageId: message.external_id,
      recipients: [{ email, action: 'failed', status: '5.1.1', why: 'no such user' }],
    },
  })

  test('about a copy leaves the answer sent, and says who did not get it', async () => {
    const [eva, bob, ida] = [somebody('Eva'), person('Bob', 'gone.example'), somebody('Ida')]
    const first = await desk.arrive({ from: eva, cc: [bob] })
    const answer = await desk.reply(first.conversation_id, { bcc: [ida] })
    await desk.sent(answer)
    const now = () => desk.get(`/messages/${answer.id}`)
    for (const email of [bob.email, bob.email, ida.email]) await desk.arrive(about(answer, email))
    const { status, error } = await now()
    assert.equal(status, 'sent')
    const bounced = (email: string) => `A copy bounced: ${email}: no such user`
    assert.equal(error, `${bounced(bob.email)}. ${bounced(ida.email)}`)
    assert.equal((await desk.conversation(first.conversation_id)).waiting_since, null)
    await desk.arrive(about(answer, eva.email))
    assert.equal((await now()).status, 'failed')
    assert.ok((await desk.conversation(first.conversation_id)).waiting_since)
  })
})
