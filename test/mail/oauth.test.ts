import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { mailLogins } from '../../src/inbox/mailboxes/access-tokens.ts'
import { signIn } from '../../src/inbox/mailboxes/commands/mailbox-connect.ts'
import { mailboxReports } from '../../src/inbox/mailboxes/commands/mailbox-report.ts'
import { grantStore } from '../../src/inbox/mailboxes/grants.ts'
import type { Mailbox } from '../../src/inbox/mailboxes/mailbox.ts'
import { mailboxStore } from '../../src/inbox/mailboxes/mailboxes.ts'
import { clientOf } from '../../src/inbox/mailboxes/oauth.ts'
import { mailboxSettings } from '../../src/inbox/mailboxes/settings.ts'
import { silentLog } from '../../src/lib/log.ts'
import { type Form, providerPost } from '../../src/lib/mail/oauth/post-form.ts'
import type { Tokens } from '../../src/lib/mail/oauth/tokens.ts'
import { checkImap } from '../../src/lib/mail/transport/imap.ts'
import { checkSmtp } from '../../src/lib/mail/transport/smtp.ts'
import { mailKinds } from '../../src/mail/jobs.ts'
import { startReceiver } from '../../src/mail/mailbox-sync.ts'
import { outboundMail } from '../../src/mail/outbound-mail.ts'
import { health } from '../../src/ops/monitoring/health.ts'
import { openStore } from '../../src/store/open.ts'
import { schedulerHarness } from '../store/jobs/scheduler-harness.ts'
import { noDovecot, startDovecot } from '../support/dovecot.ts'
import { inboxOf } from '../support/inbox.ts'
import { setMailboxes } from '../support/mailbox.ts'
import { startOpenId } from '../support/openid.ts'
import type { Row } from '../support/records.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { type Ends, startSmtp, startTalker } from '../support/smtp.ts'
import { until } from '../support/until.ts'

// A mailbox without a password: a real OpenID provider, which Dovecot and an SMTP server ask about each token.

const HOUR_MS = 3_600_000

describe('a mailbox with OAuth', { skip: noDovecot }, () => {
  const ends: (() => unknown)[] = []
  const own: Ends = { after: (end) => void ends.push(end) }
  let server: TestServer
  let openid: Awaited<ReturnType<typeof startOpenId>>
  let dovecot: Awaited<ReturnType<typeof startDovecot>>
  let smtp: Awaited<ReturnType<typeof startSmtp>>
  let mailbox: Mailbox
  let office: ReturnType<typeof schedulerHarness>

  before(async () => {
    openid = await startOpenId(own)
    const oauth = { introspection: openid.introspection, mechanisms: 'oauthbearer xoauth2' }
    dovecot = await startDovecot(own, { oauth })
    smtp = await startSmtp(own, {
      tls: 'starttls',
      user: dovecot.user,
      more: {
        authMethods: ['XOAUTH2'],
        onAuth: async ({ method, username, accessToken }, _session, done) => {
          assert.equal(method, 'XOAUTH2')
          const isTheirs = (await openid.accountOf(accessToken ?? '')) === username
          done(null, isTheirs ? { user: username } : { data: { status: '401', schemes: 'bearer' } })
        },
      },
    })
    server = await startServer()
    ends.push(() => server.stop())
    mailbox = setUp()
    const { store, deps } = server
    const { close, ...post } = outboundMail({ deps, write: store.write })
    office = schedulerHarness(server, { kinds: mailKinds(post) })
    ends.push(close, () => office.stop())
  })
  after(async () => {
    for (const end of ends.reverse()) await end()
  })

  function setUp(more: Row = {}): Mailbox {
    const place = { host: '127.0.0.1', user: dovecot.user }
    const { port } = smtp.server
    const given = {
      key: 'support',
      name: 'Support',
      address: dovecot.user,
      is_default: true,
      oauth: openid.oauth,
      smtp: { ...place, port, tls: 'starttls' },
      imap: { ...place, port: dovecot.tlsPort, tls: 'tls' },
      ...more,
    }
    return setMailboxes(server, [given]).support as Mailbox
  }

  const refreshed = (): Mailbox => mailboxStore(server.deps).byId(server.a.org, mailbox.id) as Mailbox
  const logins = (post = providerPost()) =>
    mailLogins({ deps: server.deps, write: server.store.write, post, wait: async () => undefined })
  const report = () => mailboxReports(server.store, server.a.org, server.deps)[0]
  const readiness = () => {
    const { store, deps, dataDir } = server
    return health({ store, deps, dataDir, stopping: { aborted: false }, log: silentLog }).ready()
  }

  /** As "mailbox connect" does it, and the person at the provider. */
  async function signedIn(account = dovecot.user, choice: 'yes' | 'no' = 'yes'): Promise<Tokens> {
    const page = Promise.withResolvers<void>()
    return signIn(clientOf(mailbox, null), mailbox, {
      post: providerPost(),
      clock: { now: () => server.now() },
      wait: () => page.promise,
      signal: new AbortController().signal,
      input: process.stdin,
      say: () => undefined,
      tell: (task) => {
        if ('user_code' in task)
          openid.signIn(task.verification_url, account, task.user_code, choice).then(() => page.resolve(), page.reject)
      },
    })
  }

  async function connect(): Promise<void> {
    const tokens = await signedIn()
    await server.store.write(() => void mailboxSettings(server.store).connect(server.a.org, mailbox, tokens))
  }

  async function answer(): Promise<Row> {
    const inbox = inboxOf(server)
    const from = { email: `eva${server.lastSeq()}@firm.example`, name: 'Eva' }
    const question = { direction: 'inbound', channel: 'email', from, subject: 'Invoice', body_text: 'Where is it?' }
    const { conversation_id } = await inbox.make('/messages', question)
    return inbox.make('/messages', { conversation_id, direction: 'outbound', body_text: 'Here.' })
  }
  const now = ({ id }: Row): Promise<Row> => inboxOf(server).get(`/messages/${id}`)

  const NOT_YET =
    'The mailbox "support" is not connected yet; sign in with "dealbox mailbox connect support", until then its mails wait.'

  test('says in one sentence everywhere that somebody has to sign in, and its mails wait for a day', async () => {
    const message = await answer()
    for (let hour = 0; hour < 24; hour++) {
      await office.tick()
      server.advance(HOUR_MS)
    }
    const { status, error } = await now(message)
    assert.deepEqual([status, error], ['queued', NOT_YET])
    assert.deepEqual([report()?.sending.status, report()?.sending.text], ['not_connected', NOT_YET])
    assert.deepEqual([report()?.receiving.status, report()?.receiving.text], ['not_connected', NOT_YET])
    const { mailboxes, checks } = readiness()
    assert.deepEqual(mailboxes, { not_connected: 1 })
    assert.deepEqual(checks.mailboxes, {
      status: 'warn',
      detail: '1 has to be connected with "dealbox mailbox connect"; "dealbox mailbox list" shows the reasons.',
    })
    assert.deepEqual(
      openid.asked.filter((asked) => asked === 'POST /token'),
      [],
    )
    await connect()
    await office.tick()
    assert.deepEqual([(await now(message)).status, smtp.mails.length], ['sent', 1], 'at once, not after an hour')
    assert.deepEqual([report()?.sending.status, report()?.receiving.status], ['ok', 'never_connected'])
    assert.deepEqual(readiness().checks.mailboxes, { status: 'pass' })
  })

  test('stores no token in plain text, and shows none', async () => {
    const { text } = await logins()
      .imapServer(server.a.org, refreshed())
      .then(({ accessToken }) => accessToken as { text: string })
    const tables = ['mailboxes', 'mailbox_grants', 'mailbox_states', 'messages', 'jobs', 'events']
    const stored = JSON.stringify(tables.map((table) => server.store.db.prepare(`SELECT * FROM ${table}`).all()))
    for (const token of [text, ...openid.refreshes]) assert.ok(!stored.includes(token))
    assert.ok(!JSON.stringify(report()).includes(text))
  })

  test('logs in to Dovecot by OAUTHBEARER, and by XOAUTH2 where a server has only that', async (t) => {
    const { imapServer } = logins()
    const imap = await imapServer(server.a.org, refreshed())
    assert.equal(await checkImap(imap), null)
    const older = await startDovecot(t, { oauth: { introspection: openid.introspection, mechanisms: 'xoauth2' } })
    const there = { ...imap, port: older.tlsPort }
    assert.equal(await checkImap(there), null)
    const wrong = { ...there, accessToken: { text: 'not-a-token', renewAt: 0, onRejected: () => undefined } }
    assert.match((await checkImap(wrong)) ?? '', /rejected the login of "sales@acme\.example"/)
    const other = { ...imap, user: 'boss@acme.example' }
    assert.match((await checkImap(other)) ?? '', /rejected the login of "boss@acme\.example"/)
    const without = await startDovecot(t)
    assert.equal(
      await checkImap({ ...imap, port: without.tlsPort }),
      `The server 127.0.0.1:${without.tlsPort} does not support login with OAuth.`,
    )
  })

  test('is told what the SMTP server says to a token that it does not accept', async () => {
    const { smtpServer } = logins()
    const found = await smtpServer(server.a.org, refreshed())
    assert.equal(await checkSmtp(found), null)
    let rejected = 0
    const accessToken = { text: 'not-a-token', renewAt: 0, onRejected: () => void rejected++ }
    const place = `127.0.0.1:${smtp.server.port}`
    assert.equal(
      await checkSmtp({ ...found, accessToken }),
      `The server ${place} rejected the login of "sales@acme.example": 535 Error: Username and Password not accepted.`,
    )
    assert.equal(rejected, 1)
  })

  test('speaks OAUTHBEARER to an SMTP server that has only that, and shows no token that the server repeats', async (t) => {
    let repeated = ''
    const talker = await startTalker(t, {
      open: '220 hi',
      EHLO: '250-hi\n250 AUTH OAUTHBEARER',
      AUTH: `334 ${Buffer.from('{"status":"invalid_token"}').toString('base64')}`,
      'AQ==': (socket) => void socket.write(`535 5.7.8 no ${repeated} here\r\n`),
    })
    const accessToken = { text: 'a-token', renewAt: 0, onRejected: () => undefined }
    const there = { ...talker, tls: 'none', user: 'a=b@acme.example', password: null, accessToken } as const
    for (repeated of [
      'a-token',
      Buffer.from('user=a=b@acme.example\x01auth=Bearer a-token\x01\x01').toString('base64'),
    ])
      assert.equal(
        await checkSmtp(there),
        `The server 127.0.0.1:${talker.port} rejected the login of "a=b@acme.example": 535 5.7.8 no … here.`,
      )
    const [, , encoded = ''] = talker.heard[1]?.split(' ') ?? []
    assert.equal(talker.heard[1], `AUTH OAUTHBEARER ${encoded}`)
    assert.equal(String(Buffer.from(encoded, 'base64')), 'n,a=a=3Db@acme.example,\x01auth=Bearer a-token\x01\x01')
  })

  test('renews a token that its server no longer accepts, but not one that has just been issued', async () => {
    const { smtpServer } = logins()
    const attempt = async () => {
      const found = await smtpServer(server.a.org, refreshed())
      return { token: found.accessToken?.text, fault: await checkSmtp(found) }
    }
    const first = await attempt()
    assert.equal(first.fault, null)
    await openid.revokeAccess()
    assert.match((await attempt()).fault ?? '', /rejected the login/)
    assert.equal((await attempt()).token, first.token, 'the provider is not asked at every attempt')
    server.advance(300_000)
    assert.match((await attempt()).fault ?? '', /rejected the login/)
    const last = await attempt()
    assert.equal(last.fault, null)
    assert.notEqual(last.token, first.token)
  })

  test('renews its access in time, once for all who need it, and keeps the new refresh token', async () => {
    const { imapServer, smtpServer } = logins()
    const before = await imapServer(server.a.org, refreshed())
    const count = openid.refreshes.length
    server.advance((before.accessToken?.renewAt ?? 0) - server.now() - 1)
    assert.equal((await imapServer(server.a.org, refreshed())).accessToken?.text, before.accessToken?.text)
    server.advance(1)
    const all = await Promise.all([
      imapServer(server.a.org, refreshed()),
      smtpServer(server.a.org, refreshed()),
      logins().smtpServer(server.a.org, refreshed()), // as another process
    ])
    const texts = new Set(all.map(({ accessToken }) => accessToken?.text))
    assert.equal(texts.size, 1)
    assert.ok(!texts.has(before.accessToken?.text))
    assert.equal(openid.refreshes.length, count + 1)
    // The old refresh token is used up: only with the new one is there a second time.
    for (let renewals = 2; renewals < 4; renewals++) {
      server.advance(HOUR_MS)
      assert.equal(await checkSmtp(await smtpServer(server.a.org, refreshed())), null)
      assert.equal(openid.refreshes.length, count + renewals)
    }
  })

  test('goes on with the token that it has while the provider cannot be reached', async () => {
    const away = async () => {
      throw Object.assign(new Error('The server refused the connection.'), { isSentence: true })
    }
    const { smtpServer } = logins(away)
    const found = await logins().smtpServer(server.a.org, refreshed())
    server.advance((found.accessToken?.renewAt ?? 0) - server.now() + 1)
    assert.equal((await smtpServer(server.a.org, refreshed())).accessToken?.text, found.accessToken?.text)
    server.advance(HOUR_MS)
    await assert.rejects(smtpServer(server.a.org, refreshed()), /refused the connection/)
    assert.equal(report()?.sending.status, 'ok', 'that is no reason to sign in again')
    assert.ok(await logins().smtpServer(server.a.org, refreshed()), 'it is back')
  })

  test('is not renewed twice where a process ended before it had stored the result', async () => {
    const forms: Form[] = []
    const called = Promise.withResolvers<void>()
    const died = providerPost()
    const { smtpServer } = logins(async (url, form) => {
      forms.push(form)
      called.resolve()
      return new Promise(() => void died(url, form)) // asked, and never heard of again
    })
    server.advance(2 * HOUR_MS)
    smtpServer(server.a.org, refreshed()).catch(called.reject)
    await called.promise
    await assert.rejects(
      logins().smtpServer(server.a.org, refreshed()),
      /Another process renews the access to "support"/,
    )
    assert.equal(forms.length, 1)
    server.advance(60_001)
    await assert.rejects(
      logins().smtpServer(server.a.org, refreshed()),
      { code: 'not_connected' },
      'the provider takes a refresh token that comes twice for stolen',
    )
    await connect()
  })

  test('keeps what a sign-in gave, and not what a renewal of the access before it comes back with', async () => {
    const reached = Promise.withResolvers<void>()
    const answer = Promise.withResolvers<void>()
    const real = providerPost()
    const { smtpServer } = logins(async (...given) => {
      const answered = await real(...given)
      reached.resolve()
      await answer.promise
      return answered
    })
    server.advance(2 * HOUR_MS)
    const renewal = smtpServer(server.a.org, refreshed())
    await reached.promise
    await connect()
    const { accessToken: own } = await logins().smtpServer(server.a.org, refreshed())
    answer.resolve()
    assert.equal((await renewal).accessToken?.text, own?.text)
    server.advance(2 * HOUR_MS)
    assert.equal(await checkSmtp(await logins().smtpServer(server.a.org, refreshed())), null)
  })

  test('loses no refresh token to a server that stops', async () => {
    const reached = Promise.withResolvers<void>()
    const answer = Promise.withResolvers<void>()
    const real = providerPost()
    const { smtpServer, stop } = logins(async (...given) => {
      const answered = await real(...given)
      reached.resolve()
      await answer.promise
      return answered
    })
    server.advance(2 * HOUR_MS)
    const renewal = smtpServer(server.a.org, refreshed())
    await reached.promise
    let isOver = false
    const stopped = stop().then(() => {
      isOver = true
    })
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(isOver, false)
    answer.resolve()
    await stopped
    assert.equal(await checkSmtp(await renewal), null)
    server.advance(2 * HOUR_MS)
    await assert.rejects(smtpServer(server.a.org, refreshed()), { code: 'stopping' })
    assert.equal(await checkSmtp(await logins().smtpServer(server.a.org, refreshed())), null)
  })

  test('receives as soon as another process has connected it, over a connection that is renewed in time', async () => {
    const { store, deps } = server
    store.transaction(() => grantStore(store).forget(server.a.org, mailbox.id))
    const receiver = startReceiver({
      ...{ deps, write: store.write, health: store.health, committed: store.committed, log: silentLog },
      random: () => 1000, // no attempt before the settings change
    })
    try {
      const state = () => mailboxStore(deps).state(server.a.org, mailbox.id)
      await until(() => state().last_error === NOT_YET)
      const tokens = await signedIn()
      const other = openStore(server.dataDir, { wall: server.now })
      other.transaction(() => mailboxSettings(other).connect(server.a.org, mailbox, tokens))
      other.close()
      await until(() => state().checked_at !== null)
      const count = openid.refreshes.length
      server.advance(HOUR_MS)
      const text = 'From: eva@firm.example\r\nMessage-ID: <later@firm.example>\r\nSubject: Later\r\n\r\nHi\r\n'
      dovecot.deliver(text)
      await until(() => state().imported === 1 && openid.refreshes.length === count + 1)
      assert.equal(state().failing_since, null)
    } finally {
      await receiver.stop()
    }
  })

  test('that was revoked says so once, asks no more, and sends what waited after somebody has signed in', async () => {
    await openid.revoke()
    const before = await now(await answer())
    server.advance(HOUR_MS)
    await office.tick() // an attempt that was cut off pauses first
    server.advance(HOUR_MS)
    const count = () => openid.asked.filter((asked) => asked === 'POST /token').length
    const asked = count()
    await office.tick()
    const sentence =
      'The provider of the mailbox "support" no longer accepts its sign-in (invalid_grant: grant request is invalid); sign in again with "dealbox mailbox connect support", until then its mails wait.'
    const waiting = await now(before)
    assert.deepEqual([waiting.status, waiting.error], ['queued', sentence])
    for (let hour = 0; hour < 22; hour++) {
      server.advance(HOUR_MS)
      await office.tick()
    }
    assert.equal((await now(before)).status, 'queued')
    assert.equal(count(), asked + 1)
    assert.equal(report()?.sending.text, sentence)
    assert.equal(readiness().checks.mailboxes?.status, 'warn')
    const mails = smtp.mails.length
    await connect()
    await office.tick()
    assert.deepEqual([(await now(before)).status, smtp.mails.length], ['sent', mails + 1])
  })

  test('takes nothing from a person who declines', async () => {
    await assert.rejects(signedIn(dovecot.user, 'no'), { code: 'access_denied' })
  })

  test('forgets its access where the client changes, since it must not be sent to another provider', () => {
    const grants = () => server.store.db.prepare('SELECT count(*) FROM mailbox_grants').pluck().get()
    setUp({ name: 'Another name' })
    assert.equal(grants(), 1)
    setUp({ oauth: { ...openid.oauth, token_url: 'https://login.evil.example/token' } })
    assert.equal(grants(), 0)
    setUp()
    assert.equal(report()?.sending.text, NOT_YET)
  })
})
