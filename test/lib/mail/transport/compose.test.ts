import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import PostalMime from 'postal-mime'
import * as v from 'valibot'
import * as f from '../../../../src/lib/fields.ts'
import type { MailOut } from '../../../../src/lib/mail/mail.ts'
import { newMessageId } from '../../../../src/lib/mail/message-id.ts'
import { cleanEmail } from '../../../../src/lib/mail/parse/addresses.ts'
import { readMail } from '../../../../src/lib/mail/parse/read.ts'
import { composeMail } from '../../../../src/lib/mail/transport/compose.ts'
import { examples } from '../../../support/seed.ts'

const mail = (some: Partial<MailOut> = {}): MailOut => ({
  messageId: '<m1@acme.example>',
  date: Date.UTC(2026, 4, 4, 9, 30),
  from: { email: 'sales@acme.example', name: 'Acme Sales' },
  replyTo: null,
  to: [{ email: 'ann@customer.example', name: null }],
  cc: [],
  bcc: [],
  subject: 'Your offer',
  inReplyTo: null,
  references: [],
  text: 'Hello Ann',
  html: null,
  files: [],
  headers: {},
  ...some,
})

/** What comes out again, and what holds for every mail that goes out. */
async function sent(some: Partial<MailOut>) {
  const source = await composeMail(mail(some))
  const text = source.toString('latin1')
  assert.doesNotMatch(text, /[^\r]\n|^\n|\r(?!\n)|[\0\x80-\xff]/)
  for (const one of text.split('\r\n')) assert.ok(one.length <= 998, `a line of ${one.length}`)
  const [head] = text.split('\r\n\r\n') as [string]
  const names = head.split(/\r\n(?![ \t])/).map((header) => header.slice(0, header.indexOf(':')))
  return { text, head, names, parsed: await PostalMime.parse(source) }
}

/** As people see it: a mail ends its lines in CRLF, and readers put them after the last. */
const lines = (text: string | undefined): string => (text ?? '').replace(/\r\n?/g, '\n').replace(/\n+$/, '')

test('a mail has the headers that it needs, and nothing that tells of the program', async () => {
  const { names, parsed, head } = await sent({
    replyTo: { email: 'team@acme.example', name: 'Team' },
    inReplyTo: '<a@customer.example>',
    references: ['<first@customer.example>', '<a@customer.example>'],
    headers: { 'List-Unsubscribe': '<https://crm.acme.example/unsubscribe/abc>', 'Auto-Submitted': 'auto-generated' },
  })
  assert.deepEqual(names.toSorted(), [
    'Auto-Submitted',
    'Content-Transfer-Encoding',
    'Content-Type',
    'Date',
    'From',
    'In-Reply-To',
    'List-Unsubscribe',
    'MIME-Version',
    'Message-ID',
    'References',
    'Reply-To',
    'Subject',
    'To',
  ])
  assert.match(head, /^Date: Mon, 04 May 2026 09:30:00 \+0000\r$/m)
  assert.equal(parsed.messageId, '<m1@acme.example>')
  assert.deepEqual(parsed.from, { address: 'sales@acme.example', name: 'Acme Sales' })
  assert.deepEqual(parsed.replyTo, [{ address: 'team@acme.example', name: 'Team' }])
  assert.equal(parsed.inReplyTo, '<a@customer.example>')
  assert.equal(parsed.references, '<first@customer.example> <a@customer.example>')
  assert.equal(lines(parsed.text), 'Hello Ann')
  assert.equal(parsed.html, undefined)
})

test('text and HTML are alternatives, and files go along byte by byte with their names', async () => {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index))
  const files = [
    { name: 'Angebot für Müller.pdf', content_type: 'application/pdf', cid: null, bytes },
    { name: 'x'.repeat(250) + '.txt', content_type: 'text/plain; charset=iso-8859-1', cid: null, bytes },
    { name: '', content_type: 'image/png', cid: null, bytes: Buffer.alloc(0) },
    { name: 'forwarded.eml', content_type: 'message/rfc822', cid: null, bytes: Buffer.from('Subject: x\n\nbare\n') },
    { name: 'a"b\\c.bin', content_type: 'text/html\r\nBcc: eve@evil.example', cid: null, bytes },
  ]
  const { parsed, text } = await sent({ html: '<p>Hello Ann – ✓</p>', text: 'Hello Ann – ✓', files })
  assert.match(text, /multipart\/mixed.*multipart\/alternative.*text\/plain.*text\/html/s)
  assert.match(text, /filename\*0\*=utf-8''Angebot%20f%C3%BCr/)
  assert.equal(lines(parsed.html), '<p>Hello Ann – ✓</p>')
  assert.equal(lines(parsed.text), 'Hello Ann – ✓')
  assert.deepEqual(
    parsed.attachments.map(({ filename, mimeType, disposition }) => [filename, mimeType, disposition]),
    [
      ['Angebot für Müller.pdf', 'application/pdf', 'attachment'],
      [files[1]?.name, 'text/plain', 'attachment'],
      ['file', 'image/png', 'attachment'],
      ['forwarded.eml', 'application/octet-stream', 'attachment'],
      ['a"b\\c.bin', 'application/octet-stream', 'attachment'],
    ],
  )
  for (const [index, file] of files.entries())
    assert.deepEqual(Buffer.from(parsed.attachments[index]?.content as ArrayBuffer), file.bytes)
})

test('a file that the HTML shows goes along with its cid, and others as attachments', async () => {
  const picture = { name: 'image001.png', content_type: 'image/png', cid: 'logo@acme', bytes: Buffer.from('1') }
  const files = [picture, { ...picture, cid: 'photo@acme', bytes: Buffer.from('2') }, { ...picture, cid: null }]
  const { parsed, text } = await sent({ html: '<img src="cid:photo@acme"><img src="cid:logo@acme">', files })
  assert.match(text, /multipart\/mixed.*multipart\/alternative.*multipart\/related/s)
  assert.deepEqual(
    parsed.attachments.map(({ contentId, disposition }) => [contentId ?? null, disposition]),
    [
      ['<logo@acme>', 'inline'],
      ['<photo@acme>', 'inline'],
      [null, 'attachment'],
    ],
  )
})

test('an id that cannot stand in a header is left out of it', async () => {
  const good = `<${'a'.repeat(880)}@b>`
  const { parsed } = await sent({
    references: ['<a b@c>', good, 'no-brackets', '<x@y>\r\nBcc: eve@evil.example', `<${'a'.repeat(990)}@b>`, '<ü@b>'],
    inReplyTo: '<x@y> <z@y>',
  })
  assert.equal(parsed.references, good)
  assert.equal(parsed.inReplyTo, undefined)
})

test('neither paths nor addresses of other places are ever read', async () => {
  const hostile = { path: '/etc/passwd' } as unknown as string
  await assert.rejects(composeMail(mail({ text: hostile })))
  const { parsed } = await sent({ text: 'file:///etc/passwd', html: '<img src="/etc/passwd">' })
  assert.equal(lines(parsed.text), 'file:///etc/passwd')
  assert.equal(lines(parsed.html), '<img src="/etc/passwd">')
})

test('a header without a proper name is refused', async () => {
  await assert.rejects(composeMail(mail({ headers: { 'X-A: b\r\nBcc': 'eve@evil.example' } })))
})

const hostile = fc.oneof(
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 300 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 2000 }) },
  fc
    .array(
      fc.constantFrom(
        '\r\nBcc: eve@evil.example',
        '\r\n\r\n',
        '\r\n.\r\n',
        '\n.\n',
        '\r',
        '=?UTF-8?Q?hi?=',
        '=?utf-8?B?',
        '?=',
        '"',
        '\\',
        '<eve@evil.example>',
        ', ',
        ';',
        ':',
        '(',
        ')',
        'ä',
        '中',
        '👩‍👩‍👧',
        '\ud800',
        '\0',
        '\x7f',
        '\u2028',
        '\u0085',
        '\t',
        '  ',
        'From ',
        '--',
        '=',
        '=3D',
        'a'.repeat(1200),
        'b c '.repeat(400),
        '中'.repeat(400),
      ),
      { maxLength: 12 },
    )
    .map((parts) => parts.join('')),
)

/** As the headers keep it. */
const kept = (text: string) =>
  text
    .toWellFormed()
    .replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim()

const keptName = (text: string) => kept(kept(text).replaceAll('=?', '= ?').slice(0, 255))

test('whatever goes in comes out, and what is no header stays none', async () => {
  await fc.assert(
    fc.asyncProperty(hostile, hostile, hostile, hostile, hostile, async (subject, name, text, html, file) => {
      const { parsed, names } = await sent({
        subject,
        text,
        html,
        from: { email: 'sales@acme.example', name },
        to: [{ email: 'ann@customer.example', name }],
        files: [{ name: file, content_type: file, cid: null, bytes: Buffer.from(file) }],
        headers: { 'X-Note': subject.slice(0, 200) },
      })
      assert.deepEqual(
        names.filter((one) => !/^(?:X-Note|From|To|Subject|Message-ID|Date|MIME-Version|Content-Type)$/.test(one)),
        [],
      )
      assert.equal(kept(parsed.subject ?? ''), kept(subject))
      assert.deepEqual(parsed.to?.length, 1)
      for (const address of [parsed.from, parsed.to?.[0]])
        assert.equal(address?.address, address === parsed.from ? 'sales@acme.example' : 'ann@customer.example')
      if (!/["\\]/.test(name))
        assert.equal(kept(parsed.from?.name ?? ''), kept(kept(name).replaceAll('=?', '= ?').slice(0, 255)))
      assert.equal(lines(parsed.text), lines(text.toWellFormed()))
      assert.equal(lines(parsed.html), lines(html.toWellFormed()))
      const [only] = parsed.attachments
      assert.deepEqual(Buffer.from(only?.content as ArrayBuffer), Buffer.from(file))
      assert.equal(only?.filename, keptName(file) || 'file')
    }),
    { numRuns: 300 },
  )
})

test('hostile addresses stay one address', async () => {
  for (const email of ['a@b.example>, <eve@evil.example', 'a@b.example\r\nBcc: eve@evil.example', 'a, b@c.example']) {
    const { parsed, names } = await sent({ to: [{ email, name: 'Ann' }] })
    assert.equal(parsed.to?.length, 1)
    assert.ok(!names.includes('Bcc'))
  }
})

test('addresses that exist although they are odd come out as they are', async () => {
  for (const email of ['hana..umi@docomo.example', '.dot@docomo.example', '"two words"@ex.example', 'root@localhost']) {
    const { head, parsed } = await sent({ to: [{ email, name: 'Hana' }] })
    const [local, domain] = email.split('@') as [string, string]
    const quoted = /^[\w"]/.test(local) && !local.includes('..') ? local : `"${local}"`
    assert.match(head, new RegExp(`^To: Hana <${quoted.replaceAll('.', '\\.')}@${domain}>$`, 'm'))
    assert.equal(parsed.to?.[0]?.address?.replaceAll('"', ''), email.replaceAll('"', ''))
  }
  const ascii = await sent({ to: [{ email: 'jo@Büro.example', name: 'Jörg' }] })
  assert.match(ascii.head, /^To: =\?UTF-8\?\S+\?= <jo@xn--bro-hoa\.example>$/m)
})

test('letters outside of ASCII before the @ stay as they are, as RFC 6532 has them', async () => {
  const source = await composeMail(mail({ to: [{ email: 'jörg@büro.example', name: 'Jörg' }] }))
  assert.match(source.toString(), /^To: =\?UTF-8\?\S+\?= <jörg@büro\.example>\r$/m)
})

test('a Message-ID has the domain of the mailbox in ASCII', () => {
  assert.equal(newMessageId('0197', 'sales@acme.example'), '<0197@acme.example>')
  assert.equal(newMessageId('0197', 'sales@Büro.example'), '<0197@xn--bro-hoa.example>')
  assert.equal(newMessageId('0197', 'sales@[127.0.0.1]'), '<0197@localhost>')
  assert.equal(newMessageId('0197', 'sales@evil>\r\n.example'), '<0197@localhost>')
})

test('a calendar that asks for something is another form of the text, and a file', async () => {
  const bytes = Buffer.from('BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nSUMMARY:Grüße\r\nEND:VCALENDAR\r\n')
  const content_type = 'text/calendar; method=REQUEST; charset=utf-8'
  const { text, parsed } = await sent({
    html: '<p>Hello</p>',
    files: [
      { name: 'invite.ics', content_type, cid: null, bytes },
      { name: 'plan.pdf', content_type: 'application/pdf', cid: null, bytes: Buffer.from('%PDF') },
    ],
  })
  const types = [...text.matchAll(/^Content-Type: ([^;\r]+)/gim)].map(([, type]) => type)
  const form = ['text/plain', 'text/html', 'text/calendar']
  assert.deepEqual(types, ['multipart/mixed', 'multipart/alternative', ...form, 'application/ics', 'application/pdf'])
  // A program that shows buttons does so for a part with this type, and with no name, id or disposition.
  const [part] = text.split(/^--/m).filter((each) => each.includes('text/calendar'))
  const [head, body] = (part as string).split('\r\n\r\n') as [string, string]
  assert.deepEqual(head.split('\r\n').slice(1).join('\n').replace(/\n\s+/g, ' ').split('\n').toSorted(), [
    'Content-Transfer-Encoding: base64',
    'Content-Type: text/calendar; method=REQUEST; charset=utf-8',
  ])
  assert.equal(Buffer.from(body, 'base64').toString(), bytes.toString())
  assert.deepEqual(
    parsed.attachments.map(({ filename, mimeType }) => [filename, mimeType]),
    [
      [null, 'text/calendar'],
      ['invite.ics', 'application/ics'],
      ['plan.pdf', 'application/pdf'],
    ],
  )
})

test('a calendar that asks for nothing is a file only', async () => {
  const { text } = await sent({
    files: [{ name: 'plan.ics', content_type: 'text/calendar', cid: null, bytes: Buffer.from('BEGIN:VCALENDAR') }],
  })
  assert.equal(text.match(/text\/calendar/g)?.length, 1)
  assert.doesNotMatch(text, /multipart\/alternative/)
})

test('whoever may be stored is in the header the same address as in the envelope', async () => {
  const odd = fc.string({ unit: fc.constantFrom(...'ab .,;:()[]\\"<>@=?\'+'), minLength: 1, maxLength: 8 })
  const address = odd.map((local) => `"${local}"@x.example`).filter((text) => v.is(f.email, text))
  await fc.assert(
    fc.asyncProperty(address, fc.option(fc.constant('Ann')), async (email, name) => {
      const other = { email: 'ben@customer.example', name: null }
      const { head } = await sent({ to: [{ email, name }, other] })
      const field = /^To: (.*(?:\r\n[ \t].*)*)/m.exec(head)?.[1] ?? ''
      assert.equal(field.replace(/\r\n/g, ''), `${name ? 'Ann ' : ''}<${email}>, ben@customer.example`)
      const { to } = await readMail(Buffer.from(`${head}\r\n\r\n`))
      const read = to.map((each) => each.email)
      assert.ok(!read.some((each) => each !== email && each !== other.email && cleanEmail(email) !== each), field)
      assert.ok(read.includes(other.email), field)
    }),
    { numRuns: examples(100) },
  )
})
