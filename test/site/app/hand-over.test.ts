import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { resourceDeps } from '../../../src/app/deps.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { screensKinds } from '../../../src/site/app/jobs.ts'
import { startScheduler } from '../../../src/store/jobs/scheduler.ts'
import { openStore } from '../../../src/store/open.ts'
import { type Receivers, shares, type WorkKind } from '../../../src/web/screens/members/hand-over/plan.ts'
import { type AppServer, startApp } from '../../support/app-data.ts'
import { allTo, handing, twoInABatch } from '../../support/handing.ts'
import { errorsOf, type Row, UNKNOWN } from '../../support/records.ts'
import { examples } from '../../support/seed.ts'

let app: AppServer
before(async () => {
  app = await startApp()
})
after(() => app.stop())
const { newMember, giveWork, holder, holders, step, ask, start, handOver, undo, statusOf } = handing(() => app)

const work = (id: string) => app.ok('admin', 'GET', `/members/${id}/work`)
const unread = async (person: 'other' | 'member'): Promise<Row[]> =>
  (await app.ok(person, 'GET', '/notifications')).data.filter(({ read_at }: Row) => read_at === null)
const deals = (owner_id: string, count: number): Promise<Row[]> =>
  Promise.all(Array.from({ length: count }, () => app.newDeal({ owner_id })))

describe('a member who leaves', () => {
  test('hands over what is open of each kind as one change, which the undo takes back', async () => {
    const zoe = newMember('member', 'Zoë')
    const mine = await giveWork(zoe.id)
    const open = { deals: 2, tasks: 1, contacts: 1, companies: 1, conversations: 1, meetings: 1 }
    const all = {
      open: { ...open, enrollments: 1, lists: 1, views: 1 },
      finished: { deals: 1, tasks: 1, conversations: 1 },
    }
    assert.deepEqual(await work(zoe.id), all)
    const seq = app.lastSeq()
    const to = app.ids.other
    const done = await handOver('admin', zoe.id, { to: allTo(to), expected: all.open, deactivate: true })
    assert.deepEqual([done.kind, done.total, done.done, done.failed_count], ['members', 10, 10, 0])
    assert.equal(statusOf(zoe.id), 'deactivated')
    const { finished = [], private: own = [], ...given } = mine
    for (const [kind, ids] of Object.entries(given))
      assert.deepEqual(
        holders(kind, ids),
        ids.map(() => to),
        kind,
      )
    const [won = '', task = '', talk = ''] = finished
    const kept = [holder('deals', won), holder('tasks', task), holder('conversations', talk), ...holders('views', own)]
    assert.deepEqual(kept, [zoe.id, zoe.id, zoe.id, zoe.id])
    const events = app.events(seq)
    assert.deepEqual(
      events.map(({ type, actor, changed_fields }) => `${type} ${actor === app.ids.admin} ${changed_fields[0]}`).sort(),
      [
        'company.updated true owner_id',
        'contact.updated true owner_id',
        'conversation.updated true owner_id',
        'deal.updated true owner_id',
        'deal.updated true owner_id',
        'enrollment.updated true sender_id',
        'list.updated true owner_id',
        'meeting.updated true owner_id',
        'task.updated true owner_id',
      ],
    )
    const left = await app.ok('admin', 'GET', '/members/left')
    assert.ok(!left.data.some(({ id }: Row) => id === zoe.id))

    // Undone from the one list of what the member did.
    const [step0] = (await app.ok('admin', 'GET', '/steps')).data
    assert.deepEqual([step0.id, step0.count, step0.bulk.kind], [`bulk-${done.id}`, 10, 'members'])
    assert.equal(step0.bulk.change.from_id, zoe.id)
    await app.ok('admin', 'POST', `/steps/${step0.id}/undo`, {})
    while (step());
    assert.equal(statusOf(zoe.id), 'active')
    for (const [kind, ids] of Object.entries(given))
      assert.deepEqual(
        holders(kind, ids),
        ids.map(() => zoe.id),
        kind,
      )
    assert.equal((await app.ask('admin', 'POST', `/bulk/${done.id}/undo`)).body.code, 'undone_already')
  })

  test('hands over evenly by count, by kind to others, and leaves what has no receiver', async () => {
    const zoe = newMember()
    const [ana, ben] = [newMember().id, newMember().id]
    const rows = await deals(zoe.id, 5)
    const mine = await giveWork(zoe.id)
    await handOver('owner', zoe.id, { to: { deals: [ana, ben], tasks: [ben] } })
    const now = [...rows.map(({ id }) => id), ...(mine.deals as string[])].map((id) => holder('deals', id))
    assert.deepEqual([now.filter((id) => id === ana).length, now.filter((id) => id === ben).length], [4, 3])
    assert.deepEqual([holders('tasks', mine.tasks), holders('contacts', mine.contacts)], [[ben], [zoe.id]])
    assert.equal(statusOf(zoe.id), 'active')
    const { open } = await work(zoe.id)
    assert.deepEqual([open.deals, open.tasks, open.contacts], [undefined, undefined, 1])
  })

  test('hands over to each what was shown before', async () => {
    const receivers = Array.from({ length: 4 }, () => newMember().id)
    const KINDS = ['deals', 'tasks', 'contacts', 'companies', 'lists', 'views'] as const
    const picked = fc.dictionary(
      fc.constantFrom(...KINDS),
      fc.uniqueArray(fc.constantFrom(...receivers), { minLength: 1 }),
    )
    const run = async (to: Receivers, more: number): Promise<void> => {
      const zoe = newMember()
      await giveWork(zoe.id)
      await deals(zoe.id, more)
      const { open } = await work(zoe.id)
      const { given, stays } = shares(open, to)
      await handOver('owner', zoe.id, { to: Object.keys(to).length > 0 ? to : { lists: receivers } })
      if (Object.keys(to).length === 0) return
      for (const [id, counts] of given) {
        const has = (kind: WorkKind) =>
          app.store.db
            .prepare(
              'SELECT count(*) FROM bulk_rows WHERE to_id = ? AND kind = ? AND bulk_id = (SELECT max(id) FROM bulk_changes)',
            )
            .pluck()
            .get(id, kind) as number
        for (const kind of KINDS) assert.equal(has(kind), counts[kind] ?? 0, `${kind} in ${JSON.stringify(to)}`)
      }
      assert.deepEqual((await work(zoe.id)).open, stays)
    }
    await fc.assert(
      fc.asyncProperty(picked, fc.nat(9), (to, more) => run(to as Receivers, more)),
      { numRuns: examples(15) },
    )
  })

  test('hands over what is finished where that is asked for', async () => {
    const zoe = newMember()
    const { finished = [] } = await giveWork(zoe.id)
    const to = app.ids.other
    const done = await handOver('owner', zoe.id, { to: allTo(to), finished: ['deals', 'tasks'] })
    assert.equal(done.total, 12)
    const [deal = '', task = '', talk = ''] = finished
    assert.deepEqual([holder('deals', deal), holder('tasks', task), holder('conversations', talk)], [to, to, zoe.id])
  })

  test('can be deactivated with nothing handed over, and hand over later; also that is undone', async () => {
    const zoe = newMember()
    const { deals: two = [] } = await giveWork(zoe.id)
    await handOver('admin', zoe.id, { to: {}, deactivate: true })
    assert.deepEqual([statusOf(zoe.id), ...holders('deals', two)], ['deactivated', zoe.id, zoe.id])
    const { data } = await app.ok('admin', 'GET', '/members/left')
    assert.equal(data.find(({ id }: Row) => id === zoe.id).open.deals, 2)
    const done = await handOver('admin', zoe.id, { to: { deals: [app.ids.other] } })
    assert.deepEqual(holders('deals', two), [app.ids.other, app.ids.other])
    const back = await undo('admin', done.id)
    assert.deepEqual([back.kept, ...holders('deals', two)], [[], zoe.id, zoe.id])
    assert.equal(statusOf(zoe.id), 'deactivated')
    // No other way makes a deactivated member an owner.
    const other = await app.newDeal()
    const { status } = await app.call('PATCH', `/deals/${other.id}`, { owner_id: zoe.id })
    assert.equal(status, 422)
  })

  test('stays active if the organisation would have no owner, and keeps everything', async () => {
    const { body } = await app.call('GET', '/members?role=owner&status=active')
    assert.equal(body.data.length, 1)
    const [deal] = await deals(app.ids.owner, 1)
    const refused = await ask('owner', app.ids.owner, { to: { deals: [app.ids.other] }, deactivate: true })
    assert.deepEqual([refused.status, refused.body.code], [409, 'last_owner'])
    assert.equal(step(), false)
    assert.deepEqual([statusOf(app.ids.owner), holder('deals', deal.id)], ['active', app.ids.owner])
  })
})

describe('receivers', () => {
  test('get one notice of all, which goes if it is taken back before they have read it', async () => {
    await app.ok('other', 'POST', '/notifications/read', { all: true })
    const zoe = newMember('member', 'Zoë L')
    await deals(zoe.id, 3)
    const task = await app.newRecord('/tasks', { title: 'Call', owner_id: zoe.id })
    const to = { deals: [app.ids.other], tasks: [app.ids.other] }
    const done = await handOver('admin', zoe.id, { to })
    assert.equal(holder('tasks', task.id), app.ids.other)
    const [notice, ...others] = await unread('other')
    assert.deepEqual(others, [])
    assert.deepEqual(
      [notice.kind, notice.actor_id, notice.record, notice.detail],
      [
        'handed_over',
        app.ids.admin,
        { kind: 'hand-overs', id: done.id, title: 'Zoë L' },
        { counts: { deals: 3, tasks: 1 } },
      ],
    )
    await undo('admin', done.id)
    assert.deepEqual(await unread('other'), [])
  })

  test('are no viewers, no deactivated members, not the member, and of this organisation', async () => {
    const zoe = newMember()
    const gone = newMember()
    await app.ok('admin', 'PATCH', `/members/${gone.id}`, { status: 'deactivated' })
    const to = { deals: [app.ids.viewer, gone.id, zoe.id, app.ids.stranger, UNKNOWN] }
    const { status, body } = await ask('admin', zoe.id, { to })
    assert.equal(status, 422)
    assert.deepEqual(errorsOf(body), [
      '/to/deals/0 member_reads_only',
      '/to/deals/1 member_deactivated',
      '/to/deals/2 same_member',
      '/to/deals/3 reference_not_found',
      '/to/deals/4 reference_not_found',
    ])
    for (const [given, error] of [
      [{ to: {} }, '/to required'],
      [{ to: { deals: [] } }, '/to/deals empty'],
      [{ to: { deals: [app.ids.other, app.ids.other] } }, '/to/deals repeated'],
      [{ to: { notes: [app.ids.other] } }, '/to/notes unknown_field'],
      [{ to: { deals: [app.ids.other] }, finished: ['contacts'] }, '/finished/0 invalid_choice'],
    ] as const) {
      const answer = await ask('admin', zoe.id, given)
      assert.deepEqual([answer.status, errorsOf(answer.body)], [422, [error]], JSON.stringify(given))
    }
  })

  for (const [name, lost, reason] of [
    ['is deactivated', { status: 'deactivated' }, /deactivated/],
    ['becomes a viewer', { role: 'viewer' }, /may only read/],
  ] as const)
    test(`who ${name} in the middle gets no more, and the others do`, async (t) => {
      const zoe = newMember()
      const [ana, ben] = [newMember(), newMember()]
      const rows = await deals(zoe.id, 6)
      const id = await start('admin', zoe.id, { to: { deals: [ana.id, ben.id] } })
      twoInABatch(t)
      step() // writes the records down
      step()
      assert.equal((await app.ok('admin', 'GET', `/bulk/${id}`)).done, 2)
      await app.ok('owner', 'PATCH', `/members/${ben.id}`, lost)
      while (step());
      const state = await app.ok('admin', 'GET', `/bulk/${id}`)
      assert.deepEqual([state.done, state.failed_count], [6, 2])
      for (const { detail } of state.failed) assert.match(detail, reason)
      assert.deepEqual(
        rows.map((row) => holder('deals', row.id)),
        [ana.id, ben.id, ana.id, zoe.id, ana.id, zoe.id],
      )
    })
})

describe('a hand-over', () => {
  test('that a second administrator starts meanwhile is refused, and so are more records than were seen', async () => {
    const zoe = newMember()
    const rows = await deals(zoe.id, 2)
    const to = { deals: [app.ids.other] }
    const more = await ask('admin', zoe.id, { to, expected: { deals: 1 } })
    assert.deepEqual([more.status, more.body.code, more.body.counts], [409, 'count_changed', { deals: 2 }])
    const id = await start('admin', zoe.id, { to, expected: { deals: 2 } })
    const second = await ask('owner', zoe.id, { to: { deals: [app.ids.member] } })
    assert.deepEqual([second.status, second.body.code], [409, 'handing_over'])
    // One that comes meanwhile was not agreed to.
    const late = await app.newDeal({ owner_id: zoe.id })
    while (step());
    assert.deepEqual(
      rows.map((row) => holder('deals', row.id)),
      [app.ids.other, app.ids.other],
    )
    assert.equal(holder('deals', late.id), zoe.id)
    await app.ok('admin', 'POST', `/bulk/${id}/undo`)
    assert.equal((await ask('owner', zoe.id, { to })).body.code, 'handing_over')
    while (step());
    assert.equal((await ask('owner', zoe.id, { to })).status, 202)
    while (step());
  })

  test('leaves what somebody else got before its turn, and its undo what somebody else got since', async (t) => {
    const zoe = newMember()
    const rows = await deals(zoe.id, 4)
    const [one, two, three, four] = rows.map((row) => row.id) as [string, string, string, string]
    const id = await start('admin', zoe.id, { to: { deals: [app.ids.other] } })
    twoInABatch(t)
    step() // writes the records down
    step()
    await app.patchRecord(`/deals/${three}`, { owner_id: app.ids.member })
    await app.call('DELETE', `/deals/${four}`)
    await app.ok('owner', 'DELETE', `/deals/${four}`)
    while (step());
    const state = await app.ok('admin', 'GET', `/bulk/${id}`)
    assert.deepEqual([state.done, state.failed_count], [4, 2])
    assert.deepEqual(holders('deals', [one, two, three]), [app.ids.other, app.ids.other, app.ids.member])
    await app.patchRecord(`/deals/${one}`, { owner_id: app.ids.member })
    await app.patchRecord(`/deals/${two}`, { title: 'Another title is no other owner' })
    const back = await undo('admin', id)
    assert.deepEqual(
      back.kept.map((each: Row) => each.id),
      [one],
    )
    assert.deepEqual(holders('deals', [one, two, three]), [app.ids.member, zoe.id, app.ids.member])
  })

  test('is stopped where it is, and undone from there', async (t) => {
    const zoe = newMember()
    const rows = await deals(zoe.id, 6)
    const now = () => rows.map((row) => (holder('deals', row.id) === zoe.id ? 0 : 1)).join('')
    const id = await start('admin', zoe.id, { to: { deals: [app.ids.other] } })
    twoInABatch(t)
    step() // writes the records down
    step()
    assert.equal((await app.ask('owner', 'POST', `/bulk/${id}/stop`)).status, 404)
    const stopped = await app.ok('admin', 'POST', `/bulk/${id}/stop`)
    assert.deepEqual([stopped.done, stopped.total], [2, 6])
    assert.ok(stopped.finished_at)
    assert.equal(step(), false)
    assert.equal(now(), '110000')
    assert.equal((await app.ask('admin', 'POST', `/bulk/${id}/stop`)).body.code, 'finished_already')
    assert.equal((await app.ok('admin', 'GET', '/steps')).data[0].count, 2)
    await undo('admin', id)
    assert.equal(now(), '000000')
  })

  test('stops with the rights of who started it, and so does its undo', async (t) => {
    const zoe = newMember()
    const rows = await deals(zoe.id, 4)
    const now = () => rows.map((row) => (holder('deals', row.id) === zoe.id ? 0 : 1)).join('')
    const id = await start('admin', zoe.id, { to: { deals: [app.ids.other] } })
    twoInABatch(t)
    step() // writes the records down
    step()
    await app.ok('owner', 'PATCH', `/members/${app.ids.admin}`, { role: 'member' })
    while (step());
    assert.equal(now(), '1100')
    const again = app.store.db.prepare('SELECT done, failed FROM bulk_changes WHERE id = ?')
    assert.deepEqual({ ...(again.get(id) as object) }, { done: 4, failed: 2 })
    await app.ok('owner', 'PATCH', `/members/${app.ids.admin}`, { role: 'admin' })
    app.people.admin = await app.signIn(app.ids.admin)
    await app.ok('admin', 'POST', `/bulk/${id}/undo`)
    await app.ok('owner', 'PATCH', `/members/${app.ids.admin}`, { role: 'member' })
    while (step());
    assert.equal(now(), '1100')
    app.people.admin = await app.signIn(app.ids.admin)
    const others = await handOver('owner', zoe.id, { to: { deals: [app.ids.other] } })
    app.store.db.prepare('UPDATE bulk_changes SET member_id = ? WHERE id = ?').run(app.ids.admin, others.id)
    assert.equal((await app.ask('admin', 'POST', `/bulk/${others.id}/undo`)).body.code, 'insufficient_role')
    await app.ok('owner', 'PATCH', `/members/${app.ids.admin}`, { role: 'admin' })
    app.people.admin = await app.signIn(app.ids.admin)
  })

  test('stops where the member is above who started it by now', async () => {
    const zoe = newMember()
    const [deal] = await deals(zoe.id, 1)
    const id = await start('admin', zoe.id, { to: { deals: [app.ids.other] } })
    await app.ok('owner', 'PATCH', `/members/${zoe.id}`, { role: 'owner' })
    while (step());
    assert.equal((await app.ok('admin', 'GET', `/bulk/${id}`)).failed_count, 1)
    assert.equal(holder('deals', deal.id), zoe.id)
    await app.ok('owner', 'PATCH', `/members/${zoe.id}`, { role: 'member' })
  })

  test('goes on after the server was killed in the middle, and does nothing twice', async (t) => {
    const zoe = newMember()
    const rows = await deals(zoe.id, 6)
    const task = await app.newRecord('/tasks', { title: 'Call', owner_id: zoe.id })
    const id = await start('admin', zoe.id, { to: { deals: [app.ids.other], tasks: [app.ids.other] } })
    twoInABatch(t)
    while (holder('deals', (rows[0] as Row).id) === zoe.id) step()
    assert.equal(holder('deals', (rows[5] as Row).id), zoe.id)
    // What is on the disk at this moment is what another server finds.
    const folder = mkdtempSync(join(tmpdir(), 'dealbox-test-'))
    cpSync(app.dataDir, folder, { recursive: true, filter: (path) => !path.endsWith('.lock') })
    const store = openStore(folder, { wall: app.now })
    const kinds = screensKinds(resourceDeps(store))
    const scheduler = startScheduler({ store, log: silentLog, kinds, recurring: [], afterJump: [] })
    await scheduler.tick()
    await scheduler.stop()
    const of = (sql: string) => store.db.prepare(sql).pluck().all(id)
    assert.deepEqual(of('SELECT done FROM bulk_changes WHERE id = ? AND finished_at IS NOT NULL'), [7])
    const owners = store.db.prepare('SELECT owner_id FROM deals WHERE id = ?').pluck()
    assert.deepEqual(new Set(rows.map((row) => owners.get(row.id))), new Set([app.ids.other]))
    assert.equal(store.db.prepare('SELECT version FROM tasks WHERE id = ?').pluck().get(task.id), 2)
    const told = store.db
      .prepare("SELECT count(*) FROM notifications WHERE kind = 'handed_over' AND record_id = ?")
      .pluck()
    assert.equal(told.get(id), 1)
    for (const row of rows)
      assert.equal(store.db.prepare('SELECT version FROM deals WHERE id = ?').pluck().get(row.id), 2, 'once')
    store.close()
    rmSync(folder, { recursive: true, force: true })
    while (step());
  })

  test('leaves shared views with the member where the receiver has as many as one can have', async () => {
    const [zoe, full] = [newMember(), newMember()]
    const { views = [] } = await giveWork(zoe.id)
    const { db, clock } = app.store
    const insert = db.prepare(
      `INSERT INTO views (org_id, id, object, name, shape, is_shared, owner_id, query, position, created_at, updated_at, version)
       VALUES (?, ?, 'deals', 'V', 'board', 0, ?, '{}', 0, 0, 0, 1)`,
    )
    for (let each = 0; each < 200; each++) insert.run(app.a.org, clock.id(), full.id)
    const done = await handOver('admin', zoe.id, { to: { views: [full.id] } })
    assert.deepEqual([done.failed_count, ...holders('views', views)], [1, zoe.id])
  })

  test('does not bring back the deactivated member if somebody has changed them since', async () => {
    const zoe = newMember()
    await deals(zoe.id, 1)
    const done = await handOver('admin', zoe.id, { to: { deals: [app.ids.other] }, deactivate: true })
    await app.ok('owner', 'PATCH', `/members/${zoe.id}`, { name: 'Former' })
    await undo('admin', done.id)
    assert.equal(statusOf(zoe.id), 'deactivated')
    assert.equal((await work(zoe.id)).open.deals, 1)
  })

  test('is for administrators, of members who are not above them, in their organisation', async () => {
    const zoe = newMember()
    const given = { to: { deals: [app.ids.other] } }
    for (const person of ['member', 'viewer'] as const) {
      assert.equal((await ask(person, zoe.id, given)).status, 403)
      assert.equal((await app.ask(person, 'POST', `/members/${zoe.id}/away`, { returns_on: null })).status, 403)
    }
    assert.equal((await ask('admin', app.ids.owner, given)).body.code, 'role_too_high')
    const away = await app.ask('admin', 'POST', `/members/${app.ids.owner}/away`, { returns_on: null })
    assert.equal(away.body.code, 'role_too_high')
    for (const [method, path, body] of [
      ['GET', 'work'],
      ['POST', 'hand-over', given],
      ['POST', 'away', { returns_on: null }],
    ] as const)
      assert.equal((await app.ask('stranger', method, `/members/${zoe.id}/${path}`, body)).status, 404)
    assert.equal((await app.ok('stranger', 'GET', '/members/left')).data.length, 0)
  })

  test('is in the audit log, with who got what', async () => {
    const zoe = newMember()
    const [deal] = await deals(zoe.id, 1)
    const done = await handOver('admin', zoe.id, { to: { deals: [app.ids.other] }, deactivate: true })
    await undo('admin', done.id)
    assert.equal(holder('deals', deal.id), zoe.id)
    const rows = app.store.db
      .prepare('SELECT action, actor_id, detail FROM audit_log WHERE record_id = ? ORDER BY seq')
      .all(zoe.id) as { action: string; actor_id: string; detail: string }[]
    assert.deepEqual(
      rows.map(({ action, actor_id, detail }) => [action, actor_id, JSON.parse(detail)]),
      [
        ['member.handed_over', app.ids.admin, { to: { deals: [app.ids.other] }, status: 'deactivated' }],
        ['member.changed', app.ids.admin, { fields: ['status'], status: 'active' }],
      ],
    )
  })
})
