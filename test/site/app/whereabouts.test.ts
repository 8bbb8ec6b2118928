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

test('of several records each has its own fate, and those of another organisation none', async () => {
  const [one, two] = [await app.newCompany(), await app.newCompany()]
  const [kept, merged, deal] = [await app.newCompany(), await app.newCompany(), await app.newDeal()]
  await app.people.member.call('DELETE', `/api/v1/companies/${one.id}`)
  await app.people.member.call('DELETE', `/api/v1/companies/${two.id}`)
  await app.ok('member', 'POST', '/merges', { object: 'company', kept_id: kept.id, merged_id: merged.id })
  const of = async (id: string, object = 'company', person: 'viewer' | 'stranger' = 'viewer') => {
    const { deleted, merged_into } = await app.ok(person, 'GET', `/whereabouts?${object}_id=${id}`)
    return [deleted?.event_id ?? null, merged_into]
  }
  const [first, second] = [await of(one.id), await of(two.id)]
  assert.ok(first[0] !== null && second[0] !== null && first[0] !== second[0])
  assert.deepEqual(
    [await of(merged.id), await of(kept.id)],
    [
      [null, kept.id],
      [null, null],
    ],
  )
  for (const id of [one.id, merged.id]) {
    assert.deepEqual(await of(id, 'company', 'stranger'), [null, null])
    assert.deepEqual(await of(id, 'contact'), [null, null], 'it is another kind of record')
  }
  assert.deepEqual(await of(deal.id, 'deal'), [null, null])
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
