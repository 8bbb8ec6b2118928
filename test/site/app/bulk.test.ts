import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { silentLog } from '../../../src/lib/log.ts'
import { Problem } from '../../../src/lib/problem.ts'
import { DAY_MS } from '../../../src/lib/time.ts'
import { noticeQueue } from '../../../src/personal/notices.ts'
import { doEach } from '../../../src/site/app/bulk/each.ts'
import { bulkJournal } from '../../../src/site/app/bulk/journal.ts'
import { bulkKinds } from '../../../src/site/app/bulk/routes.ts'
import { type Scheduler, startScheduler } from '../../../src/store/jobs/scheduler.ts'
import { type AppServer, startApp } from '../../support/app-data.ts'
import { errorsOf, type Given, idsOf, type Row, UNKNOWN } from '../../support/records.ts'

let app: AppServer
let scheduler: Scheduler
const start = () =>
  startScheduler({ store: app.store, log: silentLog, kinds: bulkKinds(app.deps), recurring: [], afterJump: [] })
before(async () => {
  app = await startApp()
  await app.newRecord('/custom-fields', { object: 'deal', key: 'code', label: 'Code', type: 'text', is_unique: true })
  scheduler = start()
})
after(async () => {
  await scheduler.stop()
  await app.stop()
})

const bulk = (given: Given) => app.ask('member', 'POST', '/bulk', given)
const done = async (id: string): Promise<Row> => {
  await scheduler.tick()
  return app.ok('member', 'GET', `/bulk/${id}`)
}
const changed = async (given: Given): Promise<Row> => {
  const { status, body } = await bulk(given)
  assert.equal(status, 202, JSON.stringify(body))
  return done(body.id)
}
const undone = async (id: string): Promise<Row> => {
  assert.equal((await app.ask('member', 'POST', `/bulk/${id}/undo`)).status, 202)
  return done(id)
}
const deals = (count: number, given: Given = {}): Promise<Row[]> =>
  Promise.all(Array.from({ length: count }, (_, at) => app.newDeal({ title: `D${at}`, ...given })))
const all = async (rows: Row[]): Promise<Row[]> => Promise.all(rows.map(({ id }) => app.getRecord(`/deals/${id}`)))
const filterOf = (tag: string) => ({ field: 'tag_ids', op: 'has_any', value: [tag] })
const newTag = async (name: string): Promise<string> => (await app.newRecord('/tags', { name })).id

describe('a bulk change', () => {
  test('patches all records that match, each with its event, and is undone as one', async () => {
    const tag = await newTag('Batch')
    const rows = await deals(250, { tag_ids: [tag], amount: 1 })
    const other = await app.newDeal({ amount: 1 })
    const seq = app.lastSeq()
    noticeQueue(app.deps).take()
    const result = await changed({ kind: 'deals', filter: filterOf(tag), patch: { amount: 7 }, expected: 250 })
    assert.deepEqual([result.total, result.done, result.failed, result.kind], [250, 250, [], 'deals'])
    assert.ok(result.finished_at)
    const notices = noticeQueue(app.deps).take()
    assert.ok(notices.length >= 2)
    assert.ok(notices.every(({ member, notice }) => member === app.ids.member && notice.kind === 'bulk'))
    assert.deepEqual([notices.at(-1)?.notice.done, notices.at(-1)?.notice.is_finished], [250, true])
    assert.ok((await all(rows)).every(({ amount }) => amount === 7))
    assert.equal((await app.getRecord(`/deals/${other.id}`)).amount, 1)
    const events = app.events(seq)
    assert.equal(events.length, 250)
    assert.ok(events.every(({ type, actor }) => type === 'deal.updated' && actor === app.ids.member))
    const [kept] = rows as [Row]
    await app.patchRecord(`/deals/${kept.id}`, { amount: 9 })
    const back = await undone(result.id)
    assert.ok(back.undone_at)
    const detail = 'This was changed again since: amount.'
    assert.deepEqual(back.kept, [{ id: kept.id, code: 'changed_since', detail }])
    assert.deepEqual(new Set((await all(rows)).map(({ amount }) => amount)), new Set([9, 1]))
    assert.equal((await app.ask('member', 'POST', `/bulk/${result.id}/undo`)).body.code, 'undone_already')
  })

  test('takes "me" for the one who started it, also in a list of somebody else', async () => {
    const tag = await newTag('Whose')
    const [mine, theirs] = [app.ids.member, app.ids.other]
    for (const owner_id of [mine, theirs, theirs]) await app.newDeal({ owner_id, tag_ids: [tag], amount: 1 })
    const filter = { all: [filterOf(tag), { field: 'owner_id', op: 'in', value: ['me'] }] }
    const list = await app.newRecord('/lists', { name: 'M', object: 'deal', kind: 'smart', owner_id: theirs, filter })
    const amounts = async () =>
      (await app.call('GET', `/deals?tag_id=${tag}&sort=-amount`)).body.data.map(
        ({ owner_id, amount }: Row) => `${owner_id === mine ? 'mine' : 'theirs'} ${amount}`,
      )
    assert.equal((await changed({ kind: 'deals', filter, patch: { amount: 7 } })).total, 1)
    assert.deepEqual(await amounts(), ['mine 7', 'theirs 1', 'theirs 1'])
    assert.equal((await changed({ kind: 'deals', list_id: list.id, patch: { amount: 8 } })).total, 1)
    assert.deepEqual(await amounts(), ['mine 8', 'theirs 1', 'theirs 1'])
  })

  test('adds and removes tags, adds to a list, and deletes, each to be undone', async () => {
    const [gold, silver] = [await newTag('Gold'), await newTag('Silver')]
    const rows = await deals(3, { tag_ids: [silver] })
    const ids = idsOf(rows)
    const list = await app.newRecord('/lists', { name: 'L', object: 'deal', kind: 'static' })
    await app.call('POST', `/lists/${list.id}/members`, { add_ids: [ids[0]] })
    const tagged = await changed({
      kind: 'deals',
      ids,
      add_tag_ids: [gold],
      remove_tag_ids: [silver],
      to_list_id: list.id,
    })
    assert.ok((await all(rows)).every(({ tag_ids }) => tag_ids.join() === gold))
    assert.deepEqual((await app.listIds(`/deals?list_id=${list.id}`)).toSorted(), ids.toSorted())
    await undone(tagged.id)
    assert.ok((await all(rows)).every(({ tag_ids }) => tag_ids.join() === silver))
    assert.deepEqual(await app.listIds(`/deals?list_id=${list.id}`), [ids[0]])
    const deleted = await changed({ kind: 'deals', filter: filterOf(silver), exclude: [ids[2]], delete: true })
    assert.equal(deleted.total, 2)
    assert.deepEqual(await app.listIds(`/deals?tag_id=${silver}`), [ids[2]])
    assert.deepEqual((await undone(deleted.id)).kept, [])
    assert.deepEqual((await app.listIds(`/deals?tag_id=${silver}`)).toSorted(), ids.toSorted())
    assert.deepEqual(await app.listIds(`/deals?list_id=${list.id}`), [ids[0]])
  })

  test('says which records it could not change, and changes the others', async () => {
    const rows = await deals(4)
    const [first, closed, , gone] = rows as [Row, Row, Row, Row]
    await app.call('POST', `/deals/${closed.id}/close`, { reason_id: app.a.reasons.won })
    await app.ok('member', 'DELETE', `/deals/${gone.id}`)
    const { body } = await bulk({ kind: 'deals', ids: idsOf(rows), patch: { stage: app.a.stages.demo } })
    const result = await done(body.id)
    assert.deepEqual([result.done, result.failed_count, idsOf(result.failed)], [4, 2, [closed.id, gone.id]])
    assert.match(result.failed[0].detail, /closed/)
    const codes = result.failed.map(({ code, errors }: Row) => [code, errors?.map((each: Row) => each.code)])
    assert.deepEqual(codes, [
      ['deal_closed', undefined],
      ['not_found', undefined],
    ])
    assert.equal((await app.getRecord(`/deals/${first.id}`)).stage, app.a.stages.demo)
    // The second fails after it has written: nothing of it is left.
    const seq = app.lastSeq()
    const unique = await changed({
      kind: 'deals',
      ids: [first.id, rows[2]?.id],
      patch: { custom_fields: { code: 'X' } },
    })
    assert.deepEqual([unique.failed_count, idsOf(unique.failed)], [1, [rows[2]?.id]])
    assert.deepEqual(
      app.events(seq).map(({ object_id }) => object_id),
      [first.id],
    )
    assert.deepEqual((await app.getRecord(`/deals/${rows[2]?.id}`)).custom_fields, {})
  })

  test('closes deals, each in its own pipeline, and undo opens them where they were', async () => {
    const other = await app.newDeal()
    const rows = await deals(3)
    const [first, moved, closed] = rows as [Row, Row, Row]
    await app.patchRecord(`/deals/${moved.id}`, { stage: app.a.stages.demo })
    await app.call('POST', `/deals/${closed.id}/close`, { reason_id: app.a.reasons.won })
    const seq = app.lastSeq()
    const result = await changed({ kind: 'deals', ids: idsOf(rows), close: { reason_id: app.a.reasons.lost } })
    assert.deepEqual([result.done, result.failed_count, idsOf(result.failed)], [3, 1, [closed.id]])
    const shown = async () =>
      (await all([first, moved, closed, other])).map(({ status, stage, close_reason_id }) => [
        status,
        stage,
        close_reason_id,
      ])
    const lost = ['lost', app.a.stages.lost, app.a.reasons.lost]
    const won = ['won', app.a.stages.won, app.a.reasons.won]
    const open = (stage: string) => ['open', stage, null]
    assert.deepEqual(await shown(), [lost, lost, won, open(other.stage)])
    assert.deepEqual(
      app.events(seq).map(({ type, object_id }) => [type, object_id]),
      [first, moved].map(({ id }) => ['deal.closed', id]),
    )
    assert.deepEqual((await undone(result.id)).kept, [])
    assert.deepEqual(await shown(), [open(first.stage), open(app.a.stages.demo as string), won, open(other.stage)])
  })

  test('goes on after a restart', async () => {
    const tag = await newTag('Restart')
    const rows = await deals(5, { tag_ids: [tag] })
    await scheduler.stop()
    const { body } = await bulk({ kind: 'deals', filter: filterOf(tag), patch: { amount: 3 } })
    assert.equal((await app.ok('member', 'GET', `/bulk/${body.id}`)).done, 0)
    assert.equal((await app.ask('member', 'POST', `/bulk/${body.id}/undo`)).body.code, 'not_finished')
    scheduler = start()
    assert.equal((await done(body.id)).done, 5)
    assert.ok((await all(rows)).every(({ amount }) => amount === 3))
  })

  test('is of contacts, companies and tasks as well, found by words', async () => {
    const contact = await app.newContact({ last_name: 'Quendolin' })
    const company = await app.newCompany({ name: 'Quendolin' })
    const task = await app.newRecord('/tasks', { title: 'Call' })
    await changed({ kind: 'contacts', q: 'quendo', patch: { job_title: 'Head' } })
    await changed({ kind: 'companies', q: 'quendo', patch: { industry: 'Roofs' } })
    await changed({ kind: 'tasks', ids: [task.id], patch: { status: 'done' } })
    assert.equal((await app.getRecord(`/contacts/${contact.id}`)).job_title, 'Head')
    assert.equal((await app.getRecord(`/companies/${company.id}`)).industry, 'Roofs')
    assert.equal((await app.getRecord(`/tasks/${task.id}`)).status, 'done')
  })

  test('is refused at once where no record could take it', async () => {
    const { id } = await app.newDeal()
    const smart = await app.newRecord('/lists', {
      name: 'S',
      object: 'deal',
      kind: 'smart',
      filter: { field: 'title', op: 'not_null' },
    })
    const seq = app.lastSeq()
    for (const [given, expected] of [
      [{ ids: [id] }, ' required'],
      [{ patch: { amount: 1 } }, ' required'],
      [{ ids: [id], q: 'x', patch: { amount: 1 } }, ' required'],
      [{ ids: [id], patch: { amount: -1 } }, '/patch/amount invalid_amount'],
      [{ ids: [id], patch: { nothing: 1 } }, '/patch/nothing unknown_field'],
      [{ ids: [id], patch: { owner_id: UNKNOWN } }, '/patch/owner_id reference_not_found'],
      [{ ids: [id], patch: { stage: app.a.stages.won } }, '/patch/stage reference_not_found'],
      [{ ids: [id], patch: { custom_fields: { none: 1 } } }, '/patch/custom_fields/none unknown_field'],
      [{ ids: [id], add_tag_ids: [UNKNOWN] }, '/add_tag_ids/0 reference_not_found'],
      [{ ids: [id], to_list_id: smart.id }, '/to_list_id not_static'],
      [{ ids: [id], close: { reason_id: UNKNOWN } }, '/close/reason_id reason_not_active'],
      [{ ids: [id], close: { reason_id: app.a.reasons.won }, patch: { amount: 1 } }, '/close contradiction'],
      [{ kind: 'contacts', ids: [id], close: { reason_id: app.a.reasons.won } }, '/close not_supported'],
      [{ ids: [id], delete: true, patch: { amount: 1 } }, '/delete contradiction'],
      [{ filter: { field: 'nothing', op: 'is_null' }, delete: true }, '/filter/field unknown_field'],
    ] as [Given, string][]) {
      const { status, body } = await bulk({ kind: 'deals', ...given })
      assert.deepEqual([status, errorsOf(body)], [422, [expected]], JSON.stringify(given))
    }
    const more = await bulk({ kind: 'deals', filter: null, delete: true, expected: 0 })
    assert.deepEqual([more.status, more.body.code], [409, 'count_changed'])
    assert.ok(more.body.count > 0)
    await scheduler.tick()
    assert.equal(app.lastSeq(), seq)
  })

  test('refuses for tasks what tasks do not have', async () => {
    const { id } = await app.newRecord('/tasks', { title: 'Call' })
    const tag = await newTag('Task')
    const list = await app.newRecord('/lists', { name: 'T', object: 'deal', kind: 'static' })
    for (const [given, expected] of [
      [{ ids: [id], add_tag_ids: [tag] }, ' not_supported'],
      [{ ids: [id], remove_tag_ids: [tag] }, ' not_supported'],
      [{ ids: [id], to_list_id: list.id }, ' not_supported'],
      [{ filter: { field: 'title', op: 'not_null' }, patch: { title: 'X' } }, '/filter not_supported'],
      [{ list_id: list.id, patch: { title: 'X' } }, '/filter not_supported'],
    ] as [Given, string][]) {
      const { status, body } = await bulk({ kind: 'tasks', ...given })
      assert.deepEqual([status, errorsOf(body)], [422, [expected]], JSON.stringify(given))
    }
    await app.newRecord('/tasks', { title: 'Quendolin calls' })
    const found = await changed({ kind: 'tasks', q: 'quendolin', patch: { priority: 'high' } })
    assert.deepEqual([found.total, found.failed], [1, []])
  })

  test('is of the members of a list, without those that are left out', async () => {
    const rows = await deals(5)
    const ids = idsOf(rows)
    const list = await app.newRecord('/lists', { name: 'Members', object: 'deal', kind: 'static' })
    await app.call('POST', `/lists/${list.id}/members`, { add_ids: ids.slice(0, 4) })
    const amounts = async () => (await all(rows)).map(({ amount }) => amount)
    await changed({ kind: 'deals', list_id: list.id, exclude: [ids[1]], patch: { amount: 4 } })
    assert.deepEqual(await amounts(), [4, null, 4, 4, null])
    await changed({ kind: 'deals', ids, exclude: [ids[0]], patch: { amount: 5 } })
    assert.deepEqual(await amounts(), [4, 5, 5, 5, 5])
    const filter = { field: 'amount', op: 'gte', value: 5 }
    await changed({ kind: 'deals', list_id: list.id, filter, patch: { amount: 6 } })
    assert.deepEqual(await amounts(), [4, 6, 6, 6, 5])
  })

  test('changes the version of a list that gets or loses records, and of no other', async () => {
    const ids = idsOf(await deals(2))
    const make = (name: string, object: string) => app.newRecord('/lists', { name, object, kind: 'static' })
    const [people, other, list] = [await make('P', 'contact'), await make('O', 'deal'), await make('Own', 'deal')]
    const wrong = await bulk({ kind: 'deals', ids, to_list_id: people.id })
    assert.deepEqual(errorsOf(wrong.body), ['/to_list_id not_static'])
    const versions = async () => {
      const of = async ({ id }: Row) => (await app.getRecord(`/lists/${id}`)).version
      return [await of(list), await of(other)]
    }
    const added = await changed({ kind: 'deals', ids, to_list_id: list.id })
    assert.deepEqual(await versions(), [2, 1])
    const again = await changed({ kind: 'deals', ids, to_list_id: list.id })
    assert.deepEqual([again.failed_count, await versions()], [0, [2, 1]], 'they are there already')
    await undone(again.id)
    assert.deepEqual(await app.listIds(`/deals?list_id=${list.id}`).then((found) => found.length), 2)
    noticeQueue(app.deps).take()
    const back = await undone(added.id)
    const told = noticeQueue(app.deps).take()
    assert.deepEqual([told.at(-1)?.notice.undone, told.at(-1)?.notice.is_finished], [2, true])
    assert.ok(back.undone_at >= back.undo_started_at)
    assert.deepEqual([await versions(), await app.listIds(`/deals?list_id=${list.id}`)], [[3, 1], []])
  })

  test('is kept apart from others that run at the same time', async () => {
    const [mine, theirs] = [await deals(3), await deals(3)]
    await app.ok('member', 'DELETE', `/deals/${theirs[1]?.id}`)
    await scheduler.stop()
    const [one, two] = [
      await bulk({ kind: 'deals', ids: idsOf(mine), patch: { amount: 1 } }),
      await app.ask('other', 'POST', '/bulk', { kind: 'deals', ids: idsOf(theirs), patch: { amount: 2 } }),
    ]
    assert.equal((await app.ok('member', 'GET', `/bulk/${one.body.id}`)).finished_at, null)
    scheduler = start()
    const first = await done(one.body.id)
    const second = await app.ok('other', 'GET', `/bulk/${two.body.id}`)
    assert.deepEqual([first.done, first.failed, second.done], [3, [], 3])
    assert.deepEqual(idsOf(second.failed), [theirs[1]?.id])
    assert.ok((await all(mine)).every(({ amount }) => amount === 1))
    await undone(one.body.id)
    assert.deepEqual(
      (await all(mine)).map(({ amount }) => amount),
      [null, null, null],
    )
    assert.equal((await app.getRecord(`/deals/${theirs[0]?.id}`)).amount, 2)
    assert.equal((await app.ok('other', 'GET', `/bulk/${two.body.id}`)).undo_started_at, null)
  })

  test('shows the first hundred of many that were refused, and counts all', async () => {
    const gone = Array.from({ length: 103 }, (_, at) => `01890000-0000-7000-8000-${`${at}`.padStart(12, '0')}`)
    const result = await changed({ kind: 'deals', ids: gone.slice(0, 100), patch: { amount: 1 } })
    assert.deepEqual([result.failed_count, result.failed.length], [100, 100])
    const tag = await newTag('Closed')
    const rows = await deals(103, { tag_ids: [tag] })
    for (const { id } of rows) await app.call('POST', `/deals/${id}/close`, { reason_id: app.a.reasons.won })
    const many = await changed({ kind: 'deals', filter: filterOf(tag), patch: { stage: app.a.stages.demo } })
    assert.deepEqual([many.failed_count, many.failed.length, many.failed[0].id], [103, 100, rows[0]?.id])
  })

  test('is for members, and seen by the one who made it', async () => {
    const { id } = await app.newDeal()
    const given = { kind: 'deals', ids: [id], patch: { amount: 1 } }
    assert.equal((await app.ask('viewer', 'POST', '/bulk', given)).status, 403)
    const { body } = await bulk(given)
    for (const person of ['other', 'stranger'] as const) {
      assert.equal((await app.ask(person, 'GET', `/bulk/${body.id}`)).status, 404)
      assert.equal((await app.ask(person, 'POST', `/bulk/${body.id}/undo`)).status, 404)
    }
    const foreign = await app.ask('stranger', 'POST', '/bulk', { ...given, patch: { amount: 5 } })
    await scheduler.tick()
    assert.equal((await app.ok('stranger', 'GET', `/bulk/${foreign.body.id}`)).failed_count, 1)
    assert.equal((await app.getRecord(`/deals/${id}`)).amount, 1)
  })
})

test('a bulk change is forgotten after 30 days, with its records in batches', async () => {
  const { store, a } = app
  const journal = bulkJournal(app.deps)
  const who = { org: a.org, member: app.ids.member }
  const ids = (count: number) => Array.from({ length: count }, () => store.clock.id())
  const add = (count: number) =>
    store.transaction(() => {
      const id = journal.add(who, 'deals', { delete: true }, count)
      journal.addItems(who.org, id, 0, ids(count))
      return id
    })
  const purge = () => store.transaction(() => journal.purge())
  const rowsOf = (id: string) =>
    store.db.prepare('SELECT count(*) FROM bulk_rows WHERE bulk_id = ?').pluck().get(id) as number
  app.advance(10)
  const old = add(1000)
  app.advance(10)
  const young = add(3)
  app.advance(30 * DAY_MS - 11)
  while (purge() === 'more'); // those of the tests before
  app.advance(1)
  assert.equal(purge(), undefined)
  app.advance(1)
  assert.equal(purge(), 'more')
  assert.deepEqual([rowsOf(old), rowsOf(young)], [0, 3])
  assert.ok(journal.stored(a.org, old), 'what is left is looked at in the next step')
  assert.deepEqual([purge(), purge()], ['more', undefined])
  assert.equal(journal.stored(a.org, old), undefined)
  assert.equal(rowsOf(young), 3)
})

describe('each of many', () => {
  const store = { savepoint: <T>(run: () => T) => run(), changes: { byUs: () => 0, byOthers: () => 0 } }

  test('is done for 35 ms at most, one at least', (t) => {
    let now = 0
    t.mock.method(performance, 'now', () => now)
    const take = (ms: number) =>
      doEach(store as never, [1, 2, 3, 4], () => {
        now += ms
      }).map(({ item }) => item)
    assert.deepEqual([take(100), take(20), take(17.5), take(11)], [[1], [1, 2], [1, 2], [1, 2, 3, 4]])
  })

  test('stops at a fault that is no refusal', () => {
    const run = () => {
      throw new TypeError('a fault')
    }
    assert.throws(() => doEach(store as never, [1, 2], run), TypeError)
    let writes = 0
    const written = { ...store, changes: { byUs: () => writes } }
    const second = (item: number) => {
      writes++
      if (item === 2) throw writes > 2 ? new TypeError('a fault') : new Problem(409, 'no', 'No.')
    }
    assert.throws(() => doEach(written as never, [1, 2], second), TypeError)
  })
})
