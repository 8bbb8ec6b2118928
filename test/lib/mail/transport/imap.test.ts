import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdirSync, utimesSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { checkImap, type Folder, openFolder } from '../../../../src/lib/mail/transport/imap.ts'
import { type ImapTimes, TIMES } from '../../../../src/lib/mail/transport/imap-connection.ts'
import type { ImapServer } from '../../../../src/lib/mail/transport/server.ts'
import { noDovecot, startDovecot } from '../../../support/dovecot.ts'
import { fetched, type ImapSay, startImapTalker } from '../../../support/imap-talker.ts'
import { reset } from '../../../support/reset.ts'
import { type Ends, ownCertificate } from '../../../support/smtp.ts'
import { trusting } from '../../../support/trust.ts'

const SHORT: ImapTimes = { ...TIMES, connect_ms: 60_000, greeting_ms: 60_000, quiet_ms: 60_000, goodbye_ms: 200 }
const FOREVER = new AbortController().signal
const LONG = 20_000
const SECRET = 'correct horse battery'

const mail = (id: string, body = 'hi'): string =>
  `From: ann@customer.example\r\nMessage-ID: <${id}@customer.example>\r\nSubject: ${id}\r\n\r\n${body}\r\n`

// 1. With a real server, in folders of a user for each test.

let dovecot: Awaited<ReturnType<typeof startDovecot>>
const ends: (() => unknown)[] = []
before(async () => {
  if (!noDovecot) dovecot = await startDovecot({ after: (end) => ends.push(end) })
})
after(async () => {
  for (const end of ends) await end()
})

let users = 0
const newUser = () => `user${++users}@acme.example`
const skip = { skip: noDovecot }

async function opened(t: Ends, user: string, some: Partial<ImapServer> = {}): Promise<Folder> {
  const folder = await openFolder(dovecot.server({ user, ...some }), undefined, SHORT)
  t.after(() => folder.close())
  return folder
}

test('a folder lists its mails from a number on, and none below it', skip, async (t) => {
  const user = newUser()
  for (const id of ['a', 'b', 'c']) dovecot.deliver(mail(id), { user })
  const folder = await opened(t, user)
  const all = await folder.listFrom(1)
  assert.deepEqual(
    all.map(({ uid, size, messageId }) => ({ uid, size, messageId })),
    ['a', 'b', 'c'].map((id, index) => ({
      uid: index + 1,
      size: mail(id).length,
      messageId: `<${id}@customer.example>`,
    })),
  )
  assert.equal(folder.uidNext, 4)
  assert.deepEqual(await folder.listFrom(3), all.slice(2))
  assert.deepEqual(await folder.listFrom(4), [])
  assert.deepEqual(await folder.listFrom(4000), [])
  dovecot.deliver(mail('d'), { user })
  await folder.news(LONG, FOREVER)
  assert.deepEqual(
    (await folder.listFrom(4)).map(({ uid }) => uid),
    [4],
  )
})

test('a folder lists what arrived since a time, by the hour and not by the day', skip, async (t) => {
  const user = newUser()
  for (const id of ['a', 'b', 'c']) dovecot.deliver(mail(id), { user })
  const noon = Date.now() - 7_200_000
  const box = join(dovecot.mailDir, user, 'new')
  for (const [index, name] of readdirSync(box).sort().entries())
    utimesSync(join(box, name), noon / 1000, noon / 1000 + (index - 1) * 3600)
  const folder = await opened(t, user)
  const ids = async (ms: number) => (await folder.listSince(ms)).map(({ messageId }) => messageId?.[1])
  assert.deepEqual(await ids(noon - 90 * 60_000), ['a', 'b', 'c'])
  assert.deepEqual(await ids(noon - 60_000), ['b', 'c'])
  assert.deepEqual(await ids(noon + 60_000), ['c'])
  assert.deepEqual(await ids(noon + 7_200_000), [])
  // A mail has the second of its arrival, without its fraction.
  const second = Math.floor(noon / 1000) * 1000
  assert.deepEqual([await ids(second + 999), await ids(second + 1000)], [['b', 'c'], ['c']])
})

test(
  'the source of a mail comes byte by byte, cut where it is to be, and nothing is marked as read',
  skip,
  async (t) => {
    const user = newUser()
    const odd = Buffer.concat([
      Buffer.from(mail('a')),
      Buffer.from([0xff, 0xfe, 0x80, 13, 10]),
      Buffer.alloc(200_000, 'x\r\n'),
    ])
    dovecot.deliver(odd, { user })
    dovecot.deliver(mail('b'), { user })
    const folder = await opened(t, user)
    assert.ok(odd.equals((await folder.source(1, 1_000_000)) as Buffer))
    assert.ok(odd.subarray(0, 1000).equals((await folder.source(1, 1000)) as Buffer))
    assert.equal((await folder.source(2, 1000))?.toString(), mail('b'))
    assert.equal(await folder.source(3, 1000), undefined)
    await folder.close()
    assert.ok(readdirSync(join(dovecot.mailDir, user, 'cur')).every((name) => !/,.*S/.test(name)))
  },
)

test('many mails are listed, more than are asked for at once', skip, async (t) => {
  const user = newUser()
  for (let count = 0; count < 650; count++) dovecot.deliver(mail(`m${count}`), { user })
  const folder = await opened(t, user)
  const all = await folder.listFrom(1)
  assert.equal(all.length, 650)
  assert.ok(all.every(({ uid }, index) => uid === index + 1))
  assert.equal(new Set(all.map(({ messageId }) => messageId)).size, 650)
  assert.equal((await folder.listFrom(600)).length, 51)
})

test('news come by themselves, also those of the time in which nobody waited', skip, async (t) => {
  const user = newUser()
  const folder = await opened(t, user)
  assert.equal(folder.canIdle, true)
  for (let count = 1; count <= 3; count++) {
    const news = folder.news(LONG, FOREVER)
    dovecot.deliver(mail(`n${count}`), { user })
    await news
    assert.equal((await folder.listFrom(1)).length, count)
  }
  const calm = folder.news(10, FOREVER)
  await calm
  dovecot.deliver(mail('while idle'), { user })
  await folder.news(LONG, FOREVER)
  dovecot.deliver(mail('while busy'), { user })
  await folder.listFrom(1)
  await folder.listFrom(1)
  await folder.news(LONG, FOREVER)
})

test('a folder is called as people call it', skip, async (t) => {
  const user = newUser()
  const folder = await opened(t, user, { folder: 'inbox' })
  const news = folder.news(LONG, FOREVER)
  dovecot.deliver(mail('a'), { user })
  await news
  assert.equal(await folder.findSent('<a@customer.example>'), false)
  assert.equal((await folder.listFrom(1)).length, 1)
})

test('the wait for news ends with its signal, and at once where it is over already', skip, async (t) => {
  const folder = await opened(t, newUser())
  const cut = new AbortController()
  const news = folder.news(LONG, cut.signal)
  cut.abort()
  await news
  await folder.news(LONG, cut.signal)
  assert.deepEqual(await folder.listFrom(1), [])
})

test('what is sent is saved as read in the folder for it, found there, and nowhere else', skip, async (t) => {
  const user = newUser()
  const folder = await opened(t, user)
  dovecot.deliver(mail('inbox'), { user })
  assert.equal(await folder.findSent('<inbox@customer.example>'), false)
  assert.equal(await folder.findSent('<out@acme.example>'), false)
  await folder.saveSent(Buffer.from(mail('out').replace('customer', 'acme').replace('<out@customer', '<out@acme')))
  assert.equal(await folder.findSent('<out@acme.example>'), true)
  assert.equal(await folder.findSent('<ou@acme.example>'), false)
  assert.equal(await folder.findSent('"<quoted\\ "x"@y>'), false)
  const [saved] = readdirSync(join(dovecot.mailDir, user, '.Sent', 'cur'))
  assert.match(saved ?? '', /,S$/)
  // What arrived in the meantime is news, and the folder is the one that it was.
  await folder.news(LONG, FOREVER)
  assert.equal((await folder.listFrom(1)).length, 1)
})

test('a copy is saved while others wait for news', skip, async (t) => {
  const user = newUser()
  const folder = await opened(t, user)
  const news = folder.news(LONG, FOREVER)
  await folder.saveSent(Buffer.from(mail('out')))
  assert.equal(await folder.findSent('<out@customer.example>'), true)
  dovecot.deliver(mail('a'), { user })
  await news
  assert.equal((await folder.listFrom(1)).length, 1)
})

test('other folders can be opened, and of a wrong one it says which there are', skip, async (t) => {
  const user = newUser()
  dovecot.deliver(mail('a'), { user, folder: 'Büro/Angebote & Co' })
  assert.equal((await (await opened(t, user, { folder: 'Büro/Angebote & Co' })).listFrom(1)).length, 1)
  assert.equal(
    await checkImap(dovecot.server({ user, folder: 'Inbx' }), SHORT),
    `There is no folder "Inbx" on 127.0.0.1:${dovecot.tlsPort}. Its folders are: "INBOX", "Sent", "Büro/Angebote & Co".`,
  )
  for (let count = 0; count < 12; count++) dovecot.deliver(mail('a'), { user, folder: `F${count}` })
  const trouble = await checkImap(dovecot.server({ user, folder: 'Inbx' }), SHORT)
  assert.match(trouble ?? '', /Its folders are: (?:"[^"]+"(?:, )?){10} and 5 others\.$/)
})

for (const tls of ['none', 'starttls', 'tls'] as const)
  test(`a folder opens with tls ${tls}, and a wrong password is said`, skip, async (t) => {
    const server = dovecot.server({ tls, user: newUser() })
    assert.equal(await checkImap(server, SHORT), null)
    assert.equal(
      await checkImap({ ...server, password: 'wrong' }, SHORT),
      `The server 127.0.0.1:${server.port} rejected the login of "${server.user}": Authentication failed.`,
    )
    if (tls === 'none') return
    assert.equal(
      await checkImap({ ...server, host: 'localhost' }, SHORT),
      `The server localhost:${server.port} has a certificate that is for another name.`,
    )
    trusting(t)
    assert.equal(
      await checkImap(server, SHORT),
      `The server 127.0.0.1:${server.port} has a certificate that is self-signed and not trusted; if it is your own, name its file with --ca.`,
    )
  })

test('a lost connection is noticed at once, and a new one goes on where it was', skip, async (t) => {
  const user = newUser()
  dovecot.deliver(mail('a'), { user })
  const folder = await opened(t, user)
  const { uidValidity } = folder
  const lost = assert.rejects(
    folder.news(LONG, FOREVER),
    new RegExp(`^Error: The server 127.0.0.1:${dovecot.tlsPort} `),
  )
  dovecot.cutConnections(user)
  await lost
  await assert.rejects(folder.listFrom(1), /closed the connection/)
  await assert.rejects(folder.news(10, FOREVER), /closed the connection/)
  await folder.close()
  const again = await opened(t, user)
  assert.deepEqual([again.uidValidity, (await again.listFrom(1)).length], [uidValidity, 1])
})

test('a folder that was numbered anew has another validity', skip, async (t) => {
  const user = newUser()
  dovecot.deliver(mail('a'), { user })
  const first = await opened(t, user)
  await dovecot.resetUidValidity(user)
  await assert.rejects(first.listFrom(1))
  const folder = await opened(t, user)
  assert.notEqual(folder.uidValidity, first.uidValidity)
  assert.equal((await folder.listFrom(1)).length, 1)
})

// 2. With a server that says what it is told.

const talkerAt = (port: number, some: Partial<ImapServer> = {}): ImapServer => ({
  host: '127.0.0.1',
  port,
  tls: 'none',
  user: 'sales',
  password: SECRET,
  folder: 'INBOX',
  ...some,
})

async function talking(t: Ends, says: Record<string, ImapSay> = {}, times: Partial<ImapTimes> = {}) {
  const talker = await startImapTalker(t, says)
  const folder = await openFolder(talkerAt(talker.port), undefined, { ...SHORT, ...times })
  t.after(() => folder.close())
  return { talker, folder, place: `127.0.0.1:${talker.port}` }
}

const drop: ImapSay = (socket) => socket.destroy()

test('a folder is only looked at', async (t) => {
  const { talker, folder } = await talking(t, { 'UID FETCH': fetchedSource })
  await folder.listFrom(1)
  await folder.source(4, 1000)
  assert.ok(talker.heard.some((line) => / EXAMINE INBOX$/.test(line)))
  assert.ok(talker.heard.every((line) => !/ SELECT | BODY\[/.test(line)))
  assert.ok(talker.heard.some((line) => / UID FETCH 4 .*BODY\.PEEK\[\]<0\.1000>/.test(line)))
})

function fetchedSource(socket: Socket, line: string): void {
  const tag = line.split(' ')[0]
  socket.write('* 7 FETCH (FLAGS (\\Seen) UID 9)\r\n* 1 FETCH (UID 4 BODY[] {4}\r\nabcd)\r\n')
  socket.write(`${tag} OK done\r\n`)
}

test('what comes in between is not taken for what was asked, and more than was asked is cut', async (t) => {
  const { folder } = await talking(t, { 'UID FETCH': fetchedSource })
  assert.equal((await folder.source(4, 100))?.toString(), 'abcd')
  assert.equal((await folder.source(4, 2))?.toString(), 'ab')
  assert.equal(await folder.source(9, 100), undefined)
  // It is there, although its description was left out.
  assert.deepEqual(await folder.listFrom(4), [{ uid: 4, size: 0, arrivedAt: 0, messageId: null }])
})

test('the last mail is not listed again by servers that give it for any number', async (t) => {
  const { folder } = await talking(t)
  assert.deepEqual(await folder.listFrom(5), [])
  assert.deepEqual(
    (await folder.listFrom(4)).map(({ uid, messageId, arrivedAt }) => [uid, messageId, arrivedAt]),
    [[4, '<1@customer.example>', Date.UTC(2026, 4, 4, 9, 30)]],
  )
})

test('ids of mails are read where they are folded, missing, or none', async (t) => {
  for (const [head, id] of [
    ['Message-ID:\r\n <folded@x>', '<folded@x>'],
    ['message-id: <lower@x> (comment)', '<lower@x>'],
    ['', null],
    ['Message-ID: ', null],
  ] as const) {
    const { folder } = await talking(t, { 'UID FETCH': `${fetched(4, `${head}\r\n\r\nx`)}\n% OK done` })
    assert.equal((await folder.listFrom(4))[0]?.messageId, id)
  }
})

test('a mail is listed also where nobody can read when it arrived', async (t) => {
  const answer = fetched(4).replace('04-May-2026 09:30:00 +0000', 'yesterday')
  const { folder } = await talking(t, { 'UID FETCH': `${answer}\n% OK done` })
  for (const listed of [await folder.listFrom(4), await folder.listSince(1000)])
    assert.deepEqual(
      listed.map(({ uid, arrivedAt }) => [uid, arrivedAt]),
      [[4, 0]],
    )
})

test('a command that is refused is an error and no empty answer', async (t) => {
  const says = { 'UID SEARCH': '% NO not now', 'UID FETCH': '% NO not today', APPEND: '% NO [OVERQUOTA] full' }
  const { folder, place } = await talking(t, says)
  await assert.rejects(folder.listFrom(1), { message: `The server ${place} could not search the folder "INBOX".` })
  await assert.rejects(folder.source(4, 10), { message: `The server ${place} responded with an error: not today.` })
  await assert.rejects(folder.findSent('<a@b>').then((found) => assert.ok(found)))
  assert.deepEqual((await folder.news(1, FOREVER)) ?? null, null)
})

test('an empty folder is not searched, since some servers take that for an error', async (t) => {
  let exists = 0
  const { folder } = await talking(t, {
    EXAMINE: '* 0 EXISTS\n* OK [UIDVALIDITY 7] ok\n* OK [UIDNEXT 4] ok\n% OK [READ-ONLY] done',
    NOOP: (socket, line) => socket.write(`* ${exists} EXISTS\r\n${line.split(' ')[0]} OK done\r\n`),
    'UID SEARCH': (socket, line) =>
      socket.write(`${exists ? '* SEARCH 4\r\n' : ''}${line.split(' ')[0]} ${exists ? 'OK' : 'BAD'} done\r\n`),
  })
  assert.deepEqual(await folder.listFrom(1), [])
  assert.deepEqual(await folder.listSince(0), [])
  exists = 1
  assert.equal((await folder.listFrom(1)).length, 1)
})

test('a copy that does not fit is an error, and the folder stays open', async (t) => {
  const says: Record<string, ImapSay> = {
    LIST: '* LIST (\\HasNoChildren) "/" INBOX\n* LIST (\\Noselect) "/" Sent\n* LIST () "/" "Sent Items"\n% OK done',
    APPEND: '% NO [OVERQUOTA] The box is full.',
  }
  const { talker, folder, place } = await talking(t, says)
  await assert.rejects(folder.saveSent(Buffer.from(mail('a'))), {
    message: `The server ${place} responded with an error: The box is full.`,
  })
  assert.ok(talker.heard.some((line) => / SELECT "Sent Items"$/.test(line)))
  assert.deepEqual((await folder.listFrom(1)).length, 1)
})

for (const [list, at] of [
  ['* LIST (\\Sent) "/" Out\n* LIST () "/" Sent', 'Out'],
  ['* LIST () "/" "Sent Messages"\n* LIST () "." INBOX.Sent', 'INBOX.Sent'],
  ['* LIST () "/" Gesendet', 'Gesendet'],
  ['* LIST () "/" Other', 'Sent'],
] as const)
  test(`the copy of what is sent goes to ${at}`, async (t) => {
    const LIST = `* LIST () "/" INBOX\n${list}\n% OK done`
    const CAPABILITY = '* CAPABILITY IMAP4rev1 NAMESPACE SPECIAL-USE AUTH=PLAIN SASL-IR LITERAL+\n% OK done'
    const { talker, folder } = await talking(t, { LIST, CAPABILITY, APPEND: '% OK done' })
    await folder.saveSent(Buffer.from(mail('a')))
    assert.ok(talker.heard.some((line) => line.includes(` APPEND ${at} (\\Seen) {`)))
    assert.equal(talker.heard.filter((line) => / CREATE /.test(line)).length, Number(at === 'Sent'))
    await folder.saveSent(Buffer.from(mail('b')))
    assert.equal(talker.heard.filter((line) => / EXAMINE INBOX$/.test(line)).length, 3)
  })

test('without a folder for it, nothing was sent', async (t) => {
  const { talker, folder } = await talking(t)
  assert.equal(await folder.findSent('<a@b>'), false)
  assert.ok(talker.heard.every((line) => !/ CREATE /.test(line)))
})

test('what arrived while another folder was looked at is news', { timeout: 120_000 }, async (t) => {
  let opened = 0
  const { folder } = await talking(t, {
    LIST: '* LIST () "/" INBOX\n* LIST () "/" Sent\n% OK done',
    EXAMINE: (socket, line) => {
      const count = ++opened < 3 ? 1 : 2
      socket.write(`* ${count} EXISTS\r\n* OK [UIDVALIDITY 7] ok\r\n* OK [UIDNEXT ${4 + count}] ok\r\n`)
      socket.write(`${line.split(' ')[0]} OK [READ-ONLY] done\r\n`)
    },
  })
  assert.equal(await folder.findSent('<a@b>'), true)
  await folder.news(LONG, FOREVER)
})

test('a folder that was made anew meanwhile is closed', async (t) => {
  let opened = 0
  const { folder } = await talking(t, {
    LIST: '* LIST () "/" INBOX\n* LIST (\\Sent) "/" Sent\n% OK done',
    EXAMINE: (socket, line) =>
      socket.write(
        `* 1 EXISTS\r\n* OK [UIDVALIDITY ${7 + Number(++opened === 3)}] ok\r\n* OK [UIDNEXT 5] ok\r\n${line.split(' ')[0]} OK [READ-ONLY] done\r\n`,
      ),
  })
  await assert.rejects(folder.findSent('<a@b>'), /was recreated\.$/)
  await assert.rejects(folder.listFrom(1))
})

test('of a folder that cannot be opened it says what the server says', async (t) => {
  const talker = await startImapTalker(t, { EXAMINE: '% NO [INUSE] Somebody else is here.' })
  const error = `The folder "INBOX" of 127.0.0.1:${talker.port} cannot be opened: Somebody else is here.`
  assert.equal(await checkImap(talkerAt(talker.port), SHORT), error)
})

test('where no login is taken without encryption, none is tried', async (t) => {
  const talker = await startImapTalker(t, { CAPABILITY: '* CAPABILITY IMAP4rev1 LOGINDISABLED\n% OK done' })
  const error = `The server 127.0.0.1:${talker.port} rejected the login of "sales": Login is disabled.`
  assert.equal(await checkImap(talkerAt(talker.port), SHORT), error)
  assert.ok(talker.heard.every((line) => !line.includes(SECRET)))
})

test('a folder without numbers is none', async (t) => {
  const talker = await startImapTalker(t, { EXAMINE: '* 1 EXISTS\n% OK done' })
  const error = `The server 127.0.0.1:${talker.port} does not number the mails of "INBOX".`
  assert.equal(await checkImap(talkerAt(talker.port), SHORT), error)
})

test('a server that cannot tell is asked', async (t) => {
  let asked = 0
  const { folder } = await talking(
    t,
    {
      CAPABILITY: '* CAPABILITY IMAP4rev1\n% OK done',
      NOOP: (socket, line) => {
        if (++asked === 3) socket.write('* 2 EXISTS\r\n')
        socket.write(`${line.split(' ')[0]} OK done\r\n`)
      },
    },
    { poll_ms: 5 },
  )
  assert.equal(folder.canIdle, false)
  await folder.news(LONG, FOREVER)
  assert.equal(asked, 3)
  await folder.news(12, FOREVER)
  assert.equal(asked, 6)
})

test('a server that says it can tell and then refuses is asked', async (t) => {
  let asked = 0
  const { folder } = await talking(
    t,
    {
      IDLE: '% BAD what',
      NOOP: (socket, line) => {
        if (++asked === 2) socket.write('* 2 EXISTS\r\n')
        socket.write(`${line.split(' ')[0]} OK done\r\n`)
      },
    },
    { poll_ms: 5 },
  )
  await folder.news(LONG, FOREVER)
  assert.equal(asked, 2)
})

test('the wait is renewed before servers forget who waits', async (t) => {
  let begun = 0
  const { talker, folder } = await talking(
    t,
    {
      IDLE: (socket) => {
        socket.write('+ idling\r\n')
        if (++begun === 3) socket.write('* 2 EXISTS\r\n')
      },
    },
    { idle_ms: 20 },
  )
  await folder.news(LONG, FOREVER)
  assert.ok(talker.heard.filter((line) => line === 'DONE').length >= 2)
})

test('where a server is silent for long it is asked for a sign, and without one the connection is gone', async (t) => {
  let signs = 0
  const { folder, place } = await talking(
    t,
    {
      NOOP: (socket, line) => {
        if (++signs < 3) socket.write(`${line.split(' ')[0]} OK done\r\n`)
      },
    },
    { quiet_ms: 40 },
  )
  await assert.rejects(folder.news(LONG, FOREVER), { message: `The server ${place} did not respond in time.` })
  assert.equal(signs, 3)
})

test('one news that came in pieces is one, and a mail that left is none', async (t) => {
  const { talker, folder } = await talking(t, {
    IDLE: (socket) => socket.write('+ idling\r\n* 1 EXPUNGE\r\n* 0 EXISTS\r\n'),
  })
  await folder.news(30, FOREVER)
  const news = folder.news(LONG, FOREVER)
  talker.tell('* 1 EXISTS')
  await news
})

const phases: [string, (folder: Folder) => Promise<unknown>][] = [
  ['UID SEARCH', (folder) => folder.listFrom(1)],
  ['UID FETCH', (folder) => folder.listFrom(1)],
  ['UID FETCH', (folder) => folder.source(4, 10)],
  ['IDLE', (folder) => folder.news(LONG, FOREVER)],
  ['LIST', (folder) => folder.saveSent(Buffer.from(mail('a')))],
  ['SELECT', (folder) => folder.saveSent(Buffer.from(mail('a')))],
  ['APPEND', (folder) => folder.saveSent(Buffer.from(mail('a')))],
]
const cuts: [string, ImapSay][] = [
  ['closes', drop],
  ['resets', reset],
  ['says goodbye', (socket) => void socket.end('* BYE Too many connections.\r\n')],
  ['stops half way', (socket) => void socket.end('* 1 FETCH (UID 4 BODY[] {4000}\r\nabc')],
]
for (const [what, cut] of cuts)
  test(`a server that ${what} in the middle of anything ends nothing but the connection`, async (t) => {
    for (const [phase, work] of phases) {
      const LIST = '* LIST () "/" INBOX\n* LIST (\\Sent) "/" Sent\n% OK done'
      let isOpen = false
      const { folder, talker, place } = await talking(t, {
        LIST,
        [phase]: (socket, line) => {
          if (isOpen) return typeof cut === 'function' && cut(socket, line)
          socket.write(`${LIST.replace('%', line.split(' ')[0] as string).replaceAll('\n', '\r\n')}\r\n`)
        },
      })
      isOpen = true
      await assert.rejects(work(folder), ({ message }: Error) => {
        assert.ok(message.startsWith(`The server ${place} `), message)
        assert.match(message, what === 'says goodbye' ? /closed the connection: Too many connections\.$/ : /\.$/)
        return true
      })
      await assert.rejects(folder.listFrom(1))
      await assert.rejects(folder.news(LONG, FOREVER))
      await folder.close()
      await talker.left()
    }
  })

test('a server that goes at any step before the folder is open is one sentence', async (t) => {
  for (const phase of ['open', 'CAPABILITY', 'AUTHENTICATE', 'NAMESPACE', 'LIST', 'EXAMINE'])
    for (const [, cut] of cuts) {
      const talker = await startImapTalker(t, { [phase]: cut })
      const trouble = await checkImap(talkerAt(talker.port), SHORT)
      assert.match(trouble ?? '', new RegExp(`^The server 127.0.0.1:${talker.port} .*\\.$`), phase)
      await talker.left()
    }
})

test('a folder can be called off at any step', async (t) => {
  for (const phase of ['open', 'CAPABILITY', 'AUTHENTICATE', 'EXAMINE', 'UID SEARCH']) {
    const cut = new AbortController()
    const talker = await startImapTalker(t, { [phase]: () => cut.abort() })
    const opening = openFolder(talkerAt(talker.port), cut.signal, SHORT)
    const work = phase === 'UID SEARCH' ? opening.then((folder) => folder.listFrom(1)) : opening
    await assert.rejects(work, /^Error: The connection to 127\.0\.0\.1:\d+ was aborted\.$/)
    await talker.left()
  }
  const early = openFolder(talkerAt(1), AbortSignal.abort(), SHORT)
  await assert.rejects(early, { message: 'The connection to 127.0.0.1:1 was aborted.' })
})

test('one sentence says why there is no folder', async (t) => {
  const check = (some: Partial<ImapServer>, times: Partial<ImapTimes> = {}) =>
    checkImap(talkerAt(0, some), { ...SHORT, ...times })
  const free = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => free.once('listening', resolve))
  const { port } = free.address() as { port: number }
  await new Promise((resolve) => free.close(resolve))
  assert.equal(await check({ port }), `The server 127.0.0.1:${port} refused the connection.`)
  assert.match(
    (await check({ host: 'imap.nowhere.invalid', port: 993 })) ?? '',
    /^The server imap\.nowhere\.invalid:993 has a host name that (?:does not exist|could not be resolved at the moment)\.$/,
  )
  assert.equal(await check({ port, password: null }), `The login to 127.0.0.1:${port} needs a user and a password.`)

  const open = await startImapTalker(t)
  const place = `The server 127.0.0.1:${open.port}`
  assert.equal(
    await check({ port: open.port, tls: 'tls' }),
    `${place} does not use TLS from the start; it may need "tls": "starttls".`,
  )
  assert.equal(await check({ port: open.port, tls: 'starttls' }), `${place} does not offer STARTTLS.`)
  assert.ok(open.heard.every((line) => !/AUTHENTICATE|LOGIN/.test(line)))

  const mute = await startImapTalker(t, { open: () => {} })
  const silent = `The server 127.0.0.1:${mute.port}`
  assert.equal(
    await check({ port: mute.port }, { greeting_ms: 30 }),
    `${silent} sent no greeting in time; it may need "tls": "tls".`,
  )
  assert.equal(
    await check({ port: mute.port, tls: 'tls' }, { connect_ms: 30 }),
    `${silent} cannot be reached: it did not respond in time.`,
  )
  const slow = await startImapTalker(t, { NAMESPACE: () => {} })
  assert.equal(
    await check({ port: slow.port }, { check_ms: 60 }),
    `The server 127.0.0.1:${slow.port} did not respond in time.`,
  )
  assert.equal(
    await check({ port: slow.port }, { quiet_ms: 60 }),
    `The server 127.0.0.1:${slow.port} did not respond in time.`,
  )

  const other = await startImapTalker(t, { open: '220 smtp.example ESMTP' })
  assert.match((await check({ port: other.port }, { greeting_ms: 50 })) ?? '', /^The server 127\.0\.0\.1:\d+ .*\.$/)
})

test('what was said before TLS began counts for nothing, and a word in between ends it', async (t) => {
  const CAPABILITY = '* CAPABILITY IMAP4rev1 STARTTLS LOGINDISABLED\n% OK done'
  const good = await startImapTalker(t, {
    CAPABILITY,
    STARTTLS: 'TLS',
    'TLS-CAPABILITY': '* CAPABILITY IMAP4rev1 AUTH=PLAIN SASL-IR\n% OK done',
  })
  trusting(t, ownCertificate().cert)
  assert.equal(await checkImap(talkerAt(good.port, { tls: 'starttls' }), SHORT), null)
  const injected = await startImapTalker(t, {
    CAPABILITY,
    STARTTLS: '% OK go on\n* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN]',
  })
  assert.equal(
    await checkImap(talkerAt(injected.port, { tls: 'starttls' }), SHORT),
    `The server 127.0.0.1:${injected.port} sent data before TLS was established, as an attacker would.`,
  )
})

test('a server that repeats what it was told does not make the password known', async (t) => {
  for (const CAPABILITY of ['IMAP4rev1', 'IMAP4rev1 AUTH=PLAIN', 'IMAP4rev1 AUTH=LOGIN']) {
    const refuse: ImapSay = (socket, line) => {
      const sent = `${line} ${SECRET} ${Buffer.from(`\0sales\0${SECRET}`).toString('base64').slice(0, 30)}`
      socket.write(`${/^[0-9A-F]+/.exec(line)?.[0].slice(0, 1) ?? 2} NO [AUTHENTICATIONFAILED] I heard ${sent}\r\n`)
    }
    const talker = await startImapTalker(t, {
      CAPABILITY: `* CAPABILITY ${CAPABILITY}\n% OK done`,
      AUTHENTICATE: refuse,
      LOGIN: refuse,
    })
    const trouble = await checkImap(talkerAt(talker.port), SHORT)
    assert.match(trouble ?? '', /rejected the login of "sales": I heard/)
    for (const secret of [SECRET, Buffer.from(SECRET).toString('base64').slice(0, 16), 'AHNhbGVzAGNvcnJl'])
      assert.ok(!trouble?.includes(secret), `${trouble}`)
  }
})

test('an answer without end is not read to its end', async (t) => {
  const flood: ImapSay = (socket) => {
    const more = () => {
      while (socket.writable && socket.write('x'.repeat(65_536)));
      socket.once('drain', more)
    }
    more()
  }
  for (const phase of ['open', 'CAPABILITY', 'UID SEARCH']) {
    const talker = await startImapTalker(t, { [phase]: flood })
    const opening = openFolder(talkerAt(talker.port), undefined, SHORT)
    const work = opening.then(async (folder) => {
      await folder.listFrom(1).finally(() => folder.close())
    })
    await assert.rejects(work, /sent a response that is too long\.$/)
  }
})

test('a process whose folders are closed or gone ends by itself', async (t) => {
  const talker = await startImapTalker(t)
  const script = `
    const { openFolder } = await import(${JSON.stringify(join(import.meta.dirname, '../../../../src/lib/mail/transport/imap.ts'))})
    const open = () => openFolder(${JSON.stringify(talkerAt(talker.port))})
    const first = await open()
    first.news(100_000, new AbortController().signal).catch(() => {})
    const second = await open()
    await second.news(1, new AbortController().signal)
    await second.close()
    console.log('closed')
    await first.listFrom(1)
    console.log('cut')
    first.news(100_000, new AbortController().signal).catch(() => console.log('gone'))`
  const out = await new Promise<string>((resolve, reject) => {
    const argv = ['--input-type=module', '-e', script]
    const child = execFile(process.execPath, argv, { timeout: 120_000 }, (error, said, err) =>
      error ? reject(new Error(err || error.message)) : resolve(said),
    )
    child.stdout?.on('data', (chunk) => String(chunk).includes('cut') && talker.tell('* BYE bye'))
    child.stdout?.on('data', (chunk) => String(chunk).includes('cut') && talker.cut())
  })
  assert.equal(out, 'closed\ncut\ngone\n')
})
