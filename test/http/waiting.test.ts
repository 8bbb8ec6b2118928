import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import Koa from 'koa'
import { catalog, PREFIX } from '../../src/app/api.ts'
import { resourceDeps } from '../../src/app/deps.ts'
import { accessCache } from '../../src/auth/access.ts'
import { bearer } from '../../src/auth/bearer.ts'
import { cursorSecret, keyring } from '../../src/auth/keys.ts'
import { tokens } from '../../src/auth/tokens.ts'
import { auditLog } from '../../src/events/audit/log.ts'
import { eventSeqs } from '../../src/events/epochs.ts'
import { bodies } from '../../src/http/body/bodies.ts'
import { cursors } from '../../src/http/cursor.ts'
import { idempotency } from '../../src/http/idempotency.ts'
import { kernel } from '../../src/http/kernel.ts'
import { type Listener, listen } from '../../src/http/listener/server.ts'
import type { PollRoute, Route } from '../../src/http/route.ts'
import { type CommitWaiters, commitWaiters } from '../../src/http/waiting.ts'
import { silentLog } from '../../src/lib/log.ts'
import { type OpenedStore, openStore } from '../../src/store/open.ts'
import { makeOrg, type Org, tokenFor } from '../support/org.ts'
import { openRaw, sendRaw } from '../support/raw.ts'
import { reset } from '../support/reset.ts'

// Requests that wait for commits, on a server whose waiting requests the test can inspect.

type StreamEvent = { seq: number; type: string; data: { object: { id: string; name: string } } }
type Answer = { data: StreamEvent[]; last_seq: number; next_cursor: string | null }

/** Longer than any test: a request that is not answered earlier hangs until the runner ends it. */
const LONG = 60

let dataDir: string
let store: OpenedStore
let a: Org
let b: Org
let room: CommitWaiters
let listener: Listener
let stopping: AbortController
/** Subscriptions to commits: how many were made, and how many are still active. */
let made: number
let left: number
let agent: Agent
/** How often the stream and its newest event were read, by org. */
let reads: number[]
let checks: number[]

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'dealbox-waiting-'))
  store = openStore(dataDir, { create: true })
  a = await makeOrg(store, dataDir, 'Acme')
  b = await makeOrg(store, dataDir, 'Birch')
  stopping = new AbortController()
  agent = new Agent({ keepAlive: true })
  made = left = 0
  reads = []
  checks = []
  room = commitWaiters((listener) => {
    made++
    left++
    const end = store.committed.subscribe(listener)
    return () => {
      left--
      end()
    }
  }, stopping.signal)
  const app = new Koa()
  app.silent = true // a client that disconnects is not a failure
  app.use(
    kernel(catalog(resourceDeps(store)).map(counting), {
      ...bearer(accessCache(tokens(keyring(dataDir, store), store), store)),
      prefix: PREFIX,
      write: store.write,
      health: store.health,
      changes: store.changes,
      cursors: cursors(cursorSecret(dataDir)),
      answers: idempotency(store),
      audit: auditLog(store).record,
      bodies: bodies(),
      dataDir,
      rate: null,
      log: silentLog,
      corsOrigins: [],
      waiters: room,
      newestSeq: eventSeqs(store.db).newestSeq,
      stopping: stopping.signal,
    }),
  )
  listener = await listen(app.callback(), { host: '127.0.0.1', port: 0 })
})
afterEach(async () => {
  agent.destroy()
  stopping.abort()
  await listener.stop(1000)
  store.close()
  rmSync(dataDir, { recursive: true, force: true })
})

function counting(route: Route): Route {
  if (route.kind !== 'poll') return route
  const read: PollRoute['read'] = (who, ...asked) => {
    reads.push(who.org)
    return route.read(who, ...asked)
  }
  const newest: PollRoute['newest'] = (who) => {
    checks.push(who.org)
    return route.newest(who)
  }
  return { ...route, read, newest }
}

const url = (path: string) => `${listener.url}/api/v1${path}`
const auth = (org: Org) => ({ authorization: `Bearer ${org.token}` })

async function poll(query: string, org = a, signal?: AbortSignal): Promise<{ status: number; body: Answer }> {
  const response = await fetch(url(`/webhooks/events?${query}`), { headers: auth(org), ...(signal ? { signal } : {}) })
  return { status: response.status, body: (await response.json()) as Answer }
}

async function post(path: string, body: object, org = a) {
  const response = await fetch(url(path), {
    method: 'POST',
    headers: { ...auth(org), 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: (await response.json()) as { id: string } }
}

/** Resolves when that many requests wait. */
async function waiting(many: number): Promise<void> {
  while (room.size() !== many) await nextTurn()
}

const asked = (query: string) =>
  `GET /api/v1/webhooks/events?${query} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${a.token}\r\n\r\n`

describe('a long poll', () => {
  test('is answered at once where there is something, and waits for nobody', async () => {
    await post('/tags', { name: 'There' })
    const { body } = await poll(`wait=${LONG}`)
    assert.deepEqual([body.data.length, body.last_seq, made], [1, 1, 0])
  })

  test('without wait, and with 0, is answered at once where there is nothing', async () => {
    for (const query of ['', 'wait=0'])
      assert.deepEqual((await poll(query)).body, { data: [], last_seq: 0, next_cursor: null })
    assert.equal(made, 0)
  })

  test('is answered by the next commit of this process, with what it committed', async () => {
    const polled = poll(`wait=${LONG}`)
    await waiting(1)
    const { body: tag } = await post('/tags', { name: 'New' })
    const { status, body } = await polled
    assert.equal(status, 200)
    assert.deepEqual(
      body.data.map(({ seq, type, data }) => [seq, type, data.object.id]),
      [[1, 'tag.created', tag.id]],
    )
    assert.deepEqual([body.last_seq, room.size(), left], [1, 0, 0])
  })

  test('waits on past events of other types and of other organisations', async () => {
    const polled = poll(`wait=${LONG}&types=task.*`)
    await waiting(1)
    await post('/tags', { name: 'Of another type' })
    await post('/tasks', { title: 'Of another organisation' }, b)
    await post('/tasks', { title: '' }) // rejected: no event
    await nextTurn()
    assert.equal(room.size(), 1)
    await post('/tasks', { title: 'It' })
    const { body } = await polled
    assert.deepEqual([body.data.map(({ seq }) => seq), body.last_seq], [[2], 2])
  })

  test('is answered by a commit of another process', async () => {
    const polled = poll(`wait=${LONG}`)
    await waiting(1)
    const other = openStore(dataDir)
    try {
      other.transaction(() => {
        const { outbox } = resourceDeps(other)
        outbox.record({ org: a.org, member: null }, 'tag.created', { id: other.clock.id(), name: 'From outside' })
      })
    } finally {
      other.close()
    }
    const { body } = await polled
    assert.deepEqual([body.data[0]?.data.object.name, left], ['From outside', 0])
  })

  test('is answered empty when its time is over, with how far it has looked', async () => {
    await post('/tags', { name: 'Of another type' })
    const started = performance.now()
    const polled = poll('wait=1&types=task.*')
    await waiting(1)
    await post('/tags', { name: 'Of another type, too' })
    const { status, body } = await polled
    assert.deepEqual([status, body], [200, { data: [], last_seq: 2, next_cursor: null }])
    const waited = performance.now() - started
    assert.ok(waited > 950, `${waited} ms`)
    assert.deepEqual([room.size(), left], [0, 0])
  })

  test('is refused while it waits, where the events behind it are purged', async () => {
    for (const name of ['One', 'Two']) await post('/tags', { name })
    const polled = poll(`wait=${LONG}&after_seq=2`)
    await waiting(1)
    store.transaction(() => {
      store.db.prepare('DELETE FROM events WHERE org_id = ?').run(a.org)
      store.db.prepare('UPDATE orgs SET last_seq = 5 WHERE id = ?').run(a.org)
    })
    const { status, body } = await polled
    assert.deepEqual([status, (body as unknown as { code: string }).code], [409, 'events_expired'])
    assert.deepEqual([room.size(), left], [0, 0])
  })

  for (const [how, end] of [
    ['hangs up', (connection: Awaited<ReturnType<typeof openRaw>>) => connection.socket.destroy()],
    ['resets the connection', (connection: Awaited<ReturnType<typeof openRaw>>) => reset(connection.socket)],
  ] as const) {
    test(`is let go when its client ${how}`, async () => {
      const connection = await openRaw(listener.url)
      connection.write(asked(`wait=${LONG}`))
      await waiting(1)
      end(connection)
      await waiting(0)
      assert.equal(left, 0)
    })
  }

  test('is let go when a program gives its request up', async () => {
    const given = new AbortController()
    const polled = poll(`wait=${LONG}`, a, given.signal)
    await waiting(1)
    given.abort()
    await assert.rejects(polled, { name: 'AbortError' })
    await waiting(0)
  })

  test('of a client that has closed its sending side is answered, and not kept waiting', async () => {
    for (const late of [false, true]) {
      const connection = await openRaw(listener.url)
      connection.write(asked(`wait=${LONG}`))
      if (late) await waiting(1)
      connection.socket.end()
      const [answer] = await connection.answered(1)
      assert.deepEqual([answer?.status, JSON.parse(answer?.body as string).data], [200, []])
      connection.socket.destroy()
      await waiting(0)
    }
  })

  test('is answered empty and at once when the server stops, which does not wait for it', async () => {
    await post('/tags', { name: 'There' })
    const connection = await openRaw(listener.url)
    connection.write(asked(`wait=${LONG}&after_seq=1`))
    const polled = poll(`wait=${LONG}&after_seq=1`)
    await waiting(2)
    stopping.abort()
    assert.deepEqual((await polled).body, { data: [], last_seq: 1, next_cursor: null })
    const [answer] = await connection.answered(1)
    assert.deepEqual([answer?.status, answer?.headers.connection], [200, 'close'])
    await connection.closed
    connection.socket.destroy()
    await listener.stop(60_000)
    assert.deepEqual([room.size(), left], [0, 0])
  })

  test('that comes while the server stops is 503', async () => {
    stopping.abort()
    const { status } = await sendRaw(listener.url, asked(`wait=${LONG}`))
    assert.equal(status, 503)
  })
})

test('200 clients that wait share one look for commits, and each gets its own answer', async () => {
  const polled = Array.from({ length: 200 }, (_, n) =>
    poll(`wait=${LONG}&types=${n % 2 ? 'tag.*' : 'task.*'}`, n % 5 ? a : b),
  )
  await waiting(200)
  assert.deepEqual([made, left], [1, 1])
  // Org a: 80 requests wait for tags and 80 for tasks; org b: 20 each.
  await post('/tags', { name: 'A' })
  await waiting(120)
  await post('/tasks', { title: 'A' })
  await waiting(40)
  assert.deepEqual([made, left], [1, 1])
  await Promise.all([post('/tags', { name: 'B' }, b), post('/tasks', { title: 'B' }, b)])
  const answers = await Promise.all(polled)
  assert.deepEqual([room.size(), left, made], [0, 0, 1])
  for (const [n, { body }] of answers.entries()) {
    assert.equal(body.data.length, 1, String(n))
    assert.equal(body.data[0]?.type, n % 2 ? 'tag.created' : 'task.created')
  }
})

test('400 clients that wait for the same share a read in each turn of the event loop, of which each answers 64', async () => {
  const own = Array.from({ length: 400 }, () => poll(`wait=${LONG}`))
  const others = Array.from({ length: 100 }, () => poll(`wait=${LONG}`, b))
  await waiting(500)
  reads = []
  checks = []
  const created = post('/tags', { name: 'For all' })
  let most = 0
  for (let before = 500; room.size() > 100; ) {
    await nextTurn()
    most = Math.max(most, before - room.size())
    before = room.size()
  }
  assert.ok(most > 1 && most <= 64, `${most} in a turn`)
  assert.equal((await created).status, 201)
  const bodies = new Set((await Promise.all(own)).map(({ body }) => JSON.stringify(body)))
  assert.equal(bodies.size, 1)
  assert.deepEqual(new Set(reads), new Set([a.org]))
  assert.ok(reads.length <= 10, `${reads.length} reads`)
  assert.equal(checks.filter((org) => org === b.org).length, 1, 'of the other organisation')
  await post('/tags', { name: 'For the others' }, b)
  await Promise.all(others)
})

test('clients that wait for something else, or may read less, share nothing', async () => {
  const { token } = await tokenFor(store, dataDir, a.org, 'ana@acme.example', [
    'rest.crm.webhooks.read',
    'rest.crm.tasks.read',
  ])
  await post('/tags', { name: 'Before' })
  const [all, few, same, tasks, limited, tags] = [
    poll(`wait=${LONG}&after_seq=1`),
    poll(`wait=${LONG}&after_seq=1`, { ...a, token }),
    poll(`wait=${LONG}&after_seq=1&types=*`),
    poll(`wait=${LONG}&after_seq=1&types=task.*`),
    poll(`wait=${LONG}&after_seq=1&limit=1`),
    poll(`wait=${LONG}&after_seq=1&types=tag.*`),
  ].map((polled) => polled.then(({ body }) => [body.data.map(({ type }) => type), body.last_seq, body.next_cursor]))
  await waiting(6)
  const tag = { org: a.org, member: null }
  store.transaction(() => {
    const { outbox } = resourceDeps(store)
    outbox.record(tag, 'tag.created', { id: store.clock.id(), name: 'x' })
    outbox.record(tag, 'task.created', { id: store.clock.id(), title: 'y' })
  })
  assert.deepEqual(await all, [['tag.created', 'task.created'], 3, null])
  assert.deepEqual(await few, [['task.created'], 3, null])
  assert.deepEqual(await same, await all)
  assert.deepEqual(await tasks, [['task.created'], 3, null])
  assert.deepEqual(await tags, [['tag.created'], 3, null])
  const [types, last, cursor] = (await limited) ?? []
  assert.deepEqual([types, last, typeof cursor], [['tag.created'], 2, 'string'])
})

test('a client that takes no gzip gets none, although others beside it do', async () => {
  const { body: company } = await post('/companies', { name: 'Acme' })
  const ask = (encoding: string) =>
    new Promise<string | undefined>((resolve, reject) => {
      const headers = { ...auth(a), 'accept-encoding': encoding }
      const asked = request(url(`/webhooks/events?after_seq=1&wait=${LONG}`), { headers }, (answer) => {
        answer.resume().on('end', () => resolve(answer.headers['content-encoding']))
      })
      asked.on('error', reject).end()
    })
  const asked = [ask('gzip'), ask('identity'), ask('gzip')]
  await waiting(3)
  await post('/notes', { body: 'long '.repeat(1000), company_ids: [company.id] })
  assert.deepEqual(await Promise.all(asked), ['gzip', undefined, 'gzip'])
})

test('someone who is gone before the wait begins is not kept', async () => {
  const connection = await openRaw(listener.url)
  connection.socket.destroy()
  const gone = {
    destroyed: true,
    once: () => undefined,
    off: () => undefined,
    req: { socket: { once: () => undefined, off: () => undefined } },
  }
  assert.equal(
    await room.until({ key: 'any', newest: () => 0 }, () => undefined, LONG * 1000, gone as never),
    undefined,
  )
  assert.deepEqual([room.size(), left], [0, 0])
})

test('the stream is gapless and complete while eight write and one reads', async () => {
  const WRITERS = 8
  const EACH = 270
  const read: StreamEvent[] = []
  let isDone = false

  async function reader(): Promise<void> {
    for (let after = 0; ; ) {
      const { status, body } = await ask(`/webhooks/events?after_seq=${after}&wait=${LONG}&limit=100`)
      assert.equal(status, 200)
      assert.equal(body.last_seq, after + body.data.length)
      read.push(...body.data)
      after = body.last_seq
      if (isDone && after === (store.db.prepare('SELECT last_seq FROM orgs WHERE id = ?').pluck().get(a.org) as number))
        return
    }
  }

  /**
   * Returns the ids of the created records. Other writes are rejected before they write, or fail and are rolled back.
   */
  async function writer(n: number): Promise<string[]> {
    const ids: string[] = []
    for (let at = 0; at < EACH; at++) {
      const name = `Tag ${n} ${at}`
      const [due, given] = [
        [201, { name }],
        [409, { name: 'Taken' }],
        [201, { name: `${name} again` }],
        [422, { name, surprise: 1 }],
        [201, { name: `${name} still` }],
        [500, { name: `${name} fails` }],
      ][at % 6] as [number, object]
      const { status, body } = await ask('/tags', given)
      assert.equal(status, due, JSON.stringify(body))
      if (status === 201) ids.push((body as unknown as { id: string }).id)
    }
    return ids
  }

  function ask(path: string, body?: object): Promise<{ status: number; body: Answer }> {
    const sent = body && JSON.stringify(body)
    const headers = { ...auth(a), ...(sent ? { 'content-type': 'application/json' } : {}) }
    return new Promise((resolve, reject) => {
      const req = request(url(path), { method: sent ? 'POST' : 'GET', headers, agent }, async (res) => {
        const chunks: Buffer[] = []
        for await (const chunk of res) chunks.push(chunk)
        resolve({ status: res.statusCode as number, body: JSON.parse(Buffer.concat(chunks).toString()) })
      })
      req.on('error', reject).end(sent)
    })
  }

  const { body: taken } = await post('/tags', { name: 'Taken' })
  store.db.exec(
    `CREATE TEMP TRIGGER fails AFTER INSERT ON events WHEN NEW.data LIKE '% fails"%' BEGIN SELECT RAISE(ABORT, 'no'); END`,
  )
  const reading = reader()
  const ids = (await Promise.all(Array.from({ length: WRITERS }, (_, n) => writer(n)))).flat()
  isDone = true
  await post('/tags', { name: 'Last' })
  await reading
  assert.deepEqual(
    read.map(({ seq }) => seq),
    read.map((_, at) => at + 1),
  )
  const receivedIds = read.map(({ data }) => data.object.id)
  assert.equal(new Set(receivedIds).size, receivedIds.length)
  assert.deepEqual(receivedIds.slice(1, -1).sort(), ids.sort())
  assert.equal(receivedIds[0], taken.id)
  assert.ok(read.every(({ data }) => !data.object.name.includes('fails')))
  assert.equal(left, 0)
})
