import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { applySettings, showSettings } from '../../src/app/settings/document.ts'
import type { Mailbox } from '../../src/inbox/mailboxes/mailbox.ts'
import { loadLanguages } from '../../src/lib/language.ts'
import type { MailIn } from '../../src/lib/mail/mail.ts'
import { incomingStore } from '../../src/mail/incoming.ts'
import { type AppServer, startApp } from '../support/app-data.ts'
import { inboxOf } from '../support/inbox.ts'
import { mailIn, SUPPORT, setMailboxes } from '../support/mailbox.ts'
import { errorsOf, type Row } from '../support/records.ts'
import { startSmtp } from '../support/smtp.ts'
import { officeOf } from './office.ts'

const DAY = 86_400_000
const SALES = { ...SUPPORT, key: 'sales', name: 'Acme Sales', address: 'sales@acme.example', is_default: false }

let app: AppServer
let inbox: ReturnType<typeof inboxOf>
let support: Mailbox
let sales: Mailbox
let member: Row
let billing: Row

before(async () => {
  app = await startApp()
  inbox = inboxOf(app)
  const boxes = setMailboxes(app, [SUPPORT, SALES])
  support = boxes.support as Mailbox
  sales = boxes.sales as Mailbox
  member = app.store.db.prepare('SELECT id, email, name FROM members WHERE id = ?').get(app.ids.member) as Row
  billing = await inbox.make('/tags', { name: 'Billing' })
})
after(() => app.stop())
beforeEach(() => {
  rules([])
})

const rules = (given: Row[]) =>
  applySettings(app.store, app.a.org, {
    rules: given.map((rule, at) => ({ key: `r${at}`, name: `Rule ${at}`, ...rule })),
  }).changed

const take = (given: Partial<MailIn> = {}, { mailbox = support, isHistory = false } = {}) => {
  const mail = mailIn(given)
  return app.store.write(() => {
    const result = incomingStore(app.deps).take(app.a.org, mailbox, mail, app.now(), isHistory)
    assert.equal(result.outcome, 'imported')
    const id = app.store.db
      .prepare(
        "SELECT id FROM messages WHERE external_id = ? OR id = (SELECT max(id) FROM messages WHERE direction = 'inbound') ORDER BY external_id = ? DESC",
      )
      .pluck()
      .get(mail.messageId, mail.messageId) as string
    return { id, mail }
  })
}
async function arrive(given: Partial<MailIn> = {}, options = {}): Promise<Row> {
  const { id, mail } = await take(given, options)
  const message = await inbox.get(`/messages/${id}`)
  return { ...(await inbox.conversation(message.conversation_id)), message, mail }
}
const answersTo = async ({ id }: Row): Promise<Row[]> =>
  (await inbox.get(`/conversations/${id}/messages?sort=created_at`)).data.filter(
    ({ direction }: Row) => direction === 'outbound',
  )
const lines = async ({ id }: Row): Promise<Row[]> => (await app.ok('viewer', 'GET', `/inbox/${id}/history`)).data

describe('a rule fits', () => {
  const fits = async (when: Row, given: Partial<MailIn> = {}, options = {}) => {
    rules([{ when, do: { priority: 'urgent' } }])
    return (await arrive(given, options)).priority === 'urgent'
  }

  test('the mailbox that the mail came to', async () => {
    assert.deepEqual(
      [await fits({ mailbox: 'sales' }, {}, { mailbox: sales }), await fits({ mailbox: 'sales' })],
      [true, false],
    )
  })

  test('an address, or a domain and what is below it', async () => {
    const by = (email: string) => ({ from: { email, name: null } })
    for (const [from, email, expected] of [
      ['Eva@Shop.example', 'eva@shop.example', true],
      ['eva@shop.example', 'ana@shop.example', false],
      ['shop.example', 'ana@shop.example', true],
      ['shop.example', 'ana@mail.shop.example', true],
      ['shop.example', 'ana@bookshop.example', false],
    ] as const)
      assert.equal(await fits({ from }, by(email)), expected, `${from} ${email}`)
  })

  test('words in subject or text, whatever their case and accents, and all that it names together', async () => {
    const mail = { subject: 'Your RECHNUNG', text: 'Please cancel my subscripción.' }
    for (const [when, expected] of [
      [{ subject: 'rechnung' }, true],
      [{ subject: 'cancel' }, false],
      [{ text: 'Subscripcion' }, true],
      [{ text: 'rechnung' }, false],
      [{ subject: 'rechnung', text: 'cancel' }, true],
      [{ subject: 'rechnung', text: 'order' }, false],
      [{}, true],
    ] as const)
      assert.equal(await fits(when, mail), expected, JSON.stringify(when))
  })

  test('a sender who is new, or known by an earlier mail', async () => {
    const from = { email: 'first@new.example', name: null }
    assert.equal(await fits({ sender: 'new' }, { from }), true)
    assert.equal(await fits({ sender: 'new' }, { from }), false)
    assert.equal(await fits({ sender: 'known' }, { from }), true)
    assert.equal(await fits({ sender: 'known' }), false)
  })

  test('what the text is written in, if it is long enough to tell', async () => {
    await loadLanguages()
    const german = 'Guten Tag, ich habe meine Bestellung noch nicht bekommen. Wann kommt sie an?'
    for (const [language, text, expected] of [
      ['de', german, true],
      ['en', german, false],
      ['en', 'Hello, I have not received my order yet. When will it arrive?', true],
      ['de', 'Danke!', false],
      ['de', `Danke!\n\n> ${german}`, false],
      ['ja', '先週送っていただいた機械が動きません。', true],
    ] as const)
      assert.equal(await fits({ language }, { text }), expected, `${language} ${text}`)
  })

  test('neither what is history, nor a delivery report, nor while it is switched off', async () => {
    assert.equal(await fits({}, {}, { isHistory: true }), false)
    rules([{ is_active: false, do: { priority: 'urgent' } }])
    const { id } = await arrive()
    assert.equal((await inbox.conversation(id)).priority, 'normal')
    const sent = await inbox.make('/messages', { conversation_id: id, direction: 'outbound', body_text: 'Reply' })
    rules([{ key: 'on', do: { priority: 'urgent' } }])
    const failed = { email: sent.to[0].email, action: 'failed' as const, status: '5.1.1', why: null }
    const report = { isStandard: true, messageId: sent.external_id, recipients: [failed] }
    await take({ from: { email: 'mailer-daemon@mx.example', name: null }, isFromServer: true, report })
    assert.equal((await inbox.get(`/conversations/${id}/messages`)).data.length, 3)
    assert.equal((await inbox.conversation(id)).priority, 'normal')
  })
})

describe('what rules do', () => {
  test('is in the transaction of the mail, and one line of the thread', async () => {
    rules([
      {
        ...{ name: 'Invoices', when: { subject: 'invoice' } },
        do: { assign: member.email, tags: ['billing'], priority: 'high', close: true },
      },
    ])
    const seq = app.lastSeq()
    const found = await arrive({ subject: 'Invoice 7' })
    const { status, owner_id, priority, tag_ids, unread_count } = found
    assert.deepEqual(
      [status, owner_id, priority, tag_ids, unread_count],
      ['closed', member.id, 'high', [billing.id], 1],
    )
    const [{ at, id, ...line }, ...others] = (await lines(found)) as [Row, ...Row[]]
    assert.deepEqual(
      [line, others],
      [
        {
          ...{ actor_id: null, field: 'rule', before: null, after: 'Invoices', until: null },
          done: { owner_id: member.id, priority: 'high', tag_ids: [billing.id], is_closed: true },
        },
        [],
      ],
    )
    assert.ok(
      app.events(seq).some(({ type, object_id }: Row) => type === 'conversation.closed' && object_id === found.id),
    )
  })

  test('is in the bell of whom it gives the conversation to', async () => {
    rules([{ do: { assign: member.email } }])
    const found = await arrive()
    const { data } = await app.ok('member', 'GET', '/notifications')
    const [{ kind, actor_id, record }] = data
    assert.deepEqual([kind, actor_id, record.id], ['assigned', null, found.id])
  })

  test('leaves an owner, and whatever a member has changed since', async () => {
    rules([{ do: { assign: member.email, tags: ['Billing'], priority: 'high' } }])
    const { id, mail } = await arrive()
    await inbox.patch(id, { owner_id: app.ids.other, priority: 'low', tag_ids: [] })
    await arrive({ from: mail.from, inReplyTo: [mail.messageId] })
    const { owner_id, priority, tag_ids } = await inbox.conversation(id)
    assert.deepEqual([owner_id, priority, tag_ids], [app.ids.other, 'low', []])
    rules([{ key: 'another', do: { assign: member.email } }])
    await arrive({ from: mail.from, inReplyTo: [mail.messageId] })
    assert.equal((await inbox.conversation(id)).owner_id, app.ids.other)
  })

  test('is decided by the first that says it; tags of all are added', async () => {
    const spare = await inbox.make('/tags', { name: 'Spare parts' })
    rules([
      { do: { priority: 'low', tags: ['Billing'] } },
      { do: { priority: 'urgent', tags: ['Spare parts'], answer: 'Second' } },
      { do: { answer: 'Third' } },
    ])
    const found = await arrive()
    assert.deepEqual([found.priority, found.tag_ids], ['low', [billing.id, spare.id]])
    assert.deepEqual(
      (await answersTo(found)).map(({ body_text }) => body_text),
      ['Second'],
    )
  })

  test('is left out where the member or the tag has gone, and the mail still comes in', async () => {
    const gone = await inbox.make('/tags', { name: 'Gone' })
    rules([{ do: { assign: member.email, tags: ['Gone'], priority: 'high' } }])
    await app.call('DELETE', `/tags/${gone.id}`)
    const set = app.store.db.prepare('UPDATE members SET status = ? WHERE id = ?')
    set.run('deactivated', member.id)
    const found = await arrive()
    assert.deepEqual([found.owner_id, found.tag_ids, found.priority], [null, [], 'high'])
    const shown = showSettings(app.store, app.a.org)
    assert.deepEqual(shown.rules[0]?.do, { assign: member.email, priority: 'high' })
    assert.deepEqual(applySettings(app.store, app.a.org, { rules: shown.rules }).changed, [])
    set.run('active', member.id)
  })
})

describe('an answer of a rule', () => {
  const answer = {
    do: { answer: 'Thank you{{#contact.first_name}}, {{contact.first_name}}{{/contact.first_name}}. {{org.name}}' },
  }
  let letter = 0
  /** Mails with texts and domains of their own, so that nothing but their kind can keep them from being answered. */
  const count = async (given: Partial<MailIn>, options = {}) => {
    const own = String.fromCharCode(97 + (letter % 26), 97 + Math.floor(letter++ / 26))
    const from = { email: `eva@${own}.example`, name: null }
    return (await answersTo(await arrive({ from, text: `Hello ${own}`, ...given }, options))).length
  }

  test('goes to the sender alone, by the mailbox that they wrote to, and answers for nobody', async () => {
    rules([answer])
    const found = await arrive({
      ...{ from: { email: 'ada@berg.example', name: 'Ada Berg' }, subject: 'Delivery' },
      cc: [{ email: 'reader@berg.example', name: null }],
    })
    const [sent, ...others] = (await answersTo(found)) as [Row, ...Row[]]
    assert.deepEqual(others, [])
    const { body_text, to, cc, author, is_automatic, status, from, in_reply_to } = sent
    const org = app.store.db.prepare('SELECT name FROM orgs WHERE id = ?').pluck().get(app.a.org)
    assert.deepEqual(
      [body_text, to, cc, author.type, is_automatic, status, from.email, in_reply_to],
      [
        `Thank you, Ada. ${org}`,
        [{ email: 'ada@berg.example', name: 'Ada Berg' }],
        ...[[], 'system', true, 'queued', SUPPORT.address, found.mail.messageId],
      ],
    )
    const { waiting_since, first_response_at, unread_count, status: open, preview } = found
    assert.deepEqual(
      [waiting_since, first_response_at, unread_count, open, preview],
      [found.message.sent_at, null, 1, 'open', found.message.body_text],
    )
    assert.deepEqual(
      (await lines(found)).map(({ done }) => done),
      [{ is_answered: true }],
    )
  })

  test('leaves with headers by which no program answers it', async (t) => {
    app.store.db.exec('DELETE FROM jobs')
    const smtp = await startSmtp(t)
    const { tick } = officeOf(app).office(t, smtp.server.port)
    rules([answer])
    const mailbox = app.store.db.prepare("SELECT id FROM mailboxes WHERE key = 'support'").pluck().get()
    assert.equal(mailbox, support.id)
    await arrive()
    await tick()
    await inbox.make('/messages', {
      ...{
        conversation_id: (await arrive({ automatic: 'generated' })).id,
        direction: 'outbound',
        body_text: 'By hand',
      },
    })
    await tick()
    const heads = smtp.mails.map(
      ({ source }: { source: string | Buffer }) => String(source).split('\r\n\r\n')[0] as string,
    )
    assert.equal(heads.length, 2)
    assert.match(heads[0] as string, /^Auto-Submitted: auto-replied$/m)
    assert.doesNotMatch(heads[1] as string, /Auto-Submitted/)
    setMailboxes(app, [SUPPORT, SALES])
  })

  test('goes to a sender once a day', async () => {
    rules([answer])
    const from = { email: 'often@day.example', name: null }
    assert.equal(await count({ from, text: 'One' }), 1)
    assert.equal(await count({ from, text: 'Two' }), 0)
    app.advance(DAY + 1000)
    assert.equal(await count({ from, text: 'Three' }), 1)
    await app.pass(0)
  })

  test('goes twice to one text of a domain, whatever the addresses and the numbers in it', async () => {
    rules([answer])
    let sent = 0
    for (let robot = 0; robot < 10; robot++)
      sent += await count({
        from: { email: `r${robot}@robots.example`, name: null },
        text: `Ticket ${4711 + robot} is  open.`,
      })
    assert.equal(sent, 2)
    assert.equal(await count({ from: { email: 'eva@robots.example', name: null }, text: 'Hello' }), 1)
    assert.equal(await count({ from: { email: 'r@other.example', name: null }, text: 'Ticket 1 is open.' }), 1)
  })

  test('goes to no machine, no list, nobody of us and nobody who cannot be answered', async () => {
    rules([answer])
    const by = (email: string) => ({ from: { email, name: null } })
    const silent: [string, Partial<MailIn>][] = [
      ['an absence', { automatic: 'reply' }],
      ['a program', { automatic: 'generated' }],
      ['mass mail', { automatic: 'bulk' }],
      ['a list', { lists: ['list.firm.example'] }],
      ['a list of ours', { lists: ['acme.example'], automatic: 'bulk' }],
      ['no return path', { hasNoSender: true }],
      ['a mail server', { isFromServer: true }],
      ...[
        'no-reply@shop.example',
        'noreply@shop.example',
        'orders.noreply@shop.example',
        'do-not-reply@shop.example',
      ].map((email): [string, Partial<MailIn>] => [email, by(email)]),
      ...['mailer-daemon@shop.example', 'bounces+7@shop.example', member.email, 'somebody@acme.example'].map(
        (email): [string, Partial<MailIn>] => [email, by(email)],
      ),
      ['an answer to nobody', { replyTo: { email: 'noreply@firm.example', name: null } }],
    ]
    for (const [name, given] of silent) assert.equal(await count(given), 0, name)
    const judged = { ...support, imap: { ...support.imap, authserv_id: 'mx.acme.example' } }
    for (const [dmarc, expected] of [
      ['fail', 0],
      ['pass', 1],
    ] as const) {
      const results = { spf: null, dkim: null, dmarc }
      const given: Partial<MailIn> = { trace: [{ kind: 'results', host: 'mx.acme.example', results }] }
      assert.equal(await count(given, { mailbox: judged }), expected, dmarc)
    }
    assert.equal(await count({}), 1)
    for (const email of ['eva@shop.example', 'noremi@shop2.example', 'knot@reply.example'])
      assert.equal(await count(by(email)), 1, email)
  })

  test('is left out without a word where it is empty', async () => {
    rules([{ do: { answer: '{{deal.title}}' } }])
    const found = await arrive()
    assert.deepEqual([await answersTo(found), await lines(found)], [[], []])
    assert.equal(await count({}), 0)
  })
})

describe('the settings', () => {
  const rule = { key: 'a', name: 'A', do: { close: true } }
  const refused = (given: Row) => {
    try {
      applySettings(app.store, app.a.org, { rules: [{ ...rule, ...given }] })
    } catch (error) {
      return errorsOf(error as Row)
    }
    return []
  }

  test('show a rule as it was given, and tell what has changed', () => {
    const given = {
      ...{ key: 'orders', name: 'Orders', is_active: true },
      when: { mailbox: 'sales', from: 'shop.example', subject: 'Order', text: 'late', sender: 'known' },
      do: { assign: member.email, tags: ['Billing'], priority: 'high', answer: 'We look into it.', close: true },
    }
    const apply = (all: Row[]) =>
      applySettings(app.store, app.a.org, { rules: all }).changed.map(({ section, key, action }) => [
        section,
        key,
        action,
      ])
    assert.deepEqual(apply([given]), [['rules', 'orders', 'created']])
    assert.deepEqual(showSettings(app.store, app.a.org).rules, [given])
    assert.deepEqual(apply([given]), [])
    assert.deepEqual(apply([{ ...given, name: 'Late orders' }]), [['rules', 'orders', 'updated']])
    assert.deepEqual(apply([{ ...given, name: 'Late orders', is_active: false }]), [['rules', 'orders', 'deactivated']])
    assert.deepEqual(apply([]), [['rules', 'orders', 'removed']])
  })

  test('refuse a rule that says nothing, or names what there is not', () => {
    assert.deepEqual(refused({ do: {} }), ['/rules/0/do required'])
    assert.deepEqual(refused({ when: { mailbox: 'none' } }), ['/rules/0/when/mailbox unknown_mailbox'])
    assert.deepEqual(refused({ when: { from: 'not an address' } }), ['/rules/0/when/from invalid_sender'])
    assert.deepEqual(refused({ do: { assign: 'nobody@acme.example' } }), ['/rules/0/do/assign unknown_member'])
    const viewer = app.store.db.prepare('SELECT email FROM members WHERE id = ?').pluck().get(app.ids.viewer)
    assert.deepEqual(refused({ do: { assign: viewer } }), ['/rules/0/do/assign unknown_member'])
    assert.deepEqual(refused({ do: { tags: ['Billing', 'None'] } }), ['/rules/0/do/tags/1 unknown_tag'])
    assert.deepEqual(refused({ do: { answer: ' ' } }), ['/rules/0/do/answer empty'])
    assert.deepEqual(refused({ do: { answer: '{{contact.nickname}}' } }), ['/rules/0/do/answer unknown_variable'])
  })

  test('refuse an answer that needs a member', () => {
    for (const answer of [
      'Yours, {{sender.name}}',
      '{{#sender.first_name}}x{{/sender.first_name}}',
      '{{ sender.email }}',
    ])
      assert.deepEqual(refused({ do: { answer } }), ['/rules/0/do/answer needs_member'], answer)
    assert.deepEqual(refused({ do: { answer: '{{unsubscribe_url}}' } }), ['/rules/0/do/answer unknown_variable'])
  })
})

describe('a dry run', () => {
  test('says what each rule would have done with the last mails, and changes nothing', async () => {
    const from = { email: 'dry@run.example', name: null }
    const one = await arrive({ from, subject: 'Dry one', text: 'Dry' })
    const two = await arrive({ from, subject: 'Dry two', text: 'Dry again' })
    const three = await arrive({ from: { email: 'noreply@run.example', name: null }, subject: 'Dry three' })
    rules([
      { when: { subject: 'dry' }, do: { answer: 'Thanks', priority: 'high' } },
      { when: { subject: 'dry', sender: 'new' }, do: { close: true } },
      { is_active: false, do: { close: true } },
    ])
    const away = await arrive({ subject: 'Dry four', automatic: 'reply' })
    const seq = app.lastSeq()
    const { data: listed } = await app.ok('viewer', 'GET', '/rules')
    const { looked, data } = await app.ok('viewer', 'POST', '/rules/try', {})
    assert.ok(looked > 3 && looked <= 100)
    assert.deepEqual(
      data.map(({ id, hits }: Row) => [
        listed.find((rule: Row) => rule.id === id).name,
        hits.map(({ number, silence }: Row) => [number, silence]),
      ]),
      [
        [
          'Rule 0',
          [
            [away.number, 'automatic'],
            [three.number, 'no_reply'],
            [two.number, 'often'],
            [one.number, null],
          ],
        ],
        [
          'Rule 1',
          [
            [away.number, null],
            [three.number, null],
            [one.number, null],
          ],
        ],
        ['Rule 2', []],
      ],
    )
    const { subject, from: email, conversation_id } = data[0].hits[3]
    assert.deepEqual([subject, email, conversation_id], ['Dry one', 'dry@run.example', one.id])
    assert.equal(app.lastSeq(), seq)
    assert.deepEqual((await app.ok('stranger', 'GET', '/rules')).data, [])
  })
})
