import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { silentLog } from '../../../src/http/log.ts'
import { type Scheduler, startScheduler } from '../../../src/jobs/scheduler.ts'
import { screensKinds } from '../../../src/screens/app/jobs.ts'
import { rememberSample } from '../../../src/store/sample-records.ts'
import { type AppServer, startApp } from '../../support/app-data.ts'
import { insertConversation } from '../../support/conversation.ts'
import { makeSequence } from '../../support/enrolled.ts'
import type { Row } from '../../support/records.ts'

let app: AppServer
let scheduler: Scheduler
before(async () => {
  app = await startApp()
  scheduler = startScheduler({ store: app.store, log: silentLog, kinds: screensKinds(app.deps), recurring: [] })
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
})
