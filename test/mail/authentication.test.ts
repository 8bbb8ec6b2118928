import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { applySettings, showSettings } from '../../src/app/settings/document.ts'
import type { Mailbox } from '../../src/inbox/mailboxes/mailbox.ts'
import { isPublicProvider, isSameOrganisation } from '../../src/lib/mail/hosts.ts'
import type { MailIn } from '../../src/lib/mail/mail.ts'
import { readMail } from '../../src/lib/mail/parse/read.ts'
import { authenticationOf, originOf } from '../../src/mail/authentication.ts'
import { type ImportedMail, incomingStore } from '../../src/mail/incoming.ts'
import { sendingStore } from '../../src/mail/sending.ts'
import { enrollmentEngine } from '../../src/sequences/enrollments/engine.ts'
import { EMAIL_STEP, enroll, makeSequence } from '../support/enrolled.ts'
import { inboxOf } from '../support/inbox.ts'
import { mailIn, SUPPORT, setMailboxes } from '../support/mailbox.ts'
import type { Row } from '../support/records.ts'
import { startServer, type TestServer } from '../support/server.ts'

const AT_HOME = { ...SUPPORT, imap: { ...SUPPORT.imap, host: 'imap.acme.example' } }
const place = (host: string, authserv_id?: string) => ({ imap: { host, ...(authserv_id && { authserv_id }) } as never })
const HOME = place('imap.acme.example')

/** The results of a mail with these fields on top, as the server of the mailbox has put them there. */
async function resultsOf(fields: string[], mailbox = HOME): Promise<string> {
  const { trace } = await readMail(Buffer.from(`${fields.join('\r\n')}\r\nFrom: eva@firm.example\r\n\r\nHello\r\n`))
  const found = authenticationOf(trace, mailbox)
  return found ? [found.spf, found.dkim, found.dmarc].map((each) => each ?? '-').join(' ') : 'none'
}

const LMTP =
  'Received: from mx.acme.example\r\n\tby imap.acme.example with LMTP\r\n\tid x; Fri, 20 Nov 2026 08:30:00 +0000'
const BORDER =
  'Received: from mail.firm.example (mail.firm.example [203.0.113.5])\r\n\tby mx.acme.example (Postfix) with ESMTPS id y'
const FOREIGN = 'Received: from laptop ([192.168.1.2]) by mail.firm.example with ESMTPSA'
const PASS = 'Authentication-Results: mx.acme.example; spf=pass smtp.mailfrom=firm.example; dkim=pass; dmarc=pass'
const FAIL = 'Authentication-Results: mx.acme.example; spf=softfail; dkim=fail (bad; signature) ; dmarc=fail'

describe('the results of the mail server', () => {
  const cases: [name: string, fields: string[], expected: string][] = [
    ['are those that it put on top', [LMTP, PASS, BORDER, FOREIGN], 'pass pass pass'],
    [
      'may be in several fields, the topmost first',
      [`${FAIL.split(';')[0]}; spf=pass`, FAIL, BORDER],
      'pass fail fail',
    ],
    [
      'have one valid signature if one of several is',
      ['Authentication-Results: mx.acme.example; dkim=fail; dkim=pass', BORDER],
      '- pass -',
    ],
    [
      'have one valid signature in any of the fields',
      ['Authentication-Results: mx.acme.example; dkim=fail', PASS, BORDER],
      'pass pass pass',
    ],
    ['may be missing', [LMTP, BORDER, FOREIGN], 'none'],
    ['may be none', ['Authentication-Results: mx.acme.example; none', BORDER], '- - -'],
    [
      'have a version and comments',
      [
        'Authentication-Results: mx.acme.example 1; spf/1=neutral (a (b); dkim=fail c) reason=x; dmarc = temperror',
        BORDER,
      ],
      'neutral - temperror',
    ],
    [
      'with unknown words count as unknown',
      ['Authentication-Results: mx.acme.example; spf=hardfail; dkim=perhaps; dmarc=bestguesspass', BORDER],
      'fail - -',
    ],
    ['are not those of another server', ['Authentication-Results: mx.evil.example; dmarc=pass', BORDER], 'none'],
    ['are not what the sender wrote below', [LMTP, BORDER, PASS, FOREIGN], 'none'],
    [
      'are not what the sender wrote below a server that claims our name',
      [LMTP, BORDER.replace('mail.firm.example (', 'mx.acme.example ('), PASS],
      'none',
    ],
    ['are not what another server put there', [FOREIGN, PASS], 'none'],
    [
      'survive an antivirus on the same machine',
      [LMTP, 'Received: from localhost (localhost [127.0.0.1]) by mx.acme.example', PASS, BORDER],
      'pass pass pass',
    ],
  ]
  for (const [name, fields, expected] of cases) test(name, async () => assert.equal(await resultsOf(fields), expected))

  test('of Gmail and of Exchange Online are known by their names', async () => {
    const gmail = [
      'Received: by 2002:a05:6402:1d4e:b0:5a0:b5e1:9f3a with SMTP id q10csp1; Fri, 20 Nov 2026 00:30:00 -0800 (PST)',
      'Received: from mail.firm.example (mail.firm.example. [203.0.113.5]) by mx.google.com with ESMTPS id z',
      'Authentication-Results: mx.google.com;\r\n       dkim=pass header.i=@firm.example header.s=s1;\r\n       spf=pass (google.com: domain of eva@firm.example designates 203.0.113.5 as permitted sender) smtp.mailfrom=eva@firm.example;\r\n       dmarc=pass (p=REJECT sp=REJECT dis=NONE) header.from=firm.example',
      FOREIGN,
      'Authentication-Results: mx.google.com; dmarc=fail',
    ]
    assert.equal(await resultsOf(gmail, place('imap.gmail.com')), 'pass pass pass')
    const exchange = [
      'Received: from AM0PR01.eurprd01.prod.outlook.com (2603:10a6:208:1::1) by DB9PR01.eurprd01.prod.outlook.com with HTTPS',
      'Authentication-Results: spf=pass (sender IP is 203.0.113.5) smtp.mailfrom=firm.example; dkim=none (message not signed) header.d=none;dmarc=bestguesspass action=none header.from=firm.example;compauth=pass reason=109',
      'Received: from mail.firm.example (203.0.113.5) by AM0.mail.protection.outlook.com (10.152.0.1) with Microsoft SMTP Server',
    ]
    assert.equal(await resultsOf(exchange, place('outlook.office365.com')), 'pass none -')
  })

  test('are those of the server that the settings name, also below what it received', async () => {
    const named = place('imap.hoster.example', 'Filter.Example')
    const fields = [
      'Received: from mail.firm.example (mail.firm.example [203.0.113.5]) by in.filter.example with ESMTPS',
      'Authentication-Results: filter.example; dmarc=pass',
    ]
    assert.equal(await resultsOf(fields, named), '- - pass')
    assert.equal(await resultsOf(fields, place('imap.hoster.example')), 'none')
    assert.equal(
      await resultsOf(['Authentication-Results: imap.hoster.example; dmarc=pass', ...fields], named),
      '- - pass',
    )
    assert.equal(await resultsOf([FOREIGN, fields[1] as string], named), 'none')
  })
})

describe('where a mail of ours is from', () => {
  const from = 'From: support@acme.example'
  const local = 'Received: from filter (filter [10.0.0.7]) by imap.acme.example with ESMTP'
  const LOGIN = 'Received: from laptop (home.isp.example [198.51.100.9]) by mx.acme.example (Postfix) with ESMTPSA id z'
  const found = (results: string) => `Authentication-Results: mx.acme.example; ${results}`
  const cases: [name: string, fields: string[], expected: string][] = [
    ['a copy that somebody saved', [], 'inside'],
    ['a program on our own machines', [LMTP, local], 'inside'],
    ['who had logged in', [LMTP, LOGIN], 'proven'],
    ['who had logged in, however their address is judged', [LMTP, found('spf=softfail'), LOGIN], 'proven'],
    ['who had logged in elsewhere', [LMTP, BORDER, LOGIN], 'doubtful'],
    ['outside, unchecked', [LMTP, BORDER], 'doubtful'],
    ['outside, and not found', [LMTP, found('spf=none; dkim=none; dmarc=none'), BORDER], 'doubtful'],
    ['outside, by results without their servers', [found('spf=neutral')], 'doubtful'],
    ['outside, by our domain', [LMTP, found('dmarc=pass'), BORDER], 'proven'],
    [
      'outside, signed by our domain',
      [LMTP, found('spf=none; dkim=pass (ok) header.d=mail.acme.example header.s=x'), BORDER],
      'proven',
    ],
    ['a server that our domain allows', [LMTP, found('spf=pass smtp.mailfrom=bounce@acme.example'), BORDER], 'proven'],
    [
      'a server that another domain allows, and signed by another one',
      [LMTP, found('spf=pass smtp.mailfrom=x@evil.example; dkim=pass header.i=@evil.example; dmarc=none'), BORDER],
      'doubtful',
    ],
    ['a signature of ours that is not valid', [LMTP, found('dkim=none header.d=acme.example'), BORDER], 'doubtful'],
    ['somebody else', [LMTP, FAIL, BORDER], 'forged'],
    ['somebody else who signed', [LMTP, found('dmarc=fail; dkim=pass header.d=evil.example'), BORDER], 'forged'],
  ]
  for (const [name, fields, expected] of cases)
    test(name, async () => {
      const mail = await readMail(Buffer.from([...fields, from, '', 'Hello'].join('\r\n')))
      assert.equal(originOf(mail, HOME), expected)
    })

  test('at Exchange Online, which judges servers of others only', async () => {
    const hop =
      'Received: from A.eurprd01.prod.outlook.com (2603:10a6:208:1::1) by B.eurprd01.prod.outlook.com with HTTPS'
    const of = async (...fields: string[]) =>
      originOf(await readMail(Buffer.from([hop, ...fields, from, '', ''].join('\r\n'))), place('outlook.office365.com'))
    assert.equal(await of('Authentication-Results: dkim=none (message not signed) header.d=none;dmarc=none'), 'proven')
    assert.equal(
      await of('Authentication-Results: spf=none (sender IP is 203.0.113.5);dkim=none;dmarc=none'),
      'doubtful',
    )
    assert.equal(await of(), 'inside')
  })

  test('a name that the other side claims is no address of ours', async () => {
    for (const received of [
      'from [203.0.113.5] (helo=[127.0.0.1]) by mx.acme.example with esmtp (Exim 4.98)',
      'from [203.0.113.5] (port=4711 helo=[10.0.0.1]) by mx.acme.example with esmtps',
      'from unknown (HELO [127.0.0.1]) (203.0.113.5) by mx.acme.example with SMTP',
    ]) {
      const mail = await readMail(Buffer.from(`${LMTP}\r\nReceived: ${received}\r\n${PASS}\r\n${from}\r\n\r\nHello`))
      assert.deepEqual([originOf(mail, HOME), authenticationOf(mail.trace, HOME)], ['doubtful', null], received)
    }
  })
})

test('two hosts are of one organisation by their domains, or as those of one provider', () => {
  for (const [one, other, expected] of [
    ['mx1.firm.example', 'firm.example', true],
    ['firm.example', 'other.example', false],
    ['a.co.uk', 'b.co.uk', false],
    ['mx.a.co.uk', 'a.co.uk', true],
    ['googlemail.com', 'smtp.gmail.com', true],
    ['127.0.0.1', '127.0.0.1', true],
    ['10.0.0.1', '9.0.0.1', false],
  ] as const)
    assert.equal(isSameOrganisation(one, other), expected, `${one} ${other}`)
})

test('a provider for everybody is one in each country', () => {
  const families = [
    'gmx.at',
    'gmx.ch',
    'yahoo.de',
    'yahoo.co.uk',
    'yahoo.com.br',
    'hotmail.de',
    'outlook.de',
    'live.nl',
    'zoho.eu',
  ]
  for (const host of [...families, 'mx.yahoo.de', 'gmail.com', 'bluewin.ch', 'aol.de', 'msn.com'])
    assert.equal(isPublicProvider(host), true, host)
  for (const host of [
    'acme.example',
    'yahoo.acme.example',
    'outlook-gmbh.de',
    'alive.nl',
    'live.example',
    'gmx.acme.de',
  ])
    assert.equal(isPublicProvider(host), false, host)
})

describe('with a mailbox', () => {
  let server: TestServer
  let inbox: ReturnType<typeof inboxOf>
  let box: Mailbox
  before(async () => {
    server = await startServer()
    inbox = inboxOf(server)
    box = setMailboxes(server, [AT_HOME]).support as Mailbox
  })
  after(() => server.stop())

  const take = (mail: MailIn): Promise<ImportedMail> =>
    server.store.write(() => incomingStore(server.deps).take(server.a.org, box, mail, server.now()))
  const stored = async ({ messageId }: MailIn): Promise<Row> => {
    const id = server.store.db.prepare('SELECT id FROM messages WHERE external_id = ?').pluck().get(messageId)
    return inbox.get(`/messages/${id}`)
  }

  test('a message shows the results of its mail server, and null without any', async () => {
    const checked = mailIn({ trace: (await readMail(Buffer.from(`${LMTP}\r\n${PASS}\r\n\r\n`))).trace })
    const other = mailIn()
    for (const mail of [checked, other]) await take(mail)
    assert.deepEqual((await stored(checked)).authentication, { spf: 'pass', dkim: 'pass', dmarc: 'pass' })
    assert.equal((await stored(other)).authentication, null)
    const { body } = await server.call('POST', '/messages', {
      conversation_id: (await stored(other)).conversation_id,
      direction: 'note',
      body_text: 'x',
      authentication: null,
    })
    assert.ok(body.errors.some(({ pointer }: Row) => pointer === '/authentication'))
  })

  test('the name of the server is a setting', () => {
    const imap = { ...AT_HOME.imap, authserv_id: 'filter.example' }
    applySettings(server.store, server.a.org, { mailboxes: [{ ...AT_HOME, imap }] })
    assert.equal(showSettings(server.store, server.a.org).mailboxes?.[0]?.imap?.authserv_id, 'filter.example')
    for (const authserv_id of ['two words', ''])
      assert.throws(
        () =>
          applySettings(server.store, server.a.org, { mailboxes: [{ ...AT_HOME, imap: { ...imap, authserv_id } }] }),
        /\/mailboxes\/0\/imap\/authserv_id/,
      )
    applySettings(server.store, server.a.org, { mailboxes: [AT_HOME] })
  })

  describe('the report of a failed delivery is believed', () => {
    const trace = (results: string): MailIn['trace'] => [
      {
        kind: 'results',
        host: 'mx.acme.example',
        results: { spf: null, dkim: null, dmarc: null, ...JSON.parse(results) },
      },
    ]
    const checked = trace('{"spf":"pass"}')

    /** A mail that was sent to a new contact, and a report about it. */
    async function about(
      given: (id: string) => Partial<MailIn>,
    ): Promise<{ outcome: string; status: string; report: MailIn }> {
      const first = mailIn()
      await take(first)
      const { conversation_id, author } = await stored(first)
      const answer = await inbox.make('/messages', {
        conversation_id,
        direction: 'outbound',
        body_text: 'Here you are.',
      })
      await server.store.write(() => void sendingStore(server.deps).sent(server.a.org, answer.id))
      const recipients = [{ email: author.email, action: 'failed' as const, status: '5.1.1', why: null }]
      const more = given(answer.external_id)
      const report = mailIn({
        isFromServer: true,
        ...more,
        report: { isStandard: true, messageId: null, recipients, ...more.report },
      })
      const { outcome } = await take(report)
      return { outcome, status: (await inbox.get(`/messages/${answer.id}`)).status, report }
    }
    const named = (messageId: string) => ({ report: { isStandard: true, messageId, recipients: [] } })
    const from = (email: string) => ({ from: { email, name: null } })
    const UNNAMED = { report: { isStandard: true, messageId: null } as never }

    const cases: [name: string, given: (id: string) => Partial<MailIn>, status: string][] = [
      ['from the server of the recipient', () => ({ ...from('mailer-daemon@mx.firm.example'), ...UNNAMED }), 'failed'],
      ['from our own server', () => ({ ...from('postmaster@imap.acme.example'), ...UNNAMED }), 'failed'],
      [
        'from the domain of the recipient if it names the mail',
        (id) => ({ ...from('noreply@firm.example'), ...report(id), isFromServer: false }),
        'failed',
      ],
      [
        'from a provider if it names the mail, and our server has checked it',
        (id) => ({ ...from('bounces@relay.example'), ...report(id), trace: checked }),
        'failed',
      ],
      [
        'but not from a provider that our server has not checked',
        (id) => ({ ...from('bounces@relay.example'), ...report(id) }),
        'sent',
      ],
      [
        'but not from a provider that names no mail',
        () => ({ ...from('bounces@relay.example'), ...UNNAMED, trace: checked }),
        'sent',
      ],
      ['but not from elsewhere', () => ({ ...from('mailer-daemon@evil.example'), ...UNNAMED }), 'sent'],
      [
        'but not from a person at the domain of the recipient who names no mail',
        () => ({ ...from('eva@firm.example'), ...UNNAMED, isFromServer: false }),
        'sent',
      ],
      [
        'but not from a colleague',
        (id) => ({ ...from('ida@acme.example'), ...report(id), isFromServer: false }),
        'sent',
      ],
      [
        'but not from a forged server of the recipient',
        (id) => ({ ...from('mailer-daemon@firm.example'), ...report(id), trace: trace('{"dmarc":"fail"}') }),
        'sent',
      ],
      [
        'but not from a server that may not send for the recipient',
        () => ({ ...from('mailer-daemon@firm.example'), ...UNNAMED, trace: trace('{"spf":"fail"}') }),
        'sent',
      ],
      ['but not without a sender', () => ({ from: null, ...UNNAMED }), 'sent'],
    ]
    function report(messageId: string) {
      return {
        report: {
          ...named(messageId).report,
          recipients: [{ email: 'x@firm.example', action: 'failed', status: null, why: null }],
        } as never,
      }
    }
    for (const [name, given, status] of cases)
      test(name, async () => {
        assert.equal((await about(given)).status, status)
      })

    test('or else is a message of its conversation if it names the mail, and on record if not', async () => {
      const one = await about((id) => ({ ...from('bounces@relay.example'), ...report(id) }))
      const message = await stored(one.report)
      assert.match(message.error, /^This report of a failed delivery changed nothing/)
      assert.equal(message.is_automatic, true)
      assert.equal((await about(() => ({ ...from('mailer-daemon@evil.example'), ...UNNAMED }))).outcome, 'rejected')
    })

    test('and else ends no enrollment', async () => {
      const { id } = makeSequence(server, server.a, {
        steps: [EMAIL_STEP, { ...EMAIL_STEP, delay_s: 86_400 }],
      })
      const contact = await inbox.make('/contacts', { first_name: 'Ida', emails: [{ email: 'ida@firm.example' }] })
      const enrollment = enroll(server, server.a, id, { contact_id: contact.id })
      await server.store.write(() => void enrollmentEngine(server.deps).doStep(server.a.org, enrollment, {}))
      const mail = server.store.db
        .prepare('SELECT id, external_id FROM messages WHERE enrollment_id = ?')
        .get(enrollment) as Row
      await server.store.write(() => void sendingStore(server.deps).sent(server.a.org, mail.id))
      const bounce = (email: string) =>
        take(mailIn({ isFromServer: true, ...from(email), ...report(mail.external_id) }))
      await bounce('mailer-daemon@evil.example')
      const now = async () => (await inbox.get(`/enrollments/${enrollment}`)).stop_reason
      assert.equal(await now(), null)
      await bounce('mailer-daemon@firm.example')
      assert.equal(await now(), 'bounce')
    })
  })
})
