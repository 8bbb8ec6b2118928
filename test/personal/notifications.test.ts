import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { dealStore } from '../../src/crm/deals/deals.ts'
import { silentLog } from '../../src/http/log.ts'
import { startScheduler } from '../../src/jobs/scheduler.ts'
import { HOUR_MS, MINUTE_MS, rfc3339 } from '../../src/lib/time.ts'
import { mentionsIn } from '../../src/personal/mentions.ts'
import { noticeQueue } from '../../src/personal/notices.ts'
import { screensWork } from '../../src/screens/app/jobs.ts'
import { type AppServer, type Person, startApp } from '../support/app-data.ts'
import { insertConversation } from '../support/conversation.ts'
import type { Row } from '../support/records.ts'

let app: AppServer
before(async () => {
  app = await startApp()
})
after(() => app.stop())

const clear = (person: Person) => app.ok(person, 'POST', '/notifications/read', { all: true })
const unread = async (person: Person): Promise<Row[]> =>
  (await app.ok(person, 'GET', '/notifications')).data.filter(({ read_at }: Row) => read_at === null)

// The API acts as Ana, the owner.
describe('a notification', () => {
  test('tells whoever was assigned a deal, a task or a conversation by somebody else', async () => {
    const owner_id = app.ids.member
    const seq = app.lastSeq()
    noticeQueue(app.deps).take()
    const deal = await app.newDeal({ title: 'Roof', owner_id })
    const task = await app.newRecord('/tasks', { title: 'Call', owner_id })
    assert.deepEqual(
      noticeQueue(app.deps)
        .take()
        .map(({ member, notice }) => [member, notice.kind]),
      [
        [owner_id, 'notification'],
        [owner_id, 'notification'],
      ],
    )
    assert.equal(app.lastSeq(), seq + 2) // only the events of the records
    const conversation = insertConversation(app.store, app.a.org, { subject: 'Offer' })
    await app.patchRecord(`/conversations/${conversation}`, { owner_id })
    const all = await unread('member')
    assert.deepEqual(
      all.map(({ kind, record, actor_id }) => [kind, record.kind, record.id, record.title, actor_id]),
      [
        ['assigned', 'conversations', conversation, 'Offer', app.a.owner],
        ['assigned', 'tasks', task.id, 'Call', app.a.owner],
        ['assigned', 'deals', deal.id, 'Roof', app.a.owner],
      ],
    )
    for (const person of ['owner', 'other', 'stranger'] as const) assert.deepEqual(await unread(person), [], person)
  })

  test('is not made for one own self, for the same owner again, or by a job', async () => {
    await clear('member')
    await clear('owner')
    const deal = await app.newDeal({ owner_id: app.a.owner })
    await app.patchRecord(`/deals/${deal.id}`, { owner_id: app.ids.member })
    await app.patchRecord(`/deals/${deal.id}`, { title: 'Other' })
    const done = await app.newRecord('/tasks', { title: 'Done', owner_id: app.ids.member, status: 'done' })
    assert.ok(done.id)
    const { create } = dealStore(app.deps)
    await app.store.write(() => create({ org: app.a.org, member: null }, { title: 'X', owner_id: app.ids.member }))
    assert.deepEqual((await unread('member')).length, 1)
    assert.deepEqual(await unread('owner'), [])
  })

  test('replaces an unread one of the same record', async () => {
    await clear('member')
    const deal = await app.newDeal({ owner_id: app.ids.member })
    await app.patchRecord(`/deals/${deal.id}`, { owner_id: null })
    await app.patchRecord(`/deals/${deal.id}`, { owner_id: app.ids.member })
    assert.equal((await unread('member')).length, 1)
  })

  test('tells whom a note mentions, once, and leads to the record of the note', async () => {
    await clear('member')
    const deal = await app.newDeal({ title: 'Roof' })
    const mention = `Ask @[Ben](member:${app.ids.member}) and @[Me](member:${app.a.owner})`
    const note = await app.newRecord('/notes', { body: mention, deal_ids: [deal.id] })
    const [told] = await unread('member')
    assert.deepEqual(
      [told.kind, told.record, told.actor_id],
      ['mentioned', { kind: 'deals', id: deal.id, title: 'Roof' }, app.a.owner],
    )
    assert.deepEqual(await unread('owner'), [])
    await clear('member')
    await app.patchRecord(`/notes/${note.id}`, { body: `${mention} again` })
    assert.deepEqual(await unread('member'), [])
    await app.patchRecord(`/notes/${note.id}`, { body: `${mention} and @[O](member:${app.ids.other})` })
    assert.equal((await unread('other')).length, 1)
    await app.newRecord('/notes', {
      body: `@[x](member:${app.b.owner}) @[y](member:${app.a.deactivated})`,
      deal_ids: [deal.id],
    })
    assert.deepEqual(await unread('stranger'), [])
  })

  test('is read one by one or all at once, and says how many are left', async () => {
    await clear('member')
    for (const title of ['One', 'Two', 'Three']) await app.newDeal({ title, owner_id: app.ids.member })
    const [first] = await unread('member')
    assert.deepEqual(await app.ok('member', 'POST', '/notifications/read', { ids: [first.id] }), { unread: 2 })
    assert.deepEqual(await app.ok('other', 'POST', '/notifications/read', { ids: [first.id] }), { unread: 1 })
    assert.deepEqual(await app.ok('member', 'POST', '/notifications/read', { all: true }), { unread: 0 })
  })

  test('is one of at most 200 of a member, read in pages', async () => {
    for (let at = 0; at < 205; at++) await app.newDeal({ title: `D${at}`, owner_id: app.ids.admin })
    const titles: string[] = []
    let cursor = ''
    do {
      const page = await app.ok('admin', 'GET', `/notifications?limit=90${cursor}`)
      titles.push(...page.data.map(({ record }: Row) => record.title))
      cursor = page.next_cursor ? `&cursor=${page.next_cursor}` : ''
    } while (cursor)
    assert.deepEqual(
      titles,
      Array.from({ length: 200 }, (_, at) => `D${204 - at}`),
    )
  })
})

test('a task that is due is told once to its owner, also after a restart', async () => {
  await clear('member')
  const start = () => startScheduler({ store: app.store, log: silentLog, kinds: [], recurring: screensWork(app.deps) })
  let scheduler = start()
  await scheduler.tick()
  const dueIn = (ms: number) => rfc3339(app.now() + ms)
  const give = { owner_id: app.ids.member }
  const task = await app.newRecord('/tasks', { title: 'Call', due_at: dueIn(HOUR_MS), ...give })
  await app.newRecord('/tasks', { title: 'Later', due_at: dueIn(2 * HOUR_MS), ...give })
  await app.newRecord('/tasks', { title: 'Nobody', due_at: dueIn(HOUR_MS) })
  const done = await app.newRecord('/tasks', { title: 'Done', due_at: dueIn(HOUR_MS), ...give })
  await app.patchRecord(`/tasks/${done.id}`, { status: 'done' })
  await clear('member')
  app.advance(HOUR_MS - MINUTE_MS)
  await scheduler.tick()
  assert.deepEqual(await unread('member'), [])
  app.advance(MINUTE_MS)
  await scheduler.tick()
  const [due, ...others] = await unread('member')
  assert.deepEqual(
    [due.kind, due.at, due.actor_id, due.record],
    ['due', task.due_at, null, { kind: 'tasks', id: task.id, title: 'Call' }],
  )
  assert.deepEqual(others, [])
  await scheduler.stop()
  await clear('member')
  scheduler = start()
  app.advance(2 * MINUTE_MS)
  await scheduler.tick()
  assert.deepEqual(await unread('member'), [])
  await scheduler.stop()
})

test('a mention is a link to a member', () => {
  const id = '019aa07f-5d16-74d1-8b2d-5b2ae3c0a1f4'
  assert.deepEqual(mentionsIn(`@[Ana](member:${id}), @[Ana](member:${id}) @[](member:${id}) [Ana](member:${id})`), [id])
  assert.deepEqual(mentionsIn('@[Ana](member:ana) @Ana'), [])
})
