import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { deflateSync } from 'node:zlib'
import fc from 'fast-check'
import type { MailIn } from '../../../../src/lib/mail/mail.ts'
import { unwrapCms } from '../../../../src/lib/mail/parse/cms.ts'
import { readMail } from '../../../../src/lib/mail/parse/read.ts'
import { examples } from '../../../support/seed.ts'

// What is inside of S/MIME and of other wrappers of a mail.

const INNER = [
  'Content-Type: multipart/mixed; boundary="in"',
  '',
  '--in',
  'Content-Type: text/plain; charset=utf-8',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  'Gr=C3=BC=C3=9Fe: please cancel contract 4711.',
  '--in',
  'Content-Type: application/pdf; name="contract.pdf"',
  'Content-Disposition: attachment; filename="contract.pdf"',
  '',
  '%PDF-1.4',
  '--in--',
  '',
].join('\r\n')
const TEXT = 'Grüße: please cancel contract 4711.'

// A file by hand (X.690): the forms that programs write, whatever openssl writes.
const DATA = '2a864886f70d010701'
const SIGNED = '2a864886f70d010702'
const ENVELOPED = '2a864886f70d010703'
const COMPRESSED = '2a864886f70d0109100109'
const der = (tag: number, ...parts: Buffer[]): Buffer => {
  const content = Buffer.concat(parts)
  const size = Buffer.alloc(5)
  size[0] = 0x84
  size.writeUInt32BE(content.length, 1)
  return Buffer.concat([Buffer.from([tag]), content.length < 128 ? Buffer.from([content.length]) : size, content])
}
const indefinite = (tag: number, ...parts: Buffer[]): Buffer =>
  Buffer.concat([Buffer.from([tag, 0x80]), ...parts, Buffer.from([0, 0])])
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'))
type Form = (tag: number, ...parts: Buffer[]) => Buffer
const cmsOf = (kind: string, octets: Buffer | undefined, form: Form = der): Buffer => {
  const encapsulated = form(0x30, oid(DATA), ...(octets ? [form(0xa0, octets)] : []))
  const content = form(0x30, der(0x02, Buffer.from([1])), form(0x31), encapsulated, form(0x31))
  return form(0x30, oid(kind), form(0xa0, content))
}
const signed = (content: string | Buffer): Buffer => cmsOf(SIGNED, der(0x04, Buffer.from(content)))
const inPieces = (content: string, size: number): Buffer[] =>
  Buffer.from(content)
    .toString('latin1')
    .match(new RegExp(`[^]{1,${size}}`, 'g'))!
    .map((piece) => der(0x04, Buffer.from(piece, 'latin1')))

const TYPE = 'application/pkcs7-mime; smime-type=signed-data; name="smime.p7m"'
const base64 = (bytes: Buffer): string => bytes.toString('base64').replace(/.{76}/g, '$&\r\n')
const part = (bytes: Buffer, type = TYPE, ...more: string[]): string =>
  [`Content-Type: ${type}`, 'Content-Transfer-Encoding: base64', ...more, '', base64(bytes)].join('\r\n')
const mailOf = (body: string): string => `From: Eva <eva@firm.example>\r\nSubject: Signed\r\n${body}`
const mixed = (...parts: string[]): string =>
  mailOf(
    `Content-Type: multipart/mixed; boundary="out"\r\n\r\n${parts.map((p) => `--out\r\n${p}\r\n`).join('')}--out--\r\n`,
  )
const read = (mail: string): Promise<MailIn> => readMail(Buffer.from(mail, 'utf8'))
const shown = ({ text, files, notes }: MailIn) => [text, files.map(({ name }) => name), notes]
const OPENED = [TEXT, ['contract.pdf'], []]

describe('a mail that is signed without clear text has its text and files', () => {
  const forms: [string, string][] = [
    ['as DER', mailOf(part(signed(INNER)))],
    ['with the older name of its type', mailOf(part(signed(INNER), 'application/x-pkcs7-mime; name=smime.p7m'))],
    ['with a type alone', mailOf(part(signed(INNER), 'application/pkcs7-mime'))],
    ['as bytes with the usual name', mailOf(part(signed(INNER), 'application/octet-stream; name="smime.p7m"'))],
    ['under another name', mailOf(part(signed(INNER), 'application/pkcs7-mime; name="signed.p7m"'))],
    [
      'as a marked attachment',
      mailOf(part(signed(INNER), TYPE, 'Content-Disposition: attachment; filename=smime.p7m')),
    ],
    ['of indefinite length', mailOf(part(cmsOf(SIGNED, der(0x04, Buffer.from(INNER)), indefinite)))],
    ['in pieces', mailOf(part(cmsOf(SIGNED, der(0x24, ...inPieces(INNER, 50)))))],
    [
      'in pieces of indefinite length',
      mailOf(part(cmsOf(SIGNED, indefinite(0x24, ...inPieces(INNER, 7)), indefinite))),
    ],
    ['signed twice', mailOf(part(signed(part(signed(INNER)))))],
    [
      'compressed',
      mailOf(
        part(
          cmsOf(COMPRESSED, der(0x04, deflateSync(INNER))),
          'application/pkcs7-mime; smime-type=compressed-data; name=smime.p7z',
        ),
      ),
    ],
    [
      'without the name of its encoding',
      mailOf(part(signed(INNER)).replace('Content-Transfer-Encoding: base64\r\n', '')),
    ],
    [
      'as PEM',
      mailOf(
        `Content-Type: ${TYPE}\r\n\r\n-----BEGIN PKCS7-----\r\n${base64(signed(INNER))}\r\n-----END PKCS7-----\r\n`,
      ),
    ],
  ]
  for (const [form, mail] of forms) test(form, async () => assert.deepEqual(shown(await read(mail)), OPENED))

  test('with what a list puts below it', async () => {
    const mail = mixed(part(signed(INNER)), 'Content-Type: text/plain\r\n\r\nYou are on the list.')
    assert.deepEqual(shown(await read(mail)), [`${TEXT}\nYou are on the list.`, ['contract.pdf'], []])
  })

  test('without a type inside, as a plain text', async () => {
    const { text, from, subject } = await read(mailOf(part(signed('Please call me.\r\n'))))
    assert.deepEqual([text, from?.email, subject], ['Please call me.', 'eva@firm.example', 'Signed'])
  })

  test('also where it is forwarded as a file', async () => {
    const { forwarded } = await read(mixed(`Content-Type: message/rfc822\r\n\r\n${mailOf(part(signed(INNER)))}`))
    assert.equal(forwarded?.text, TEXT)
  })

  test('also of a receipt inside, which no person wrote', async () => {
    const receipt =
      'Content-Type: multipart/report; report-type=disposition-notification; boundary=r\r\n\r\n--r\r\n\r\nRead.'
    assert.equal((await read(mailOf(part(signed(receipt))))).automatic, 'reply')
  })

  test('but no report inside of one of several parts, which somebody passes on', async () => {
    const status =
      'Content-Type: message/delivery-status\r\n\r\nFinal-Recipient: rfc822; ben@firm.example\r\nAction: failed'
    const mail = mixed('Content-Type: text/plain\r\n\r\nDo you understand this?', part(signed(status)))
    assert.equal((await read(mail)).report, null)
  })

  test('also of a report inside, whose mail was not delivered', async () => {
    const report = [
      'Content-Type: multipart/report; report-type=delivery-status; boundary=rep',
      '',
      '--rep',
      'Content-Type: message/delivery-status',
      '',
      'Reporting-MTA: dns; mx.firm.example',
      '',
      'Final-Recipient: rfc822; ben@firm.example',
      'Action: failed',
      'Status: 5.1.1',
      '',
      '--rep--',
    ].join('\r\n')
    const found = await read(mailOf(part(signed(report))))
    assert.deepEqual(
      found.report?.recipients.map(({ email, action }) => [email, action]),
      [['ben@firm.example', 'failed']],
    )
  })
})

describe('what is a file stays one', () => {
  const invoice = signed('<?xml version="1.0"?><invoice/>')
  test('a signed document', async () => {
    const mail = mixed(
      'Content-Type: text/plain\r\n\r\nOur invoice.',
      part(invoice, 'application/pkcs7-mime; smime-type=signed-data; name="invoice.xml.p7m"'),
      part(signed(INNER), 'application/pkcs7-mime; name="contract.eml.p7m"'),
      part(invoice, 'application/octet-stream; name="invoice.p7m"'),
    )
    assert.deepEqual(shown(await read(mail)), [
      'Our invoice.',
      ['invoice.xml.p7m', 'contract.eml.p7m', 'invoice.p7m'],
      [],
    ])
  })

  test('a signed document that is all of a mail', async () => {
    const mail = mailOf(part(invoice, 'application/pkcs7-mime; name="invoice.xml.p7m"'))
    assert.deepEqual(shown(await read(mail)), ['', ['invoice.xml.p7m'], []])
  })

  test('certificates, which have no content', async () => {
    const type = 'application/pkcs7-mime; smime-type=certs-only; name="smime.p7c"'
    assert.deepEqual(shown(await read(mixed(part(cmsOf(SIGNED, undefined), type)))), ['', ['smime.p7c'], []])
    assert.deepEqual(shown(await read(mailOf(part(cmsOf(SIGNED, undefined))))), ['', ['smime.p7m'], []])
  })

  test('the signature beside a clear text', async () => {
    const signature = part(cmsOf(SIGNED, undefined), 'application/pkcs7-signature; name="smime.p7s"')
    const mail = mixed('Content-Type: text/plain\r\n\r\nHello', signature).replace(
      'multipart/mixed',
      'multipart/signed',
    )
    assert.deepEqual(shown(await read(mail)), ['Hello', ['smime.p7s'], []])
  })
})

describe('what cannot be read is said, and kept', () => {
  const encrypted = /^This mail is encrypted and cannot be read here; its file has all of it/
  const unknown = /^The mail is in an S\/MIME file that could not be opened/
  const sealed = cmsOf(ENVELOPED, der(0x04, Buffer.from('secret')))
  const pgp = [
    'Content-Type: application/pgp-encrypted\r\n\r\nVersion: 1',
    'Content-Type: application/octet-stream; name="encrypted.asc"\r\n\r\n-----BEGIN PGP MESSAGE-----',
  ]
  const cases: [string, string, string[], RegExp][] = [
    ['an encrypted mail', mailOf(part(sealed, 'application/pkcs7-mime; name="smime.p7m"')), ['smime.p7m'], encrypted],
    [
      'one that was signed then',
      mailOf(part(signed(part(sealed, 'application/pkcs7-mime')))),
      ['smime.p7m'],
      encrypted,
    ],
    [
      'one that only says so',
      mailOf(part(Buffer.from('?'), 'application/pkcs7-mime; smime-type=enveloped-data')),
      ['smime.p7m'],
      encrypted,
    ],
    [
      'one by PGP',
      mixed(...pgp).replace('multipart/mixed', 'multipart/encrypted'),
      ['version.asc', 'encrypted.asc'],
      encrypted,
    ],
    ['a broken file', mailOf(part(Buffer.from('0123'), TYPE)), ['smime.p7m'], unknown],
    [
      'one that unpacks to a gigabyte',
      mailOf(part(cmsOf(COMPRESSED, der(0x04, deflateSync(Buffer.alloc(200_000_000)))))),
      ['smime.p7m'],
      unknown,
    ],
    [
      'winmail.dat',
      mixed(part(Buffer.from([0x78, 0x9f, 0x3e, 0x22]), 'application/ms-tnef')),
      ['winmail.dat'],
      /^This mail has a winmail\.dat/,
    ],
    [
      'winmail.dat by its name',
      mixed(part(Buffer.from('?'), 'application/octet-stream; name="Winmail.dat"')),
      ['Winmail.dat'],
      /^This mail has a winmail\.dat/,
    ],
  ]
  for (const [what, mail, names, note] of cases)
    test(what, async () => {
      const { text, files, notes } = await read(mail)
      assert.deepEqual([text, files.map(({ name }) => name), notes.length], ['', names, 1])
      assert.match(notes[0] as string, note)
    })
})

describe('a mail that nobody would write', () => {
  test('has its innermost wrapper as a file', async () => {
    let body = INNER
    for (let depth = 0; depth < 8; depth++) body = part(signed(body))
    assert.deepEqual(shown(await read(mailOf(body)))[1], ['smime.p7m'])
  })

  test('has only some of a hundred wrappers opened, and the others as files', async () => {
    const { files } = await read(mixed(...Array.from({ length: 100 }, () => part(signed(INNER)))))
    const names = files.map(({ name }) => name)
    assert.deepEqual([names.length, new Set(names)], [100, new Set(['contract.pdf', 'smime.p7m'])])
  })

  test('is read as far as it goes if its end is missing', async () => {
    for (const file of [signed(INNER), cmsOf(SIGNED, indefinite(0x24, ...inPieces(INNER, 7)), indefinite)])
      assert.equal(unwrapCms(file.subarray(0, 300), 1000)?.kind, 'content')
    const whole = part(signed(INNER.replace('%PDF-1.4', 'x'.repeat(9_000_000))))
    const { text, files, notes } = await readMail(Buffer.from(mailOf(whole)), undefined, 1000)
    assert.deepEqual([text, files.length], [TEXT, 0])
    assert.match(notes.join(' '), /"contract\.pdf" \(at least .* was left out/)
  })

  test('keeps a file whose wrapper is whole, whatever is cut behind it', async () => {
    const file = 'Content-Type: application/pdf; name="a.pdf"\r\n\r\n%PDF-1.4'
    const large = `Content-Type: application/pdf; name="b.pdf"\r\n\r\n${'x\r\n'.repeat(3_000_000)}`
    const { files, notes } = await readMail(Buffer.from(mixed(part(signed(file)), large)), undefined, 1000)
    assert.deepEqual([files.map(({ name }) => name), notes.length], [['a.pdf'], 1])
    assert.match(notes[0] as string, /"b\.pdf" \(at least/)
  })

  test('is not opened if it has too many parts for its size, at whichever depth', async () => {
    const empty = der(0x24, Buffer.alloc(120, Buffer.from([4, 0])))
    for (const parts of [Array.from({ length: 40 }, () => empty), inPieces('x'.repeat(9000), 5)]) {
      const { text, notes, files } = await read(mailOf(part(cmsOf(SIGNED, der(0x24, ...parts)))))
      assert.match(notes.join(' '), /could not be opened/)
      assert.deepEqual([text, files.length], ['', 1])
    }
  })

  test('is not opened if it becomes thirty times as large and more than a mebibyte', async () => {
    const packed = (bytes: number) => {
      const inner = Buffer.from(`Content-Type: text/plain\r\n\r\n${'a '.repeat(bytes / 2)}`)
      return mailOf(part(cmsOf(COMPRESSED, der(0x04, deflateSync(inner))), 'application/pkcs7-mime'))
    }
    assert.equal((await read(packed(1_000_000))).notes.join(), '')
    const { notes, files } = await read(packed(1_200_000))
    assert.match(notes.join(' '), /could not be opened/)
    assert.equal(files.length, 1)
  })

  test('has no elements that never end', () => {
    const opened = Buffer.concat(Array.from({ length: 50_000 }, () => Buffer.from([0x30, 0x80])))
    assert.equal(unwrapCms(opened, 1000), undefined)
    assert.equal(unwrapCms(Buffer.alloc(50_000, 0x30), 1000), undefined)
  })

  const files = [signed(INNER), cmsOf(SIGNED, indefinite(0x24, ...inPieces(INNER, 7)), indefinite)]
  test('never makes the reader throw', () => {
    const changed = fc.tuple(fc.constantFrom(...files), fc.array(fc.tuple(fc.nat(200), fc.nat(255)), { maxLength: 9 }))
    fc.assert(
      fc.property(changed, fc.nat(300), ([file, changes], length) => {
        const bytes = Buffer.from(file.subarray(0, length))
        for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value
        const found = unwrapCms(bytes, 1000)
        assert.ok(!found || found.kind === 'encrypted' || (found.content?.length ?? 0) <= bytes.length)
      }),
      { numRuns: examples(2000) },
    )
  })
})

let folder: string
const ssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] })
const hasOpenssl = (() => {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

describe('files of openssl', { skip: hasOpenssl ? false : 'needs openssl' }, () => {
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'dealbox-smime-'))
    writeFileSync(join(folder, 'in'), INNER)
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', 'key']
    ssl('req', '-x509', ...key, '-out', 'cert', '-days', '3', '-subj', '/CN=Eva Ruiz')
  })
  after(() => rmSync(folder, { recursive: true }))

  const sign = [
    'cms',
    '-sign',
    '-nodetach',
    '-binary',
    '-in',
    'in',
    '-signer',
    'cert',
    '-inkey',
    'key',
    '-outform',
    'DER',
  ]
  for (const [what, ...args] of [
    ['signed', ...sign],
    ['signed in a stream', ...sign, '-stream'],
    ['signed without its certificate', ...sign, '-nocerts'],
  ] as [string, ...string[]][])
    test(what, async () => {
      ssl(...args, '-out', 'file')
      assert.deepEqual(shown(await read(mailOf(part(readFileSync(join(folder, 'file')))))), OPENED)
    })

  test('encrypted', async () => {
    ssl('cms', '-encrypt', '-aes256', '-in', 'in', '-outform', 'DER', '-out', 'file', 'cert')
    const { files, notes } = await read(mailOf(part(readFileSync(join(folder, 'file')), 'application/pkcs7-mime')))
    assert.deepEqual([files.map(({ name }) => name), notes.length], [['smime.p7m'], 1])
  })
})
