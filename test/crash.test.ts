import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { random } from '../src/demo/story/random.ts'
import { wordsOf } from '../src/lib/words.ts'
import { openStore } from '../src/store/open.ts'
import { markOf } from '../src/store/search.ts'
import { checkIntegrity, indexAll, wordsNow } from './store/searched.ts'
import { type Bundled, bundled } from './support/bundle.ts'
import { makeOrg, type Org } from './support/org.ts'
import { examples, seedOf } from './support/seed.ts'

const KILLS = Number(process.env.KILLS ?? examples(50))
const WRITERS = 8

const dataDir = mkdtempSync(join(tmpdir(), 'dealbox-crash-'))
const { int } = random(seedOf(20261120))
let org: Org
let dealbox: Bundled
before(async () => {
  dealbox = await bundled('src/main.ts')
  const store = openStore(dataDir, { create: true })
  org = await makeOrg(store, dataDir, 'Acme')
  store.close()
})
after(() => {
  dealbox.remove()
  rmSync(dataDir, { recursive: true, force: true })
})

type Server = { child: ChildProcess; port: number; agent: Agent }

async function start(): Promise<Server> {
  const argv = [
    'serve',
    '--data',
    dataDir,
    '--api-listen',
    '127.0.0.1:0',
    '--screens-listen',
    'off',
    '--rate-limit',
    'off',
  ]
  const child = spawn(process.execPath, [dealbox.file, ...argv], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...dealbox.env },
  })
  const [first] = (await once(child.stdout, 'data')) as [Buffer]
  const port = Number(/api +http:\/\/127\.0\.0\.1:(\d+)/.exec(String(first))?.[1])
  assert.ok(port > 0, String(first))
  return { child, port, agent: new Agent({ keepAlive: true, maxSockets: WRITERS }) }
}

type Answer = { status: number; replayed: boolean; body: { id: string; title: string; version: number } }

/** Rejects when the server is gone before the whole answer is here: then nothing was acknowledged. */
function call({ port, agent }: Server, method: string, path: string, key: string, body: unknown): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${org.token}`, 'content-type': 'application/json', 'idempotency-key': key }
    const sent = request({ host: '127.0.0.1', port, agent, method, path: `/api/v1${path}`, headers }, (response) => {
      let text = ''
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('error', reject)
      response.on('aborted', () => reject(new Error('cut off')))
      response.on('end', () => {
        if (!response.complete) return
        resolve({
          status: response.statusCode ?? 0,
          replayed: response.headers['idempotency-replayed'] === 'true',
          body: JSON.parse(text),
        })
      })
    })
    sent.on('error', reject)
    sent.end(JSON.stringify(body))
  })
}

/** A write and what became of it; one without an answer is sent again, with its key, to the next server. */
type Work = { key: string; method: string; path: string; body: Record<string, unknown> }
const acknowledged = new Map<string, { id: string; title: string; version: number }>()
const pending = new Map<number, Work>()
let made = 0
let replays = 0

function nextWork(writer: number, latest: { id: string } | undefined): Work {
  const left = pending.get(writer)
  if (left) return left
  const key = `work-${made++}`
  // Every third write changes the writer's latest deal.
  return latest && made % 3 === 0
    ? {
        key,
        method: 'PATCH',
        path: `/deals/${latest.id}`,
        body: { title: key, stage: made % 2 === 0 ? org.stages.demo : org.stages.proposal },
      }
    : { key, method: 'POST', path: '/deals', body: { title: key, amount: made } }
}

async function write(server: Server, writer: number): Promise<void> {
  let latest: { id: string } | undefined
  for (;;) {
    const work = nextWork(writer, latest)
    pending.set(writer, work)
    let answer: Answer
    try {
      answer = await call(server, work.method, work.path, work.key, work.body)
    } catch {
      return
    }
    assert.ok(answer.status === 201 || answer.status === 200, `${answer.status} ${JSON.stringify(answer.body)}`)
    acknowledged.set(work.key, answer.body)
    pending.delete(writer)
    if (answer.replayed) replays++
    latest = answer.body
  }
}

/** What was written right before a kill is found after it by the words of its newest title, and by no older ones. */
async function findsAcknowledged(server: Server): Promise<void> {
  const newest = new Map<string, { title: string; version: number }>()
  for (const { id, title, version } of acknowledged.values()) {
    if (version > (newest.get(id)?.version ?? 0)) newest.set(id, { title, version })
  }
  const cutOff = new Set([...pending.values()].map(({ path }) => path.split('/').at(-1)))
  const last = [...acknowledged.values()].slice(-200).filter(({ id }) => !cutOff.has(id))
  for (const { id, title } of last) {
    const number = title.split('-').at(-1)
    const { status, body } = (await call(server, 'GET', `/deals?q=${number}`, '', undefined)) as unknown as {
      status: number
      body: { data: { id: string; title: string }[] }
    }
    assert.equal(status, 200)
    const isThere = body.data.some((deal) => deal.id === id && deal.title === title)
    assert.equal(isThere, newest.get(id)?.title === title, title)
  }
}

test(`kill -9 under load from ${WRITERS} writers, ${KILLS} times: nothing acknowledged is lost, nothing is doubled`, async () => {
  for (let kill = 0; kill < KILLS; kill++) {
    const server = await start()
    const writers = Array.from({ length: WRITERS }, (_, writer) => write(server, writer))
    await new Promise((wake) => setTimeout(wake, 20 + int(180)))
    server.child.kill('SIGKILL')
    await once(server.child, 'exit')
    await Promise.all(writers)
    server.agent.destroy()
  }
  // What was cut off is sent once more, with its key.
  const server = await start()
  await findsAcknowledged(server)
  for (const [writer, work] of pending) {
    const { body, replayed } = await call(server, work.method, work.path, work.key, work.body)
    acknowledged.set(work.key, body)
    if (replayed) replays++
    pending.delete(writer)
  }
  server.agent.destroy()
  server.child.kill('SIGTERM')
  const [code] = await once(server.child, 'exit')
  assert.equal(code, 0)

  const store = openStore(dataDir)
  const { db, close } = store
  assert.deepEqual(db.pragma('integrity_check'), [{ integrity_check: 'ok' }])
  assert.deepEqual(db.pragma('foreign_key_check'), [])
  checkIntegrity(db) // of the search index
  const docs = wordsNow(db).map(([, , id, words]) => [id, words])
  const titles = db.prepare('SELECT id, title FROM deals ORDER BY id').raw().all() as [string, string][]
  const mark = markOf(org.org, 'deal')
  assert.deepEqual(
    docs,
    titles.map(([id, title]) => [
      id,
      wordsOf([title])
        .map((word) => mark + word)
        .join(' '),
    ]),
  )
  indexAll(store)
  checkIntegrity(db)
  assert.deepEqual(
    wordsNow(db).map(([, , id, words]) => [id, words]),
    docs,
    'whether they were in the index or pending',
  )
  const events = db
    .prepare(
      "SELECT seq, type, object_id, json_extract(data, '$.object.title') AS title, json_extract(data, '$.object.version') AS version FROM events WHERE org_id = ? ORDER BY commit_seq",
    )
    .all(org.org) as { seq: number; type: string; object_id: string; title: string; version: number }[]
  assert.deepEqual(
    events.map((event) => event.seq),
    events.map((_, index) => index + 1),
    'seq is gapless',
  )
  const byTitle = new Map<string, typeof events>()
  for (const event of events) byTitle.set(event.title, [...(byTitle.get(event.title) ?? []), event])
  for (const [key, { id, version }] of acknowledged) {
    const found = byTitle.get(key) ?? []
    assert.equal(found.length, 1, `${key} was written ${found.length} times`)
    assert.deepEqual([found[0]?.object_id, found[0]?.version], [id, version])
  }
  assert.equal(byTitle.size, acknowledged.size, 'nothing is there that nobody asked for')
  assert.equal(
    db.prepare('SELECT count(*) FROM deals').pluck().get(),
    events.filter((event) => event.type === 'deal.created').length,
  )
  const history = db.prepare('SELECT count(*) FROM deal_stage_history').pluck().get()
  assert.equal(history, events.filter((event) => event.type === 'deal.stage_changed').length)
  close()
  console.log(`${acknowledged.size} writes acknowledged over ${KILLS} kills, ${replays} answered again from the store`)
})
