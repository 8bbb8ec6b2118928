import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { dealStore } from '../../src/crm/deals/deals.ts'
import { silentLog } from '../../src/lib/log.ts'
import { HOUR_MS, MINUTE_MS, rfc3339 } from '../../src/lib/time.ts'
import { DUE_TASKS, dueTasks } from '../../src/personal/due-tasks.ts'
import { mentionsIn } from '../../src/personal/mentions.ts'
import { noticeQueue } from '../../src/personal/notices.ts'
import { screensWork } from '../../src/site/app/jobs.ts'
import { startScheduler } from '../../src/store/jobs/scheduler.ts'
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

  test('is also made by a change whose event has a name of its own', async () => {
    await clear('member')
    const deal = await app.newDeal({ title: 'Moved' })
    const { data: stages } = (await app.call('GET', '/stages')).body
    const next = stages.find(({ id, is_open }: Row) => is_open && id !== deal.stage)
    await app.patchRecord(`/deals/${deal.id}`, { stage: next.id, owner_id: app.ids.member })
    assert.equal(app.events().at(-1)?.type, 'deal.stage_changed')
    assert.deepEqual(
      (await unread('member')).map(({ kind, record }) => [kind, record.id]),
      [['assigned', deal.id]],
    )
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

  test('tells whom a note in a conversation mentions, and no answer to the customer', async () => {
    await clear('member')
    await clear('owner')
    const conversation_id = insertConversation(app.store, app.a.org, { subject: 'Offer' })
    const body_text = `Ask @[Ben](member:${app.ids.member}) and @[Me](member:${app.a.owner})`
    const say = (direction: string) => app.newRecord('/messages', { conversation_id, direction, body_text })
    await say('inbound')
    await say('outbound')
    assert.deepEqual(await unread('member'), [])
    await say('note')
    const [told] = await unread('member')
    assert.deepEqual(
      [told?.kind, told?.record, told?.actor_id],
      ['mentioned', { kind: 'conversations', id: conversation_id, title: 'Offer' }, app.a.owner],
    )
    assert.deepEqual(await unread('owner'), [])
  })

  test('leads to the first record of a note: a deal, else a company, else a contact, else the conversation', async () => {
    await clear('member')
    const body = `Ask @[Ben](member:${app.ids.member})`
    for (const name of ['First', 'Second']) {
      await app.newCompany({ name })
      await app.newContact({ last_name: name })
    }
    const [deal, company] = [await app.newDeal({ title: 'Tower' }), await app.newCompany({ name: 'Northwind' })]
    const contact = await app.newContact({ first_name: 'Eva', last_name: 'Ruiz' })
    const conversation_id = insertConversation(app.store, app.a.org, { subject: 'Offer' })
    const [contact_ids, company_ids, deal_ids] = [[contact.id], [company.id], [deal.id]]
    for (const given of [
      { contact_ids, company_ids, deal_ids },
      { contact_ids, company_ids },
      { contact_ids, conversation_id },
      { conversation_id, title: 'After the call' },
      { conversation_id },
    ])
      await app.newRecord('/notes', { body, ...given })
    const meeting = await app.newRecord('/meetings', {
      ...{ title: 'Visit', starts_at: rfc3339(app.now()), ends_at: rfc3339(app.now() + HOUR_MS) },
    })
    const alone = await app.newRecord('/notes', { body, title: 'To do', meeting_id: meeting.id })
    const told = (await unread('member')).reverse()
    assert.deepEqual(
      told.map(({ record }) => [record.kind, record.title]),
      [
        ['deals', 'Tower'],
        ['companies', 'Northwind'],
        ['contacts', 'Eva Ruiz'],
        ['conversations', body], // a newer one of the same record replaces the unread one
        ['notes', 'To do'],
      ],
    )
    assert.deepEqual([told[3].record.id, told[4].record.id], [conversation_id, alone.id])
    await app.newRecord('/notes', { body: `${body} ${'x'.repeat(100)}`, meeting_id: meeting.id })
    assert.equal((await unread('member'))[0].record.title, `${body} ${'x'.repeat(100)}`.slice(0, 80))
  })

  test('is not made by a change that leaves owner and text as they are, or gives a task that is done', async () => {
    const owner_id = app.ids.member
    const conversation = insertConversation(app.store, app.a.org, { subject: null })
    await app.patchRecord(`/conversations/${conversation}`, { owner_id })
    assert.match((await unread('member'))[0].record.title, /^#\d+$/)
    const deal = await app.newDeal({ owner_id })
    const task = await app.newRecord('/tasks', { title: 'Call', owner_id })
    const note = await app.newRecord('/notes', { body: `@[Ben](member:${owner_id})`, deal_ids: [deal.id] })
    await clear('member')
    await app.patchRecord(`/conversations/${conversation}`, { priority: 'high' })
    await app.patchRecord(`/deals/${deal.id}`, { title: 'Other' })
    await app.patchRecord(`/tasks/${task.id}`, { title: 'Call again' })
    await app.patchRecord(`/notes/${note.id}`, { title: 'Other', is_pinned: true })
    await app.patchRecord(`/tasks/${task.id}`, { owner_id: null, status: 'done' })
    await app.patchRecord(`/tasks/${task.id}`, { owner_id })
    assert.deepEqual(await unread('member'), [])
  })

  test('is not made for a member who is deactivated, or for nobody', async () => {
    const count = () => app.store.db.prepare('SELECT count(*) FROM notifications').pluck().get()
    const owner_id = app.ids.admin
    await clear('admin')
    const deal = await app.newDeal({ owner_id })
    const before = count()
    await app.patchRecord(`/deals/${deal.id}`, { owner_id: null })
    await app.newRecord('/notes', { body: `@[x](member:${app.a.deactivated})`, deal_ids: [deal.id] })
    assert.equal(count(), before)
  })

  test('replaces only an unread one of the same kind; one that was read keeps its time', async () => {
    await clear('member')
    const owner_id = app.ids.member
    const deal = await app.newDeal({ title: 'Roof', owner_id })
    const note = `@[Ben](member:${owner_id})`
    await app.newRecord('/notes', { body: note, deal_ids: [deal.id] })
    assert.deepEqual(
      (await unread('member')).map(({ kind }) => kind),
      ['mentioned', 'assigned'],
    )
    const times = async () =>
      (await app.ok('member', 'GET', '/notifications?limit=2')).data.map(({ read_at }: Row) => read_at)
    const ids = (await unread('member')).map(({ id }) => id)
    await app.ok('member', 'POST', '/notifications/read', { ids })
    const read = await times()
    app.advance(MINUTE_MS)
    await app.ok('member', 'POST', '/notifications/read', { ids })
    await clear('member')
    assert.deepEqual(await times(), read)
    await app.newRecord('/notes', { body: note, deal_ids: [deal.id] })
    const all = (await app.ok('member', 'GET', '/notifications?limit=3')).data
    assert.deepEqual(
      all.map(({ kind, read_at }: Row) => [kind, read_at === null]),
      [
        ['mentioned', true],
        ['mentioned', false],
        ['assigned', false],
      ],
    )
  })

  test('that is read is told to the other screens of its member', async () => {
    noticeQueue(app.deps).take()
    await clear('member')
    assert.deepEqual(noticeQueue(app.deps).take(), [
      { org: app.a.org, member: app.ids.member, notice: { kind: 'notification', id: null } },
    ])
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
    const others = (await app.ok('member', 'GET', '/notifications?limit=100')).data.length
    assert.ok(others > 0)
    for (let at = 0; at < 205; at++) await app.newDeal({ title: `D${at}`, owner_id: app.ids.admin })
    const titles: string[] = []
    let cursor = ''
    do {
      const page = await app.ok('admin', 'GET', `/notifications?limit=90${cursor}`)
      assert.ok(page.data.length === 90 || page.next_cursor === null)
      titles.push(...page.data.map(({ record }: Row) => record.title))
      cursor = page.next_cursor ? `&cursor=${page.next_cursor}` : ''
    } while (cursor)
    assert.deepEqual(
      titles,
      Array.from({ length: 200 }, (_, at) => `D${204 - at}`),
    )
    assert.equal((await app.ok('member', 'GET', '/notifications?limit=100')).data.length, others, 'of others none goes')
    assert.equal((await app.ok('admin', 'GET', '/notifications?limit=100')).data.length, 100)
    const last = (await app.ok('admin', 'GET', '/notifications?limit=100')).next_cursor
    assert.equal((await app.ok('admin', 'GET', `/notifications?limit=100&cursor=${last}`)).next_cursor, null)
    assert.equal((await app.ask('admin', 'GET', '/notifications?count=true')).body.code, 'invalid_query')
  })
})

test('a task that is due is told once to its owner, also after a restart', async () => {
  await clear('member')
  const start = () =>
    startScheduler({ store: app.store, log: silentLog, kinds: [], recurring: screensWork(app.deps), afterJump: [] })
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

test('tasks that are due are told in batches, of every organisation, and of one day at most', async () => {
  const { db, clock, transaction } = app.store
  const insert = db.prepare(
    `INSERT INTO tasks (org_id, id, title, type, status, priority, owner_id, due_at, contact_ids, company_ids, deal_ids,
       created_at, updated_at, version)
     VALUES (?, ?, ?, 'todo', 'open', 'normal', ?, ?, '[]', '[]', '[]', 0, 0, 1)`,
  )
  const told = db.prepare("SELECT count(*) FROM notifications WHERE member_id = ? AND kind = 'due' AND title LIKE ?")
  const counts = (like: string) => [app.ids.other, app.b.owner].map((id) => told.pluck().get(id, like))
  const run = dueTasks(app.deps)
  const until = () => {
    let batches = 1
    while (transaction(run) === 'more') batches++
    return batches
  }
  const finish = () =>
    db
      .prepare('INSERT OR REPLACE INTO recurring_jobs (name, due_at, last_finished_at) VALUES (?, 0, ?)')
      .run(DUE_TASKS, clock.now())
  finish()
  app.advance(MINUTE_MS)
  db.prepare("DELETE FROM notifications WHERE kind = 'due'").run()
  // The batch of 200 ends among tasks of one moment.
  for (let at = 0; at < 190; at++) insert.run(app.a.org, clock.id(), `T${at}`, app.ids.other, clock.now() - 1000)
  for (let at = 0; at < 190; at++) insert.run(app.a.org, clock.id(), `T${at}`, app.ids.admin, clock.now())
  for (let at = 0; at < 5; at++) insert.run(app.b.org, clock.id(), `T${at}`, app.b.owner, clock.now())
  insert.run(app.a.org, clock.id(), 'Later', app.ids.other, clock.now() + 1)
  const old = clock.now()
  assert.deepEqual([until(), counts('T%')], [2, [190, 5]])
  assert.equal(told.pluck().get(app.ids.admin, 'T%'), 190)
  finish()
  assert.deepEqual([until(), counts('T%')], [1, [190, 5]], 'none comes twice')

  insert.run(app.a.org, clock.id(), 'Old', app.ids.other, old + 60_000)
  insert.run(app.a.org, clock.id(), 'New', app.ids.other, old + 120_000)
  app.jump(24 * HOUR_MS + 90_000)
  until()
  assert.deepEqual(
    ['Later', 'Old', 'New'].map((title) => counts(title)[0]),
    [0, 0, 1],
    'what was due more than a day ago is left alone',
  )
})

test('a mention is a link to a member', () => {
  const id = '019aa07f-5d16-74d1-8b2d-5b2ae3c0a1f4'
  assert.deepEqual(mentionsIn(`@[Ana](member:${id}), @[Ana](member:${id}) @[](member:${id}) [Ana](member:${id})`), [id])
  assert.deepEqual(mentionsIn('@[Ana](member:ana) @Ana'), [])
  const many = Array.from({ length: 60 }, (_, at) => `@[A](member:${id.slice(0, -2)}${at + 10})`)
  assert.equal(mentionsIn(many.join(' ')).length, 50)
})
