import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { forget } from '../../../src/cleanup/erasure/forget.ts'
import { mergeStore } from '../../../src/cleanup/merges/merges.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { bulkKinds } from '../../../src/site/app/bulk/routes.ts'
import { type Scheduler, startScheduler } from '../../../src/store/jobs/scheduler.ts'
import { type AppServer, startApp } from '../../support/app-data.ts'
import type { Row } from '../../support/records.ts'

// Whichever way a record comes into a list or leaves it: the list has a new version, and each version has its event.

let app: AppServer
let scheduler: Scheduler
before(async () => {
  app = await startApp()
  scheduler = startScheduler({
    store: app.store,
    log: silentLog,
    kinds: bulkKinds(app.deps),
    recurring: [],
    afterJump: [],
  })
})
after(async () => {
  await scheduler.stop()
  await app.stop()
})

type List = Awaited<ReturnType<typeof newList>>

async function newList(...ids: string[]) {
  const { id } = await app.newRecord('/lists', { name: 'L', object: 'contact', kind: 'static' })
  if (ids.length > 0) await app.call('POST', `/lists/${id}/members`, { add_ids: ids })
  return { id: id as string, seq: app.lastSeq(), version: ids.length > 0 ? 2 : 1 }
}

const newId = async (): Promise<string> => (await app.newContact({ last_name: 'X' })).id as string

/** The list has one event for each new version since it was made, each in the form that the route sends. */
async function hasEvents(list: List, members: string[]): Promise<void> {
  const events = app.events(list.seq).filter(({ object_id }) => object_id === list.id)
  const now = await app.getRecord(`/lists/${list.id}`)
  assert.ok(now.version > list.version)
  assert.deepEqual(
    events.map(({ type, object, changed_fields, previous }: Row) => [type, object.version, changed_fields, previous]),
    events.map((_, at) => ['list.updated', list.version + 1 + at, ['member_count'], { member_count: null }]),
  )
  const last = events.at(-1) as Row
  assert.deepEqual({ ...last.object, member_count: members.length }, now)
  assert.equal(last.object.member_count, null)
  assert.deepEqual((await app.listIds(`/contacts?list_id=${list.id}`)).toSorted(), members.toSorted())
}

const bulk = async (given: object): Promise<string> => {
  const { id } = await app.ok('member', 'POST', '/bulk', { kind: 'contacts', ...given })
  await scheduler.tick()
  return id
}

test('by the route', async () => {
  const one = await newId()
  const list = await newList()
  await app.call('POST', `/lists/${list.id}/members`, { add_ids: [one] })
  await hasEvents(list, [one])
})

test('by a bulk change, with one event for each batch, and by its undo', async () => {
  const [one, other] = [await newId(), await newId()]
  const list = await newList(one)
  const id = await bulk({ ids: [one, other], to_list_id: list.id })
  await hasEvents(list, [one, other])
  const filled = { ...list, seq: app.lastSeq(), version: 3 }
  await app.ok('member', 'POST', `/bulk/${id}/undo`)
  await scheduler.tick()
  await hasEvents(filled, [one])
  const { version } = await app.getRecord(`/lists/${list.id}`)
  await bulk({ ids: [one], to_list_id: list.id }) // it is there already
  assert.equal((await app.getRecord(`/lists/${list.id}`)).version, version)
})

test('by a deletion and the way back from the bin, by undo or by a bulk change', async () => {
  const [one, other] = [await newId(), await newId()]
  const list = await newList(one, other)
  const untouched = await newList(other)
  await app.call('DELETE', `/contacts/${one}`)
  await hasEvents(list, [other])
  const { seq } = app.events(list.seq).findLast(({ type }) => type === 'contact.deleted') as Row
  await app.ok('owner', 'POST', '/undo', { seq })
  await hasEvents(list, [one, other])
  const id = await bulk({ ids: [one], delete: true })
  await hasEvents(list, [other])
  await app.ok('member', 'POST', `/bulk/${id}/undo`)
  await scheduler.tick()
  await hasEvents(list, [one, other])
  assert.equal((await app.getRecord(`/lists/${untouched.id}`)).version, untouched.version)
})

test('by a merge and its undo', async () => {
  const [kept, merged] = [await newId(), await newId()]
  const [of, both] = [await newList(merged), await newList(kept, merged)]
  const { merge, undo } = mergeStore(app.deps)
  const who = { org: app.a.org, member: app.a.owner }
  const made = app.store.transaction(() => merge(who, 'contact', kept, merged)) as Row
  await hasEvents(of, [kept])
  await hasEvents(both, [kept])
  app.store.transaction(() => undo(who, made.id))
  await hasEvents(of, [merged])
  await hasEvents(both, [kept, merged])
})

test('by the erasure of a person', async () => {
  const [one, other] = [await newId(), await newId()]
  const list = await newList(one, other)
  forget(app.store, app.deps, app.a.org, one)
  await hasEvents(list, [other])
})

test('a list that is deleted while a bulk change fills it takes no more records', async () => {
  const one = await newId()
  const list = await newList()
  await scheduler.stop()
  const { id } = await app.ok('member', 'POST', '/bulk', { kind: 'contacts', ids: [one], to_list_id: list.id })
  await app.call('DELETE', `/lists/${list.id}`)
  scheduler = startScheduler({
    store: app.store,
    log: silentLog,
    kinds: bulkKinds(app.deps),
    recurring: [],
    afterJump: [],
  })
  await scheduler.tick()
  const { failed, finished_at } = await app.ok('member', 'GET', `/bulk/${id}`)
  assert.deepEqual(failed, [{ id: one, code: 'list_gone', detail: 'The list was deleted meanwhile.' }])
  assert.ok(finished_at)
})
