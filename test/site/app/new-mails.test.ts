import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { silentLog } from '../../../src/lib/log.ts'
import { screensKinds } from '../../../src/site/app/jobs.ts'
import { type Scheduler, startScheduler } from '../../../src/store/jobs/scheduler.ts'
import { type AppServer, startApp } from '../../support/app-data.ts'
import { inboxOf } from '../../support/inbox.ts'
import { SUPPORT, setMailboxes } from '../../support/mailbox.ts'
import type { Row } from '../../support/records.ts'

// A new mail is held for ten seconds before it opens a conversation.

let app: AppServer
let inbox: ReturnType<typeof inboxOf>
let scheduler: Scheduler
before(async () => {
  app = await startApp()
  inbox = inboxOf(app)
  setMailboxes(app, [SUPPORT])
  const { store, deps } = app
  scheduler = startScheduler({ store, log: silentLog, kinds: screensKinds(deps), recurring: [], afterJump: [] })
})
after(async () => {
  await scheduler.stop()
  await app.stop()
})

let count = 0
const mail = (given: Row = {}): Row => ({
  ...{ channel: 'email', direction: 'outbound', subject: `Offer ${++count}`, body_text: 'Good morning' },
  ...{ to: [{ email: `kim${count}@north.example`, name: null }], ...given },
})
const departure = (id: string) => `/new-mails/${id}/departure`
const draft = async (id: string): Promise<Row | null> => (await app.ok('member', 'GET', `/drafts/mail:${id}`)).body
const opened = async (subject: string): Promise<Row[]> =>
  (await inbox.get('/conversations?limit=100')).data.filter((each: Row) => each.subject === subject)
const pass = async (ms: number) => {
  app.advance(ms)
  await scheduler.tick()
}

describe('a new mail that was sent', () => {
  test('leaves after ten seconds, once, with the last text, and its draft is gone', async () => {
    const [first, last] = [mail(), mail()]
    await app.ok('member', 'PUT', '/drafts/mail:one', { body: { text: 'Good morning', subject: 'x' } })
    const seq = app.lastSeq()
    const { send_at } = await app.ok('member', 'PUT', departure('one'), first)
    assert.equal(Date.parse(send_at), app.now() + 10_000)
    await app.ok('member', 'PUT', departure('one'), last)
    await pass(9000)
    assert.equal(app.lastSeq(), seq)
    assert.equal((await draft('one'))?.text, 'Good morning')
    await pass(1000)
    assert.deepEqual([(await opened(first.subject)).length, (await opened(last.subject)).length], [0, 1])
    assert.equal(await draft('one'), null)
    await pass(60_000)
    assert.equal((await opened(last.subject)).length, 1)
    const late = await app.ask('member', 'DELETE', departure('one'))
    assert.deepEqual([late.status, late.body.code], [409, 'not_held'])
  })

  test('that is taken back leaves nothing behind, not even a contact', async () => {
    const given = mail()
    await app.ok('member', 'PUT', '/drafts/mail:two', { body: { text: 'Good morning' } })
    const contacts = () => app.store.db.prepare('SELECT count(*) FROM contacts').pluck().get()
    const before = [app.lastSeq(), contacts()]
    await app.ok('member', 'PUT', departure('two'), given)
    assert.equal((await app.ask('other', 'DELETE', departure('two'))).status, 409)
    await app.ok('member', 'DELETE', departure('two'))
    await pass(60_000)
    assert.deepEqual([app.lastSeq(), contacts(), await opened(given.subject)], [...before, []])
    assert.deepEqual(await draft('two'), { text: 'Good morning', leaves: null, failed: null })
  })

  test('is refused at once for what would keep it from leaving, and a viewer has none', async () => {
    for (const given of [
      mail({ body_text: '' }),
      mail({ to: [{ email: 'nothing', name: null }] }),
      mail({ send_at: new Date(app.now() + 60_000).toISOString() }),
      mail({ draft_files: { key: 'mail:three', ids: ['01JQ0000-0000-7000-8000-000000000000'] } }),
      mail({ attachments: [{ name: 'a.txt', content_type: 'text/plain', content: 'YQ==' }] }),
      { direction: 'note', body_text: 'x' },
    ]) {
      const { status, text } = await app.ask('member', 'PUT', departure('three'), given)
      assert.equal(status, 422, text)
    }
    assert.equal((await app.ask('viewer', 'PUT', departure('three'), mail())).status, 403)
    assert.equal((await app.ask('member', 'PUT', departure('a b'), mail())).status, 404)
    assert.equal(await draft('three'), null)
  })

  test('by somebody who has left meanwhile stays', async () => {
    const given = mail()
    await app.ok('other', 'PUT', departure('four'), given)
    app.store.db.prepare("UPDATE members SET status = 'deactivated' WHERE id = ?").run(app.ids.other)
    await pass(11_000)
    assert.deepEqual(await opened(given.subject), [])
  })
})
