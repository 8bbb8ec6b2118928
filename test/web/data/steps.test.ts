import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { silentLog } from '../../../src/lib/log.ts'
import { bulkKinds } from '../../../src/site/app/bulk/routes.ts'
import { type Scheduler, startScheduler } from '../../../src/store/jobs/scheduler.ts'
import { type ApiProblem, LetGo, NoAnswer } from '../../../src/web/data/api.ts'
import { isUndo, stepKeys } from '../../../src/web/data/step-keys.ts'
import { type Step, stepsOf, takeBack, unansweredStep, waitingStep } from '../../../src/web/data/take-back.ts'
import { memoryStorage } from '../../../src/web/data/write-storage.ts'
import { recordsOf } from '../../support/records.ts'
import { type Screens, type SignedIn, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { clientOf } from './support/clients.ts'

// My steps on the real server: in one tab or in several, sent or not, with a colleague at work.

let server: TestServer
let screens: Screens
let ana: SignedIn
let scheduler: Scheduler
const { newDeal, newContact, getRecord, patchRecord, newRecord } = recordsOf(() => server)
before(async () => {
  server = await startServer()
  screens = await startScreens(server)
  ana = await screens.signedIn('member')
  scheduler = startScheduler({
    store: server.store,
    log: silentLog,
    kinds: bulkKinds(server.deps),
    recurring: [],
    afterJump: [],
  })
})
after(async () => {
  await scheduler.stop()
  await screens.stop()
  await server.stop()
})

type TestClient = ReturnType<typeof clientOf>

/** A tab of hers that follows the events. */
async function open(given: Parameters<typeof clientOf>[2] = {}): Promise<TestClient> {
  const client = clientOf(screens, ana, given)
  client.start(server.lastSeq())
  await until(() => client.connection.value.state === 'live', 'a stream')
  return client
}

/** Makes a step of these changes; resolves with its name when they are confirmed. */
async function stepOf(client: TestClient, changes: () => Promise<unknown>[]): Promise<string> {
  let all: Promise<unknown>[] = []
  const step = client.asStep(() => {
    all = changes()
  })
  await Promise.all(all)
  return step
}

/** A deal that this tab knows. */
async function shown(client: TestClient, fields: object = {}): Promise<string> {
  const { id } = await newDeal(fields as never)
  await client.load('deals', id)
  return id
}

/** Sends all that waits. */
const allSent = (client: TestClient) =>
  until(() => {
    client.advance(60_000)
    return client.queue.writes.value.length === 0
  })

const titleOf = async (id: string) => (await getRecord(`/deals/${id}`)).title
const newest = async (client: TestClient): Promise<Step | undefined> =>
  (await stepsOf(client, 10)).find(({ is_undone }) => !is_undone)

test('what one gesture changes is one step, and what follows is another', async () => {
  const client = await open()
  const [one, two] = [await shown(client, { title: 'a' }), await shown(client, { title: 'b' })]
  const step = await stepOf(client, () => [one, two].map((id) => client.queue.patch('deals', id, { title: 'x' })))
  await client.queue.patch('deals', one, { title: 'y' })
  assert.equal((await newest(client))?.count, 1)
  await takeBack(client, (await newest(client))?.id as string)
  const found = await newest(client)
  assert.deepEqual([found?.id, found?.count, found?.fields], [step, 2, ['title']])
  assert.deepEqual((await takeBack(client, step)).undone, 2)
  assert.deepEqual([await titleOf(one), await titleOf(two)], ['a', 'b'])
  await takeBack(client, step, true)
  assert.deepEqual([await titleOf(one), await titleOf(two)], ['x', 'x'])
  assert.equal((await newest(client))?.id, step, 'what was done again stands on top')
})

test('the stack is that of the member, whichever tab or device it was', async () => {
  const [desk, phone] = [await open(), await open()]
  const id = await shown(desk, { title: 'a' })
  await phone.load('deals', id)
  await desk.queue.patch('deals', id, { title: 'b' })
  await phone.queue.patch('deals', id, { amount: 5 })
  const step = (await newest(desk)) as Step
  assert.deepEqual(step.fields, ['amount'])
  await takeBack(desk, step.id)
  assert.equal((await getRecord(`/deals/${id}`)).amount, null)
  assert.deepEqual((await newest(phone))?.fields, ['title'])
})

test('when it is taken back, this page shows it', async () => {
  const client = await open()
  const id = await shown(client, { title: 'a' })
  const step = await stepOf(client, () => [client.queue.patch('deals', id, { title: 'b' })])
  await takeBack(client, step)
  assert.equal(client.store.entry('deals', id).view.value?.title, 'a')
})

test('what has not been sent is dropped, and what was made after it stands', async () => {
  const client = await open()
  const id = await shown(client, { title: 'a', amount: 1 })
  client.network.isCut = true
  const first = client.queue.patch('deals', id, { title: 'sent' }) // on its way, without an answer
  await until(() => client.queue.writes.value[0]?.isWaiting === true)
  let dropped: Promise<unknown> = Promise.resolve()
  const step = client.asStep(() => {
    dropped = client.queue.patch('deals', id, { title: 'dropped' })
  })
  const later = client.queue.patch('deals', id, { title: 'later' })
  assert.notEqual(waitingStep(client), step, 'it is not the newest')
  assert.equal(client.queue.withdraw(step), 1)
  await assert.rejects(dropped, LetGo)
  client.network.isCut = false
  await allSent(client)
  await Promise.all([first, later])
  assert.equal(await titleOf(id), 'later')
  assert.ok(client.sent.every(({ body }) => !body?.includes('dropped')))
})

test('what waits for the network is taken back at once: nothing of it was sent', async () => {
  const client = await open()
  const id = await shown(client, { title: 'a' })
  client.network.isCut = true
  const first = client.queue.patch('deals', id, { amount: 1 })
  await until(() => client.queue.writes.value[0]?.isWaiting === true)
  const done = client.queue.patch('deals', id, { title: 'b' }).catch(() => undefined)
  const step = waitingStep(client) as string
  client.network.isCut = false
  const { undone, step: known } = await takeBack(client, step)
  assert.deepEqual([undone, known], [1, undefined])
  await done
  await allSent(client)
  await first
  assert.equal(await titleOf(id), 'a')
})

test('what a page that is gone has left is sent by the next one, and no step that waits there', async () => {
  const storage = memoryStorage()
  const gone = await open({ storage })
  const id = await shown(gone, { title: 'a' })
  gone.network.isCut = true
  gone.queue.patch('deals', id, { title: 'left' }).catch(() => undefined)
  await until(() => gone.queue.writes.value[0]?.isWaiting === true)
  gone.stop()
  const next = clientOf(screens, ana, { storage })
  await next.load('deals', id)
  next.network.isCut = true
  await next.adoptWrites()
  assert.equal(next.queue.writes.value.length, 1)
  assert.equal(waitingStep(next), undefined, 'Z asks the server for the newest step')
  const own = next.asStep(() => void next.queue.patch('deals', id, { amount: 7 }))
  assert.equal(waitingStep(next), own)
  next.network.isCut = false
  await allSent(next)
  assert.equal(await titleOf(id), 'left')
})

test('what was sent without an answer is taken back when the answer is there', async () => {
  const client = await open()
  const id = await shown(client, { title: 'a' })
  client.network.after = ({ method }) => {
    if (method === 'PATCH') throw new Error('cut')
  }
  const step = client.asStep(() => void client.queue.patch('deals', id, { title: 'b' }))
  const { undone } = await takeBack(client, step) // its event says that it has happened
  assert.equal(undone, 1)
  assert.equal(await titleOf(id), 'a')
})

test('a colleague’s later change refuses it, names them, and stays', async () => {
  const client = await open()
  const id = await shown(client, { title: 'a' })
  const step = await stepOf(client, () => [client.queue.patch('deals', id, { title: 'b' })])
  await patchRecord(`/deals/${id}`, { title: 'theirs' })
  await assert.rejects(takeBack(client, step), (error: ApiProblem) => {
    const [left] = error.body.left as { fields: string[]; by: string }[]
    assert.deepEqual([error.code, left?.fields, left?.by], ['changed_since', ['title'], server.a.owner])
    return true
  })
  assert.equal(await titleOf(id), 'theirs')
})

test('of several records, those that a colleague has changed stay', async () => {
  const client = await open()
  const ids = [await shown(client, { title: 'a' }), await shown(client, { title: 'b' })]
  const step = await stepOf(client, () => ids.map((id) => client.queue.patch('deals', id, { title: 'x' })))
  await patchRecord(`/deals/${ids[0]}`, { title: 'theirs' })
  const { undone, left } = await takeBack(client, step)
  assert.deepEqual([undone, left.map(({ record }) => record.title)], [1, ['x']])
  assert.deepEqual(await Promise.all(ids.map(titleOf)), ['theirs', 'b'])
})

test('deletions, closings and new records are steps, too', async () => {
  const client = await open()
  const contact = await newContact({ first_name: 'Mira' })
  const { id } = await newDeal({ primary_contact_id: contact.id })
  const gone = await stepOf(client, () => [client.remove('contacts', contact.id)])
  assert.equal((await getRecord(`/deals/${id}`)).primary_contact_id, null)
  await takeBack(client, gone)
  assert.equal((await getRecord(`/deals/${id}`)).primary_contact_id, contact.id)
  const { data: reasons } = await getRecord('/close-reasons')
  const closed = await stepOf(client, () => [client.act('deals', id, 'close', { reason_id: reasons[0].id })])
  await takeBack(client, closed)
  assert.equal((await getRecord(`/deals/${id}`)).status, 'open')
  const made = await client.create('tasks', { title: 'T' })
  await takeBack(client, (await newest(client))?.id as string)
  assert.equal((await server.call('GET', `/tasks/${made.id}`)).status, 404)
})

test('a change of many records is followed to its end', async () => {
  const client = await open()
  const ids = [(await newDeal()).id, (await newDeal()).id]
  const { body } = await client.api.request<{ id: string }>('POST', '/app/bulk', {
    body: { kind: 'deals', ids, patch: { amount: 9 } },
  })
  await scheduler.tick()
  await patchRecord(`/deals/${ids[1]}`, { amount: 10 })
  const found = await newest(client)
  assert.equal(found?.id, `bulk-${body.id}`)
  const taking = takeBack(client, found?.id as string)
  let isOver = false
  void taking.finally(() => {
    isOver = true
  })
  while (!isOver) {
    await scheduler.tick()
    client.advance(1000)
    await new Promise((resolve) => setImmediate(resolve))
  }
  const { undone, left } = await taking
  assert.deepEqual([undone, left.map(({ record }) => record.id)], [1, [ids[1]]])
})

test('one that got no answer comes first when it is tried again, and happens once', async () => {
  const client = await open()
  const id = await shown(client, { title: 'a' })
  const steps: string[] = []
  for (const title of ['b', 'c', 'd'])
    steps.push(await stepOf(client, () => [client.queue.patch('deals', id, { title })]))
  const last = steps[2] as string
  for (const lost of ['before', 'after'] as const) {
    client.network[lost] = ({ path }: { path: string }) => {
      if (path.endsWith('/undo')) throw new Error('cut')
    }
    await assert.rejects(takeBack(client, last), NoAnswer)
    client.network[lost] = undefined
    assert.equal(unansweredStep(client), last)
    assert.equal(await titleOf(id), lost === 'before' ? 'd' : 'c')
  }
  assert.equal((await takeBack(client, last)).undone, 1)
  assert.equal(unansweredStep(client), undefined)
  assert.equal(await titleOf(id), 'c')
  await takeBack(client, steps[1] as string)
  assert.equal(await titleOf(id), 'b')
})

test('a list is taken back by what went in and out', async () => {
  const client = await open()
  const { id } = await newDeal()
  const list = await newRecord('/lists', { name: 'L', object: 'deal', kind: 'static' })
  await client.api.request('POST', '/app/bulk', { body: { kind: 'deals', ids: [id], to_list_id: list.id } })
  await scheduler.tick()
  const members = async () => (await getRecord(`/lists/${list.id}/members`)).data.length
  assert.equal(await members(), 1)
  const found = (await newest(client)) as Step
  assert.deepEqual(found.bulk?.change, { list_id: list.id })
  const taking = takeBack(client, found.id)
  await until(() => client.answered.some(({ path }) => path.endsWith('/undo')))
  await scheduler.tick()
  client.advance(1000)
  await taking
  assert.equal(await members(), 0)
})

test('the keys of a step are told apart from those of another, and of an undo', () => {
  const { newKey, asStep, isMine } = stepKeys('t')
  const keys: string[] = []
  const step = asStep(() => {
    keys.push(newKey(), newKey())
    asStep(() => keys.push(newKey()))
  })
  assert.deepEqual(
    keys,
    [1, 2, 3].map((n) => `step.${step}.${n}`),
  )
  const other = newKey()
  assert.ok(!other.startsWith(`step.${step}.`))
  assert.ok(newKey(keys[0]).startsWith(`step.${step}.`), 'a part of a write stays in its step')
  assert.ok(newKey('t-1').startsWith('step.t-'), 'also of one that an older page has left')
  assert.deepEqual(
    [isMine(other), isMine('step.u-1.1'), isUndo('step.undo.7'), isUndo(other)],
    [true, false, true, false],
  )
})
