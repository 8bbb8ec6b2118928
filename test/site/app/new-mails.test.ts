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
/** The draft as the page keeps it before it sends. */
const keep = async (id: string, given: Row, more: Row = {}, role: 'member' | 'other' = 'member'): Promise<void> => {
  const { body_text: text, subject, to } = given
  const body = { text, subject, people: { to, cc: [], bcc: [] }, ...more }
  await app.ok(role, 'PUT', `/drafts/mail:${id}`, { body })
}
const opened = async (subject: string): Promise<Row[]> =>
  (await inbox.get('/conversations?limit=100')).data.filter((each: Row) => each.subject === subject)
const pass = async (ms: number) => {
  app.advance(ms)
  await scheduler.tick()
}

describe('a new mail that was sent', () => {
  test('leaves after ten seconds, once, with the last text, and its draft is gone', async () => {
    const [first, last] = [mail(), mail()]
    await keep('one', last)
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
    await keep('two', given)
    const kept = (await draft('two')) as Row
    const contacts = () => app.store.db.prepare('SELECT count(*) FROM contacts').pluck().get()
    const before = [app.lastSeq(), contacts()]
    await app.ok('member', 'PUT', departure('two'), given)
    assert.equal((await app.ask('other', 'DELETE', departure('two'))).status, 409)
    await app.ok('member', 'DELETE', departure('two'))
    await pass(60_000)
    assert.deepEqual([app.lastSeq(), contacts(), await opened(given.subject)], [...before, []])
    assert.deepEqual(await draft('two'), { ...kept, leaves: null, failed: null })
  })

  test('is refused at once for what would keep it from leaving, and a viewer has none', async () => {
    await keep('three', mail())
    const kept = await draft('three')
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
    assert.deepEqual(await draft('three'), kept)
  })

  test('leaves once, also if it is asked for again because the answer was lost', async () => {
    const [now, held] = [mail(), mail()]
    await keep('five', now)
    const early = await app.ask('member', 'PUT', `${departure('five')}?now=true`, now)
    assert.deepEqual([early.status, early.body.code], [409, 'not_held'])
    await app.ok('member', 'PUT', departure('five'), now)
    await app.ok('member', 'PUT', `${departure('five')}?now=true`, now)
    await scheduler.tick()
    const again = await app.ask('member', 'PUT', `${departure('five')}?now=true`, now)
    assert.deepEqual([again.status, again.body.code], [409, 'not_held'])
    await keep('six', held)
    await app.ok('member', 'PUT', departure('six'), held)
    await pass(11_000)
    const late = await app.ask('member', 'PUT', departure('six'), held)
    assert.deepEqual([late.status, late.body.code], [409, 'has_left'])
    await pass(60_000)
    assert.deepEqual([(await opened(now.subject)).length, (await opened(held.subject)).length], [1, 1])
  })

  test('leaves a draft of what was typed since, which is not what has left', async () => {
    for (const [name, more] of Object.entries({
      text: { text: 'Good morning, once more' },
      subject: { subject: 'Another one' },
      people: { people: { to: [], cc: [{ email: 'lea@north.example', name: null }], bcc: [] } },
    })) {
      const given = mail()
      await keep(name, given)
      await app.ok('member', 'PUT', departure(name), given)
      await keep(name, given, more)
      await pass(11_000)
      assert.equal((await opened(given.subject)).length, 1)
      const { leaves, left, ...typed } = (await draft(name)) as Row
      assert.deepEqual(typed, { ...typed, ...more })
      assert.deepEqual([leaves, typeof left], [null, 'string'])
      const again = await app.ask('member', 'PUT', departure(name), given)
      assert.deepEqual([again.status, again.body.code], [409, 'has_left'])
      const next = mail()
      await app.ok('member', 'PUT', departure(name), next)
      await pass(11_000)
      assert.ok((await opened(next.subject)).length > 0)
    }
  })

  test('says at its draft when it leaves, which no page writes', async () => {
    const given = mail()
    await keep('seven', given, { leaves: '2030-01-01T00:00:00.000Z', failed: true })
    const before = (await draft('seven')) as Row
    assert.deepEqual(['leaves' in before, 'failed' in before], [false, false])
    const { send_at } = await app.ok('member', 'PUT', departure('seven'), given)
    for (const more of [{}, { leaves: null }]) {
      await keep('seven', given, more)
      assert.equal((await draft('seven'))?.leaves, send_at)
    }
    await app.ok('member', 'DELETE', departure('seven'))
    await keep('seven', given, { leaves: send_at })
    assert.equal((await draft('seven'))?.leaves, null)
  })

  test('can be taken back where nothing lets it leave any more', async () => {
    const given = mail()
    await keep('eight', given)
    await app.ok('member', 'PUT', departure('eight'), given)
    app.store.db.prepare("DELETE FROM jobs WHERE kind = 'mail.leaves'").run()
    await app.ok('member', 'DELETE', departure('eight'))
    assert.equal((await draft('eight'))?.leaves, null)
    const again = await app.ask('member', 'DELETE', departure('eight'))
    assert.deepEqual([again.status, again.body.code], [409, 'not_held'])
  })

  test('by somebody who has left meanwhile, or may only read, stays as a draft that failed', async () => {
    const bodyOf = app.store.db.prepare("SELECT body FROM drafts WHERE key = 'mail:' || ?").pluck()
    for (const [id, change] of Object.entries({ reads: "role = 'viewer'", gone: "status = 'deactivated'" })) {
      const given = mail()
      await keep(id, given, {}, 'other')
      await app.ok('other', 'PUT', departure(id), given)
      app.store.db.prepare(`UPDATE members SET ${change} WHERE id = ?`).run(app.ids.other)
      await pass(11_000)
      assert.deepEqual(await opened(given.subject), [])
      const { text, leaves, failed } = JSON.parse(bodyOf.get(id) as string)
      assert.deepEqual([text, leaves, failed], [given.body_text, null, true])
      app.store.db.prepare("UPDATE members SET role = 'member' WHERE id = ?").run(app.ids.other)
    }
  })
})
