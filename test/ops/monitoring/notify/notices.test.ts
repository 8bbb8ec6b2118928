import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, type TestContext, test } from 'node:test'
import pino from 'pino'
import { readNotify } from '../../../../src/cli/serve/notify-options.ts'
import { startNotices } from '../../../../src/cli/serve/serve-notices.ts'
import { mailLogins } from '../../../../src/inbox/mailboxes/access-tokens.ts'
import { readMail } from '../../../../src/lib/mail/parse/read.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../src/lib/time.ts'
import { byUrl } from '../../../../src/ops/monitoring/notify/by-url.ts'
import type { Found } from '../../../../src/ops/monitoring/notify/watched.ts'
import { failingRecurring } from '../../../../src/store/jobs/recurring.ts'
import { type AppServer, type Person, startApp } from '../../../support/app-data.ts'
import { SUPPORT, setMailboxes } from '../../../support/mailbox.ts'
import { makeOrg } from '../../../support/org.ts'
import type { Row } from '../../../support/records.ts'
import { startSmtp } from '../../../support/smtp.ts'
import { trusting } from '../../../support/trust.ts'
import { makeAuthority } from '../../../webhooks/egress/certificates.ts'
import { standBetween } from '../../backup/places/between.ts'

// The server tells on its screens, by mail and by a URL, through real servers; its clock is moved.

const own = makeAuthority()
let app: AppServer
beforeEach(async () => {
  app = await startApp()
})
afterEach(() => app.stop())

const PASS: Found = { status: 'pass' }
const bad = (detail: string, status: 'warn' | 'fail' = 'warn'): Found => ({ status, detail })

type Options = { notifyMail?: string; notifyUrl?: string; notifyToken?: string; isPaused?: boolean }

/** The notices of a server whose checks are as the test says. */
function notices(t: TestContext, { isPaused = false, ...given }: Options = {}) {
  const found: Record<string, Found> = { disk: PASS, backup: PASS, certificate: PASS }
  const lines: Row[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const { store, deps, dataDir } = app
  const notifier = startNotices({
    ...{ store, deps, dataDir, log, isPaused },
    judge: { names: Object.keys(found), findings: () => found },
    notify: readNotify({ notifyMail: 'off', ...given }),
    screensUrl: () => 'https://crm.example',
    logins: mailLogins({ deps, write: store.write }),
  })
  t.after(notifier.stop)
  /** Time passes, and the server looks again. */
  const later = async (ms: number): Promise<void> => {
    app.advance(ms)
    await notifier.tick()
  }
  return { ...notifier, found, later, lines }
}

/** It is bad for long enough to be told. */
async function goesBad(server: ReturnType<typeof notices>, ...names: string[]): Promise<void> {
  for (const name of names) server.found[name] = bad(`The ${name} needs somebody.`)
  await server.tick()
  await server.later(5 * MINUTE_MS)
}

async function isWell(server: ReturnType<typeof notices>, ...names: string[]): Promise<void> {
  for (const name of names) server.found[name] = PASS
  await server.tick()
  await server.later(15 * MINUTE_MS)
}

async function unread(person: Person = 'owner'): Promise<Row[]> {
  await app.pass(0)
  const { data } = await app.ok(person, 'GET', '/notifications?limit=100')
  return data.filter(({ read_at }: Row) => read_at === null)
}

const readAll = async () => {
  await app.pass(0)
  await app.ok('owner', 'POST', '/notifications/read', { all: true })
}

type Call = { headers: IncomingMessage['headers']; path: string; text: string }

/** A server for --notify-url, which answers as the test says. */
async function receiver(t: TestContext) {
  const calls: Call[] = []
  let answer = (response: ServerResponse): unknown => response.writeHead(200).end('ok')
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    calls.push({ headers: request.headers, path: request.url ?? '', text: Buffer.concat(chunks).toString() })
    answer(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/secret-topic`,
    calls,
    answers: (next: typeof answer) => {
      answer = next
    },
  }
}

describe('owners on their screens', () => {
  test('get one notice when it is bad, one a day while it lasts, and one when it is well', async (t) => {
    const server = notices(t)
    await goesBad(server, 'backup')
    const [notice, ...others] = await unread()
    assert.deepEqual([notice?.kind, notice?.record.kind, others], ['operation', 'server', []])
    assert.deepEqual(notice?.detail, { bad: ['backup'], well: [] })
    assert.doesNotMatch(JSON.stringify(notice), /needs somebody/, 'the words are on the page of the operation')
    for (const person of ['admin', 'member', 'viewer'] as const) assert.deepEqual(await unread(person), [])
    assert.equal((await unread('stranger')).length, 1, 'the owner of another organisation')
    await readAll()
    await server.later(23 * HOUR_MS)
    assert.deepEqual(await unread(), [], 'it is known')
    await server.later(HOUR_MS)
    assert.equal((await unread()).length, 1)
    await readAll()
    await isWell(server, 'backup')
    assert.deepEqual(
      (await unread()).map(({ detail }) => detail),
      [{ bad: [], well: ['backup'] }],
    )
    await readAll()
    await server.later(DAY_MS)
    assert.deepEqual(await unread(), [])
  })

  test('get one notice of several checks, and a newer one takes the place of one that was not read', async (t) => {
    const server = notices(t)
    await goesBad(server, 'backup', 'disk')
    assert.deepEqual(
      (await unread()).map(({ detail }) => detail),
      [{ bad: ['disk', 'backup'], well: [] }],
    )
    await isWell(server, 'backup', 'disk')
    assert.deepEqual(
      (await unread()).map(({ detail }) => detail),
      [{ bad: [], well: ['disk', 'backup'] }],
    )
  })

  test('are not told again by a server that was started anew, and hear from it that it is well', async (t) => {
    const first = notices(t)
    await goesBad(first, 'backup')
    await readAll()
    await first.stop()
    const second = notices(t)
    second.found.backup = bad('The backup needs somebody.')
    await second.tick()
    await second.later(HOUR_MS)
    assert.deepEqual(await unread(), [])
    await second.stop()
    const third = notices(t)
    await isWell(third, 'backup')
    assert.deepEqual(
      (await unread()).map(({ detail }) => detail),
      [{ bad: [], well: ['backup'] }],
    )
  })

  test('are told in many organisations', async (t) => {
    for (let n = 0; n < 60; n++) await makeOrg(app.store, app.dataDir, `Org ${n}`)
    const server = notices(t)
    await goesBad(server, 'backup')
    const count = app.store.db.prepare("SELECT count(*) FROM notifications WHERE kind = 'operation'").pluck()
    assert.equal(count.get(), 62)
  })
})

describe('owners by mail', () => {
  test('get one each, in their language and without a message in the inbox', async (t) => {
    const smtp = await startSmtp(t)
    const { imap, ...sending } = SUPPORT
    setMailboxes(app, [{ ...sending, smtp: { ...SUPPORT.smtp, port: smtp.server.port } }])
    await app.ok('owner', 'PATCH', '/preferences', { language: 'de', timezone: 'Europe/Berlin' })
    const server = notices(t, { notifyMail: 'owners' })
    await goesBad(server, 'backup', 'certificate')
    assert.equal(smtp.mails.length, 1)
    const { from, to, source } = smtp.mails[0]!
    const { email } = (await app.call('GET', '/members?role=owner')).body.data[0]
    assert.deepEqual([from, to], [SUPPORT.address, [email]])
    const mail = await readMail(source)
    assert.equal(mail.subject, 'crm.example braucht jemanden: Sicherungen, TLS-Zertifikat')
    assert.match(mail.text, /Sicherungen, seit .*Europe\/Berlin/)
    assert.match(mail.text, /The backup needs somebody\./)
    assert.match(mail.text, /https:\/\/crm\.example\/settings\/operation/)
    assert.equal(mail.automatic, 'generated')
    assert.deepEqual((await app.call('GET', '/conversations')).body.data, [])
    await server.later(23 * HOUR_MS)
    assert.equal(smtp.mails.length, 1)
    await server.later(HOUR_MS)
    assert.equal(smtp.mails.length, 2)
    await isWell(server, 'backup', 'certificate')
    assert.equal(smtp.mails.length, 3)
    assert.equal(
      (await readMail(smtp.mails[2]!.source)).subject,
      'Bei crm.example ist wieder gut: Sicherungen, TLS-Zertifikat',
    )
  })

  test('hear by another mailbox if one cannot send, and later if none can', async (t) => {
    const [broken, good] = [await startSmtp(t, { mail: () => '451 4.3.0 Try later' }), await startSmtp(t)]
    const { imap, ...sending } = SUPPORT
    const other = { ...sending, key: 'sales', address: 'sales@acme.example', is_default: false }
    setMailboxes(app, [
      { ...sending, smtp: { ...SUPPORT.smtp, port: broken.server.port } },
      { ...other, smtp: { ...SUPPORT.smtp, port: good.server.port } },
    ])
    good.answer({ mail: () => '451 4.3.0 Try later' })
    const server = notices(t, { notifyMail: 'owners' })
    await goesBad(server, 'disk')
    assert.equal(good.mails.length, 0)
    assert.match(
      failingRecurring(app.store.db).find(({ name }) => name === 'give notice by mail')?.error as string,
      /451|later/i,
    )
    good.answer({})
    await server.later(MINUTE_MS)
    assert.equal(good.mails.length, 0, 'not at once')
    await server.later(4 * MINUTE_MS)
    assert.deepEqual(
      good.mails.map(({ from }) => from),
      ['sales@acme.example'],
    )
    assert.deepEqual(failingRecurring(app.store.db), [])
  })

  test('hear nothing without a mailbox, which is no failure, and once there is one, they do', async (t) => {
    const server = notices(t, { notifyMail: 'owners' })
    await goesBad(server, 'disk')
    assert.deepEqual(failingRecurring(app.store.db), [])
    const smtp = await startSmtp(t)
    const { imap, ...sending } = SUPPORT
    setMailboxes(app, [{ ...sending, smtp: { ...SUPPORT.smtp, port: smtp.server.port } }])
    await server.later(MINUTE_MS)
    assert.equal(smtp.mails.length, 1)
  })

  test('may be others, or nobody, and nothing leaves a copy that was restored', async (t) => {
    const smtp = await startSmtp(t)
    const url = await receiver(t)
    const { imap, ...sending } = SUPPORT
    setMailboxes(app, [{ ...sending, smtp: { ...SUPPORT.smtp, port: smtp.server.port } }])
    const paused = notices(t, { notifyMail: 'owners', notifyUrl: url.url, isPaused: true })
    await goesBad(paused, 'disk')
    assert.deepEqual([smtp.mails.length, url.calls.length, (await unread()).length], [0, 0, 1])
    await paused.stop()
    const server = notices(t, { notifyMail: 'ops@firm.example, night@firm.example' })
    await goesBad(server, 'disk')
    assert.deepEqual(
      smtp.mails.map(({ to }) => to),
      [['ops@firm.example'], ['night@firm.example']],
    )
  })
})

describe('a URL', () => {
  test('is called with what ntfy shows, and with a token', async (t) => {
    const { url, calls } = await receiver(t)
    const server = notices(t, { notifyUrl: url, notifyToken: 'tk_secret' })
    server.found.disk = bad('The disk is full.', 'fail')
    await goesBad(server, 'backup')
    assert.equal(calls.length, 1)
    const { headers, path, text } = calls[0]!
    assert.equal(path, '/secret-topic')
    assert.deepEqual(
      [headers.title, headers.priority, headers.tags, headers.click, headers.authorization],
      [
        'crm.example needs somebody: Disk, Backups',
        'urgent',
        'warning',
        'https://crm.example/settings/operation',
        'Bearer tk_secret',
      ],
    )
    assert.match(headers['content-type'] as string, /^text\/plain/)
    assert.match(text, /Disk, since .*UTC\)\nThe disk is full\./)
    await isWell(server, 'backup', 'disk')
    assert.deepEqual(
      [calls[1]?.headers.title, calls[1]?.headers.priority, calls[1]?.headers.tags],
      ['crm.example is well again: Disk, Backups', 'default', 'white_check_mark'],
    )
  })

  test('is called by TLS, with a certificate that is trusted', {
    skip: own ? false : 'there is no openssl',
  }, async (t) => {
    const { url, calls } = await receiver(t)
    const secure = await standBetween(Number(new URL(url).port), own)
    t.after(secure.stop)
    const message = { bad: [], well: [], at: 0 }
    const told = () =>
      byUrl({ url: `https://127.0.0.1:${secure.port}/`, token: undefined }, () => ({
        name: 'crm',
        link: undefined,
      })).tell(message, new AbortController().signal)
    await assert.rejects(told(), { message: 'The certificate is signed by an authority that is not trusted.' })
    assert.equal(calls.length, 0)
    trusting(t, own?.ca as string)
    assert.equal(await told(), true)
    assert.equal(calls.length, 1)
  })

  test('gets a name with letters that headers cannot have in the form that ntfy reads', async (t) => {
    const { url, calls } = await receiver(t)
    const place = () => ({ name: 'Büro ✓', link: undefined })
    const said = { check: 'disk', status: 'warn', detail: 'Größe: 0', since: 0 } as const
    const { tell } = byUrl({ url, token: undefined }, place)
    assert.equal(await tell({ bad: [said], well: [], at: 0 }, AbortSignal.timeout(60_000)), true)
    const [, encoded = ''] = /^=\?UTF-8\?B\?(.+)\?=$/.exec(calls[0]?.headers.title as string) ?? []
    assert.equal(Buffer.from(encoded, 'base64').toString(), 'Büro ✓ needs somebody: Disk')
    assert.match(calls[0]?.text as string, /Größe: 0/)
  })

  for (const [what, answer, reason] of [
    ['answers 500', (response: ServerResponse) => response.writeHead(500).end('no'), /answered 500/],
    ['redirects', (response: ServerResponse) => response.writeHead(302, { Location: '/elsewhere' }).end(), /redirect/],
    ['ends the connection', (response: ServerResponse) => response.destroy(), /closed/],
  ] as const)
    test(`that ${what} is called again later, and its failure is known but not its path`, async (t) => {
      const { url, calls, answers } = await receiver(t)
      answers(answer)
      const server = notices(t, { notifyUrl: url })
      await goesBad(server, 'disk')
      assert.deepEqual(
        calls.map(({ path }) => path),
        ['/secret-topic'],
      )
      const [failed] = failingRecurring(app.store.db)
      assert.deepEqual(failed?.name, 'give notice by URL')
      assert.match(failed?.error as string, reason)
      assert.doesNotMatch(JSON.stringify([failed, server.lines]), /secret-topic/)
      assert.equal((await unread()).length, 1, 'the other ways go on')
      answers((response) => response.writeHead(200).end())
      await server.later(5 * MINUTE_MS)
      assert.equal(calls.length, 2)
      assert.deepEqual(failingRecurring(app.store.db), [])
    })

  test('that hangs holds up neither the screens nor the end of the server', async (t) => {
    const { url, calls, answers } = await receiver(t)
    const called = Promise.withResolvers<void>()
    answers(() => called.resolve())
    const server = notices(t, { notifyUrl: url })
    const looking = goesBad(server, 'disk')
    await called.promise
    for (;;) if ((await unread()).length === 1) break
    await server.stop()
    await looking
    assert.equal(calls.length, 1)
  })

  test('that answers without end is not read without end', async (t) => {
    const { url, calls, answers } = await receiver(t)
    let sent = 0
    answers((response) => {
      response.writeHead(200)
      const more = () => {
        while (response.writable && response.write('x'.repeat(65_536))) sent += 65_536
        if (response.writable) response.once('drain', more)
      }
      more()
    })
    const server = notices(t, { notifyUrl: url })
    await goesBad(server, 'disk')
    assert.equal(calls.length, 1)
    assert.deepEqual(failingRecurring(app.store.db), [])
    assert.ok(sent < 100_000_000)
  })
})

describe('a server whose database cannot be written', () => {
  test('tells by mail and URL all the same, also that the disk is full', async (t) => {
    const smtp = await startSmtp(t)
    const { url, calls } = await receiver(t)
    const { imap, ...sending } = SUPPORT
    setMailboxes(app, [{ ...sending, smtp: { ...SUPPORT.smtp, port: smtp.server.port } }])
    const server = notices(t, { notifyMail: 'owners', notifyUrl: url })
    app.store.db.exec('PRAGMA query_only = 1')
    server.found.disk = bad('The disk is full.', 'fail')
    await server.tick()
    await server.later(5 * MINUTE_MS)
    app.store.db.exec('PRAGMA query_only = 0')
    assert.deepEqual([smtp.mails.length, calls.length], [1, 1])
    assert.deepEqual(await unread(), [])
    await server.later(5 * MINUTE_MS)
    assert.equal((await unread()).length, 1, 'the screens follow')
    assert.deepEqual([smtp.mails.length, calls.length], [1, 1])
  })

  test('remembers while it runs what its folder cannot keep', async (t) => {
    const { url, calls } = await receiver(t)
    const file = join(app.dataDir, 'notified.json')
    mkdirSync(file) // nothing can take its place
    t.after(() => rmSync(file, { recursive: true, force: true }))
    const server = notices(t, { notifyUrl: url })
    await goesBad(server, 'disk')
    await server.later(HOUR_MS)
    assert.equal(calls.length, 1)
    rmSync(file, { recursive: true })
    await isWell(server, 'disk')
    assert.equal(calls.length, 2)
    assert.ok(existsSync(file))
    assert.doesNotMatch(readFileSync(file, 'utf8'), /secret-topic/)
  })
})

describe('the options', () => {
  for (const [given, message] of [
    [{ notifyUrl: 'ntfy.sh/topic' }, /--notify-url must be a URL/],
    [{ notifyUrl: 'ftp://ntfy.sh/topic' }, /--notify-url must be a URL/],
    [{ notifyUrl: 'https://me:secret@ntfy.sh/topic' }, /must not contain a user name.*--notify-token/],
    [{ notifyToken: 'abc' }, /--notify-url, which is missing/],
    [{ notifyUrl: 'https://ntfy.sh/t', notifyToken: 'a b' }, /--notify-token must have/],
    [{ notifyMail: 'nobody' }, /"nobody" is not an email address/],
  ] as const)
    test(`${JSON.stringify(given)} are refused`, () => {
      assert.throws(
        () => readNotify(given),
        (error: Error) => message.test(error.message) && !/secret|topic/.test(error.message),
      )
    })
})
