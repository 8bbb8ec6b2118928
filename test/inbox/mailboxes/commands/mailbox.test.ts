import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { before, beforeEach, describe, test } from 'node:test'
import { resourceDeps } from '../../../../src/app/deps.ts'
import { askSecret, type Input } from '../../../../src/command/prompt.ts'
import type { State } from '../../../../src/inbox/mailboxes/mailbox.ts'
import { mailboxStore } from '../../../../src/inbox/mailboxes/mailboxes.ts'
import { incomingStore } from '../../../../src/mail/incoming.ts'
import { type CommandStore, openStore } from '../../../../src/store/open.ts'
import { cli, cliJson, dealbox, temporaryFolder } from '../../../cli/command-line.ts'
import { noDovecot, startDovecot } from '../../../support/dovecot.ts'
import { mailIn } from '../../../support/mailbox.ts'
import { ownCertificate, startSmtp } from '../../../support/smtp.ts'
import { trusting } from '../../../support/trust.ts'

// `dealbox mailbox ...` as a person uses it.

const folder = temporaryFolder()
const data = join(folder, 'data')
const VARIABLE = 'TEST_OF_MAILBOX_COMMANDS'
const SERVER = { host: '127.0.0.1', port: 1, tls: 'none' }
const support = {
  key: 'support',
  name: 'Acme Support',
  address: 'support@acme.example',
  is_default: true,
  smtp: { ...SERVER, user: 'crm' },
  imap: { ...SERVER, user: 'crm' },
}
const ana = { key: 'ana', name: 'Ana', address: 'ana@acme.example', member: 'ana@acme.example', smtp: SERVER }

before(async () => {
  await cliJson('init', '--data', data, '--org', 'Acme', '--email', 'ana@acme.example')
})

const mailbox = (...argv: string[]) => cli(['mailbox', ...argv, '--data', data])

async function apply(...mailboxes: object[]): Promise<void> {
  const file = join(folder, 'settings.json')
  writeFileSync(file, JSON.stringify({ mailboxes }))
  await cliJson('settings', 'apply', file, '--data', data)
}

/** What a server would have written down. */
async function inStore<T>(job: (store: CommandStore, mailboxes: ReturnType<typeof mailboxStore>) => T): Promise<T> {
  const store = openStore(data)
  try {
    return job(store, mailboxStore(resourceDeps(store)))
  } finally {
    store.close()
  }
}

const saveState = (some: Partial<State>) =>
  inStore(({ clock }, mailboxes) => {
    const { org, mailbox } = mailboxes.active().find(({ mailbox }) => mailbox.key === 'support')!
    const before = { checked_at: null, failing_since: null, last_error: null, pending: 0 }
    mailboxes.saveState(org, mailbox.id, { ...before, ...some })
    return clock.now()
  })

/** A port that nobody listens on. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

describe('mailbox list', () => {
  test('says that there is none', async () => {
    assert.equal((await mailbox('list')).out, 'There are no mailboxes.\n')
    assert.deepEqual(await cliJson('mailbox', 'list', '--data', data), [])
  })

  test('says of each whose it is and how it goes, and what is missing first', async () => {
    await apply(support, ana)
    const missing = (side: string) =>
      `The mailbox "support" has no password for ${side} yet. Set it with "dealbox mailbox password support".`
    const anas =
      'ana  ana@acme.example  of ana@acme.example\n  sending    nothing has been sent yet\n  receiving  not set up\n'
    assert.equal(
      (await mailbox('list')).out,
      `support  support@acme.example  default
  sending    ${missing('SMTP')}
  receiving  ${missing('IMAP')}
             0 imported, 0 skipped, 0 rejected
${anas}`,
    )
    process.env[VARIABLE] = 'secret'
    const source = { user: 'crm', password_env: VARIABLE }
    await apply({ ...support, smtp: { ...SERVER, ...source }, imap: { ...SERVER, ...source } }, ana)
    const now = await saveState({ checked_at: Date.now(), imported: 12, skipped: 3, rejected: 1, sent: 2, sent_at: 0 })
    const { out } = await mailbox('list')
    assert.match(
      out,
      /default\n {2}sending {4}ok, last sent 1970-\S+\n {2}receiving {2}ok, last check \S+\n {13}12 imported, 3 skipped, 1 rejected\n/,
    )
    assert.ok(out.endsWith(anas))
    await saveState({ failing_since: now, last_error: 'The server \u001b[2Jsaid no.', last_error_at: now })
    assert.match((await mailbox('list')).out, /receiving {2}failing since \S+: The server \[2Jsaid no\.\n/)
    const [listed, own] = await cliJson('mailbox', 'list', '--data', data)
    assert.deepEqual(
      [listed.key, listed.is_default, listed.member, own.member],
      ['support', true, null, 'ana@acme.example'],
    )
    assert.equal(listed.sending.status, 'ok')
    assert.equal(listed.sending.sent_at, '1970-01-01T00:00:00.000Z')
    assert.equal(listed.receiving.status, 'failing')
    assert.equal(listed.receiving.error, 'The server \u001b[2Jsaid no.')
    assert.equal(own.receiving.status, 'not_set_up')
    assert.ok(!JSON.stringify([listed, own]).includes('secret'))
  })

  test('never calls receiving ok while nothing comes in', async () => {
    const receiving = async (some: Partial<State>) => {
      await saveState(some)
      return (await cliJson('mailbox', 'list', '--data', data))[0].receiving.status
    }
    const now = Date.now()
    assert.equal(await receiving({}), 'never_connected')
    assert.equal(await receiving({ checked_at: now - 16 * 60_000 }), 'stale')
    assert.equal(await receiving({ checked_at: now, pending: 2 }), 'behind')
    assert.equal(await receiving({ checked_at: now }), 'ok')
  })
})

describe('mailbox errors', () => {
  test('lists the mails that could not be taken in, the newest first, without what would move the cursor', async () => {
    assert.equal((await mailbox('errors')).out, 'No mail was rejected.\n')
    await inStore(({ db, clock }, mailboxes) => {
      for (const { org, mailbox } of mailboxes.active()) {
        const insert = db.prepare(
          `INSERT INTO rejected_mails (org_id, id, mailbox_id, uid_validity, uid, sender, subject, error, at)
           VALUES (?, ?, ?, 1, ?, ?, ?, ?, 0)`,
        )
        for (let uid = 1; uid <= (mailbox.key === 'ana' ? 1 : 101); uid++) {
          const subject = uid === 1 ? null : `No ${uid}\u001b[31m ${'x'.repeat(99)}`
          insert.run(org, clock.id(), mailbox.id, uid, uid === 1 ? null : 'mallory@x.example', subject, 'It is broken.')
        }
      }
    })
    const all = await cliJson('mailbox', 'errors', '--data', data)
    assert.equal(all.length, 100)
    assert.deepEqual(
      all.slice(0, 2).map(({ mailbox, uid, at }: Record<string, unknown>) => [mailbox, uid, at]),
      [
        ['ana', 1, '1970-01-01T00:00:00.000Z'],
        ['support', 101, '1970-01-01T00:00:00.000Z'],
      ],
    )
    const lines = (await mailbox('errors')).out.split('\n')
    assert.match(lines[0] as string, /^AT +MAILBOX +FROM +SUBJECT +ERROR$/)
    assert.match(lines[1] as string, /^1970-\S+ {2}ana {6}unknown {12}no subject +It is broken\.$/)
    assert.match(
      lines[2] as string,
      /^1970-\S+ {2}support {2}mallory@x\.example {2}No 101 \[31m x{27}… {2}It is broken\.$/,
    )
    const own = await cliJson('mailbox', 'errors', '--mailbox', 'ana', '--data', data)
    assert.deepEqual(
      own.map(({ mailbox }: { mailbox: string }) => mailbox),
      ['ana'],
    )
    const none = await mailbox('errors', '--mailbox', 'none')
    assert.equal(none.code, 1)
    assert.match(none.err, /^There is no mailbox "none"\. "dealbox mailbox list" shows all mailboxes\.\n$/)
  })
})

describe('mailbox test', () => {
  test('says that all is well, and sends a mail where it is asked to', async (t) => {
    const smtp = await startSmtp(t, { user: 'crm', password: 'secret' })
    process.env[VARIABLE] = 'secret'
    const { host, port, tls } = smtp.server
    await apply({ ...ana, smtp: { host, port, tls, user: 'crm', password_env: VARIABLE } })
    const well = `SMTP: 127.0.0.1:${port} accepts mails.\nIMAP: not set up: no mail is received.\n`
    const tested = await mailbox('test', 'ana')
    assert.deepEqual([tested.code, tested.out, tested.err], [0, well, ''])
    assert.equal(smtp.mails.length, 0)
    const sent = await mailbox('test', 'ana', '--send-to', 'bo@birch.example')
    assert.deepEqual([sent.code, sent.out], [0, `${well}MAIL: sent to bo@birch.example.\n`])
    const [mail] = smtp.mails
    assert.deepEqual([mail?.from, mail?.to], ['ana@acme.example', ['bo@birch.example']])
    assert.match(String(mail?.source), /^Subject: Test of the mailbox ana\r$/m)
    assert.match(String(mail?.source), /^Auto-Submitted: auto-generated\r$/m)
    smtp.answer({ rcpt: () => '550 5.1.1 No such user' })
    const refused = await mailbox('test', 'ana', '--send-to', 'bo@birch.example')
    assert.equal(refused.code, 1)
    assert.match(refused.err, /^SMTP: .+ accepts mails\.\nIMAP: .+\nMAIL: .*No such user.*\n$/)
  })

  test('fails in one sentence each, without the password', async (t) => {
    const smtp = await startSmtp(t, { user: 'crm', password: 'right' })
    process.env[VARIABLE] = 'wrong-horse'
    const { host, port, tls } = smtp.server
    const closed = await freePort()
    const login = { user: 'crm', password_env: VARIABLE }
    await apply({ ...support, smtp: { host, port, tls, ...login }, imap: { ...SERVER, port: closed, ...login } })
    const { code, out, err } = await mailbox('test', 'support')
    assert.deepEqual([code, out], [1, ''])
    assert.match(err, new RegExp(`^SMTP: .+\\nIMAP: .*${closed}.*\\n$`))
    assert.ok(!err.includes('horse'))
    assert.equal((await mailbox('test', 'support', '--send-to', 'bo@birch.example')).err, err, 'no mail is tried')
    const asJson = JSON.parse((await mailbox('test', 'support', '--json')).err)
    assert.equal(asJson.code, 'mailbox_fails')
    assert.deepEqual(
      asJson.checks.map(({ side, ok }: { side: string; ok: boolean }) => [side, ok]),
      [
        ['smtp', false],
        ['imap', false],
      ],
    )
  })

  test('looks into the folder that mails come in from', { skip: noDovecot }, async (t) => {
    const smtp = await startSmtp(t)
    const dovecot = await startDovecot(t)
    const { host, port, tls, user, password } = dovecot.server({})
    const file = join(folder, 'imap-ca.pem')
    writeFileSync(file, dovecot.ca)
    trusting(t)
    process.env[VARIABLE] = password as string
    const tested = async (folder: string) => {
      const imap = { host, port, tls, user, password_env: VARIABLE, folder }
      await apply({ ...ana, smtp: { ...SERVER, port: smtp.server.port }, imap })
      return mailbox('test', 'ana', '--ca', file)
    }
    const well = await tested('INBOX')
    assert.deepEqual([well.code, well.out.split('\n')[1]], [0, `IMAP: ${host}:${port} shows "INBOX".`])
    const none = await tested('Nowhere')
    assert.equal(none.code, 1)
    assert.match(none.err, /\nIMAP: .*Nowhere/)
  })

  test('warns of plain text where a server offers STARTTLS, and so do the list and the settings', {
    skip: noDovecot,
  }, async (t) => {
    const smtp = await startSmtp(t, { more: { ...ownCertificate(), hideSTARTTLS: false } })
    const dovecot = await startDovecot(t)
    process.env[VARIABLE] = dovecot.password
    const imap = { host: '127.0.0.1', port: dovecot.port, tls: 'none', user: dovecot.user, password_env: VARIABLE }
    const given = { ...ana, smtp: { ...SERVER, port: smtp.server.port }, imap }
    await apply(given)
    const offers = (side: string, port: number) =>
      `The mailbox "ana" talks to its ${side} server 127.0.0.1:${port} in plain text although the server offers STARTTLS; set "tls" to "starttls".`
    const [outbound, inbound] = [offers('SMTP', smtp.server.port), offers('IMAP', dovecot.port)]
    const warnings = async () => {
      const [{ sending, receiving }] = await cliJson('mailbox', 'list', '--data', data)
      return [sending.warning, receiving.warning]
    }
    assert.deepEqual(await warnings(), [null, null], 'nobody knows yet')
    const { code, out } = await mailbox('test', 'ana')
    assert.equal(code, 0)
    assert.deepEqual(
      out.split('\n').filter((line) => line.startsWith('Warning')),
      [`Warning: ${outbound}`, `Warning: ${inbound}`],
    )
    assert.deepEqual(await warnings(), [outbound, inbound])
    assert.ok((await mailbox('list')).out.includes(`\n  warning    ${outbound}\n  warning    ${inbound}\n`))
    const file = join(folder, 'settings.json')
    const again = await cli(['settings', 'apply', file, '--data', data])
    assert.deepEqual([again.out, again.err], ['Nothing changed.\n', `Warning: ${outbound}\nWarning: ${inbound}\n`])
    assert.deepEqual((await cliJson('settings', 'apply', file, '--data', data)).warnings, [outbound, inbound])
    await apply({ ...given, imap: { ...imap, port: 1 } })
    assert.deepEqual(await warnings(), [null, null], 'another server may offer nothing')
    const plain = await startSmtp(t)
    await apply({ ...ana, smtp: { ...SERVER, port: plain.server.port } })
    assert.doesNotMatch((await mailbox('test', 'ana')).out, /Warning/)
    await apply({ ...ana, smtp: { ...SERVER, host: 'mail.lan', user: 'crm' } })
    assert.equal(
      (await cli(['settings', 'apply', file, '--data', data])).err,
      'Warning: The mailbox "ana" sends its password to mail.lan:1 (SMTP) in plain text; "dealbox mailbox test ana" finds out whether the server offers STARTTLS.\n',
    )
  })

  test('trusts the certificates of --ca beside the well-known ones', async (t) => {
    const smtp = await startSmtp(t, { tls: 'tls' })
    trusting(t)
    const { host, port, tls } = smtp.server
    await apply({ ...ana, smtp: { host, port, tls } })
    assert.equal((await mailbox('test', 'ana')).code, 1)
    const file = join(folder, 'ca.pem')
    writeFileSync(file, ownCertificate().cert)
    assert.equal((await mailbox('test', 'ana', '--ca', file)).code, 0)
  })

  test('says what is missing before it calls anyone, and what it cannot take', async () => {
    await apply({ ...support, key: 'bare' })
    const bare = await mailbox('test', 'bare')
    assert.equal(bare.code, 1)
    assert.match(bare.err, /^SMTP: The mailbox "bare" has no password for SMTP yet\. .+\nIMAP: .+ for IMAP yet\. .+\n$/)
    assert.equal((await mailbox('test', 'none')).code, 1)
    assert.equal((await mailbox('test')).code, 2)
    const wrong = await mailbox('test', 'bare', '--send-to', 'nobody')
    assert.deepEqual([wrong.code, wrong.err.split('.')[0]], [2, '--send-to is "nobody", which is not an email address'])
    assert.equal((await mailbox('test', 'bare', '--ca', join(folder, 'none.pem'))).code, 2)
  })
})

describe('mailbox password', () => {
  beforeEach(() => apply({ ...support, imap: { ...SERVER, user: 'other' } }, ana))

  const passwords = () =>
    inStore((_, mailboxes) => {
      const { org, mailbox } = mailboxes.active()[0]!
      const read = (side: 'smtpServer' | 'imapServer') => {
        try {
          return mailboxes[side](org, mailbox).password
        } catch (error) {
          return (error as { code: string }).code
        }
      }
      return [read('smtpServer'), read('imapServer')]
    })
  const give = (input: string, ...argv: string[]) =>
    dealbox(['mailbox', 'password', ...argv, '--data', data], { input })

  test('takes the first line of standard input, for both sides or for one', async () => {
    await apply()
    await apply(support)
    assert.deepEqual(await passwords(), ['no_password', 'no_password'])
    const both = await give('correct horse\r\nmore\n', 'support')
    assert.deepEqual(both, {
      code: 0,
      out: 'The password of "support" for SMTP and IMAP is stored. To check it, use "dealbox mailbox test support".\n',
      err: '',
    })
    assert.deepEqual(await passwords(), ['correct horse', 'correct horse'])
    const one = await give('staple', 'support', '--imap', '--json')
    assert.deepEqual(JSON.parse(one.out), { mailbox: 'support', sides: ['imap'] })
    assert.deepEqual(await passwords(), ['correct horse', 'staple'])
    assert.equal((await give('p', 'support', '--smtp')).code, 0)
    assert.deepEqual(await passwords(), ['p', 'staple'])
  })

  test('stores nothing where nothing is given, or too much, or nobody asks for it', async () => {
    const before = await passwords()
    const none = await give('\nsecond\n', 'support')
    assert.deepEqual([none.code, none.err], [1, 'No password was entered, and nothing was stored.\n'])
    assert.match((await give('x'.repeat(5000), 'support')).err, /^The password is longer than 4096 bytes\.\n$/)
    assert.match((await mailbox('password', 'ana')).err, /^The mailbox "ana" uses its SMTP server without a user/)
    assert.match((await mailbox('password', 'ana', '--imap')).err, /^The mailbox "ana" has no IMAP server\.\n$/)
    assert.match((await mailbox('password', 'none')).err, /^There is no mailbox "none"/)
    assert.deepEqual(await passwords(), before)
  })
})

describe('a secret that is asked for', () => {
  /** A terminal that somebody types at; `raw` is what it was told. */
  function terminal() {
    const raw: boolean[] = []
    const said: string[] = []
    const keys = new PassThrough()
    const input: Input = Object.assign(keys, { isTTY: true, setRawMode: (mode: boolean) => raw.push(mode) })
    return { raw, said, keys, asked: askSecret('Password: ', input, (text) => void said.push(text)) }
  }

  test('is what is typed until Enter, with what was mended, and is not shown', async () => {
    for (const [typed, secret] of [
      [['s', 'e', 'c', '\r'], 'sec'],
      [['pasted\n'], 'pasted'],
      [['a\x7fbcé日\b\x7fx\r'], 'bcx'],
      [['wrong\x15right\r'], 'right'],
      [['\x1b[Aa\x1b[3~\x1bOPb\t\r'], 'ab'],
      [['a b\r'], 'a b'],
    ] as const) {
      const { raw, said, keys, asked } = terminal()
      for (const each of typed) keys.write(each)
      assert.equal(await asked, secret)
      assert.deepEqual(raw, [true, false])
      assert.deepEqual(said, ['Password: ', '\n'])
      assert.equal(keys.isPaused(), true, 'or the process would not end')
    }
  })

  test('is none after Ctrl-C, Ctrl-D, a bare Enter or the end, and the terminal is as before', async () => {
    for (const typed of ['abc\x03', '\x04', '\r', null]) {
      const { raw, said, keys, asked } = terminal()
      if (typed === null) keys.end()
      else keys.write(typed)
      await assert.rejects(asked, { code: 'canceled' })
      assert.deepEqual(raw, [true, false])
      assert.deepEqual(said, ['Password: ', '\n'])
    }
  })

  test('is the first line of a pipe, which is not read to its end', async () => {
    const piped = (...chunks: string[]) => {
      const pipe = new PassThrough()
      for (const chunk of chunks) pipe.write(chunk)
      return { pipe, asked: askSecret('Password: ', pipe, () => assert.fail('nobody is there to ask')) }
    }
    const { pipe, asked } = piped('cor', 'rect horse \r\n', 'more')
    assert.equal(await asked, 'correct horse ')
    assert.equal(pipe.destroyed, true, 'or the process would wait for its end')
    const ended = piped('日')
    ended.pipe.end()
    assert.equal(await ended.asked, '日')
    await assert.rejects(piped('\r\n', 'second').asked, { code: 'canceled' })
  })
})

// Last, since a mailbox that has mails cannot be removed any more.
describe('mailbox list of a mailbox with mails', () => {
  test('offers addresses of our own that mails came to, and takes none by itself', async () => {
    await apply(support, ana)
    await inStore((store, mailboxes) => {
      const deps = resourceDeps(store)
      const { org, mailbox } = mailboxes.active().find((each) => each.mailbox.key === 'support')!
      const mail = (n: number, email: string) => mailIn({ messageId: `<a${n}@x.example>`, to: [{ email, name: null }] })
      for (const [n, email] of [
        'info@acme.example',
        'info@acme.example',
        'hello@acme.example',
        'a@b.example',
      ].entries())
        store.transaction(() => incomingStore(deps).take(org, mailbox, mail(n, email), Date.now()))
    })
    const [listed] = await cliJson('mailbox', 'list', '--data', data)
    const suggested = [
      { address: 'info@acme.example', mails: 2 },
      { address: 'hello@acme.example', mails: 1 },
    ]
    assert.deepEqual([listed.aliases, listed.suggested_aliases], [[], suggested])
    const { out } = await mailbox('list')
    const line =
      '  missing?   Mails also come to info@acme.example (2 mails), hello@acme.example (1 mail). If they are yours, add them to "aliases" in the settings.\n'
    assert.ok(out.includes(line), out)
    await apply({ ...support, aliases: ['info@acme.example'] }, ana)
    const [now] = await cliJson('mailbox', 'list', '--data', data)
    assert.deepEqual([now.aliases, now.suggested_aliases], [['info@acme.example'], suggested.slice(1)])
    assert.match((await mailbox('list')).out, /\n {2}aliases {4}info@acme\.example\n/)
  })
})
