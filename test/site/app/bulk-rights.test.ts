import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { silentLog } from '../../../src/lib/log.ts'
import { BULK, BULK_UNDO, bulkStore, MAX_FOUND } from '../../../src/site/app/bulk/bulk.ts'
import { bulkJournal } from '../../../src/site/app/bulk/journal.ts'
import { bulkKinds } from '../../../src/site/app/bulk/routes.ts'
import { jobQueue } from '../../../src/store/jobs/jobs.ts'
import { type AppServer, startApp } from '../../support/app-data.ts'
import { idsOf, type Row } from '../../support/records.ts'
import { examples } from '../../support/seed.ts'

// A bulk change goes on after its request has ended: each batch looks at the member as a request would.

let app: AppServer
before(async () => {
  app = await startApp()
})
after(() => app.stop())

/** Runs one batch, as the scheduler does. Returns false if none is due. */
function step(): boolean {
  const { store, deps } = app
  const jobs = jobQueue(store)
  return store.transaction(() => {
    for (const kind of bulkKinds(deps)) {
      const [due] = jobs.due(kind.kind, 1)
      const job = due && jobs.take(due.org, due.id)
      if (!job) continue
      kind.run(job, { store, log: silentLog })
      return true
    }
    return false
  })
}

/** One record takes so long that each batch has two. */
function twoInABatch(t: { mock: { method: (object: object, name: 'now', run: () => number) => unknown } }): void {
  let now = 0
  t.mock.method(performance, 'now', () => (now += 18))
}

const state = (id: string): Row => bulkJournal(app.deps).stored(app.a.org, id) as unknown as Row
const errors = (id: string): (string | null)[] =>
  app.store.db.prepare('SELECT error FROM bulk_rows WHERE bulk_id = ? ORDER BY position').pluck().all(id) as never
const deals = (count: number): Promise<Row[]> =>
  Promise.all(Array.from({ length: count }, () => app.newDeal({ amount: 1 })))
const amounts = async (rows: Row[]): Promise<number[]> =>
  Promise.all(rows.map(async ({ id }) => (await app.getRecord(`/deals/${id}`)).amount))
const setMember = (given: object) => app.ok('owner', 'PATCH', `/members/${app.ids.member}`, given)

describe('a bulk change of a member', () => {
  for (const [name, lost, back, reason] of [
    ['who is deactivated', { status: 'deactivated' }, { status: 'active' }, /was deactivated/],
    ['who becomes a viewer', { role: 'viewer' }, { role: 'member' }, /was given the role viewer/],
  ] as const)
    test(`${name} stops there, and so does its undo`, async (t) => {
      const rows = await deals(5)
      const who = { org: app.a.org, member: app.ids.member }
      const { body } = await app.ask('other', 'POST', '/bulk', {
        kind: 'deals',
        ids: idsOf(rows),
        patch: { amount: 3 },
      })
      while (step()); // the one of another member does not matter
      assert.equal(state(body.id).failed, 0)
      const { id } = bulkStore(app.deps).start(who, { kind: 'deals', ids: idsOf(rows), patch: { amount: 7 } })
      twoInABatch(t)
      step() // writes the records down
      step()
      assert.deepEqual(await amounts(rows), [7, 7, 3, 3, 3])
      await setMember(lost)
      const seq = app.lastSeq()
      while (step());
      assert.deepEqual(await amounts(rows), [7, 7, 3, 3, 3])
      assert.equal(app.lastSeq(), seq)
      const { done, failed, finished_at } = state(id)
      assert.deepEqual([done, failed], [5, 3])
      assert.ok(finished_at)
      const noted = errors(id)
      assert.deepEqual(noted.slice(0, 2), [null, null])
      for (const error of noted.slice(2)) assert.match(String(error), reason)

      bulkStore(app.deps).undo(who, id)
      while (step());
      assert.deepEqual(await amounts(rows), [7, 7, 3, 3, 3])
      assert.ok(state(id).undone_at)
      assert.match(String(errors(id)[0]), reason)
      await setMember(back)
    })

  test('is stopped by that member where it is, and undone from there', async (t) => {
    const rows = await deals(5)
    const given = { kind: 'deals', ids: idsOf(rows), patch: { amount: 7 } }
    const { id } = (await app.ask('other', 'POST', '/bulk', given)).body
    twoInABatch(t)
    step() // writes the records down
    step()
    assert.equal((await app.ask('owner', 'POST', `/bulk/${id}/stop`)).status, 404)
    const { done, total, finished_at } = await app.ok('other', 'POST', `/bulk/${id}/stop`)
    assert.deepEqual([done, total], [2, 5])
    assert.ok(finished_at)
    assert.equal(step(), false)
    assert.deepEqual(await amounts(rows), [7, 7, 1, 1, 1])
    assert.equal((await app.ok('other', 'GET', '/steps')).data[0].count, 2)
    await app.ok('other', 'POST', `/bulk/${id}/undo`)
    while (step());
    assert.deepEqual(await amounts(rows), [1, 1, 1, 1, 1])
  })

  test('goes on for one who is promoted', async () => {
    const rows = await deals(1)
    const who = { org: app.a.org, member: app.ids.member }
    await setMember({ role: 'admin' })
    const { id } = bulkStore(app.deps).start(who, { kind: 'deals', ids: idsOf(rows), patch: { amount: 8 } })
    while (step());
    assert.deepEqual([state(id).failed, await amounts(rows)], [0, [8]])
    await setMember({ role: 'member' })
  })

  test('writes exactly what the rights of the moment allow, whenever they end and come back', async (t) => {
    const rows = await deals(9)
    const who = { org: app.a.org, member: app.ids.member }
    const { db } = app.store
    const setRights = (status: string, role: string) =>
      db.prepare('UPDATE members SET status = ?, role = ? WHERE id = ?').run(status, role, who.member)
    const amountOf = (id: string) =>
      db.prepare('SELECT amount_micros / 1000000 FROM deals WHERE id = ?').pluck().get(id)
    twoInABatch(t)
    let amount = 100
    const run = (turns: readonly ('step' | 'deactivate' | 'demote' | 'restore')[]): void => {
      const { start, undo } = bulkStore(app.deps)
      setRights('active', 'member')
      const before = rows.map(({ id }) => amountOf(id))
      const now = amount++
      const { id } = start(who, { kind: 'deals', ids: idsOf(rows), patch: { amount: now } })
      let allowed = true
      const may = rows.map(() => false)
      const turn = (kind: (typeof turns)[number], at: () => number): void => {
        if (kind !== 'step') {
          allowed = kind === 'restore'
          setRights(kind === 'deactivate' ? 'deactivated' : 'active', kind === 'demote' ? 'viewer' : 'member')
          return
        }
        const from = at()
        step()
        for (let each = from; each < at(); each++) may[each] = allowed
      }
      for (const kind of turns) turn(kind, () => state(id).done)
      while (state(id).finished_at === null) turn('step', () => state(id).done)
      const after = rows.map(({ id: deal }) => amountOf(deal))
      assert.deepEqual(
        after,
        before.map((old, at) => (may[at] ? now : old)),
      )
      assert.equal(state(id).failed, may.filter((each) => !each).length)

      undo(who, id)
      for (const kind of turns.toReversed()) {
        if (kind === 'step') continue
        turn(kind, () => 0)
      }
      while (step());
      assert.deepEqual(
        rows.map(({ id: deal }) => amountOf(deal)),
        after.map((changed, at) => (allowed ? before[at] : changed)),
      )
    }
    const turns = fc.array(fc.constantFrom('step', 'step', 'deactivate', 'demote', 'restore'), { maxLength: 12 })
    fc.assert(
      fc.property(turns, (each) => run(each as never)),
      { numRuns: examples(50) },
    )
    setRights('active', 'member')
  })
})

describe('the records of a bulk change', () => {
  test('are written down by the job, some in each transaction, and before the first is changed', async () => {
    const { store, a } = app
    const one = await app.newDeal({ title: 'Copied', amount: 1 })
    const columns = store.db.prepare("SELECT name FROM pragma_table_info('deals')").pluck().all() as string[]
    const values = columns.map((name) => (name === 'id' ? '?' : name)).join()
    const copy = store.db.prepare(`INSERT INTO deals (${columns.join()}) SELECT ${values} FROM deals WHERE id = ?`)
    const count = 2 * MAX_FOUND + 7
    store.transaction(() => {
      for (let each = 1; each < count; each++) copy.run(store.clock.id(), one.id)
    })
    const filter = { field: 'title', op: 'eq', value: 'Copied' }
    const given = { kind: 'deals', filter, exclude: [one.id], patch: { amount: 2 }, expected: count - 1 }
    const { status, body } = await app.ask('other', 'POST', '/bulk', given)
    assert.deepEqual([status, body.total], [202, count - 1])
    const written = () =>
      store.db.prepare('SELECT count(*) FROM bulk_rows WHERE bulk_id = ?').pluck().get(body.id) as number
    const sums = [written()]
    // One that comes to match meanwhile is not among those that the member has seen.
    const late = await app.newDeal({ title: 'Copied', amount: 1 })
    const seq = app.lastSeq()
    while (sums.at(-1) !== count - 1 && step()) sums.push(written())
    assert.deepEqual(sums, [0, MAX_FOUND, 2 * MAX_FOUND, count - 1])
    assert.equal(app.lastSeq(), seq)
    store.db.prepare('DELETE FROM bulk_rows WHERE bulk_id = ? AND position >= 5').run(body.id) // enough for a test
    store.db.prepare('UPDATE bulk_changes SET total = 5 WHERE id = ?').run(body.id)
    while (step());
    assert.equal(app.lastSeq(), seq + 5)
    assert.equal((await app.getRecord(`/deals/${late.id}`)).amount, 1)
    assert.equal((await app.getRecord(`/deals/${one.id}`)).amount, 1, 'it was left out')
    store.db.prepare("DELETE FROM deals WHERE org_id = ? AND title = 'Copied'").run(a.org)
  })

  test('are none where the filter has lost its field meanwhile', async () => {
    const field = await app.newRecord('/custom-fields', { object: 'deal', key: 'gone', label: 'Gone', type: 'text' })
    await app.newDeal({ custom_fields: { gone: 'x' } })
    const filter = { field: 'custom_fields.gone', op: 'eq', value: 'x' }
    const { body } = await app.ask('other', 'POST', '/bulk', { kind: 'deals', filter, delete: true })
    assert.equal(body.total, 1, JSON.stringify(body))
    await app.patchRecord(`/custom-fields/${field.id}`, { is_archived: true })
    const seq = app.lastSeq()
    while (step());
    assert.equal(app.lastSeq(), seq)
    const { total, done, finished_at } = await app.ok('other', 'GET', `/bulk/${body.id}`)
    assert.deepEqual([total, done], [0, 0])
    assert.ok(finished_at)
  })

  test('are at most as many as the member expects', async () => {
    const rows = await deals(3)
    const list = await app.newRecord('/lists', { name: 'Three', object: 'deal', kind: 'static' })
    await app.call('POST', `/lists/${list.id}/members`, { add_ids: idsOf(rows) })
    const ask = (expected: number, more: object = { list_id: list.id }) =>
      app.ask('other', 'POST', '/bulk', { kind: 'deals', ...more, patch: { amount: 4 }, expected })
    const refused = await ask(2)
    assert.deepEqual([refused.status, refused.body.code, refused.body.count], [409, 'count_changed', 3])
    assert.equal((await ask(2, { ids: idsOf(rows) })).status, 409)
    assert.equal((await ask(2, { ids: idsOf(rows), exclude: [rows[0]?.id] })).status, 202)
    assert.equal((await ask(2, { list_id: list.id, exclude: [rows[0]?.id] })).status, 202)
    assert.equal((await ask(3)).status, 202)
    assert.equal((await ask(4)).status, 202)
    while (step());
  })
})

test('a job of an earlier version, which had its records from the beginning, is finished', async () => {
  const { store, deps, a } = app
  const rows = await deals(2)
  const journal = bulkJournal(deps)
  const id = store.transaction(() => {
    const made = journal.add({ org: a.org, member: app.ids.member }, 'deals', { patch: { amount: 6 } }, 2)
    journal.addItems(a.org, made, 0, idsOf(rows))
    jobQueue(store).put(a.org, { kind: BULK, key: made, payload: { from: 0 }, dueAt: store.clock.now() })
    return made
  })
  while (step());
  assert.deepEqual([state(id).done, await amounts(rows)], [2, [6, 6]])
  assert.equal(jobQueue(store).due(BULK_UNDO, 1).length, 0)
})
