import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { replaySeed } from '../../../src/demo/replay/replay.ts'
import { rememberSample } from '../../../src/demo/replay/sample-records.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { noticeQueue } from '../../../src/personal/notices.ts'
import { screensKinds } from '../../../src/site/app/jobs.ts'
import { sampleStore } from '../../../src/site/app/sample.ts'
import { type Scheduler, startScheduler } from '../../../src/store/jobs/scheduler.ts'
import { type AppServer, startApp } from '../../support/app-data.ts'
import { insertConversation } from '../../support/conversation.ts'
import { makeSequence } from '../../support/enrolled.ts'
import { makeOrg } from '../../support/org.ts'
import type { Row } from '../../support/records.ts'

let app: AppServer
let scheduler: Scheduler
before(async () => {
  app = await startApp()
  scheduler = startScheduler({
    store: app.store,
    log: silentLog,
    kinds: screensKinds(app.deps),
    recurring: [],
    afterJump: [],
  })
})
after(async () => {
  await scheduler.stop()
  await app.stop()
})

async function fill(): Promise<Record<string, string>> {
  const company = await app.newCompany()
  const tag = await app.newRecord('/tags', { name: `T${app.lastSeq()}` })
  const contact = await app.newContact({ company_id: company.id, tag_ids: [tag.id] })
  const deal = await app.newDeal({ company_id: company.id, primary_contact_id: contact.id })
  const conversation = insertConversation(app.store, app.a.org, { contact_id: contact.id, deal_id: deal.id })
  const message = await app.newRecord('/messages', { direction: 'note', body_text: 'x', conversation_id: conversation })
  const note = await app.newRecord('/notes', { body: 'N', deal_ids: [deal.id] })
  const task = await app.newRecord('/tasks', { title: 'T', contact_ids: [contact.id] })
  const { id: sequence } = makeSequence(app, app.a)
  return {
    company: company.id,
    tag: tag.id,
    contact: contact.id,
    deal: deal.id,
    conversation,
    message: message.id,
    note: note.id,
    task: task.id,
    sequence,
  }
}

/** The members of the test stay. */
function remember(): void {
  app.store.transaction(() => rememberSample(app.store.db, app.a.org, app.a.owner))
  app.store.db.prepare("DELETE FROM sample_records WHERE object = 'members'").run()
}

const rows = (table: string): number =>
  app.store.db.prepare(`SELECT count(*) FROM ${table} WHERE org_id = ?`).pluck().get(app.a.org) as number
const show = (): Promise<Row> => app.ok('owner', 'GET', '/sample')
const remove = (edited: string) => app.ask('owner', 'DELETE', '/sample', { edited })

describe('sample data', () => {
  test('is removed with all that hangs on it, but for what was edited and what is of the organisation itself', async () => {
    const sample = await fill()
    await app.newContact({ last_name: 'Edited later' })
    remember()
    const own = await app.newContact({ last_name: 'Own', company_id: sample.company })
    await app.patchRecord(`/deals/${sample.deal}`, { title: 'Ours now' })
    const before = await show()
    assert.deepEqual([before.edited, before.edited_records], [1, [{ kind: 'deals', id: sample.deal }]])
    assert.ok(before.count > 8)
    const { status, body } = await remove('keep')
    assert.deepEqual([status, body.count], [202, before.count])
    await scheduler.tick()
    assert.deepEqual([(await show()).count, (await show()).is_being_removed], [0, false])
    const deal = await app.getRecord(`/deals/${sample.deal}`)
    assert.deepEqual([deal.title, deal.company_id, deal.primary_contact_id], ['Ours now', null, null])
    assert.equal((await app.getRecord(`/contacts/${own.id}`)).company_id, null)
    assert.deepEqual(await app.listIds('/contacts'), [own.id])
    for (const table of [
      'companies',
      'tags',
      'conversations',
      'messages',
      'notes',
      'tasks',
      'sequences',
      'sample_records',
    ])
      assert.equal(rows(table), 0, table)
    assert.deepEqual((await app.ok('owner', 'GET', '/bin')).data, [])
    assert.deepEqual(app.store.db.pragma('foreign_key_check'), [])
    assert.equal((await remove('keep')).body.code, 'no_sample')
  })

  test('is removed whole where that is wanted, by an owner', async () => {
    const sample = await fill()
    remember()
    await app.patchRecord(`/deals/${sample.deal}`, { title: 'Edited' })
    for (const person of ['admin', 'member', 'viewer'] as const) {
      assert.equal((await app.ask(person, 'GET', '/sample')).status, 403)
      assert.equal((await app.ask(person, 'DELETE', '/sample', { edited: 'remove' })).status, 403)
    }
    assert.equal((await remove('some')).status, 422)
    assert.equal((await remove('remove')).status, 202)
    await scheduler.tick()
    assert.equal((await app.call('GET', `/deals/${sample.deal}`)).status, 404)
    assert.equal(rows('contacts'), 0)
  })

  test('takes nothing with it of what is the own, or of another organisation', async () => {
    const { db } = app.store
    const [mine, other] = [
      await makeOrg(app.store, app.dataDir, 'Mine'),
      await makeOrg(app.store, app.dataDir, 'Other'),
    ]
    for (const { org } of [mine, other]) replaySeed(app.store, { org, seed: 1, profile: 'demo', asOf: app.now() })
    app.store.transaction(() => {
      for (const { org, owner } of [mine, other]) rememberSample(db, org, owner)
      // Every second conversation and enrollment counts as one that the organisation has made itself.
      db.prepare(
        `DELETE FROM sample_records WHERE org_id = ? AND object IN ('conversations', 'enrollments') AND record_id IN
           (SELECT id FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM conversations WHERE org_id = ?) WHERE n % 2
            UNION ALL
            SELECT id FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM enrollments WHERE org_id = ?) WHERE n % 2)`,
      ).run(mine.org, mine.org, mine.org)
    })
    const tables = db
      .prepare(
        "SELECT m.name FROM sqlite_schema AS m, pragma_table_info(m.name) AS c WHERE m.type = 'table' AND c.name = 'org_id'",
      )
      .pluck()
      .all() as string[]
    assert.ok(tables.length > 30)
    const rowsOf = (table: string) =>
      (db.prepare(`SELECT * FROM ${table} WHERE org_id = ?`).all(other.org) as Row[])
        .map((row) => JSON.stringify(row))
        .sort()
    const theirs = tables.map(rowsOf)
    const own = () => {
      const ids = (sql: string) => (db.prepare(sql).pluck().all({ org: mine.org }) as string[]).sort()
      const isOwn = (object: string, id: string) =>
        `${id} NOT IN (SELECT record_id FROM sample_records WHERE org_id = @org AND object = '${object}')`
      const messages = `SELECT id FROM messages WHERE org_id = @org AND ${isOwn('conversations', 'conversation_id')}`
      return {
        conversations: ids(`SELECT id FROM conversations WHERE org_id = @org AND ${isOwn('conversations', 'id')}`),
        enrollments: ids(`SELECT id FROM enrollments WHERE org_id = @org AND ${isOwn('enrollments', 'id')}`),
        messages: ids(messages),
        headers: ids(`SELECT message_id FROM message_headers WHERE org_id = @org AND message_id IN (${messages})`),
        attachments: ids(`SELECT id FROM attachments WHERE org_id = @org AND message_id IN (${messages})`),
        started: ids(
          `SELECT messages.id FROM messages JOIN enrollments ON enrollments.org_id = messages.org_id
             AND enrollments.id = enrollment_id AND ${isOwn('enrollments', 'enrollment_id')}
           WHERE messages.org_id = @org AND messages.id IN (${messages})`,
        ),
      }
    }
    const before = own()
    assert.ok(before.conversations.length > 20 && before.messages.length > 60 && before.headers.length > 10)
    assert.ok(before.enrollments.length > 10 && before.started.length > 10)
    const { show, remove } = sampleStore(app.deps)
    const who = { org: mine.org, member: mine.owner }
    app.store.transaction(() => remove(who, 'remove'))
    assert.deepEqual(
      [show(who).is_being_removed, show({ org: other.org, member: other.owner }).is_being_removed],
      [true, false],
    )
    noticeQueue(app.deps).take()
    await scheduler.tick()
    const left = show(who)
    assert.deepEqual([left.is_being_removed, left.count, left.left], [false, 0, []])
    assert.deepEqual(own(), before)
    assert.deepEqual(tables.map(rowsOf), theirs)
    assert.deepEqual(db.pragma('foreign_key_check'), [])
    const { count } = db.prepare('SELECT count(*) AS count FROM conversations WHERE org_id = ?').get(mine.org) as {
      count: number
    }
    assert.equal(count, before.conversations.length)
    const told = noticeQueue(app.deps)
      .take()
      .filter(({ notice }) => notice.kind === 'sample')
    assert.deepEqual(told, [{ org: mine.org, member: null, notice: { kind: 'sample', is_finished: true } }])
  })
})
