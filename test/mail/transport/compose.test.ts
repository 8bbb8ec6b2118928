import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import PostalMime from 'postal-mime'
import type { MailOut } from '../../../src/mail/mail.ts'
import { newMessageId } from '../../../src/mail/message-id.ts'
import { composeMail } from '../../../src/mail/transport/compose.ts'

const mail = (some: Partial<MailOut> = {}): MailOut => ({
  messageId: '<m1@acme.example>',
  date: Date.UTC(2026, 4, 4, 9, 30),
  from: { email: 'sales@acme.example', name: 'Acme Sales' },
  replyTo: null,
  to: [{ email: 'ann@customer.example', name: null }],
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
    { name: 'Angebot für Müller.pdf', content_type: 'application/pdf', bytes },
    { name: 'x'.repeat(250) + '.txt', content_type: 'text/plain; charset=iso-8859-1', bytes },
    { name: '', content_type: 'image/png', bytes: Buffer.alloc(0) },
    { name: 'forwarded.eml', content_type: 'message/rfc822', bytes: Buffer.from('Subject: x\n\nbare\n') },
    { name: 'a"b\\c.bin', content_type: 'text/html\r\nBcc: eve@evil.example', bytes },
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
        files: [{ name: file, content_type: file, bytes: Buffer.from(file) }],
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

test('a Message-ID has the domain of the mailbox in ASCII', () => {
  assert.equal(newMessageId('0197', 'sales@acme.example'), '<0197@acme.example>')
  assert.equal(newMessageId('0197', 'sales@Büro.example'), '<0197@xn--bro-hoa.example>')
  assert.equal(newMessageId('0197', 'sales@[127.0.0.1]'), '<0197@localhost>')
  assert.equal(newMessageId('0197', 'sales@evil>\r\n.example'), '<0197@localhost>')
})
