import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Board, dealBoard } from '../../../src/web/data/board.ts'
import { takeBack } from '../../../src/web/data/take-back.ts'
import { type Row, recordsOf } from '../../support/records.ts'
import { type Screens, type SignedIn, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { clientOf } from './support/clients.ts'

// The rows of the board stay what GET /app/board would answer.

let server: TestServer
let screens: Screens
let ana: SignedIn
let stages: Row[]
const { newDeal, newCompany, newId, newRecord, patchRecord, getRecord } = recordsOf(() => server)
const stops: (() => void)[] = []
before(async () => {
  server = await startServer()
  screens = await startScreens(server)
  ana = await screens.signedIn('member')
  stages = (await getRecord('/stages?is_open=true')).data
})
after(async () => {
  for (const stop of stops) stop()
  await screens.stop()
  await server.stop()
})

async function open() {
  const client = clientOf(screens, ana)
  stops.push(client.stop)
  client.start((await ana.call('GET', '/app/boot')).body.seq)
  await until(() => client.build.value !== undefined, 'the hello of the stream')
  const { api, store, timers, events, refreshers } = client
  const parts = { api, store, timers, onEvent: events.onEvent, refreshers }
  const board = dealBoard(parts, stages[0].pipeline_id, new Set(stages.map(({ id }) => id)))
  stops.push(board.dispose)
  return { client, board }
}

/** The rows as a client that comes now gets them. */
async function expected(): Promise<Row[]> {
  const { client, board } = await open()
  await board.reload()
  client.stop()
  const rows = sorted(board)
  board.dispose()
  return rows
}

const sorted = (board: Board): Row[] => [...board.rows.value].sort((one, other) => (one.id < other.id ? -1 : 1))
const byId = (board: Board, id: string) => board.rows.value.find((row) => row.id === id)

async function agree(client: Awaited<ReturnType<typeof open>>['client'], board: Board): Promise<void> {
  await until(() => client.seq() === server.lastSeq(), 'the newest event')
  const rows = await expected()
  await until(() => JSON.stringify(sorted(board)) === JSON.stringify(rows)).catch(() => undefined)
  assert.deepEqual(sorted(board), rows)
}

test('the rows follow every change that others make', async () => {
  const company = await newCompany({ name: 'Northwind' })
  const [one, two, three] = [
    await newDeal({ title: 'One', amount: 0.1, currency: 'EUR', company_id: company.id }),
    await newDeal({ title: 'Two' }),
    await newDeal({ title: 'Three' }),
  ]
  const { client, board } = await open()
  await board.reload()
  assert.equal(byId(board, one.id)?.company_name, 'Northwind')
  assert.equal(byId(board, one.id)?.amount, 0.1)
  const untouched = byId(board, three.id)
  await patchRecord(`/companies/${company.id}`, { name: 'Northwind & Sons' })
  await patchRecord(`/deals/${one.id}`, { amount: 0.2, stage: stages[1].id })
  const { body: other } = await server.call('POST', '/companies', { name: 'Someone else' })
  await patchRecord(`/deals/${two.id}`, { company_id: other.id })
  await newDeal({ title: 'Four', company_id: company.id })
  await newDeal({ title: 'Five', company_id: (await newCompany({ name: 'Never seen' })).id })
  await server.call('DELETE', `/companies/${other.id}`)
  const { data: reasons } = await getRecord('/close-reasons')
  await server.call('POST', `/deals/${two.id}/close`, { reason_id: reasons[0].id })
  await agree(client, board)
  assert.equal(byId(board, two.id), undefined)
  assert.equal(byId(board, three.id), untouched, 'a row that has not changed is the same object')
})

test('the next task is the open one that is due first', async () => {
  const { id } = await newDeal({ title: 'With tasks' })
  const other = await newDeal({ title: 'Other' })
  const { client, board } = await open()
  await board.reload()
  const task = (title: string, due_at: string | null, deals = [id]) =>
    newId('/tasks', { title, due_at, type: 'call', deal_ids: deals })
  const late = await task('late', '2026-12-02T10:00:00Z')
  const soon = await task('soon', '2026-12-01T10:00:00Z')
  await task('some day', null)
  await agree(client, board)
  assert.equal(byId(board, id)?.next_task?.title, 'soon')
  await patchRecord(`/tasks/${soon}`, { status: 'done' })
  await agree(client, board)
  assert.equal(byId(board, id)?.next_task?.title, 'late')
  await patchRecord(`/tasks/${late}`, { due_at: null })
  await patchRecord(`/tasks/${soon}`, { status: 'open', deal_ids: [other.id] })
  await agree(client, board)
  await server.call('DELETE', `/tasks/${soon}`)
  await agree(client, board)
  assert.equal(byId(board, other.id)?.next_task, null)
})

test('notes, meetings and mail are activity', async () => {
  const { id } = await newDeal({ title: 'Quiet' })
  const { client, board } = await open()
  server.advance(60_000)
  client.advance(60_000)
  await board.reload()
  const before = byId(board, id)?.last_activity_at
  server.advance(60_000)
  client.advance(60_000)
  await newRecord('/notes', { body: 'Called', deal_ids: [id] })
  await agree(client, board)
  assert.notEqual(byId(board, id)?.last_activity_at, before)
  const at = (ms: number) => new Date(server.now() + ms).toISOString()
  await newRecord('/meetings', { title: 'Past', starts_at: at(-1000), ends_at: at(1000), deal_id: id })
  await newRecord('/meetings', { title: 'To come', starts_at: at(90_000), ends_at: at(95_000), deal_id: id })
  await agree(client, board)
})

test('my own move shows at once, and goes back if it is refused; a won deal leaves and comes back with undo', async () => {
  const { id } = await newDeal({ title: 'Mine' })
  const { client, board } = await open()
  await board.reload()
  const moved = client.queue.patch('deals', id, { stage: stages[2].id })
  assert.equal(byId(board, id)?.stage_id, stages[2].id)
  await moved
  await assert.rejects(client.queue.patch('deals', id, { stage: id }))
  await until(() => byId(board, id)?.stage_id === stages[2].id)
  client.queue.useTheirs('deals', id, 'stage')
  const { data: reasons } = await getRecord('/close-reasons')
  let closed: Promise<unknown> = Promise.resolve()
  const step = client.asStep(() => {
    closed = client.act('deals', id, 'close', { reason_id: reasons[0].id }, { status: 'won' })
  })
  assert.equal(byId(board, id), undefined)
  await closed
  await takeBack(client, step)
  await agree(client, board)
  assert.equal(byId(board, id)?.stage_id, stages[2].id)
})

test('a change that comes while the rows are on their way is not lost', async () => {
  const { id } = await newDeal({ title: 'old' })
  const { client, board } = await open()
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  client.network.after = () => held
  const loading = board.reload()
  await until(() => client.answered.length > 0)
  await patchRecord(`/deals/${id}`, { title: 'new' })
  const made = await newDeal({ title: 'made' })
  await until(() => client.seq() === server.lastSeq())
  release()
  await loading
  assert.equal(byId(board, id)?.title, 'new')
  assert.equal(byId(board, made.id)?.title, 'made')
  await agree(client, board)
})

test('5,000 deals take one request, and a change replaces one row', async () => {
  const { dealStore } = await import('../../../src/crm/deals/deals.ts')
  const { create } = dealStore(server.deps)
  server.store.transaction(() => {
    for (let n = 0; n < 5000; n++) create({ org: server.a.org, member: null }, { title: `Deal ${n}`, amount: n })
  })
  const { client, board } = await open()
  await board.reload()
  assert.ok(board.rows.value.length >= 5000)
  assert.deepEqual([client.sent.length, board.isComplete.value], [1, true])
  const before = new Set(board.rows.value)
  const [first] = board.rows.value
  await patchRecord(`/deals/${first?.id}`, { amount: 1 })
  await until(() => client.seq() === server.lastSeq())
  assert.equal(board.rows.value.filter((row) => !before.has(row)).length, 1)
  board.dispose()
  assert.equal(client.store.needed().length, 0)
})

test('a board that is narrowed twice, or in vain, is what was asked for last, with all that happened meanwhile', async () => {
  await newDeal({ title: 'Narrow beams' })
  const { client, board } = await open()
  await board.reload()
  const filter = (value: string) => JSON.stringify({ field: 'title', op: 'contains', value })
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  client.network.after = () => held
  const all = [filter('narrow'), filter('other'), filter('narrow')].map((each) => board.narrow(each))
  const made = await newDeal({ title: 'Narrow boards' })
  await until(() => client.seq() === server.lastSeq())
  release()
  await Promise.all(all)
  client.network.after = () => Promise.resolve()
  assert.deepEqual(
    [byId(board, made.id)?.title, board.isNarrowed(), board.isComplete.value],
    ['Narrow boards', true, true],
  )

  client.network.isCut = true
  await assert.rejects(board.narrow(null))
  assert.deepEqual([board.isNarrowed(), board.isComplete.value], [true, false], 'the rows are still those of before')
  client.network.isCut = false
  await board.narrow(null)
  assert.deepEqual([board.isNarrowed(), board.isComplete.value], [false, true])
  await agree(client, board)
})
