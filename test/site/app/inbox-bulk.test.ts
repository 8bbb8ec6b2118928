import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { silentLog } from '../../../src/lib/log.ts'
import { HOUR_MS } from '../../../src/lib/time.ts'
import { bulkKinds } from '../../../src/site/app/bulk/routes.ts'
import { type Scheduler, startScheduler } from '../../../src/store/jobs/scheduler.ts'
import { type AppServer, startApp } from '../../support/app-data.ts'
import { inboxOf } from '../../support/inbox.ts'
import { errorsOf, type Given, idsOf, type Row } from '../../support/records.ts'
import { setLevels } from '../../support/settings.ts'

// Changes of many conversations, and who gets them.

const policy = {
  key: 'usual',
  name: 'Usual',
  hours: null,
  match: null,
  pause_on: ['pending'],
  targets: { normal: { first_response_s: 3600, next_response_s: 3600 } },
}

let app: AppServer
let inbox: ReturnType<typeof inboxOf>
let scheduler: Scheduler
before(async () => {
  app = await startApp()
  inbox = inboxOf(app)
  setLevels(app.store, app.a.org, { sla: [policy] })
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
beforeEach(async () => {
  const { data } = await app.ok('owner', 'GET', '/rows/conversations?view=open&limit=100')
  for (const { id } of data) await inbox.patch(id, { status: 'closed' })
})

const done = async (id: string): Promise<Row> => {
  await scheduler.tick()
  return app.ok('member', 'GET', `/bulk/${id}`)
}
const changed = async (given: Given): Promise<Row> => {
  const { status, body } = await app.ask('member', 'POST', '/bulk', { kind: 'conversations', ...given })
  assert.equal(status, 202, JSON.stringify(body))
  return done(body.id)
}
const undone = async (id: string): Promise<Row> => {
  assert.equal((await app.ask('member', 'POST', `/bulk/${id}/undo`)).status, 202)
  return done(id)
}
const opened = async (count: number): Promise<string[]> => {
  const all: string[] = []
  for (let at = 0; at < count; at++) {
    app.advance(1000)
    all.push((await inbox.opened()).id)
  }
  return all
}
const all = (ids: readonly string[]): Promise<Row[]> => Promise.all(ids.map(inbox.conversation))

test('30 conversations by load give each idle member ten, the oldest first, and are undone as one', async () => {
  const ids = await opened(30)
  const members = await app.ok('owner', 'GET', '/boot')
  const fit = members.members
    .filter(({ status, role }: Row) => status === 'active' && role !== 'viewer')
    .map(({ id }: Row) => id)
  assert.ok(members.members.some(({ role }: Row) => role === 'viewer'))
  assert.ok(members.members.some(({ status }: Row) => status === 'deactivated'))
  // All but three of them are at work already.
  const [one, two, three, ...others] = fit as string[]
  const busy: string[] = []
  for (const owner_id of others) {
    const theirs = await opened(31)
    for (const id of theirs) await inbox.patch(id, { owner_id })
    busy.push(...theirs)
  }
  const result = await changed({ ids: ids.toReversed(), assign_by_load: true })
  assert.deepEqual([result.done, result.failed], [30, []])
  const given = (await all(ids)).map(({ owner_id }) => owner_id)
  for (const id of [one, two, three]) assert.equal(given.filter((owner) => owner === id).length, 10)
  // Oldest first: each round of three goes to all three of them.
  for (let round = 0; round < 10; round++)
    assert.deepEqual(new Set(given.slice(round * 3, round * 3 + 3)), new Set([one, two, three]))
  const back = await undone(result.id)
  assert.ok(back.undone_at)
  assert.ok((await all(ids)).every(({ owner_id }) => owner_id === null))
  for (const id of busy) await inbox.patch(id, { status: 'closed' })
})

test('a waiting conversation comes before one that waits for nothing, and its owner keeps what nobody has less of', async () => {
  const [answered, waits] = await opened(2)
  await inbox.say('outbound', answered as string)
  const [first] = await opened(1)
  await changed({ ids: [first], patch: { owner_id: app.ids.member } })
  await changed({ ids: [first], assign_by_load: true })
  assert.equal((await inbox.conversation(first as string)).owner_id, app.ids.member)
  await inbox.patch(first as string, { status: 'closed' })
  const seq = app.lastSeq()
  await changed({ ids: [answered, waits], assign_by_load: true })
  assert.deepEqual(
    app.events(seq).map(({ object_id }) => object_id),
    [waits, answered],
  )
})

test('by load, what is closed stays as it is, with the reason', async () => {
  const [open, closed] = await opened(2)
  await inbox.patch(closed as string, { status: 'closed' })
  const result = await changed({ ids: [open, closed], assign_by_load: true })
  assert.deepEqual(
    result.failed.map(({ id, code }: Row) => [id, code]),
    [[closed, 'conversation_closed']],
  )
  assert.equal((await inbox.conversation(closed as string)).owner_id, null)
})

test('status, priority, owner, tags and snooze of many, each with one undo', async () => {
  const ids = await opened(3)
  const tag = (await app.newRecord('/tags', { name: 'Batch' })).id
  const until = new Date(app.now() + HOUR_MS).toISOString()
  const before = await all(ids)
  for (const given of [
    { patch: { status: 'pending' } },
    { patch: { priority: 'urgent' } },
    { patch: { owner_id: app.ids.other } },
    { add_tag_ids: [tag] },
    { patch: { status: 'snoozed', snoozed_until: until } },
  ]) {
    const result = await changed({ ids, ...given })
    assert.deepEqual([result.done, result.failed], [3, []], JSON.stringify(given))
    assert.notDeepEqual((await all(ids)).map(essence), before.map(essence))
    assert.deepEqual((await undone(result.id)).kept, [])
    assert.deepEqual((await all(ids)).map(essence), before.map(essence), JSON.stringify(given))
  }
})
const essence = ({ status, priority, owner_id, tag_ids, snoozed_until }: Row) => [
  status,
  priority,
  owner_id,
  tag_ids,
  snoozed_until,
]

test('closing that is taken back brings the wait and its clock back', async () => {
  const [id] = (await opened(1)) as [string]
  const before = await inbox.conversation(id)
  assert.ok(before.waiting_since && before.sla.first_response_due_at)
  app.advance(60_000)
  const result = await changed({ ids: [id], patch: { status: 'closed' } })
  const closed = await inbox.conversation(id)
  assert.deepEqual([closed.status, closed.waiting_since], ['closed', null])
  assert.deepEqual((await undone(result.id)).kept, [])
  const after = await inbox.conversation(id)
  assert.deepEqual([after.status, after.waiting_since], ['open', before.waiting_since])
  assert.equal(after.sla.status, 'ok')
  assert.deepEqual(after.sla.first_response_due_at, before.sla.first_response_due_at)
  // The next response counts again as well, and an answer ends it.
  await inbox.say('outbound', id)
  await inbox.say('inbound', id)
  const waits = await inbox.conversation(id)
  const again = await changed({ ids: [id], patch: { status: 'closed' } })
  await undone(again.id)
  assert.deepEqual(
    [(await inbox.conversation(id)).waiting_since, (await inbox.conversation(id)).sla.next_response_due_at],
    [waits.waiting_since, waits.sla.next_response_due_at],
  )
  // Who writes meanwhile has opened it: there is nothing to take back.
  const last = await changed({ ids: [id], patch: { status: 'closed' } })
  await inbox.say('inbound', id)
  assert.equal((await undone(last.id)).kept[0].code, 'changed_since')
})

test('wrong changes of conversations are refused', async () => {
  const [id] = await opened(1)
  const list = await app.newRecord('/lists', { name: 'Deals', object: 'deal', kind: 'static' })
  for (const [given, error] of [
    [{ ids: [id], assign_by_load: true, patch: { priority: 'high' } }, '/assign_by_load contradiction'],
    [{ ids: [id], delete: true }, '/delete not_supported'],
    [{ ids: [id], to_list_id: list.id }, ' not_supported'],
    [{ ids: [id], close: { reason_id: app.a.reasons.won } }, '/close not_supported'],
    [{ filter: null, patch: { priority: 'high' } }, '/ids required'],
    [{ filter: { field: 'subject', op: 'not_null' }, patch: { priority: 'high' } }, '/ids required'],
  ] as [Given, string][]) {
    const { status, body } = await app.ask('member', 'POST', '/bulk', { kind: 'conversations', ...given })
    assert.equal(status, 422, JSON.stringify(given))
    assert.deepEqual(errorsOf(body), [error])
  }
  const { body } = await app.ask('member', 'POST', '/bulk', { kind: 'deals', ids: [id], assign_by_load: true })
  assert.deepEqual(errorsOf(body), ['/assign_by_load not_supported'])
  assert.equal(
    (await app.ask('viewer', 'POST', '/bulk', { kind: 'conversations', ids: [id], assign_by_load: true })).status,
    403,
  )
  assert.equal(idsOf((await app.ok('owner', 'GET', '/rows/conversations?view=open')).data).includes(id as string), true)
})
