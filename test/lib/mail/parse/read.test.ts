import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import * as v from 'valibot'
import * as f from '../../../../src/lib/fields.ts'
import type { MailIn } from '../../../../src/lib/mail/mail.ts'
import { readMail } from '../../../../src/lib/mail/parse/read.ts'
import { startCpuClock } from '../../../support/cpu-clock.ts'
import { examples, seedOf } from '../../../support/seed.ts'
import { generateMails } from './mime/generate.ts'
import type { Expected } from './mime/mail.ts'

// The rules that hold for whatever comes in.

const fileName = v.pipe(
  f.title,
  v.check((text) => !/[/\\\p{Cc}]/u.test(text)),
)
const contentType = v.pipe(f.line(127), v.regex(/^[A-Za-z0-9!#$&^_.+-]+\/[A-Za-z0-9!#$&^_.+-]+$/))
const oneLine = (longest: number) =>
  v.pipe(
    f.line(longest),
    v.check((text) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text)),
  )
const messageId = v.pipe(oneLine(998), v.regex(/^<[^<>\s]+>$/))
const address = f.object({ email: f.email, name: v.nullable(v.pipe(oneLine(255), v.minLength(1))) })
const time = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(Date.UTC(10_000, 0)))
const file = f.object({
  name: fileName,
  content_type: contentType,
  cid: v.nullable(v.pipe(oneLine(998), v.minLength(1))),
  bytes: v.instance(Buffer),
  sha256: v.string(),
})
const recipient = f.object({
  email: f.email,
  action: f.oneOf(['failed', 'delayed', 'delivered', 'relayed', 'expanded']),
  status: v.nullable(v.pipe(v.string(), v.regex(/^[245]\.\d{1,3}\.\d{1,3}$/))),
  why: v.nullable(v.pipe(oneLine(500), v.minLength(1))),
})
const Mail = f.object({
  messageId: v.nullable(messageId),
  inReplyTo: v.pipe(v.array(messageId), v.maxLength(50)),
  references: v.pipe(v.array(messageId), v.maxLength(50)),
  from: v.nullable(address),
  replyTo: v.nullable(address),
  to: v.pipe(v.array(address), v.maxLength(50)),
  cc: v.pipe(v.array(address), v.maxLength(50)),
  deliveredTo: v.pipe(v.array(f.email), v.maxLength(50)),
  subject: v.nullable(v.pipe(oneLine(255), v.minLength(1))),
  date: v.nullable(time),
  text: f.longText(1_048_576),
  html: v.nullable(f.longText(1_048_576)),
  files: v.pipe(v.array(file), v.maxLength(100)),
  isFromServer: v.boolean(),
  invitations: v.array(v.any()),
  trace: v.array(v.any()),
  automatic: v.nullable(f.oneOf(['reply', 'generated', 'bulk'])),
  lists: v.pipe(v.array(oneLine(255)), v.maxLength(20)),
  isPassedOn: v.boolean(),
  hasNoSender: v.nullable(v.boolean()),
  forwarded: v.nullable(
    f.object({
      messageId: v.nullable(messageId),
      from: address,
      subject: v.nullable(oneLine(255)),
      date: v.nullable(time),
      text: f.longText(1_048_576),
      remark: f.longText(1_048_576),
    }),
  ),
  report: v.nullable(
    f.object({
      isStandard: v.boolean(),
      messageId: v.nullable(messageId),
      recipients: v.pipe(v.array(recipient), v.maxLength(100)),
    }),
  ),
  notes: v.pipe(v.array(v.pipe(f.longText(1000), v.regex(/\.$/))), v.maxLength(25)),
  digest: v.pipe(v.string(), v.regex(/^[\w-]{43}$/)),
})

function assertRules(mail: MailIn): void {
  const parsed = v.safeParse(Mail, mail)
  assert.ok(parsed.success, JSON.stringify(parsed.issues?.map((issue) => [v.getDotPath(issue), issue.message])))
  // What is NFC already comes out as it went in.
  assert.deepEqual(parsed.output, mail)
  assert.ok(mail.files.reduce((sum, { bytes }) => sum + bytes.length, 0) <= MOST_BYTES)
}

function assertExpected(mail: MailIn, expect: Expected): void {
  const { text, html, files, names, content, recipient: gone, action, status, about, notes, from, ...rest } = expect
  for (const name of ['messageId', 'subject', 'automatic'] as const)
    if (rest[name] !== undefined) assert.equal(mail[name], rest[name], name)
  if (from !== undefined) assert.equal(mail.from?.email ?? null, from, 'from')
  if (text !== undefined) assert.ok(text === '' ? mail.text === '' : mail.text.includes(text), `text: ${mail.text}`)
  if (html !== undefined) assert.ok(mail.html?.includes(html), `html: ${mail.html}`)
  if (files !== undefined) assert.equal(mail.files.length, files, 'files')
  if (names !== undefined)
    assert.deepEqual(
      mail.files.map(({ name }) => name),
      names,
    )
  if (content !== undefined) assert.ok(mail.files[0]?.bytes.equals(content), 'bytes of the file')
  if (notes !== undefined) assert.equal(mail.notes.length, notes, 'notes')
  if (gone === undefined) return
  const told = mail.report?.recipients ?? []
  assert.deepEqual(
    told.map(({ email }) => email),
    gone === null ? [] : [gone],
  )
  if (action !== undefined) assert.equal(told[0]?.action, action, 'action')
  if (status !== undefined) assert.equal(told[0]?.status, status, 'status')
  if (about !== undefined) assert.equal(mail.report?.messageId ?? null, about, 'messageId of the mail that came back')
}

const MOST_BYTES = 10 * 1_048_576
const read = (...lines: string[]) => readMail(Buffer.from(lines.join('\r\n'), 'latin1'), undefined, MOST_BYTES)

const COUNT = examples(1000)

test(`${COUNT.toLocaleString('en')} mails of all kinds come out as their makers know`, async () => {
  const wrong: string[] = []
  for (const { name, source, expect } of generateMails(seedOf(1), COUNT)) {
    try {
      const mail = await readMail(source, undefined, MOST_BYTES)
      assertRules(mail)
      assertExpected(mail, expect)
    } catch (error) {
      wrong.push(`${name}: ${(error as Error).message}`)
    }
  }
  assert.deepEqual(wrong, [])
})

describe('ids', () => {
  const ids = async (...lines: string[]) => {
    const { messageId, inReplyTo, references } = await read(...lines, '', 'x')
    return { messageId, inReplyTo, references }
  }
  test('are found with commas, without brackets, folded inside and as encoded words', async () => {
    assert.deepEqual(await ids('References: <a@x.example>,<b@x.example>;<c@x\r\n .example>'), {
      messageId: null,
      inReplyTo: [],
      references: ['<a@x.example>', '<b@x.example>', '<c@x.example>'],
    })
    assert.deepEqual((await ids('Message-ID: a@x.example')).messageId, '<a@x.example>')
    assert.deepEqual((await ids('References: a@x.example, b@x.example')).references, ['<a@x.example>', '<b@x.example>'])
    assert.deepEqual((await ids('In-Reply-To: =?us-ascii?Q?=3Ca=40x.example=3E?=')).inReplyTo, ['<a@x.example>'])
    assert.deepEqual((await ids('In-Reply-To: Message of "Monday" <a@x.example>')).inReplyTo, ['<a@x.example>'])
  })
  test('that are empty, too long or no ids are none', async () => {
    for (const field of ['', '<>', '< >', 'nothing', `<${'x'.repeat(997)}>`])
      assert.equal((await ids(`Message-ID: ${field}`)).messageId, null, field)
    assert.equal((await ids(`Message-ID: <${'x'.repeat(996)}>`)).messageId?.length, 998)
  })
  test('of a long thread are its first and its last ones', async () => {
    const all = Array.from({ length: 200 }, (_, n) => `<${n}@x.example>`)
    const { references } = await ids(`References: ${all.join('\r\n ')}`)
    assert.deepEqual(references, [...all.slice(0, 10), ...all.slice(-40)])
  })
})

describe('addresses', () => {
  test('have their domain in lower case, a name that is decoded, and are left out where they are none', async () => {
    const mail = await read(
      'From: "Ruiz, Ana" <Ana.Ruiz@SHOP.Example>',
      'Reply-To: broken, ok@x.example',
      'To: =?utf-8?Q?J=C3=B6rg?= <j@x.example>, Team: a@x.example, b@X.example;, nobody@, "a b"@x.example, j@x.example',
      'Cc: =?koi8-r?B?4c7OwQ==?= <anna@x.example>, c@x.example (Comment)',
      'Delivered-To: Sales+Tag@CRM.example',
      'X-Original-To: sales@crm.example',
      'Envelope-To: sales@crm.example',
      '',
      'x',
    )
    assert.deepEqual(mail.from, { email: 'Ana.Ruiz@shop.example', name: 'Ruiz, Ana' })
    assert.deepEqual(mail.replyTo, { email: 'ok@x.example', name: null })
    assert.deepEqual(mail.to, [
      { email: 'j@x.example', name: 'Jörg' },
      { email: 'a@x.example', name: null },
      { email: 'b@x.example', name: null },
      { email: '"a b"@x.example', name: null },
    ])
    assert.deepEqual(mail.cc, [
      { email: 'anna@x.example', name: 'Анна' },
      { email: 'c@x.example', name: 'Comment' },
    ])
    assert.deepEqual(mail.deliveredTo, ['sales+tag@crm.example', 'sales@crm.example'])
  })
  test('in a name are no addresses', async () => {
    const { from, to } = await read(
      'From: =?utf-8?Q?boss=40crm.example=3E=2C_x?= <ana@x.example>',
      'To: =?utf-8?Q?a=40x.example=2C_b=40x.example?=',
      '',
      'x',
    )
    assert.equal(from?.email, 'ana@x.example')
    assert.deepEqual(to, [])
  })
  test('are 50 at most in each field', async () => {
    const { to } = await read(
      `To: ${Array.from({ length: 200 }, (_, n) => `P${n} <p${n}@x.example>`).join(',\r\n ')}`,
      '',
      'x',
    )
    assert.equal(to.length, 50)
  })
})

test('times are read in all ways in which programs write them, and no others', async () => {
  const at = async (field: string) => (await read(`Date: ${field}`, '', 'x')).date
  const moment = Date.UTC(2026, 10, 22, 8, 5, 9)
  for (const field of [
    'Sun, 22 Nov 2026 08:05:09 +0000',
    'Sun, 22 Nov 2026 09:05:09 +0100 (CET)',
    '22 Nov 26 03:05:09 EST',
    'Sun, 22 Nov 2026 8:05:09 GMT',
    'Sunday, 22-Nov-26 08:05:09 GMT',
    '2026-11-22T08:05:09Z',
    '2026-11-22 09:05:09 +0100',
    'Sun Nov 22 08:05:09 2026',
    'Sun, 22 Nov 126 08:05:09 -0000',
  ])
    assert.equal(await at(field), moment, field)
  for (const field of [
    '',
    'soon',
    '5',
    '31 Dec 1969 23:59:59 +0000',
    '22 Foo 2026 08:05',
    '40 Nov 2026 08:05:09 +0000',
    '22 Nov 2026 25:05:09 +0000',
  ])
    assert.equal(await at(field), null, field)
})

test('the digest is the same whichever way a mail came, and another one for another mail', async () => {
  const digest = async (top: string[], body = 'Hello') =>
    (await read('From: a@x.example', 'Subject: Hi', ...top, '', body)).digest
  const first = await digest(['Message-ID: <a@x.example>'])
  assert.equal(await digest(['Received: by other', 'Delivered-To: b@x.example', 'Message-ID: <a@x.example>']), first)
  assert.notEqual(await digest(['Message-ID: <a@x.example>'], 'Hello you'), first)
  assert.notEqual(await digest(['Date: Sun, 22 Nov 2026 08:05:09 +0000']), first)
  const withFile = (name: string) =>
    digest(
      ['Content-Type: multipart/mixed; boundary=b'],
      `--b\r\nContent-Disposition: attachment; filename=${name}\r\n\r\nx\r\n--b--`,
    )
  assert.notEqual(await withFile('a.txt'), await withFile('b.txt'))
})

test('files have names that are harmless', async () => {
  for (const [given, expected, type = 'application/pdf'] of [
    ['..', 'attachment.pdf'],
    ['..', 'invite.ics', 'text/calendar'],
    ['../../.ssh/id_rsa', 'id_rsa'],
    ['C:\\\\Temp\\\\CON.txt', '_CON.txt'],
    ['nul', '_nul'],
    ['.profile. ', 'profile'],
    ['report.pdf:evil.exe', 'report.pdf_evil.exe'],
    ['=?utf-8?B?aW52b2ljZeKArmZkcC5leGU=?=', 'invoicefdp.exe'], // with U+202E
  ] as const) {
    const lines = [`Content-Type: ${type}`, `Content-Disposition: attachment; filename="${given}"`, '', 'x', '--b--']
    const { files } = await read('From: a@x.example', 'Content-Type: multipart/mixed; boundary=b', '', '--b', ...lines)
    assert.deepEqual(
      files.map(({ name }) => name),
      [expected],
      given,
    )
  }
})

test('files that do not fit are named, and smaller ones behind them are kept', async () => {
  const part = (name: string, bytes: number) =>
    `--b\r\nContent-Type: application/zip\r\nContent-Disposition: attachment; filename=${name}\r\n\r\n${'x'.repeat(bytes)}\r\n`
  const { files, notes } = await read(
    'Content-Type: multipart/mixed; boundary=b',
    '',
    part('a.zip', 6_000_000) + part('b.zip', 6_000_000) + part('c.zip', 4_000_000) + '--b--',
  )
  assert.deepEqual(
    files.map(({ name, bytes }) => [name, bytes.length]),
    [
      ['a.zip', 6_000_000],
      ['c.zip', 4_000_000],
    ],
  )
  const why = 'was left out because the files of a mail can have 10 MiB in total.'
  assert.deepEqual(notes, [`The file "b.zip" (5.7 MiB) ${why}`])
})

test('files have 36 MiB together, and one whose end was not read is left out', async () => {
  const lines = `${'QUJD'.repeat(19)}\r\n`.repeat(680_000)
  const head = (name: string) =>
    `--b\r\nContent-Type: application/zip\r\nContent-Transfer-Encoding: base64\r\nContent-Disposition: attachment; filename=${name}\r\n\r\n`
  const mail = (body: string) => Buffer.from(`Content-Type: multipart/mixed; boundary=b\r\n\r\n${body}`, 'latin1')
  const whole = await readMail(mail(`${head('a.zip')}${lines.slice(0, 51_000_000)}\r\n--b--`))
  assert.deepEqual(
    whole.files.map(({ bytes, sha256 }) => [bytes.length, sha256 === hash('sha256', bytes)]),
    [[37_269_231, true]],
  )
  assert.deepEqual(whole.notes, [])
  const longer = mail(`${head('a.txt')}QUJD\r\n${head('b.zip')}${lines.slice(0, 10_000_000)}`)
  const cut = await readMail(longer, undefined, 1_048_576)
  assert.deepEqual(
    cut.files.map(({ name, bytes }) => [name, bytes.toString()]),
    [['a.txt', 'ABC']],
  )
  const why = 'was left out because the files of a mail can have 1 MiB in total.'
  assert.deepEqual(cut.notes, [`The file "b.zip" (at least 5.4 MiB) ${why}`])
})

describe('a report of several', () => {
  test('tells what became of each, with the address that was written to', async () => {
    const { report } = await read(
      'From: MAILER-DAEMON@x.test',
      'Content-Type: multipart/report; report-type=delivery-status; boundary=b',
      '',
      '--b\r\nContent-Type: message/delivery-status\r\n',
      'Reporting-MTA: dns; x.test\r\n',
      'Original-Recipient: rfc822; ana@shop.example\r\nFinal-Recipient: rfc822; a.ruiz@inner.example\r\nAction: failed\r\nStatus: 5.1.1 (bad mailbox)\r\n',
      'Final-Recipient: ben@shop.example\r\nAction: delayed\r\nStatus: 4.2.2\r\nDiagnostic-Code: smtp; 452\r\n  Mailbox full\r\n',
      'Final-Recipient: LOCAL; <eve@shop.example>\r\nAction: Relayed\r\nStatus: 2.1.5\r\n',
      'Final-Recipient: rfc822; ana@shop.example\r\nAction: delivered\r\n',
      '--b--',
    )
    assert.deepEqual(report, {
      isStandard: true,
      messageId: null,
      recipients: [
        { email: 'ana@shop.example', action: 'failed', status: '5.1.1', why: 'bad mailbox' },
        { email: 'ben@shop.example', action: 'delayed', status: '4.2.2', why: '452 Mailbox full' },
        { email: 'eve@shop.example', action: 'relayed', status: '2.1.5', why: null },
      ],
    })
  })
  test('is bounded', async () => {
    const block = (n: number) => `Final-Recipient: rfc822; p${n}@x.example\r\nAction: failed\r\nStatus: 5.1.1\r\n\r\n`
    const { report } = await read(
      'From: MAILER-DAEMON@x.test',
      'Content-Type: message/delivery-status',
      '',
      Array.from({ length: 300 }, (_, n) => block(n)).join(''),
    )
    assert.equal(report?.recipients.length, 100)
  })
})

test('mails of people are no reports, whatever they say', async () => {
  const said = 'Your message to gone@x.example could not be delivered: 550 5.1.1 User unknown'
  for (const top of [
    ['From: ana@x.example', 'Subject: Undeliverable: Our offer'],
    ['From: ana@x.example', 'Subject: failure notice'],
    ['From: Ana <postmaster@x.example>', 'Subject: Re: Undeliverable: Our offer'],
    ['From: Ana <ana@x.example>', 'Subject: Offer', 'Return-Path: <>'],
    ['From: Ana <ana@x.example>', 'Subject: Offer', 'X-Failed-Recipients: b@x.example'],
  ])
    assert.equal((await read(...top, '', said)).report, null, top.join('; '))
  const others = [
    [
      'From: Ana <ana@x.example>',
      'Return-Path: <>',
      'Subject: Delivery failed at our door',
      '',
      'The parcel could not be delivered.',
    ],
    [
      'From: Parcels Delivery System <no@x.example>',
      'Subject: Delivery status',
      '',
      'Your parcel could not be delivered.',
    ],
    [
      'From: postmaster@x.example',
      'Subject: Maintenance',
      '',
      'On Sunday, mails of ana@x.example could not be delivered.',
    ],
  ]
  for (const mail of others) assert.equal((await read(...mail)).automatic, null, mail.join('; '))
})

test('a report that somebody passes on among files is none', async () => {
  const parts = [
    '--b\r\n\r\nWhat is this?',
    '--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; x.test\r\n\r\nFinal-Recipient: rfc822; gone@x.example\r\nAction: failed',
    '--b--',
  ]
  const mail = await read('From: Ana <ana@x.example>', 'Content-Type: multipart/mixed; boundary=b', '', ...parts)
  assert.deepEqual([mail.automatic, mail.files.map(({ name }) => name)], [null, ['delivery-status.txt']])
})

test('a report for people tells whom it is about and why, from where it says so', async () => {
  const reportOf = async (...said: string[]) =>
    (
      await read(
        'From: Mail Delivery System <MAILER-DAEMON@x.test>',
        'To: sales@crm.example',
        'Subject: Undeliverable',
        '',
        ...said,
      )
    ).report?.recipients
  assert.deepEqual(
    await reportOf(
      'Your message could not be delivered. Mail postmaster@x.test for help.',
      '',
      '<gone@shop.example>: host mx.shop.example said: 550 5.1.1',
      '    <gone@shop.example>: User unknown',
    ),
    [
      {
        email: 'gone@shop.example',
        action: 'failed',
        status: '5.1.1',
        why: 'host mx.shop.example said: 550 5.1.1 <gone@shop.example>: User unknown',
      },
    ],
  )
  assert.deepEqual(
    await reportOf('Your message from sales@crm.example to gone@shop.example was refused. Ask help@x.test.'),
    [{ email: 'gone@shop.example', action: 'failed', status: null, why: 'was refused. Ask help@x.test.' }],
  )
  assert.deepEqual(
    await reportOf(
      'These failed:',
      '',
      '<a@shop.example>:',
      'User unknown 5.1.1',
      '',
      '<b@shop.example>:',
      'Mailbox full 5.2.2',
      '',
      '--- Below this line is a copy of the message.',
      'To: c@shop.example',
    ),
    [
      { email: 'a@shop.example', action: 'failed', status: '5.1.1', why: 'User unknown 5.1.1' },
      { email: 'b@shop.example', action: 'failed', status: '5.2.2', why: 'Mailbox full 5.2.2' },
    ],
  )
})

test('a report by whoever leaves no sender to answer to is one', async () => {
  const said = [
    'To: sales@crm.example',
    'Subject: Undeliverable: Our offer',
    '',
    'Your message could not be delivered to gone@x.example.',
  ]
  assert.equal(
    (await read('From: no-reply@x.example', 'Return-Path: <>', ...said)).report?.recipients[0]?.email,
    'gone@x.example',
  )
  assert.equal((await read('From: no-reply@x.example', ...said)).automatic, null)
})

test('receipts and complaints are answers by machines, also without their fields', async () => {
  for (const type of ['disposition-notification', 'feedback-report'])
    assert.equal(
      (await read(`Content-Type: multipart/report; report-type=${type}; boundary=b`, '', '--b\r\n\r\nx\r\n--b--'))
        .automatic,
      'reply',
    )
})

test('where one of the bodies has HTML alone, all of the text is to be made of the HTML', async () => {
  for (const plain of ['', '--a\r\nContent-Type: text/plain\r\n\r\n \r\n']) {
    const both = `${plain}--a\r\nContent-Type: text/html\r\n\r\n<p>Hello</p>\r\n--a--`
    const mail = await read(
      'Content-Type: multipart/mixed; boundary=b',
      '',
      `--b\r\nContent-Type: multipart/alternative; boundary=a\r\n\r\n${both}`,
      '--b\r\n\r\nA footer\r\n--b--',
    )
    assert.equal(mail.text, '')
    assert.match(mail.html ?? '', /^<p>Hello<\/p>\s*<pre [^>]*>A footer<\/pre>$/)
  }
})

/** Built to take long: each would take minutes if anything in it grew by its square. */
const LARGE = 8 * 1_048_576
const text = (type: string, unit: string) => `Content-Type: ${type}\n\n${unit.repeat(LARGE / unit.length)}`
const MIXED = 'multipart/mixed; boundary=B'
const SLOW: Record<string, () => string> = {
  'empty lines': () => text('text/plain', '\n'),
  'lines of CR': () => text('text/plain', '\r'),
  'short lines': () => text('text/plain', 'abcdefgh\n'),
  'lines of dashes': () => text(MIXED, '--\n'),
  delimiters: () => text(MIXED, '--B\n'),
  'delimiters of the deepest': () =>
    `${Array.from({ length: 150 }, (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\n\n--b${n}\n`).join('')}\n${'--b1x\n'.repeat(LARGE / 6)}`,
  'multiparts without end': () =>
    Array.from({ length: 100_000 }, (_, n) => `Content-Type: multipart/mixed; boundary=${n}\n\n--${n}\n`).join(''),
  fields: () => 'a:\n'.repeat(LARGE / 3),
  'broken fields': () => 'a b\nx: y\n'.repeat(LARGE / 9),
  'folded references': () => `References: <a@b>\n${' <a@b>\n'.repeat(LARGE / 7)}`,
  'words without end': () => `Subject: ${'=?utf-8?q?a'.repeat(LARGE / 11)}`,
  'brackets in addresses': () => `To: ${'"""<(,'.repeat(LARGE / 6)}`,
  'groups in groups': () => `To: ${'a@b:'.repeat(16_000)}\n`.repeat(100),
  'names of files': () => text(MIXED, `--B\nContent-Disposition: attachment; filename=${'=?u?Q?'.repeat(8000)}\n\n`),
  comments: () => text(MIXED, `--B\nContent-Type: x/y; ${' ('.repeat(20_000)}\n\n`),
  marks: () => text('text/plain; charset=utf-8', 'Ì\u0081'),
  'UTF-7': () => text('text/plain; charset=utf-7', '+AGE-'),
  HZ: () => text('text/plain; charset=hz-gb-2312', '~{~'),
  'a report': () =>
    `From: MAILER-DAEMON@x.test\nSubject: failure notice\n\nundeliverable\n${'<a@b.example>:\n------ \n'.repeat(LARGE / 23)}`,
  'a report in spaces': () =>
    `From: MAILER-DAEMON@x.test\nSubject: failure notice\n\nundeliverable\n${' '.repeat(LARGE)}`,
}

test('no mail takes long', async () => {
  for (const [name, make] of Object.entries(SLOW)) {
    const source = Buffer.from(make(), 'latin1')
    const spent = startCpuClock()
    const mail = await readMail(source, undefined, MOST_BYTES)
    const took = spent()
    assert.ok(took < 3000, `${name} took ${took} ms`)
    assertRules(mail)
  }
})

describe('whatever comes in', () => {
  const sources = [...generateMails(seedOf(2), 101)].map(({ source }) => source).filter(({ length }) => length < 20_000)

  test('random bytes give a mail by the rules', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 2000 }), async (bytes) => assertRules(await readMail(bytes))),
      { numRuns: examples(300) },
    )
  })
  test('pieces of mails in any order do too', async () => {
    const piece = fc.constantFrom(
      '--b\r\n',
      '--b--\r\n',
      '\r\n',
      'Content-Type: ',
      'multipart/mixed; boundary=b',
      'multipart/report; boundary="b"',
      'message/delivery-status',
      'text/html',
      'Subject: ',
      'From: ',
      'To: ',
      '<a@b.example>',
      '=?utf-8?',
      'Q?=',
      'B?',
      '?=',
      '=E9',
      '"',
      '(',
      ';',
      ' charset=',
      'utf-7',
      'shift_jis',
      'Final-Recipient: rfc822;',
      'Content-Transfer-Encoding: ',
      'base64',
      'quoted-printable',
      '\u00e9\u00ff',
      '\0',
      '\u001b$B',
      'filename*0*=',
      "utf-8''%ff",
      'Date: 1 Jan 2026 00:00',
      'MAILER-DAEMON@x.test',
    )
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 60 }), async (pieces) =>
        assertRules(await readMail(Buffer.from(pieces.join(''), 'latin1'))),
      ),
      { numRuns: examples(500) },
    )
  })
  test('mails that were damaged on the way do too', async () => {
    const damage = fc.record({
      source: fc.constantFrom(...sources),
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      cut: fc.nat(200),
      put: fc.uint8Array({ maxLength: 30 }),
    })
    await fc.assert(
      fc.asyncProperty(damage, async ({ source, at, cut, put }) => {
        const start = Math.floor(at * source.length)
        assertRules(await readMail(Buffer.concat([source.subarray(0, start), put, source.subarray(start + cut)])))
      }),
      { numRuns: examples(500) },
    )
  })
})
