import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import { applySettings } from '../../src/app/settings/document.ts'
import type { State } from '../../src/inbox/mailboxes/mailbox.ts'
import { mailboxStore } from '../../src/inbox/mailboxes/mailboxes.ts'
import { silentLog } from '../../src/lib/log.ts'
import { startReceiver } from '../../src/mail/mailbox-sync.ts'
import type { Write } from '../../src/store/commit.ts'
import { noDovecot, startDovecot } from '../support/dovecot.ts'
import { SUPPORT, setMailboxes } from '../support/mailbox.ts'
import type { Row } from '../support/records.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { untilIs } from '../support/until.ts'

describe('receiving', { skip: noDovecot }, () => {
  let server: TestServer
  let dovecot: Awaited<ReturnType<typeof startDovecot>>
  const ends: (() => unknown)[] = []
  before(async () => {
    dovecot = await startDovecot({ after: (end) => void ends.push(end) })
    server = await startServer()
    ends.push(() => server.stop())
    server.advance(Date.now() - server.now())
    process.env.DEALBOX_TEST_IMAP = dovecot.password
  })
  after(async () => {
    for (const end of ends.reverse()) await end()
  })

  /** A mailbox of its own for each test, whose user has nothing yet. */
  function mailbox(user: string, more: Row = {}): string {
    const { host, port } = dovecot.server()
    const imap = { host, port, tls: 'tls', user, password_env: 'DEALBOX_TEST_IMAP', ...more }
    return setMailboxes(server, [{ ...SUPPORT, key: user.split('@')[0], imap }])[user.split('@')[0] as string]
      ?.id as string
  }

  function listen(t: TestContext, write: Write = server.store.write) {
    const { deps, store } = server
    const options = {
      deps,
      write,
      health: store.health,
      committed: store.committed,
      log: silentLog,
    }
    const receiver = startReceiver({ ...options, random: () => 0 })
    t.after(receiver.stop)
    return receiver
  }

  const stateOf = (id: string): State => mailboxStore(server.deps).state(server.a.org, id)
  const comes = (id: string, is: (state: State) => boolean): Promise<State> => untilIs(() => stateOf(id), is)

  let count = 0
  const mail = (subject: string, date = new Date()): string =>
    `Message-ID: <r${++count}@firm.example>\r\nDate: ${date.toUTCString()}\r\nFrom: a@firm.example\r\nTo: x@acme.example\r\nSubject: ${subject}\r\n\r\nHello\r\n`

  const subjects = (): string[] =>
    server.store.db.prepare('SELECT subject FROM conversations WHERE org_id = ?').pluck().all(server.a.org) as string[]

  test('takes in what arrived since the mailbox was set up, and with a date what arrived since then', async (t) => {
    dovecot.deliver(mail('Long ago'), { user: 'one@acme.example' })
    server.advance(5000)
    const id = mailbox('one@acme.example')
    const receiver = listen(t)
    const { imported, last_uid } = await comes(id, ({ checked_at }) => checked_at !== null)
    assert.deepEqual([imported, last_uid, subjects().includes('Long ago')], [0, 1, false])
    mailbox('one@acme.example', { import_since: '2026-01-01' })
    receiver.wake()
    await comes(id, ({ imported }) => imported === 1)
    assert.ok(subjects().includes('Long ago'))
  })

  test('begins with a mailbox that is added, and ends with one that is removed', async (t) => {
    const receiver = listen(t)
    const id = mailbox('two@acme.example', { import_since: '2026-01-01' })
    receiver.wake()
    await comes(id, ({ checked_at }) => checked_at !== null)
    applySettings(server.store, server.a.org, { mailboxes: [] })
    receiver.wake()
    await receiver.stop()
    dovecot.deliver(mail('For nobody'), { user: 'two@acme.example' })
    assert.ok(!subjects().includes('For nobody'))
  })

  test('says what is wrong, and goes on when it is mended', async (t) => {
    process.env.DEALBOX_TEST_IMAP = 'wrong'
    const id = mailbox('three@acme.example', { import_since: '2026-01-01' })
    const receiver = listen(t)
    const state = await comes(id, ({ failing_since }) => failing_since !== null)
    assert.match(state.last_error as string, /rejected the login of "three@acme\.example"/)
    assert.equal(state.checked_at, null)
    process.env.DEALBOX_TEST_IMAP = dovecot.password
    mailbox('three@acme.example', { import_since: '2026-01-01' })
    receiver.wake()
    const { last_error } = await comes(id, ({ checked_at }) => checked_at !== null)
    assert.equal(last_error, null)
  })

  test('puts a mail on record that cannot be taken in, and goes on with the next', async (t) => {
    const id = mailbox('four@acme.example', { import_since: '2026-01-01' })
    const write: Write = (job) =>
      server.store.write(() => {
        const done = job()
        const { imported, last_uid } = stateOf(id)
        if (imported === 1 && last_uid === 1) throw new Error('This one cannot be kept.')
        return done
      })
    dovecot.deliver(mail('Bad'), { user: 'four@acme.example' })
    dovecot.deliver(mail('Good'), { user: 'four@acme.example' })
    listen(t, write)
    const state = await comes(id, ({ checked_at }) => checked_at !== null)
    assert.deepEqual([state.imported, state.rejected, state.last_uid, state.pending], [1, 1, 2, 0])
    const trouble = server.store.db.prepare('SELECT * FROM rejected_mails WHERE mailbox_id = ?').get(id) as Row
    assert.deepEqual([trouble.subject, trouble.error, trouble.uid], ['Bad', 'This one cannot be kept.', 1])
    assert.ok(subjects().includes('Good') && !subjects().includes('Bad'))
  })

  test('loses nothing while the store cannot be written', async (t) => {
    const id = mailbox('five@acme.example', { import_since: '2026-01-01' })
    let refused = 0
    const write: Write = (job) => {
      if (stateOf(id).pending === 0 || refused === 2) return server.store.write(job)
      refused++
      return Promise.reject(Object.assign(new Error('The disk is full.'), { status: 503 }))
    }
    dovecot.deliver(mail('Held up'), { user: 'five@acme.example' })
    listen(t, write)
    const state = await comes(id, ({ checked_at }) => checked_at !== null)
    assert.deepEqual([refused, state.imported, state.rejected], [2, 1, 0])
  })
})
