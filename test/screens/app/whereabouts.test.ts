import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type AppServer, startApp } from '../../support/app-data.ts'
import { UNKNOWN } from '../../support/records.ts'

let app: AppServer
before(async () => {
  app = await startApp()
})
after(() => app.stop())

const nowhere = { list_ids: [], deleted: null, merged_into: null }

test('a record is in the static lists that it was added to', async () => {
  const contact = await app.newContact()
  const list = await app.newId('/lists', { name: 'Fair', object: 'contact', kind: 'static' })
  await app.newId('/lists', { name: 'Other', object: 'contact', kind: 'static' })
  assert.deepEqual(await app.ok('viewer', 'GET', `/whereabouts?contact_id=${contact.id}`), nowhere)
  await app.call('POST', `/lists/${list}/members`, { add_ids: [contact.id] })
  assert.deepEqual((await app.ok('viewer', 'GET', `/whereabouts?contact_id=${contact.id}`)).list_ids, [list])
  assert.deepEqual(await app.ok('stranger', 'GET', `/whereabouts?contact_id=${contact.id}`), nowhere)
})

test('a deleted record names the event that restores it, and who deleted it', async () => {
  const company = await app.newCompany()
  await app.people.member.call('DELETE', `/api/v1/companies/${company.id}`)
  const { deleted } = await app.ok('viewer', 'GET', `/whereabouts?company_id=${company.id}`)
  assert.deepEqual([deleted.by, deleted.title], [app.ids.member, company.name])
  await app.ok('member', 'POST', `/bin/${deleted.event_id}/restore`)
  assert.deepEqual(await app.ok('viewer', 'GET', `/whereabouts?company_id=${company.id}`), nowhere)
})

test('a merged record names the one that was kept, until the merge is undone', async () => {
  const [kept, merged] = [await app.newContact(), await app.newContact()]
  const merge = await app.ok('member', 'POST', '/merges', { object: 'contact', kept_id: kept.id, merged_id: merged.id })
  assert.equal((await app.ok('viewer', 'GET', `/whereabouts?contact_id=${merged.id}`)).merged_into, kept.id)
  await app.ok('member', 'POST', `/merges/${merge.id}/undo`, {})
  assert.deepEqual(await app.ok('viewer', 'GET', `/whereabouts?contact_id=${merged.id}`), nowhere)
})

test('one record is asked for', async () => {
  for (const query of ['', '?deal_id=x', `?deal_id=${UNKNOWN}&contact_id=${UNKNOWN}`])
    assert.equal((await app.ask('viewer', 'GET', `/whereabouts${query}`)).status, 400)
  assert.deepEqual(await app.ok('viewer', 'GET', `/whereabouts?deal_id=${UNKNOWN}`), nowhere)
})
