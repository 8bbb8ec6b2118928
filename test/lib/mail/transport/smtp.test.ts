import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { createServer as createSecureServer } from 'node:tls'
import { MAX_BYTES } from '../../../../src/inbox/messages/attachments.ts'
import { smtpError } from '../../../../src/lib/mail/transport/error-messages.ts'
import type { MailServer } from '../../../../src/lib/mail/transport/server.ts'
import { checkSmtp, limitOf, type SmtpTimes, smtpClient } from '../../../../src/lib/mail/transport/smtp.ts'
import type { Sent } from '../../../../src/lib/mail/transport/smtp-mail.ts'
import { MIB } from '../../../../src/lib/size.ts'
import { LEASE_MS } from '../../../../src/mail/jobs.ts'
import { ownCertificate, type Say, startSmtp, startTalker } from '../../../support/smtp.ts'
import { trusting } from '../../../support/trust.ts'
import { makeCertificate } from '../../../webhooks/egress/certificates.ts'

const SHORT: SmtpTimes = {
  connect_ms: 60_000,
  greeting_ms: 60_000,
  answer_ms: 60_000,
  idle_ms: 60_000,
  try_ms: 120_000,
}
const FROM = 'sales@acme.example'
const TO = ['ann@customer.example']
const SOURCE = Buffer.from('Subject: x\r\n\r\n.hidden dot\r\n..\r\nend\r\n')
const SECRET = 'correct horse battery'

const plain = (port: number, some: Partial<MailServer> = {}): MailServer => ({
  host: '127.0.0.1',
  port,
  tls: 'none',
  user: null,
  password: null,
  ...some,
})

/** One mail by a client of its own. */
async function sendOne(
  server: MailServer,
  {
    times = {},
    source = SOURCE,
    to = TO,
    from = FROM,
    signal,
  }: Partial<{
    times: Partial<SmtpTimes>
    source: Buffer
    to: string[]
    from: string
    signal: AbortSignal
  }> = {},
) {
  const client = smtpClient(server, { ...SHORT, ...times })
  try {
    return await client.send({ from, to, source }, signal)
  } finally {
    client.close()
  }
}

const errorOf = (result: Sent): string => ('error' in result ? result.error : '')

test('a mail arrives byte by byte, and the reply says so', async (t) => {
  const smtp = await startSmtp(t)
  const result = await sendOne(smtp.server, { to: ['ann@customer.example', 'ben@customer.example'] })
  assert.equal(result.outcome, 'sent')
  assert.match(result.outcome === 'sent' ? result.reply : '', /^250 /)
  assert.deepEqual(
    smtp.mails.map(({ from, to, source }) => ({ from, to, source: source.toString() })),
    [{ from: FROM, to: ['ann@customer.example', 'ben@customer.example'], source: SOURCE.toString() }],
  )
})

test('the domain of an address goes out in ASCII', async (t) => {
  const server = await startTalker(t, YES)
  assert.equal((await sendOne(plain(server.port), { to: ['j@Büro.example'], from: 'a@Büro.example' })).outcome, 'sent')
  assert.deepEqual(server.heard.slice(1, 3), ['MAIL FROM:<a@xn--bro-hoa.example>', 'RCPT TO:<j@xn--bro-hoa.example>'])
})

test('other letters before the @ need a server with SMTPUTF8, and no other one is asked', async (t) => {
  const server = await startTalker(t, { ...YES, EHLO: '250-hello\n250-SIZE 1000000\n250 SMTPUTF8' })
  const international = ['jörg@Büro.example', '用户@例え.jp']
  for (const to of international) assert.equal((await sendOne(plain(server.port), { to: [to] })).outcome, 'sent')
  const heard = server.heard.map((line) => Buffer.from(line, 'latin1').toString())
  assert.ok(heard.includes(`MAIL FROM:<${FROM}> SMTPUTF8 SIZE=${SOURCE.length}`))
  assert.ok(heard.includes('RCPT TO:<jörg@xn--bro-hoa.example>'))
  assert.ok(heard.includes('RCPT TO:<用户@xn--r8jz45g.jp>'))
  const old = await startTalker(t, YES)
  for (const to of international) {
    const result = await sendOne(plain(old.port), { to: [to] })
    assert.equal(result.outcome, 'refused')
    assert.match(
      errorOf(result),
      new RegExp(`does not support addresses such as ${to}, .*SMTPUTF8.*Use another address`),
    )
  }
  assert.equal((await sendOne(plain(old.port), { from: 'jörg@acme.example' })).outcome, 'refused')
  assert.deepEqual(
    old.heard.filter((line) => /^(?:MAIL|RCPT)/.test(line)),
    [],
  )
})

test('addresses that exist although they are odd go out as RFC 5321 has them', async (t) => {
  const server = await startTalker(t, YES)
  const odd = {
    'hana..umi@docomo.example': '"hana..umi"@docomo.example',
    'name.@docomo.example': '"name."@docomo.example',
    '.dot@docomo.example': '".dot"@docomo.example',
    '"two words"@ex.example': '"two words"@ex.example',
    '"a@b"@ex.example': '"a@b"@ex.example',
    "o'neil@ex.example": "o'neil@ex.example",
    'root@localhost': 'root@localhost',
    'a_b@under_score.example': 'a_b@under_score.example',
    'x+y/z=1@ex.example': 'x+y/z=1@ex.example',
    'a@[192.0.2.1]': 'a@[192.0.2.1]',
  }
  for (const address of Object.keys(odd))
    assert.equal((await sendOne(plain(server.port), { to: [address] })).outcome, 'sent', address)
  assert.deepEqual(
    server.heard.filter((line) => line.startsWith('RCPT')),
    Object.values(odd).map((address) => `RCPT TO:<${address}>`),
  )
})

test('the reply to the mail says under which Message-ID it goes on', async (t) => {
  const smtp = await startTalker(t, {
    ...YES,
    END: '250 Ok 0100019a0b1c2d3e-4f5a6b7c-8d9e-4f0a-b1c2-d3e4f5a6b7c8-000000',
  })
  const result = await sendOne(plain(smtp.port))
  const ids = ['<0100019a0b1c2d3e-4f5a6b7c-8d9e-4f0a-b1c2-d3e4f5a6b7c8-000000@amazonses.com>']
  assert.deepEqual(result.outcome === 'sent' && result.ids, ids)
})

for (const tls of ['none', 'starttls', 'tls'] as const) {
  test(`it logs in and sends with tls ${tls}`, async (t) => {
    const smtp = await startSmtp(t, { tls, user: 'sales', password: SECRET })
    assert.equal(await checkSmtp(smtp.server, SHORT), null)
    assert.equal((await sendOne(smtp.server)).outcome, 'sent')
    const wrong = { ...smtp.server, password: 'wrong horse battery' }
    const place = `127.0.0.1:${smtp.server.port}`
    const error = `The server ${place} rejected the login of "sales": 535 5.7.8 Wrong user or password.`
    assert.equal(await checkSmtp(wrong, SHORT), error)
    assert.deepEqual(await sendOne(wrong), { outcome: 'later', error })
    assert.equal(smtp.mails.length, 1)
  })
}

test('a connection is kept for the next mail and left after a while', async (t) => {
  const smtp = await startSmtp(t)
  const client = smtpClient(smtp.server, { ...SHORT, idle_ms: 50 })
  t.after(client.close)
  for (let count = 0; count < 5; count++) await client.send({ from: FROM, to: TO, source: SOURCE })
  assert.equal(smtp.counts().connections, 1)
  assert.equal(smtp.mails.length, 5)
  await smtp.left()
  assert.equal((await client.send({ from: FROM, to: TO, source: SOURCE })).outcome, 'sent')
  assert.equal(smtp.counts().connections, 2)
})

test('many mails at once share two connections', async (t) => {
  const smtp = await startSmtp(t)
  const client = smtpClient(smtp.server, SHORT)
  const results = await Promise.all(
    Array.from({ length: 30 }, () => client.send({ from: FROM, to: TO, source: SOURCE })),
  )
  assert.ok(results.every(({ outcome }) => outcome === 'sent'))
  assert.equal(smtp.mails.length, 30)
  assert.deepEqual(smtp.counts(), { connections: 2, open: 2, maxOpen: 2 })
  client.close()
  await smtp.left()
})

test('a mail that waits for its turn can be called off', async (t) => {
  const silent = await startTalker(t, { open: '220 hello' })
  const client = smtpClient(plain(silent.port), SHORT)
  const cut = new AbortController()
  const both = [1, 2, 3].map(() => client.send({ from: FROM, to: TO, source: SOURCE }, cut.signal))
  cut.abort()
  const error = `The connection to 127.0.0.1:${silent.port} was aborted.`
  for (const result of await Promise.all(both)) assert.deepEqual(result, { outcome: 'later', error })
})

test('what is closed keeps no connection, also of a mail that is on its way', { timeout: 120_000 }, async (t) => {
  const smtp = await startSmtp(t)
  const client = smtpClient(smtp.server, { ...SHORT, idle_ms: 60_000 })
  await client.send({ from: FROM, to: TO, source: SOURCE })
  const sending = client.send({ from: FROM, to: TO, source: SOURCE })
  client.close()
  assert.equal((await sending).outcome, 'sent')
  await smtp.left()
  assert.equal((await client.send({ from: FROM, to: TO, source: SOURCE })).outcome, 'sent')
  await smtp.left()
})

test('where the server ended a connection that waited, the next mail goes by a new one', async (t) => {
  const smtp = await startSmtp(t)
  const client = smtpClient(smtp.server, SHORT)
  t.after(client.close)
  await client.send({ from: FROM, to: TO, source: SOURCE })
  const cut = smtp.cutConnections()
  const [result] = await Promise.all([client.send({ from: FROM, to: TO, source: SOURCE }), cut])
  assert.equal(result.outcome, 'sent')
  assert.deepEqual([smtp.mails.length, smtp.counts().connections], [2, 2])
})

test('a server that ends a session with 421 gets the mail by a new one', async (t) => {
  let mails = 0
  const server = await startTalker(t, {
    open: '220 hello',
    else: '250 yes',
    DATA: '354 go on',
    MAIL: (socket) => socket.write(++mails === 2 ? '421 too many in one session\r\n' : '250 yes\r\n'),
  })
  const client = smtpClient(plain(server.port), SHORT)
  t.after(client.close)
  for (let count = 0; count < 2; count++)
    assert.equal((await client.send({ from: FROM, to: TO, source: SOURCE })).outcome, 'sent')
  assert.equal(server.heard.filter((line) => line.startsWith('EHLO')).length, 2)
})

test('what the server says decides what becomes of a mail', async (t) => {
  const smtp = await startSmtp(t)
  const place = `The server 127.0.0.1:${smtp.server.port}`
  const cases = [
    ['mail', '550 5.1.8 Bad sender', 'limited', `${place} rejected the sender: 550 5.1.8 Bad sender.`],
    ['mail', '451 4.3.0 Busy', 'later', `${place} did not accept the sender at the moment: 451 4.3.0 Busy.`],
    ['mail', '530 5.7.0 Log in first', 'later', `${place} rejected the sender: 530 5.7.0 Log in first.`],
    ['rcpt', '550 5.1.1 No such user.', 'refused', `${place} rejected the recipient: 550 5.1.1 No such user.`],
    [
      'rcpt',
      '450 4.2.0 Greylisted',
      'deferred',
      `${place} did not accept the recipient at the moment: 450 4.2.0 Greylisted.`,
    ],
    ['data', '554 5.7.1 Spam', 'refused', `${place} rejected the mail: 554 5.7.1 Spam.`],
    ['data', '552 5.3.4 Too large', 'refused', `${place} rejected the mail: 552 5.3.4 Too large.`],
    ['data', '452 4.3.1 Disk full', 'later', `${place} did not accept the mail at the moment: 452 4.3.1 Disk full.`],
    ['data', '503 5.5.1 Out of order', 'later', `${place} rejected the mail: 503 5.5.1 Out of order.`],
  ] as const
  for (const [step, reply, outcome, error] of cases) {
    smtp.answer({ [step]: () => reply })
    assert.deepEqual(await sendOne(smtp.server), { outcome, error }, reply)
  }
  assert.deepEqual(smtp.mails, [])
})

test('a mail that some of its recipients cannot have goes to the others, and says who they are before its content', async (t) => {
  const [no, later, ann] = ['no@customer.example', 'later@Büro.example', 'ann@customer.example']
  const refusing = (address: string): string | undefined =>
    address.startsWith('no') ? '550 5.1.1 Unknown' : address.startsWith('later') ? '450 4.2.0 Greylisted' : undefined
  const smtp = await startSmtp(t, { rcpt: refusing })
  const client = smtpClient(smtp.server, SHORT)
  t.after(client.close)
  const told: [unknown, number][] = []
  const onRefused = async (refusals: unknown) => void told.push([refusals, smtp.mails.length])
  const result = await client.send({ from: FROM, to: [no, later, ann], source: SOURCE, onRefused })
  const refusals = [
    {
      email: no,
      cause: 'refused',
      error: `The server 127.0.0.1:${smtp.server.port} rejected the recipient: 550 5.1.1 Unknown.`,
    },
    {
      email: later,
      cause: 'deferred',
      error: `The server 127.0.0.1:${smtp.server.port} did not accept the recipient at the moment: 450 4.2.0 Greylisted.`,
    },
  ]
  assert.equal(result.outcome, 'sent')
  assert.deepEqual(told, [[refusals, 0]])
  assert.deepEqual(
    smtp.mails.map(({ to, source }) => [to, String(source)]),
    [[[ann], String(SOURCE)]],
  )
  const none = await client.send({ from: FROM, to: [no, later], source: SOURCE, onRefused })
  assert.deepEqual([none.outcome, told[1], smtp.mails.length], ['deferred', [refusals, 1], 1])
  const failing = { from: FROM, to: [no, ann], source: SOURCE, onRefused: () => Promise.reject(new Error('disk full')) }
  assert.equal((await client.send(failing)).outcome, 'later', 'it is not sent if that cannot be kept')
  assert.equal(smtp.mails.length, 1)
})

test('a mail larger than the server takes is refused before it goes out', async (t) => {
  const smtp = await startSmtp(t, { more: { size: 1000 } })
  const result = await sendOne(smtp.server, { source: Buffer.alloc(2000, 'a') })
  const error = `The mail is larger than the server 127.0.0.1:${smtp.server.port} accepts.`
  assert.deepEqual(result, { outcome: 'refused', error })
})

test('an address that would be more than an address reaches no server', async (t) => {
  const smtp = await startSmtp(t)
  for (const hostile of ['a@b.example>\r\nRCPT TO:<eve@evil.example', 'a@b.example> SIZE=1 <x', '']) {
    assert.equal((await sendOne(smtp.server, { to: [hostile] })).outcome, 'refused')
    if (hostile) assert.equal((await sendOne(smtp.server, { from: hostile })).outcome, 'refused')
  }
  assert.deepEqual(smtp.mails, [])
})

const close: Say = (socket) => socket.destroy()
const YES = { open: '220 hello', else: '250 yes', DATA: '354 go on' }
const LARGE = Buffer.alloc(5_000_000, 'all work and no play\r\n')

const nasty: [string, Record<string, Say>, 'later' | 'deferred' | 'doubtful' | 'refused', RegExp, Buffer?][] = [
  ['closes at once', { open: close }, 'later', /closed the connection/],
  ['greets with 421', { open: '421 busy' }, 'later', /rejected the connection: 421 busy\.$/],
  ['greets with 554', { open: '554 no' }, 'later', /rejected the connection: 554 no\.$/],
  ['greets with garbage', { open: 'SSH-2.0-OpenSSH_9.2' }, 'later', /does not respond like a mail server/],
  ['greets without end', { open: flood('220-'.padEnd(1000, 'x')) }, 'later', /does not respond like a mail server/],
  [
    'greets with one line without end',
    { open: flood('x'.repeat(1000), '') },
    'later',
    /does not respond like a mail server/,
  ],
  ['closes after EHLO', { ...YES, EHLO: close }, 'later', /closed the connection/],
  ['closes after MAIL', { ...YES, MAIL: close }, 'later', /closed the connection/],
  ['closes after RCPT', { ...YES, RCPT: close }, 'later', /closed the connection/],
  ['closes after DATA', { ...YES, DATA: close }, 'later', /closed the connection/],
  ['answers MAIL with garbage', { ...YES, MAIL: 'what' }, 'later', /does not respond like a mail server/],
  [
    'answers RCPT with 421',
    { ...YES, RCPT: '421 bye' },
    'deferred',
    /did not accept the recipient at the moment: 421 bye/,
  ],
  ['answers DATA with 503', { ...YES, DATA: '503 no' }, 'later', /rejected the mail: 503 no/],
  ['closes after the mail', { ...YES, END: close }, 'doubtful', /closed the connection/],
  ['closes half way through an answer', { ...YES, END: half('25') }, 'doubtful', /closed the connection/],
  ['closes half way through a refusal', { ...YES, END: half('554 5.7.1 no') }, 'refused', /554 5\.7\.1 no/],
  ['answers the mail with 421', { ...YES, END: '421 bye' }, 'later', /did not accept the mail at the moment: 421 bye/],
  ['answers the mail with garbage', { ...YES, END: 'what' }, 'doubtful', /does not respond like a mail server/],
  ['answers the mail with 354', { ...YES, END: '354 more' }, 'doubtful', /does not respond like a mail server/],
  ['closes in the middle of a large mail', { ...YES, DATA: inTheMiddle }, 'later', /closed the connection/, LARGE],
]

function flood(line: string, end = '\r\n'): Say {
  return (socket) => {
    const more = () => {
      while (socket.writable && socket.write(line + end));
      socket.once('drain', more)
    }
    more()
  }
}

function half(reply: string): Say {
  return (socket) => socket.end(reply)
}

function inTheMiddle(socket: Socket): void {
  socket.write('354 go on\r\n')
  socket.pause()
  socket.once('readable', () => socket.destroy())
}

for (const [what, says, outcome, error, source = SOURCE] of nasty) {
  test(`a server that ${what}: ${outcome}`, async (t) => {
    const server = await startTalker(t, says)
    const result = await sendOne(plain(server.port), { source })
    assert.equal(result.outcome, outcome)
    assert.match(errorOf(result), error)
    assert.match(errorOf(result), new RegExp(`127.0.0.1:${server.port}.*\\.$`))
  })
}

test('silence ends a try: before the mail it is for later, behind it nobody knows', async (t) => {
  const mute: Say = () => {}
  const cases: [Record<string, Say>, string, RegExp][] = [
    [{}, 'later', /sent no greeting in time; it may need "tls": "tls"/],
    [{ open: '220 hello' }, 'later', /did not respond in time/],
    [{ ...YES, RCPT: mute }, 'later', /did not respond in time/],
    [{ ...YES, DATA: mute }, 'later', /did not respond in time/],
    [{ ...YES, END: mute }, 'doubtful', /did not respond in time/],
  ]
  for (const [says, outcome, error] of cases) {
    // Long enough for what is answered before the silence.
    const times = says.open === undefined ? { greeting_ms: 60 } : { answer_ms: 1500 }
    const server = await startTalker(t, says)
    const result = await sendOne(plain(server.port), { times })
    assert.equal(result.outcome, outcome)
    assert.match(errorOf(result), error)
  }
  const drips = await startTalker(t, { ...YES, END: drip })
  const slow = await sendOne(plain(drips.port), { times: { answer_ms: 1500, try_ms: 3000 } })
  assert.equal(slow.outcome, 'doubtful')
})

test('a large mail has as long as it takes on a slow line, and no longer', async (t) => {
  const source = Buffer.concat([SOURCE, Buffer.alloc(20 * MIB, 'slowly\r\n')])
  for (const [seconds, outcome] of [
    [2600, 'sent'],
    [2800, 'later'], // two minutes, and 20 MiB with 8,000 bytes a second
  ] as const) {
    const { promise: reading, resolve } = Promise.withResolvers<Socket>()
    const DATA: Say = (socket) => {
      socket.write('354 go\r\n')
      socket.removeAllListeners('data').pause()
      resolve(socket)
    }
    const server = await startTalker(t, { ...YES, DATA })
    t.mock.timers.enable({ apis: ['AbortSignal.timeout' as 'setTimeout'] })
    const sending = sendOne(plain(server.port), { source, times: { answer_ms: 120_000 } })
    const socket = await reading
    t.mock.timers.tick(seconds * 1000)
    let end = ''
    socket.on('data', (text: string) => {
      end = (end + text).slice(-5)
      if (end === '\r\n.\r\n') socket.write('250 thanks\r\n')
    })
    socket.resume()
    assert.equal((await sending).outcome, outcome)
    t.mock.timers.reset()
  }
})

test('the job of the largest mail is not taken for lost while it is sent', () => {
  const largest = 1.4 * (MAX_BYTES + 3 * MIB)
  assert.ok(LEASE_MS > limitOf(largest))
})

const drip: Say = (socket) => {
  const timer = setInterval(() => socket.write('250-wait\r\n'), 20)
  socket.once('close', () => clearInterval(timer))
}

test('a try can be broken off at any time', async (t) => {
  const cut = AbortSignal.abort()
  const early = await sendOne(plain(1), { signal: cut })
  assert.deepEqual(early, { outcome: 'later', error: 'The connection to 127.0.0.1:1 was aborted.' })
  for (const [at, outcome] of [
    ['EHLO', 'later'],
    ['RCPT', 'later'],
    ['END', 'doubtful'],
  ] as const) {
    const aborter = new AbortController()
    const server = await startTalker(t, { ...YES, [at]: () => aborter.abort() })
    const result = await sendOne(plain(server.port), { signal: aborter.signal })
    assert.deepEqual(result, { outcome, error: `The connection to 127.0.0.1:${server.port} was aborted.` })
  }
})

test('the password goes over no connection that should be encrypted and is not', async (t) => {
  const login = { user: 'sales', password: SECRET }
  const stripped = await startTalker(t, { open: '220 hello', EHLO: '250-hello\n250 AUTH PLAIN LOGIN', else: '502 no' })
  const server = plain(stripped.port, { ...login, tls: 'starttls' })
  const error = `The server 127.0.0.1:${stripped.port} does not offer STARTTLS.`
  assert.equal(await checkSmtp(server, SHORT), error)
  assert.deepEqual(await sendOne(server), { outcome: 'later', error })
  assert.doesNotMatch(stripped.heard.join('\n'), /AUTH/)
})

test('what was said before TLS began counts for nothing', async (t) => {
  const server = await startTalker(t, {
    open: '220 hello',
    EHLO: '250-hello\n250-AUTH PLAIN\n250 STARTTLS',
    STARTTLS: 'TLS',
    'TLS-EHLO': '250 hello',
    else: '250 yes',
  })
  trusting(t, ownCertificate().cert)
  const address = plain(server.port, { tls: 'starttls', user: 'sales', password: SECRET })
  const place = `127.0.0.1:${server.port}`
  assert.equal(
    await checkSmtp(address, SHORT),
    `The server ${place} does not support login, but the settings have the user "sales".`,
  )
  assert.doesNotMatch(server.heard.join('\n'), /AUTH/)
})

test('a server that repeats what it was told does not make the password known', async (t) => {
  for (const method of ['PLAIN', 'LOGIN']) {
    const server = await startTalker(t, {
      open: '220 hello',
      EHLO: `250-hello\n250 AUTH ${method}`,
      AUTH: method === 'LOGIN' ? '334 VXNlcm5hbWU6' : (socket) => echo(socket, server.heard),
      [Buffer.from('sales').toString('base64').toUpperCase()]: '334 UGFzc3dvcmQ6',
      else: (socket) => echo(socket, server.heard),
    })
    const trouble = await checkSmtp(plain(server.port, { user: 'sales', password: SECRET }), SHORT)
    assert.match(trouble ?? '', /rejected the login of "sales": 535 /)
    for (const secret of [SECRET, Buffer.from(SECRET).toString('base64').slice(0, 16), 'c2FsZXMAY29ycmVjdCBob'])
      assert.ok(!trouble?.includes(secret), `${trouble}`)
  }
})

function echo(socket: Socket, heard: string[]): void {
  const last = heard.at(-1) ?? ''
  socket.write(`535 5.7.8 I heard ${last} and ${last.slice(0, -7)} and ${SECRET}\r\n`)
}

test('a user needs a password, and a server that logs in', async (t) => {
  const smtp = await startSmtp(t)
  const place = `127.0.0.1:${smtp.server.port}`
  assert.equal(
    await checkSmtp({ ...smtp.server, user: 'sales', password: SECRET }, SHORT),
    `The server ${place} does not support login, but the settings have the user "sales".`,
  )
  const other = await startSmtp(t, { user: 'sales', password: SECRET })
  assert.equal(
    await checkSmtp({ ...other.server, password: null }, SHORT),
    `The login to 127.0.0.1:${other.server.port} needs a user and a password.`,
  )
})

test('a certificate has to be valid, trusted and for the host', async (t) => {
  const expired = makeCertificate(2020, 2021)
  assert.ok(expired)
  for (const tls of ['tls', 'starttls'] as const) {
    const smtp = await startSmtp(t, { tls })
    const place = `The server 127.0.0.1:${smtp.server.port}`
    assert.equal(await checkSmtp(smtp.server, SHORT), null)
    trusting(t)
    assert.equal(
      await checkSmtp(smtp.server, SHORT),
      `${place} has a certificate that is self-signed and not trusted; if it is your own, name its file with --ca.`,
    )
    trusting(t, ownCertificate().cert)
    assert.equal(
      await checkSmtp({ ...smtp.server, host: 'localhost' }, SHORT),
      `The server localhost:${smtp.server.port} has a certificate that is for another name.`,
    )
    const old = await startSmtp(t, { tls, more: { ...expired } })
    trusting(t, expired.cert)
    assert.equal(
      await checkSmtp(old.server, SHORT),
      `The server 127.0.0.1:${old.server.port} has a certificate that has expired.`,
    )
    assert.equal((await sendOne(old.server)).outcome, 'later')
  }
})

test('one sentence says why a server cannot be talked to', async (t) => {
  assert.match(
    (await checkSmtp(plain(25, { host: 'smtp.nowhere.invalid' }), SHORT)) ?? '',
    /^The server smtp\.nowhere\.invalid:25 has a host name that (?:does not exist|could not be resolved at the moment)\.$/,
  )
  const gone = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => gone.once('listening', resolve))
  const { port } = gone.address() as { port: number }
  await new Promise((resolve) => gone.close(resolve))
  assert.equal(await checkSmtp(plain(port), SHORT), `The server 127.0.0.1:${port} refused the connection.`)
  const talker = await startTalker(t, { open: '220 hello', else: '250 yes' })
  assert.equal(
    await checkSmtp(plain(talker.port, { tls: 'tls' }), SHORT),
    `The server 127.0.0.1:${talker.port} does not use TLS from the start; it may need "tls": "starttls".`,
  )
  const mute = await startTalker(t, {})
  assert.equal(
    await checkSmtp(plain(mute.port, { tls: 'tls' }), { ...SHORT, connect_ms: 50 }),
    `The server 127.0.0.1:${mute.port} cannot be reached: it did not respond in time.`,
  )
  const old = createSecureServer({ ...ownCertificate(), maxVersion: 'TLSv1.1', minVersion: 'TLSv1' }).listen(
    0,
    '127.0.0.1',
  )
  t.after(() => old.close())
  await new Promise((resolve) => old.once('listening', resolve))
  assert.match((await checkSmtp(plain((old.address() as { port: number }).port, { tls: 'tls' }), SHORT)) ?? '', /TLS/)
})

test('a process that has sent its mails ends by itself', async (t) => {
  const servers = await Promise.all((['none', 'starttls', 'tls'] as const).map((tls) => startSmtp(t, { tls })))
  const src = join(import.meta.dirname, '../../../../src/lib')
  const script = `
    const { smtpClient } = await import(${JSON.stringify(join(src, 'mail/transport/smtp.ts'))})
    const { trustAlso } = await import(${JSON.stringify(join(src, 'net/trust.ts'))})
    trustAlso(process.env.CERTIFICATE, '')
    for (const server of JSON.parse(process.env.SERVERS)) {
      const mail = { from: '${FROM}', to: ['${TO[0]}'], source: Buffer.from('Subject: x\\r\\n\\r\\nx\\r\\n') }
      const { outcome } = await smtpClient(server).send(mail)
      if (outcome !== 'sent') process.exitCode = 3
    }`
  await new Promise<void>((resolve, reject) => {
    const addresses = JSON.stringify(servers.map(({ server }) => server))
    const env = { ...process.env, SERVERS: addresses, CERTIFICATE: ownCertificate().cert }
    const options = { env, timeout: 120_000 }
    execFile(process.execPath, ['--input-type=module', '-e', script], options, (error, _out, err) =>
      error ? reject(new Error(err || error.message)) : resolve(),
    )
  })
  for (const { mails } of servers) assert.equal(mails.length, 1)
})

test('a certificate of an unknown authority leads to --ca', () => {
  for (const code of [
    'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  ])
    assert.equal(
      smtpError(Object.assign(new Error(code), { code }), plain(465)),
      'The server 127.0.0.1:465 has a certificate of an authority that is not trusted; if it is your own, name its file with --ca.',
    )
})
