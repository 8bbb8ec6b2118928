import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { beginningOf, dateIn } from '../../../src/lib/calendar/days.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { DAY_MS, HOUR_MS } from '../../../src/lib/time.ts'
import { bulkJournal } from '../../../src/site/app/bulk/journal.ts'
import { screensKinds } from '../../../src/site/app/jobs.ts'
import { startScheduler } from '../../../src/store/jobs/scheduler.ts'
import { type AppServer, startApp } from '../../support/app-data.ts'
import { allTo, handing, twoInABatch } from '../../support/handing.ts'
import { errorsOf, type Row } from '../../support/records.ts'

// A member who is away: what they have is with others until a date, and then comes back.

let app: AppServer
before(async () => {
  app = await startApp()
  app.store.db.prepare("UPDATE orgs SET timezone = 'America/New_York' WHERE id = ?").run(app.a.org)
})
after(() => app.stop())
const { newMember, giveWork, holder, holders, step, ask, start, handOver, undo, statusOf, awayOf } = handing(() => app)

const ZONE = 'America/New_York'
const inDays = (days: number): string => dateIn(ZONE, app.now() + days * DAY_MS)
/** So that a date is here, and everything of before has been done. */
async function until(date: string, ms = 0): Promise<void> {
  await pass(beginningOf(date, ZONE) + ms - app.now())
  while (step());
}

/** Sessions end meanwhile. */
async function pass(ms: number): Promise<void> {
  app.advance(ms)
  for (const person of ['owner', 'admin', 'other', 'viewer'] as const)
    app.people[person] = await app.signIn(app.ids[person])
}
const patch = (kind: string, id: string, given: object) => app.patchRecord(`/${kind}/${id}`, given as never)
const away = (id: string, returns_on: string | null) => app.ask('owner', 'POST', `/members/${id}/away`, { returns_on })
const deals = (owner_id: string, count: number): Promise<Row[]> =>
  Promise.all(Array.from({ length: count }, () => app.newDeal({ owner_id })))

describe('a member who is away', () => {
  test('gets everything back at the beginning of the day, where the organisation is', async () => {
    const zoe = newMember('member', 'Zoë')
    const { finished: _, private: __, ...mine } = await giveWork(zoe.id)
    const date = inDays(3)
    await handOver('owner', zoe.id, { to: allTo(app.ids.other), returns_on: date })
    assert.deepEqual([await awayOf(zoe.id), statusOf(zoe.id)], [date, 'active'])
    const [notice] = (await app.ok('other', 'GET', '/notifications')).data
    assert.equal(notice.detail.until, date)
    await until(date, -1)
    for (const [kind, ids] of Object.entries(mine)) assert.equal(holders(kind, ids)[0], app.ids.other, kind)
    const seq = app.lastSeq()
    await until(date)
    for (const [kind, ids] of Object.entries(mine))
      assert.deepEqual(
        holders(kind, ids),
        ids.map(() => zoe.id),
        kind,
      )
    assert.equal(await awayOf(zoe.id), undefined)
    assert.ok(app.events(seq).length > 5)
    for (const { actor } of app.events(seq)) assert.equal(actor, null, 'nobody did that')
    const told = app.store.db
      .prepare("SELECT kind, title, detail FROM notifications WHERE member_id = ? AND kind <> 'assigned'")
      .all(zoe.id) as Row[]
    assert.deepEqual([told.length, told[0].kind, told[0].title], [1, 'returned', 'Zoë'])
    assert.deepEqual(JSON.parse(told[0].detail).counts, {
      ...{ deals: 2, tasks: 1, contacts: 1, companies: 1, conversations: 1, meetings: 1 },
      ...{ enrollments: 1, lists: 1, views: 1 },
    })
  })

  test('gets back what was lent even if no server ran on that day, and once', async () => {
    const zoe = newMember()
    const [deal] = await deals(zoe.id, 1)
    const date = inDays(2)
    await handOver('owner', zoe.id, { to: { deals: [app.ids.other] }, returns_on: date })
    await pass(5 * DAY_MS)
    assert.equal(holder('deals', deal.id), app.ids.other)
    const scheduler = startScheduler({
      store: app.store,
      log: silentLog,
      kinds: screensKinds(app.deps),
      recurring: [],
      afterJump: [],
    })
    await scheduler.tick()
    await scheduler.stop()
    assert.equal(holder('deals', deal.id), zoe.id)
    const seq = app.lastSeq()
    await until(inDays(1))
    assert.equal(app.lastSeq(), seq)
  })

  test('does not get back what others gave to somebody else, or have finished', async () => {
    const zoe = newMember()
    const [given, won, still] = (await deals(zoe.id, 3)).map(({ id }) => id) as [string, string, string]
    const { tasks: [task = ''] = [], conversations: [talk = ''] = [] } = await giveWork(zoe.id)
    const date = inDays(2)
    const done = await handOver('owner', zoe.id, { to: allTo(app.ids.other), returns_on: date })
    await patch('deals', given, { owner_id: app.ids.member })
    await app.call('POST', `/deals/${won}/close`, { reason_id: app.a.reasons.won })
    await patch('tasks', task, { status: 'done' })
    await patch('conversations', talk, { status: 'closed' })
    await patch('deals', still, { title: 'Another' })
    await until(date)
    const { other, member } = app.ids
    assert.deepEqual(holders('deals', [given, won, still]), [member, other, zoe.id])
    assert.deepEqual([holder('tasks', task), holder('conversations', talk)], [other, other])
    const { kept, undone_at } = await app.ok('owner', 'GET', `/bulk/${done.id}`)
    assert.ok(undone_at)
    assert.deepEqual(kept.map(({ id }: Row) => id).sort(), [given, won, task, talk].sort())
  })

  test('gets back also what the receiver has handed over in turn, whatever comes first', async () => {
    for (const benBack of [1, 5, null]) {
      const [zoe, ben, cid] = [newMember(), newMember(), newMember()]
      const [lent, passed] = (await deals(zoe.id, 2)).map(({ id }) => id) as [string, string]
      const [own] = await deals(ben.id, 1)
      const date = inDays(3)
      await handOver('owner', zoe.id, { to: { deals: [ben.id] }, returns_on: date })
      const rest = benBack === null ? { deactivate: true } : { returns_on: inDays(benBack) }
      await handOver('owner', ben.id, { to: { deals: [cid.id] }, ...rest })
      assert.deepEqual(holders('deals', [lent, own.id]), [cid.id, cid.id])
      await patch('deals', passed, { owner_id: app.ids.member })
      await until(date)
      assert.deepEqual(holders('deals', [lent, passed]), [zoe.id, app.ids.member], `back in ${benBack}`)
      assert.equal(holder('deals', own.id), benBack === 1 ? ben.id : cid.id)
      await until(inDays(4))
      assert.deepEqual(holders('deals', [lent, own.id]), [zoe.id, benBack === null ? cid.id : ben.id])
    }
  })

  test('is away without handing over anything, and hands over more later', async () => {
    const zoe = newMember()
    const date = inDays(4)
    await handOver('owner', zoe.id, { to: {}, returns_on: date })
    assert.equal(await awayOf(zoe.id), date)
    const [deal] = await deals(zoe.id, 1)
    await handOver('owner', zoe.id, { to: { deals: [app.ids.other] }, returns_on: date })
    await until(date)
    assert.deepEqual([holder('deals', deal.id), await awayOf(zoe.id)], [zoe.id, undefined])
  })

  test('comes back earlier or later than planned', async () => {
    const zoe = newMember()
    const [deal] = await deals(zoe.id, 1)
    const [first, second] = [inDays(3), inDays(5)]
    const id = await start('owner', zoe.id, { to: { deals: [app.ids.other] }, returns_on: first })
    while (step());
    assert.equal((await away(zoe.id, second)).status, 202)
    assert.equal(await awayOf(zoe.id), second)
    await until(first, HOUR_MS)
    assert.equal(holder('deals', deal.id), app.ids.other)
    assert.equal((await away(zoe.id, null)).status, 202)
    while (step());
    assert.deepEqual([holder('deals', deal.id), await awayOf(zoe.id)], [zoe.id, undefined])
    assert.equal((await away(zoe.id, null)).body.code, 'not_away')
    assert.equal((await app.ask('owner', 'POST', `/bulk/${id}/undo`)).body.code, 'undone_already')
    assert.equal(
      (await app.ok('owner', 'GET', '/steps')).data.find((each: Row) => each.id === `bulk-${id}`).is_undone,
      true,
    )
  })

  test('comes back while the hand-over still runs: what was not handed over stays', async (t) => {
    const zoe = newMember()
    const rows = await deals(zoe.id, 6)
    await start('owner', zoe.id, { to: { deals: [app.ids.other] }, returns_on: inDays(3) })
    twoInABatch(t)
    step() // writes the records down
    step()
    assert.equal((await away(zoe.id, null)).status, 202)
    while (step());
    assert.deepEqual(new Set(rows.map(({ id }) => holder('deals', id))), new Set([zoe.id]))
    assert.equal(await awayOf(zoe.id), undefined)
  })

  test('is not away any more if the hand-over is undone, and nothing comes back twice', async () => {
    const zoe = newMember()
    const [deal] = await deals(zoe.id, 1)
    const date = inDays(3)
    const done = await handOver('owner', zoe.id, { to: { deals: [app.ids.other] }, returns_on: date })
    await undo('owner', done.id)
    assert.deepEqual([holder('deals', deal.id), await awayOf(zoe.id)], [zoe.id, undefined])
    assert.equal(app.store.db.prepare('SELECT count(*) FROM jobs WHERE key = ?').pluck().get(done.id), 0)
    await patch('deals', deal.id, { owner_id: app.ids.other })
    await until(date)
    assert.equal(holder('deals', deal.id), app.ids.other)
  })

  test('gets nothing back once they were deactivated', async () => {
    const zoe = newMember()
    const [deal] = await deals(zoe.id, 1)
    const date = inDays(3)
    await handOver('owner', zoe.id, { to: { deals: [app.ids.other] }, returns_on: date })
    await app.ok('owner', 'PATCH', `/members/${zoe.id}`, { status: 'deactivated' })
    await until(date)
    assert.deepEqual([holder('deals', deal.id), await awayOf(zoe.id)], [app.ids.other, undefined])
  })

  test('gets everything back although who handed it over has left, and the organisation moved to another zone', async () => {
    const zoe = newMember()
    const [deal] = await deals(zoe.id, 1)
    const date = inDays(3)
    await handOver('admin', zoe.id, { to: { deals: [app.ids.other] }, returns_on: date })
    await app.ok('owner', 'PATCH', `/members/${app.ids.admin}`, { status: 'deactivated' })
    const setZone = app.store.db.prepare('UPDATE orgs SET timezone = ? WHERE id = ?')
    setZone.run('Pacific/Honolulu', app.a.org)
    await until(date)
    assert.equal(holder('deals', deal.id), app.ids.other, 'it is still the day before in Hawaii')
    await pass(6 * HOUR_MS)
    while (step());
    assert.equal(holder('deals', deal.id), zoe.id)
    setZone.run(ZONE, app.a.org)
    await app.ok('owner', 'PATCH', `/members/${app.ids.admin}`, { status: 'active' })
  })

  test('is back on a day that is ahead, and not for ever', async () => {
    const zoe = newMember()
    const gone = newMember()
    await app.ok('owner', 'PATCH', `/members/${gone.id}`, { status: 'deactivated' })
    for (const [given, error] of [
      [{ to: {}, returns_on: inDays(0) }, '/returns_on not_ahead'],
      [{ to: {}, returns_on: inDays(1101) }, '/returns_on too_far'],
      [{ to: {}, returns_on: '2027-02-30' }, '/returns_on invalid_date'],
      [{ to: {}, returns_on: inDays(2), deactivate: true }, '/returns_on contradiction'],
      [{ to: {}, returns_on: inDays(2), finished: ['deals'] }, '/finished contradiction'],
    ] as const) {
      const { status, body } = await ask('owner', zoe.id, given)
      assert.deepEqual([status, errorsOf(body)], [422, [error]])
    }
    assert.equal((await ask('owner', gone.id, { to: {}, returns_on: inDays(2) })).body.code, 'member_deactivated')
    await handOver('owner', zoe.id, { to: {}, returns_on: inDays(2) })
    assert.deepEqual(errorsOf((await away(zoe.id, inDays(0))).body), ['/returns_on not_ahead'])
    await away(zoe.id, null)
    while (step());
  })
})

test('what is lent is known until it came back, although other changes of many records are forgotten after 30 days', async () => {
  const [zoe, ben, cid] = [newMember(), newMember(), newMember()]
  const [deal] = await deals(zoe.id, 1)
  const date = inDays(60)
  const { id } = await handOver('owner', zoe.id, { to: { deals: [ben.id] }, returns_on: date })
  await handOver('owner', ben.id, { to: { deals: [cid.id] }, deactivate: true })
  await pass(31 * DAY_MS)
  const purge = () => app.store.transaction(() => void (bulkJournal(app.deps).purge() && purge()))
  purge()
  const count = app.store.db.prepare('SELECT count(*) FROM bulk_changes WHERE org_id = ?').pluck()
  assert.ok((count.get(app.a.org) as number) > 1)
  await until(date)
  assert.equal(holder('deals', deal.id), zoe.id)
  purge()
  assert.equal(count.get(app.a.org), 0)
  assert.equal(bulkJournal(app.deps).stored(app.a.org, id), undefined)
})
