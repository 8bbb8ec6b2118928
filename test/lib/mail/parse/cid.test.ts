import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { readMail } from '../../../../src/lib/mail/parse/read.ts'
import { deskOf } from '../../../support/desk.ts'
import { startServer, type TestServer } from '../../../support/server.ts'

// Which file a picture in the text of a mail is.

let server: TestServer
let desk: ReturnType<typeof deskOf>
before(async () => {
  server = await startServer()
  desk = deskOf(server)
})
after(() => server.stop())

const picture = (fields: readonly string[], content: string): string[] => [
  '--r',
  'Content-Type: image/png; name="image001.png"',
  ...fields,
  '',
  content,
]
const mailOf = (html: string, ...pictures: string[][]): string[] => [
  'From: Eva <eva@firm.example>',
  'To: support@acme.example',
  'Message-ID: <pictures@firm.example>',
  'Content-Type: multipart/related; boundary="r"',
  '',
  '--r',
  'Content-Type: text/html; charset=utf-8',
  '',
  html,
  ...pictures.flat(),
  '--r--',
]

test('two files of one name are told apart by their cid, which the HTML has too', async () => {
  const html = '<p>Before: <img src="cid:a@x" /> after: <img src="cid:b@x" /></p>'
  const lines = mailOf(html, picture(['Content-ID: <b@x>'], 'two'), picture(['Content-ID: <a@x>'], 'one'), [
    ...picture([], 'three'),
  ])
  await desk.take(await desk.parsed(lines))
  const message = await desk.stored('<pictures@firm.example>')
  assert.equal(message?.body_html, html)
  assert.deepEqual(
    message?.attachments.map(({ cid }: { cid?: string }) => cid),
    ['b@x', 'a@x', undefined],
  )
  const whole = await desk.get(`/messages/${message?.id}?include=attachments`)
  assert.deepEqual(
    whole.attachments.map(({ cid, data }: { cid?: string; data: string }) => [cid, Buffer.from(data, 'base64') + '']),
    [
      ['b@x', 'two'],
      ['a@x', 'one'],
      [undefined, 'three'],
    ],
  )
})

describe('a Content-ID is read', () => {
  const forms: [string, string[], string | null][] = [
    ['in angle brackets', ['Content-ID: <image001.png@01DB0000.11112222>'], 'image001.png@01DB0000.11112222'],
    ['without them', ['Content-Id: logo'], 'logo'],
    ['with a comment behind it', ['Content-ID: <ii_19a> (made by a web mail)'], 'ii_19a'],
    ['on a line of its own', ['Content-ID:', ' <f_m1@mail.firm.example>'], 'f_m1@mail.firm.example'],
    ['with a space inside', ['Content-ID: <image 1.png>'], 'image 1.png'],
    ['with letters beyond ASCII', ['Content-ID: <Grüße@x>'], 'Grüße@x'],
    ['as an encoded word', ['Content-ID: =?utf-8?q?=3Clogo=40x=3E?='], 'logo@x'],
    ['cut at its end', ['Content-ID: <logo@x'], 'logo@x'],
    ['of an attached file', ['Content-Disposition: attachment; filename="a.png"', 'Content-ID: <a@x>'], 'a@x'],
    ['empty, which is none', ['Content-ID: <>'], null],
    ['blank, which is none', ['Content-ID:  '], null],
    ['as long as a line', [`Content-ID: <${'x'.repeat(2000)}>`], 'x'.repeat(998)],
  ]
  for (const [form, fields, cid] of forms)
    test(form, async () => {
      const { files } = await readMail(Buffer.from(mailOf('<img src="cid:x">', picture(fields, '1')).join('\r\n')))
      assert.deepEqual(
        files.map((file) => file.cid),
        [cid],
      )
    })
})

test('a program gives the cid of its files, and gets what is wrong with one', async () => {
  const file = { name: 'logo.png', content_type: 'image/png', data: 'MQ==' }
  const given = { body_html: '<img src="cid:logo@acme">', attachments: [{ ...file, cid: 'logo@acme' }, file] }
  const { attachments } = await desk.say('inbound', undefined, given)
  assert.deepEqual(
    attachments.map(({ cid }: { cid?: string }) => cid),
    ['logo@acme', undefined],
  )
  const from = { email: 'eva@firm.example' }
  for (const cid of ['<logo@acme>', 'a b', '', 'a\u0007'])
    assert.deepEqual(
      await server
        .call('POST', '/messages', { direction: 'inbound', channel: 'chat', from, attachments: [{ ...file, cid }] })
        .then(({ status, body }) => [status, body.errors?.[0].pointer]),
      [422, '/attachments/0/cid'],
    )
})
