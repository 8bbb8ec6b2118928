import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, type TestContext, test } from 'node:test'
import { applySettings } from '../../../src/app/settings/document.ts'
import { conversationRemoval } from '../../../src/inbox/conversations/removal.ts'
import { mailLogins } from '../../../src/inbox/mailboxes/access-tokens.ts'
import type { Mailbox } from '../../../src/inbox/mailboxes/mailbox.ts'
import { originalStore, packed, purgeOriginals } from '../../../src/inbox/messages/originals.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { readMail } from '../../../src/lib/mail/parse/read.ts'
import { DAY_MS } from '../../../src/lib/time.ts'
import { listenTo } from '../../../src/mail/mailbox-listener.ts'
import { unusedContents } from '../../../src/ops/doctor/inspect/orphans.ts'
import { officeOf } from '../../mail/office.ts'
import { type AppServer, type Person, startApp } from '../../support/app-data.ts'
import { type ImapSay, startImapTalker } from '../../support/imap-talker.ts'
import { inboxOf } from '../../support/inbox.ts'
import { SUPPORT, setMailboxes } from '../../support/mailbox.ts'
import { type Row, UNKNOWN } from '../../support/records.ts'
import { startSmtp } from '../../support/smtp.ts'
import { until } from '../../support/until.ts'

// "Show original": the bytes of a mail as they came in or left, also when its mail server has them no longer.

let app: AppServer
let inbox: ReturnType<typeof inboxOf>
before(async () => {
  app = await startApp()
  inbox = inboxOf(app)
})
after(() => app.stop())

const original = async (id: string, person: Person = 'viewer'): Promise<Row> => {
  const { status, body } = await app.ask(person, 'GET', `/mail-original?message=${id}`)
  assert.equal(status, 200)
  return body
}
const download = (id: string, person: Person = 'viewer') =>
  app.people[person].call('GET', `/app/mail-original.eml?message=${id}`)
const bytesOf = async (id: string): Promise<Buffer> =>
  Buffer.concat(await Array.fromAsync(originalStore(app.deps).read(app.a.org, rowOf(id))))
const rowOf = (id: string) => originalStore(app.deps).find(app.a.org, id) as never
const count = (table: string): number => app.store.db.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number
const idOf = (name: string): string =>
  app.store.db.prepare('SELECT id FROM messages WHERE external_id = ?').pluck().get(`<${name}@firm.example>`) as string

/** The raw bytes of a mail, with a head that no program would write in this way. */
const mailOf = (name: string, body: string | Buffer = 'Hi there\r\n'): Buffer =>
  Buffer.concat([
    Buffer.from(
      `Received: from relay.firm.example by mx.firm.example; Mon, 4 May 2026 09:29:59 +0000\r\n` +
        `Received: from mx.firm.example (mx.firm.example [192.0.2.7])\r\n\tby mail.acme.example; Mon, 4 May 2026 09:30:00 +0000\r\n` +
        `Authentication-Results:  mail.acme.example; dkim=pass header.d=firm.example;\r\n  spf=pass\r\n` +
        `MESSAGE-ID:<${name}@firm.example>\r\nFrom: Gr\xfc\xdfe <eva@firm.example>\r\nSubject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\r\nX-Odd:   two  blanks \r\n\r\n`,
      'latin1',
    ),
    Buffer.from(body),
  ])

/** Gets mails from a mail server, and waits until all of them are looked at. */
async function fetchAll(t: TestContext, ...mails: Buffer[]): Promise<void> {
  let end = (): Promise<void> => Promise.resolve()
  const heads: ImapSay = (socket, line) => {
    const tag = line.split(' ')[0]
    const asked = /UID FETCH (\d+) .*BODY\.PEEK\[\]/.exec(line)
    if (asked) {
      const bytes = mails[Number(asked[1]) - 4] as Buffer
      socket.write(`* 1 FETCH (UID ${asked[1]} BODY[]<0> {${bytes.length}}\r\n`)
      socket.write(bytes)
      socket.write(')\r\n')
    } else
      for (const [at, bytes] of mails.entries())
        socket.write(
          `* ${at + 1} FETCH (UID ${at + 4} RFC822.SIZE ${bytes.length} INTERNALDATE "04-May-2026 09:30:00 +0000" BODY[HEADER.FIELDS (MESSAGE-ID)] {2}\r\n\r\n)\r\n`,
        )
    socket.write(`${tag} OK done\r\n`)
  }
  const talker = await startImapTalker(t, {
    'UID FETCH': heads,
    'UID SEARCH': `* SEARCH ${mails.map((_, at) => at + 4).join(' ')}\n% OK done`,
  })
  const key = `box-${randomBytes(4).toString('hex')}`
  const imap = { ...SUPPORT.imap, port: talker.port, import_since: '2026-01-01' }
  const mailbox = setMailboxes(app, [{ ...SUPPORT, key, imap }])[key] as Mailbox
  const cut = new AbortController()
  const { deps, store } = app
  const outcomes: string[] = []
  const done = listenTo(
    app.a.org,
    mailbox,
    {
      ...{ deps, write: store.write, health: store.health, logins: mailLogins({ deps, write: store.write }) },
      ...{ log: silentLog, random: () => -0.99, read: readMail, count: (outcome) => void outcomes.push(outcome) },
    },
    cut.signal,
  )
  end = () => {
    cut.abort()
    return done
  }
  t.after(end)
  await until(() => outcomes.length === mails.length)
  await end()
  assert.ok(outcomes.every((outcome) => outcome !== 'rejected'))
}

const keeping = (given: { keep_originals_days?: number; keep_originals_mib?: number }) =>
  applySettings(app.store, app.a.org, { org: { name: 'Acme', timezone: 'Europe/Berlin', currency: 'EUR', ...given } })

test('a mail gives back the bytes that came in, byte by byte, and its header as text', async (t) => {
  const body = Buffer.concat([Buffer.from('caf\xe9\r\n\r\n.\r\n\0', 'latin1'), randomBytes(5000)])
  const mail = mailOf('bytes', body)
  await fetchAll(t, mail)
  const id = idOf('bytes')
  assert.deepEqual(await bytesOf(id), mail)
  const { original: shown, kept } = await original(id)
  assert.deepEqual(kept, { days: 365, mib: 2048 })
  assert.deepEqual([shown.size_bytes, shown.kept_bytes, shown.is_head_cut], [mail.length, mail.length, false])
  const head = mail.toString('latin1').split('\r\n\r\n')[0]
  assert.equal(shown.header, `${head}\r\n`)
  const saved = await download(id)
  assert.equal(saved.status, 200)
  assert.equal(saved.headers.get('content-type'), 'application/octet-stream')
  assert.equal(saved.headers.get('content-length'), String(mail.length))
  assert.match(
    saved.headers.get('content-disposition') as string,
    /^attachment; filename="Gr__e\.eml"; filename\*=UTF-8''Gr%C3%BC%C3%9Fe\.eml$/,
  )
  assert.equal(saved.headers.get('x-content-type-options'), 'nosniff')
  assert.match(saved.headers.get('content-security-policy') as string, /default-src 'none'; sandbox/)
  assert.equal(saved.headers.get('cache-control'), 'no-store')
})

test('links by which the customer answers have dots for their tokens, however they are written, and all else is as it was', async (t) => {
  const token = 'Ab-_'.repeat(16)
  const linkOf = (token: string) => `https://crm.acme.example/rating/${token}/not-good`
  const broken = (text: string, at: number) => `${text.slice(0, at)}=\r\n${text.slice(at)}`
  const lengths = Array.from({ length: 400 }, (_, at) => (at * 37) % 113)
  const wholeOf = (token: string) => {
    const text = lengths.map((length) => `${'ö'.repeat(length)} ${linkOf(token)}\r\n`).join('')
    const quoted = lengths.map((at) => `> ${broken(linkOf(token), at % linkOf(token).length)}\r\n`).join('')
    const packed = Buffer.from(text).toString('base64').replace(/.{76}/g, '$&\r\n')
    const file = Buffer.alloc(70_000, 'dealbox').toString('base64').replace(/.{76}/g, '$&\r\n')
    const others = `https://x.example/rating/five-stars /unsubscribe/${'Ab-_'.repeat(16)}`
    const body = [text, quoted, packed, 'x'.repeat(40_000) + linkOf(token), file, others].join('\r\n\r\n')
    return mailOf('voting', `X: ${linkOf(token)}\r\n\r\n${body}`)
      .toString('latin1')
      .replace('X-Odd: ', `X-Odd: ${linkOf(token)}`)
  }
  const mail = Buffer.from(wholeOf(token), 'latin1')
  await fetchAll(t, mail)
  const id = idOf('voting')
  assert.deepEqual(await bytesOf(id), mail)
  const hidden = wholeOf('.'.repeat(64))
  const response = await fetch(`${app.screensUrl}/app/mail-original.eml?message=${id}`, {
    headers: { cookie: app.people.viewer.cookie },
  })
  const saved = Buffer.from(await response.arrayBuffer()).toString('latin1')
  assert.equal(saved.length, mail.length)
  assert.ok(saved === hidden)
  assert.equal((await original(id)).original.header, `${hidden.split('\r\n\r\n')[0]}\r\n`)
})

test('it is for whoever sees the message, and for nobody of another organisation', async (t) => {
  await fetchAll(t, mailOf('mine'))
  const id = idOf('mine')
  for (const path of ['mail-original', 'mail-original.eml']) {
    for (const wrong of [UNKNOWN, 'x', '']) {
      const { status } = await app.ask('member', 'GET', `/${path}?message=${wrong}`)
      assert.equal(status, 404, `${path} ${wrong}`)
    }
    assert.equal((await app.ask('stranger', 'GET', `/${path}?message=${id}`)).status, 404)
    assert.equal((await fetch(`${app.screensUrl}/app/${path}?message=${id}`)).status, 401)
  }
})

test('a message that never was a mail has none, and says so', async () => {
  const { id } = await inbox.say('inbound', undefined, { body_text: 'Hi' })
  assert.equal((await original(id)).original, null)
  const { status, body } = await app.ask('viewer', 'GET', `/mail-original.eml?message=${id}`)
  assert.deepEqual([status, body.code], [404, 'no_original'])
})

test('a reply gives back what was handed to the mail server', async (t) => {
  const smtp = await startSmtp(t)
  const desk = officeOf(app)
  const { tick } = desk.office(t, smtp.server.port)
  const asked = await desk.asked()
  const reply = await desk.answer(asked, { bcc: [{ email: 'x@y.example' }] })
  assert.equal((await original(reply.id)).original, null)
  await tick()
  const [mail] = smtp.mails
  assert.deepEqual(await bytesOf(reply.id), mail?.source)
  assert.doesNotMatch((await original(reply.id)).original.header, /x@y\.example/)
})

describe('what is kept', () => {
  test('is only the head of a mail that is too large, and the size of the whole is said', async () => {
    const mail = mailOf('large', randomBytes(26 * 1024 * 1024))
    const { size_bytes, kept_bytes, content } = await packed(mail)
    const end = mail.indexOf('\r\n\r\n') + 2
    assert.deepEqual([size_bytes, kept_bytes], [mail.length, end])
    assert.ok(content.size_bytes < 1000)
  })

  test('is the beginning of a mail whose end was not fetched', async () => {
    const mail = mailOf('cut')
    const { size_bytes, kept_bytes } = await packed(mail, 10 * mail.length)
    assert.deepEqual([size_bytes, kept_bytes], [10 * mail.length, mail.length])
  })

  test('is one content for the same bytes, and goes with the last message that has it', async (t) => {
    const before = count('file_contents')
    await fetchAll(t, mailOf('gone'))
    assert.equal(count('file_contents'), before + 1)
    assert.equal(unusedContents(app.store.db), 0)
    const message = await app.ok('member', 'GET', `/api/v1/messages/${idOf('gone')}`).catch(() => undefined)
    const conversation = app.store.db
      .prepare('SELECT conversation_id FROM messages WHERE id = ?')
      .pluck()
      .get(idOf('gone'))
    assert.ok(conversation, String(message))
    app.store.transaction(() => conversationRemoval(app.deps)(app.a.org, conversation as string))
    assert.equal(count('file_contents'), before)
  })

  test('ends after the days of the settings, the oldest first, some at a time', async (t) => {
    await fetchAll(t, ...Array.from({ length: 12 }, (_, at) => mailOf(`aged-${at}`)))
    const all = count('mail_originals')
    keeping({ keep_originals_days: 30 })
    app.store.db.prepare('UPDATE mail_originals SET stored_at = stored_at - ?').run(30 * DAY_MS)
    assert.equal(purgeOriginals(app.store), undefined)
    assert.equal(count('mail_originals'), all) // not yet
    app.store.db.prepare('UPDATE mail_originals SET stored_at = stored_at - 1').run()
    assert.equal(purgeOriginals(app.store), 'more')
    assert.equal(count('mail_originals'), all - 10)
    while (purgeOriginals(app.store) === 'more');
    assert.equal(count('mail_originals'), 0)
    assert.equal(count('file_contents'), 0)
    const { original: none, kept } = await original(idOf('aged-0'))
    assert.deepEqual([none, kept.days], [null, 30])
  })

  test('is what fits into the room of the settings: the newest', async () => {
    keeping({ keep_originals_mib: 1 })
    const { add } = originalStore(app.deps)
    const ids: string[] = []
    for (let at = 0; at < 4; at++) {
      const { id } = await inbox.say('inbound', undefined, { body_text: `Room ${at}` })
      ids.push(id)
      const part = await packed(randomBytes(400_000))
      app.store.transaction(() => add(app.a.org, id, part))
    }
    const kept = await Promise.all(ids.map(async (id) => (await original(id)).original !== null))
    assert.deepEqual(kept, [false, false, true, true])
  })

  test('is nothing if the settings say so, and what was there goes', async (t) => {
    keeping({ keep_originals_days: 0 })
    await fetchAll(t, mailOf('none'))
    assert.equal((await original(idOf('none'))).original, null)
    while (purgeOriginals(app.store) === 'more');
    assert.equal(count('mail_originals'), 0)
    keeping({})
  })

  test('has bounds in the settings', () => {
    for (const wrong of [{ keep_originals_days: 3651 }, { keep_originals_days: -1 }, { keep_originals_mib: 0 }])
      assert.throws(
        () => keeping(wrong),
        (error: { status?: number }) => error.status === 422,
      )
  })
})
