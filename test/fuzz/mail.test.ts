import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import { composeMail } from '../../src/lib/mail/transport/compose.ts'
import { smtpClient } from '../../src/lib/mail/transport/smtp.ts'
import { readMail, startSink } from './sink.ts'
import { unsubscribing } from './unsubscribing.ts'

// That the fuzzer finds what is wrong with a mail, and with the link in it by which people unsubscribe.

describe('the sink', () => {
  const mail = {
    ...{ messageId: '<1@own.example>', date: Date.UTC(2026, 0, 1), from: { email: 'a@own.example', name: 'Ä' } },
    ...{
      replyTo: null,
      to: [{ email: 'b@x.example', name: null }],
      cc: [],
      bcc: [],
      subject: 'Größe',
      inReplyTo: null,
      references: [],
    },
    ...{ text: 'Hello', html: '<p>Hello</p>', files: [] },
    headers: {
      'List-Unsubscribe': `<https://own.example/unsubscribe/${'a'.repeat(64)}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  }

  test('says what is wrong with a mail', async () => {
    const source = (await composeMail(mail)).toString('latin1')
    const wrongOf = (change: (text: string) => string) => readMail(Buffer.from(change(source), 'latin1')).wrong.join()
    assert.deepEqual(readMail(Buffer.from(source)), { id: '<1@own.example>', token: 'a'.repeat(64), wrong: [] })
    assert.equal(
      wrongOf((text) => `${text}\r\n..${'x'.repeat(997)}`),
      '',
    )
    const changes: [RegExp, (text: string) => string][] = [
      [/a header "bcc"/, (text) => `Bcc: c@x.example\r\n${text}`],
      [/a header ""/, (text) => `nonsense\r\n${text}`],
      [/not one header from/, (text) => `From: c@x.example\r\n${text}`],
      [/not one header date/, (text) => text.replace(/^Date:.*\r\n/m, '')],
      [/two headers reply-to/, (text) => `Reply-To: a@x\r\nReply-To: b@x\r\n${text}`],
      [/not ASCII/, (text) => text.replace(/^Subject:.*$/m, 'Subject: Gr\xf6\xdfe')],
      [/half of a line end/, (text) => `${text}\n`],
      [/half of a line end/, (text) => `${text}\rx`],
      [/more than 998 bytes/, (text) => text + 'x'.repeat(999)],
      [/has no body/, (text) => text.split('\r\n\r\n')[0]!],
      [/a Message-ID that is none/, (text) => text.replace('<1@own.example>', '1')],
      [/no link to unsubscribe by/, (text) => text.replace('/unsubscribe/', '/other/')],
      [/no one click/, (text) => text.replace(/^List-Unsubscribe-Post:.*\r\n/m, '')],
    ]
    for (const [found, change] of changes) assert.match(wrongOf(change), found)
  })

  test('takes, refuses, puts off and loses mails by its seed', async (t) => {
    const sink = await startSink(1)
    t.after(sink.stop)
    const client = smtpClient({ host: '127.0.0.1', port: sink.port, tls: 'none', user: null, password: null })
    t.after(client.close)
    const outcomes: Record<string, number> = {}
    for (let index = 0; index < 120; index++) {
      const source = await composeMail({ ...mail, messageId: `<${index}@own.example>` })
      const { outcome } = await client.send({ from: 'a@own.example', to: ['b@x.example'], source })
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
    }
    assert.deepEqual(Object.keys(outcomes).sort(), ['deferred', 'doubtful', 'refused', 'sent'])
    assert.ok(outcomes.sent! > 80)
    assert.ok(sink.size() >= outcomes.sent!)
    assert.deepEqual(sink.faults, [])
    assert.equal(sink.links.length, sink.size())
  })
})

test('a link to unsubscribe by is followed once, and found out where it does not do what it is for', async (t) => {
  const asked: string[] = []
  let isStrict = true
  const page = createServer(({ method, url }, response) => {
    asked.push(`${method} ${url}`)
    response.writeHead(isStrict && url !== '/good' ? 404 : 200).end()
  })
  page.listen(0, '127.0.0.1')
  await once(page, 'listening')
  t.after(() => page.close())
  const { port } = page.address() as AddressInfo
  const links = ['good', 'good', 'good']
  const follow = unsubscribing({ sink: { links }, unsubscribeUrl: `http://127.0.0.1:${port}/` } as never)
  assert.deepEqual(await follow(), [])
  assert.deepEqual(await follow(), [])
  assert.deepEqual(asked, ['GET /good', 'POST /Aood', 'POST /good', 'POST /good'])
  isStrict = false
  assert.deepEqual(await follow(), ['200 instead of 404 for POST of Aood'])
  assert.deepEqual(await follow(), [])
  links.splice(0, 1, 'gone')
  isStrict = true
  assert.equal((await follow()).length, 3)
})
