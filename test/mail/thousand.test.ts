import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { mailboxStore } from '../../src/inbox/mailboxes/mailboxes.ts'
import { silentLog } from '../../src/lib/log.ts'
import { startReceiver } from '../../src/mail/mailbox-sync.ts'
import { generateMails } from '../lib/mail/parse/mime/generate.ts'
import type { Expected } from '../lib/mail/parse/mime/mail.ts'
import { noDovecot, startDovecot } from '../support/dovecot.ts'
import { inboxOf } from '../support/inbox.ts'
import { SUPPORT, setMailboxes } from '../support/mailbox.ts'
import type { Row } from '../support/records.ts'
import { examples, seedOf } from '../support/seed.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { untilIs } from '../support/until.ts'

const COUNT = examples(1000)
const SEED = seedOf(20261122)
const CHECKED = Buffer.from('Authentication-Results: 127.0.0.1; spf=pass\r\n')

describe(`${COUNT} mails as the world sends them`, { skip: noDovecot }, () => {
  const ends: (() => unknown)[] = []
  const expected: Expected[] = []
  const abouts = new Set<string>()
  const known = new Set<string>()
  let server: TestServer
  let inbox: ReturnType<typeof inboxOf>
  let mailboxId: string

  before(async () => {
    const dovecot = await startDovecot({ after: (end) => void ends.push(end) })
    server = await startServer()
    ends.push(() => server.stop())
    inbox = inboxOf(server)
    const contact = await inbox.make('/contacts', { first_name: 'Ida', emails: [{ email: 'ida@one.example' }] })
    const about = { contact_id: contact.id, channel: 'email', direction: 'outbound', body_text: 'Our offer' }
    const sent_at = inbox.inMs(-1000)
    for (const { source, expect } of generateMails(SEED, COUNT)) {
      expected.push(expect)
      // Reports are from all kinds of servers: the team's own server has checked them.
      dovecot.deliver(expect.about ? Buffer.concat([CHECKED, source]) : source)
      if (!expect.about || abouts.has(expect.about)) continue
      abouts.add(expect.about)
      // One of five is about a mail that somebody else sent.
      if (abouts.size % 5 > 0) known.add(expect.about)
      else continue
      await inbox.make('/messages', { ...about, sent_at, external_id: expect.about })
    }
    server.advance(Date.now() - server.now())
    process.env.DEALBOX_TEST_IMAP = dovecot.password
    const { host, port, user } = dovecot.server()
    const imap = { host, port, tls: 'tls', user, password_env: 'DEALBOX_TEST_IMAP', import_since: '2020-01-01' }
    mailboxId = setMailboxes(server, [{ ...SUPPORT, imap }]).support?.id as string
    await takeAll()
  })
  after(async () => {
    for (const end of ends.reverse()) await end()
  })

  const state = () => mailboxStore(server.deps).state(server.a.org, mailboxId)

  async function takeAll(): Promise<void> {
    const { deps, store } = server
    const options = {
      deps,
      write: store.write,
      health: store.health,
      committed: store.committed,
      log: silentLog,
      maxFileBytes: 10 * 1_048_576, // some mails have more
    }
    const receiver = startReceiver(options)
    ends.push(receiver.stop)
    await untilIs(state, ({ checked_at }) => checked_at !== null)
  }

  const all = (sql: string): Row[] => server.store.db.prepare(sql).all(server.a.org) as Row[]

  test('are all taken in, or on record with what is wrong with them', (t) => {
    const { imported, skipped, rejected, last_uid, pending } = state()
    t.diagnostic(`${imported} imported, ${skipped} known already, ${rejected} on record with their error`)
    assert.deepEqual([imported + skipped + rejected, last_uid, pending], [COUNT, COUNT, 0])
    const messages = new Set(all('SELECT external_id FROM messages WHERE org_id = ?').map((row) => row.external_id))
    const troubles = all('SELECT external_id, error FROM rejected_mails WHERE org_id = ?')
    assert.equal(troubles.length, rejected)
    const onRecord = new Set(troubles.map((row) => row.external_id))
    for (const { messageId } of expected)
      if (messageId) assert.ok(messages.has(messageId) || onRecord.has(messageId), messageId)
  })

  test('are in trouble only where they report of mails that nobody knows', () => {
    const errors = new Set(all('SELECT error FROM rejected_mails WHERE org_id = ?').map((row) => row.error))
    assert.deepEqual([...errors], ['It is a delivery report about a mail that is not known here.'])
  })

  test('have made those fail that came back, and no others', () => {
    const failed = new Set(
      all("SELECT external_id FROM messages WHERE org_id = ? AND status = 'failed'").map((row) => row.external_id),
    )
    const wanted = new Set(
      expected.flatMap(({ about, action }) => (about && known.has(about) && action === 'failed' ? [about] : [])),
    )
    assert.ok(wanted.size > COUNT / 50)
    assert.deepEqual([...failed].sort(), [...wanted].sort())
  })

  test('are shown by the interface as it says', async () => {
    let path: string | null = '/conversations?limit=100'
    let shown = 0
    while (path) {
      const page: Row = await inbox.get(path)
      shown += page.data.length
      for (const { id } of page.data.slice(0, 10)) await inbox.get(`/conversations/${id}/messages?limit=100`)
      path = page.next_cursor && `/conversations?limit=100&cursor=${page.next_cursor}`
    }
    assert.ok(shown > COUNT / 2)
  })
})
