import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { silentLog } from '../../../src/lib/log.ts'
import { DAY_MS, HOUR_MS } from '../../../src/lib/time.ts'
import { bulkKinds } from '../../../src/site/app/bulk/routes.ts'
import { type Scheduler, startScheduler } from '../../../src/store/jobs/scheduler.ts'
import { type AppServer, type Person, startApp } from '../../support/app-data.ts'
import type { Row } from '../../support/records.ts'

// What a member did in the screens is one stack, and each step of it is taken back by the events of that step.

const PAUSE_MS = HOUR_MS / 4

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

let steps = 0
const newStep = () => `tab-${++steps}`

/** A request of the screens that belongs to a step. */
async function did(person: Person, step: string, method: string, path: string, body?: unknown, n = 1): Promise<Row> {
  const headers = { 'Idempotency-Key': `step.${step}.${n}` }
  const answer = await app.people[person].call(method, path, body, headers)
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`)
  return answer.body
}

async function changed(person: Person, path: string, fields: object, step = newStep(), n = 1): Promise<string> {
  await did(person, step, 'PATCH', `/api/v1${path}`, fields, n)
  return step
}

const stack = async (person: Person = 'member', limit = 100): Promise<Row[]> =>
  (await app.ok(person, 'GET', `/steps?limit=${limit}`)).data
const found = async (id: string, person: Person = 'member'): Promise<Row | undefined> =>
  (await stack(person)).find((step) => step.id === id)
const back = (id: string, body: object = {}, person: Person = 'member') =>
  app.ask(person, 'POST', `/steps/${id}/undo`, body)
async function backOk(id: string, body: object = {}, person: Person = 'member'): Promise<Row> {
  const answer = await back(id, body, person)
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

const getDeal = (id: string): Promise<Row> => app.getRecord(`/deals/${id}`)

/** Without what every write changes. */
const content = ({ version, updated_at, ...rest }: Row): Row => rest

describe('the stack of a member', () => {
  test('has their steps of the screens only, the newest first, with what they changed', async () => {
    const deal = await app.newDeal({ title: 'Roof' })
    const place = `/deals/${deal.id}`
    await app.patchRecord(place, { amount: 1 }) // by a program
    await changed('other', place, { amount: 2 })
    const first = await changed('member', place, { amount: 3, expected_close_date: '2027-01-01' })
    const second = newStep()
    await changed('member', place, { title: 'House' }, second, 1)
    const task = await did('member', second, 'POST', '/api/v1/tasks', { title: 'Ring' }, 2)
    const [newest, older, ...rest] = await stack()
    assert.deepEqual(rest, [])
    assert.deepEqual(
      [newest?.id, newest?.count, newest?.types.toSorted(), newest?.fields, newest?.is_undone],
      [second, 2, ['deal.updated', 'task.created'], ['title'], false],
    )
    assert.deepEqual(newest?.records, [
      { kind: 'deals', id: deal.id, title: 'House' },
      { kind: 'tasks', id: task.id, title: 'Ring' },
    ])
    assert.deepEqual([older?.id, older?.fields], [first, ['amount', 'expected_close_date']])
    assert.ok((await stack('other')).every(({ id }) => id !== first && id !== second))
    assert.equal((await back(first, {}, 'other')).status, 404)
    assert.equal((await app.ask('viewer', 'GET', '/steps')).status, 403)
    assert.equal((await back(first, {}, 'viewer')).status, 403)
  })

  test('is read in pages', async () => {
    const deal = await app.newDeal()
    const ids: string[] = []
    for (const amount of [1, 2, 3]) ids.unshift(await changed('admin', `/deals/${deal.id}`, { amount }))
    const one = await app.ok('admin', 'GET', '/steps?limit=2')
    const two = await app.ok('admin', 'GET', `/steps?limit=2&cursor=${one.next_cursor}`)
    assert.deepEqual([...one.data, ...two.data].map(({ id }: Row) => id).slice(0, 3), ids)
  })

  test('gives everything back, also the clock of the stage, when a deal was lost, and when a task was done', async () => {
    const { a } = app
    const deal = await app.newDeal()
    const place = `/deals/${deal.id}`
    const task = await app.newRecord('/tasks', { title: 'T', deal_ids: [deal.id] })
    app.advance(PAUSE_MS)
    const before = content(await app.getRecord(place))
    const moved = await changed('member', place, { stage: a.stages.proposal })
    app.advance(PAUSE_MS)
    const inProposal = content(await app.getRecord(place))
    const lost = newStep()
    await did('member', lost, 'POST', `/api/v1${place}/close`, { reason_id: a.reasons.lost })
    const closed = content(await app.getRecord(place))
    app.advance(PAUSE_MS)
    await backOk(lost)
    assert.deepEqual(content(await app.getRecord(place)), inProposal)
    app.advance(PAUSE_MS)
    await backOk(lost, { again: true })
    assert.deepEqual(content(await app.getRecord(place)), closed)
    await backOk(lost)
    await backOk(moved)
    assert.deepEqual(content(await app.getRecord(place)), before)

    const done = await changed('member', `/tasks/${task.id}`, { status: 'done' })
    const finished = content(await app.getRecord(`/tasks/${task.id}`))
    app.advance(PAUSE_MS)
    const opened = await changed('member', `/tasks/${task.id}`, { status: 'open' })
    await backOk(opened)
    assert.deepEqual(content(await app.getRecord(`/tasks/${task.id}`)), finished)
    await backOk(done)
    assert.equal((await app.getRecord(`/tasks/${task.id}`)).status, 'open')
  })

  test('leaves no stay behind in the history of a deal that was moved and back', async () => {
    const { a } = app
    const deal = await app.newDeal()
    const place = `/deals/${deal.id}`
    const stays = async () =>
      (await app.ok('member', 'GET', `/timeline?deal_id=${deal.id}`)).data
        .filter(({ kind }: Row) => kind === 'stage')
        .map(({ stage }: Row) => stage.to_stage_id)
    app.advance(PAUSE_MS)
    const first = await changed('member', place, { stage: a.stages.demo })
    app.advance(PAUSE_MS)
    const second = await changed('member', place, { stage: a.stages.proposal })
    await backOk(second)
    assert.deepEqual(await stays(), [a.stages.demo])
    await backOk(second, { again: true })
    assert.deepEqual(await stays(), [a.stages.proposal, a.stages.demo])
    await backOk(second)
    await backOk(first)
    assert.deepEqual(await stays(), [])
    // Back by hand is a stay like any other.
    await changed('member', place, { stage: a.stages.demo })
    await changed('member', place, { stage: a.stages.qualified })
    assert.deepEqual(await stays(), [a.stages.qualified, a.stages.demo])
  })

  test('leaves what a colleague has changed since, and says who and what', async () => {
    const deal = await app.newDeal({ title: 'Roof' })
    const place = `/deals/${deal.id}`
    const step = await changed('member', place, { amount: 5, custom_fields: {} })
    await changed('other', place, { amount: 6 })
    const version = (await app.getRecord(place)).version
    const { status, body } = await back(step)
    assert.deepEqual([status, body.code, body.fields, body.by], [409, 'changed_since', ['amount'], app.ids.other])
    assert.deepEqual(body.left[0].record, { kind: 'deals', id: deal.id, title: 'Roof' })
    assert.equal((await app.getRecord(place)).version, version)
  })

  test('takes back of many records those that nobody has changed since', async () => {
    const step = newStep()
    const deals = [
      await app.newDeal({ title: 'A' }),
      await app.newDeal({ title: 'B' }),
      await app.newDeal({ title: 'C' }),
    ]
    for (const [n, { id }] of deals.entries()) await changed('member', `/deals/${id}`, { amount: 9 }, step, n)
    await changed('other', `/deals/${deals[1]?.id}`, { amount: 7 })
    const { undone, left, rest, step: shown } = await backOk(step)
    assert.deepEqual([undone, rest, shown.count], [2, 0, 3])
    assert.deepEqual(
      left.map(({ record, by, fields }: Row) => [record.title, by, fields]),
      [['B', app.ids.other, ['amount']]],
    )
    const amounts = await Promise.all(deals.map(async ({ id }) => (await app.getRecord(`/deals/${id}`)).amount))
    assert.deepEqual(amounts, [null, 7, null])
    assert.equal((await found(step))?.is_undone, false, 'one of it still stands')
  })

  test('takes back a thousand changes of one step, a part at a time', async () => {
    const step = newStep()
    const made = await Promise.all(Array.from({ length: 230 }, (_, n) => app.newDeal({ title: `M${n}` })))
    for (const [n, { id }] of made.entries()) await changed('member', `/deals/${id}`, { amount: 1 }, step, n)
    let [rest, undone, asked] = [1, 0, 0]
    while (rest > 0) {
      const answer = await backOk(step)
      rest = answer.rest
      undone += answer.undone
      asked++
    }
    assert.equal(undone, 230)
    assert.ok(asked > 1)
    assert.equal((await back(step)).body.code, 'undone_already')
  })

  test('brings back what was deleted, with its references, and deletes what was made', async () => {
    const company = await app.newCompany({ name: 'Acme' })
    const contact = await app.newContact({ company_id: company.id })
    const deal = await app.newDeal({ company_id: company.id })
    const step = newStep()
    await did('member', step, 'DELETE', `/api/v1/companies/${company.id}`)
    const shown = await found(step)
    assert.deepEqual(
      [shown?.types, shown?.records],
      [['company.deleted'], [{ kind: 'companies', id: company.id, title: 'Acme' }]],
    )
    await backOk(step)
    assert.equal((await app.getRecord(`/contacts/${contact.id}`)).company_id, company.id)
    assert.equal((await app.getRecord(`/deals/${deal.id}`)).company_id, company.id)
    await backOk(step, { again: true })
    assert.equal((await app.call('GET', `/companies/${company.id}`)).status, 404)
    await backOk(step)

    const made = newStep()
    const note = await did('member', made, 'POST', '/api/v1/notes', { body: 'N', deal_ids: [deal.id] })
    await backOk(made)
    assert.equal((await app.call('GET', `/notes/${note.id}`)).status, 404)
    await backOk(made, { again: true })
    assert.equal((await app.getRecord(`/notes/${note.id}`)).body, 'N')
  })

  test('has the merges, and takes them apart', async () => {
    const [kept, merged] = [await app.newContact({ first_name: 'Ana' }), await app.newContact({ first_name: 'Anna' })]
    const deal = await app.newDeal({ primary_contact_id: merged.id })
    const step = newStep()
    const given = { object: 'contact', kept_id: kept.id, merged_id: merged.id, choices: ['first_name'] }
    await did('member', step, 'POST', '/app/merges', given)
    const shown = await found(step)
    assert.deepEqual([shown?.count, shown?.records[0].title], [1, 'Anna Ruiz'])
    assert.deepEqual(shown?.merged_into, { kind: 'contacts', id: kept.id, title: 'Anna Ruiz' })
    await backOk(step)
    assert.equal((await app.getRecord(`/contacts/${kept.id}`)).first_name, 'Ana')
    assert.equal((await app.getRecord(`/deals/${deal.id}`)).primary_contact_id, merged.id)
    assert.equal((await found(step))?.is_undone, true)
    assert.equal((await back(step, { again: true })).body.code, 'cannot_undo')

    const second = newStep()
    const { id } = await did('member', second, 'POST', '/app/merges', given)
    await app.ok('other', 'POST', `/merges/${id}/undo`)
    assert.equal((await found(second))?.is_undone, true, 'whoever took it apart')
  })

  test('has the changes of many records, in their place among the others', async () => {
    const deal = await app.newDeal()
    const list = await app.newRecord('/lists', { name: 'L', object: 'deal', kind: 'static' })
    await app.call('POST', `/lists/${list.id}/members`, { add_ids: [deal.id] })
    const before = await changed('member', `/deals/${deal.id}`, { amount: 1 })
    const bulk = async (given: object) => {
      const { id } = await app.ok('member', 'POST', '/bulk', { kind: 'deals', ids: [deal.id], ...given })
      await scheduler.tick()
      return `bulk-${id}`
    }
    const owned = await bulk({ patch: { owner_id: app.ids.other } })
    const taken = await bulk({ from_list_id: list.id })
    const last = await changed('member', `/deals/${deal.id}`, { amount: 2 })
    const shown = (await stack()).slice(0, 4)
    assert.deepEqual(
      shown.map(({ id }) => id),
      [last, taken, owned, before],
    )
    assert.deepEqual(
      [shown[2]?.bulk, shown[2]?.count],
      [{ kind: 'deals', change: { patch: { owner_id: app.ids.other } }, is_running: false }, 1],
    )
    const members = async () => (await app.call('GET', `/lists/${list.id}/members`)).body.data.length
    assert.equal(await members(), 0)
    for (const id of [taken, owned]) {
      assert.equal(`bulk-${(await backOk(id)).bulk_id}`, id)
      await scheduler.tick()
    }
    assert.equal(await members(), 1)
    assert.equal((await app.getRecord(`/deals/${deal.id}`)).owner_id, deal.owner_id)
    assert.equal((await found(owned))?.is_undone, true)
    assert.equal((await back(owned)).body.code, 'undone_already')
  })

  test('has a colleague’s change that a member took back in the history, which can be done anew', async () => {
    const deal = await app.newDeal()
    await changed('other', `/deals/${deal.id}`, { amount: 4 })
    const seq = app.lastSeq()
    await app.ok('member', 'POST', '/undo', { seq })
    const [newest] = await stack()
    assert.deepEqual([newest?.id, newest?.fields], [`undo-${seq}`, ['amount']])
    await backOk(`undo-${seq}`)
    assert.equal((await app.getRecord(`/deals/${deal.id}`)).amount, 4)
  })

  test('knows of what was taken back elsewhere: in the history, and from the bin', async () => {
    const deal = await app.newDeal()
    const step = await changed('member', `/deals/${deal.id}`, { amount: 4 })
    await app.ok('member', 'POST', '/undo', { seq: app.lastSeq() })
    assert.equal((await found(step))?.is_undone, true)
    const gone = newStep()
    await did('member', gone, 'DELETE', `/app/deals/${deal.id}`)
    const [{ event_id }] = (await app.ok('member', 'GET', '/bin')).data
    await app.ok('member', 'POST', `/bin/${event_id}/restore`)
    assert.equal((await found(gone))?.is_undone, true)
  })

  test('has what was restored from the bin as one step, which deletes it again', async () => {
    const contacts = [await app.newContact({ last_name: 'A' }), await app.newContact({ last_name: 'B' })]
    const deal = await app.newDeal({ primary_contact_id: contacts[0]?.id })
    const gone = newStep()
    for (const [n, { id }] of contacts.entries())
      await did('member', gone, 'DELETE', `/api/v1/contacts/${id}`, undefined, n)
    const before = await changed('member', `/deals/${deal.id}`, { amount: 1 })
    const restored = newStep()
    const { data } = await app.ok('member', 'GET', '/bin?limit=2')
    for (const [n, { event_id }] of data.entries())
      await did('member', restored, 'POST', `/app/bin/${event_id}/restore`, undefined, n)
    const [newest, second] = await stack()
    assert.deepEqual(
      [newest?.id, newest?.count, newest?.types, newest?.is_undone],
      [restored, 2, ['contact.restored'], false],
    )
    assert.equal(second?.id, before)
    assert.equal((await found(gone))?.is_undone, true)
    assert.equal((await getDeal(deal.id)).primary_contact_id, contacts[0]?.id)

    assert.equal((await backOk(restored)).undone, 2)
    for (const { id } of contacts) assert.equal((await app.call('GET', `/contacts/${id}`)).status, 404)
    // Its deletion stands on top again, in its place: what was restored once is no further step.
    assert.equal((await found(restored))?.is_undone, true)
    const [top] = await stack()
    assert.deepEqual([top?.id, top?.is_undone], [gone, false])
    await backOk(gone)
    assert.equal((await getDeal(deal.id)).primary_contact_id, contacts[0]?.id)
    assert.equal((await stack()).find(({ is_undone }) => !is_undone)?.id, before)
  })

  test('has what a member restored of a colleague’s, and refuses to delete it once that was changed', async () => {
    const contact = await app.newContact({ last_name: 'C' })
    await did('other', newStep(), 'DELETE', `/api/v1/contacts/${contact.id}`)
    const [{ event_id }] = (await app.ok('member', 'GET', '/bin?limit=1')).data
    const step = newStep()
    await did('member', step, 'POST', `/app/bin/${event_id}/restore`)
    assert.deepEqual((await stack())[0]?.id, step)
    await changed('other', `/contacts/${contact.id}`, { job_title: 'Chief' })
    const { status, body } = await back(step)
    assert.deepEqual([status, body.code, body.by], [409, 'changed_since', app.ids.other])
    assert.equal((await app.getRecord(`/contacts/${contact.id}`)).job_title, 'Chief')
  })

  test('what a step set off is not taken back by itself', async () => {
    const tag = newStep()
    await did('member', tag, 'POST', '/api/v1/tags', { name: 'Hot' })
    await did('member', newStep(), 'DELETE', `/api/v1/tags/${(await found(tag))?.records[0].id}`)
    const [newest] = await stack()
    assert.equal((await back(newest?.id)).body.code, 'not_in_bin', 'tags have no bin')
  })

  test('is there on the 29th day, and gone on the 31st, whether or not events are still kept', async () => {
    const [deal, other] = [await app.newDeal(), await app.newDeal()]
    const steps = [
      await changed('admin', `/deals/${deal.id}`, { amount: 7 }),
      await changed('admin', `/deals/${other.id}`, { amount: 7 }),
    ] as const
    const { id } = await app.ok('admin', 'POST', '/bulk', { kind: 'deals', ids: [deal.id], patch: { title: 'X' } })
    await scheduler.tick()
    await app.pass(29 * DAY_MS)
    assert.deepEqual(
      (await stack('admin', 3)).map((step) => step.id),
      [`bulk-${id}`, ...steps.toReversed()],
    )
    await backOk(steps[0], {}, 'admin')
    assert.equal((await getDeal(deal.id)).amount, null)
    await app.pass(2 * DAY_MS)
    assert.deepEqual(
      (await stack('admin')).filter((step) => step.id !== steps[0]),
      [],
    )
    for (const step of [steps[1], `bulk-${id}`]) assert.equal((await back(step, {}, 'admin')).status, 404)
    assert.equal((await getDeal(other.id)).amount, 7)
  })
})
