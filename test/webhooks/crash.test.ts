import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { random } from '../../src/demo/story/random.ts'
import { EVENT_COLUMNS, eventJson, type StoredEvent } from '../../src/events/body.ts'
import { openStore } from '../../src/store/open.ts'
import { type Bundled, bundled } from '../support/bundle.ts'
import { fastClock, steadyMs } from '../support/fast-clock.ts'
import { makeOrg, type Org } from '../support/org.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { examples, seedOf } from '../support/seed.ts'
import { intake } from './intake.ts'

const KILLS = Number(process.env.KILLS ?? examples(20))
const WRITERS = 4
const FASTER = 10_000
/** Of ten that the receiver refuses. */
const REFUSED = 3

const start = steadyMs()
const wall = fastClock(start, FASTER)
const folder = mkdtempSync(join(tmpdir(), 'dealbox-crash-'))
const dataDir = join(folder, 'data')
const { int } = random(seedOf(20261120))
const open = () => openStore(dataDir, { wall, create: true })
let org: Org
let fastServer: Bundled
let last: ChildProcess | undefined
let receiver: Receiver
before(async () => {
  fastServer = await bundled('test/support/fast-server.ts')
  const store = open()
  org = await makeOrg(store, dataDir, 'Acme')
  store.close()
  receiver = await startReceiver()
})
after(async () => {
  last?.kill('SIGKILL')
  await receiver.stop()
  fastServer.remove()
  rmSync(folder, { recursive: true, force: true })
})

type Server = { child: ChildProcess; url: string; agent: Agent }

async function startServer(): Promise<Server> {
  const argv = [fastServer.file, dataDir, String(start), String(FASTER)]
  const env = { ...process.env, ...fastServer.env }
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'], env })
  last = child
  const [url] = (await once(child.stdout, 'data')) as [Buffer]
  return { child, url: String(url), agent: new Agent({ keepAlive: true, maxSockets: WRITERS }) }
}

type Answer = { status: number; body: { id: string; secret: string } }

/** Rejects when the server is gone before the whole answer is here. */
function call({ url, agent }: Server, method: string, path: string, body: unknown): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${org.token}`, 'content-type': 'application/json' }
    const sent = request(`${url}/api/v1${path}`, { agent, method, headers }, (response) => {
      let text = ''
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('error', reject)
      response.on('aborted', () => reject(new Error('cut off')))
      response.on('end', () => {
        if (response.complete) resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) })
      })
    })
    sent.on('error', reject)
    sent.end(JSON.stringify(body))
  })
}

let acknowledged = 0

/** Writes until the server is gone: new deals, changes, stage moves, and some that are refused. */
async function write(server: Server, writer: number, onWritten: () => void): Promise<void> {
  let deal: string | undefined
  for (let n = 0; ; n++) {
    const title = `${writer} ${n}`
    const stage = n % 2 === 0 ? org.stages.demo : org.stages.proposal
    const works: [string, string, object, number][] = [
      ['POST', '/deals', { title }, 201],
      ['PATCH', `/deals/${deal}`, { title }, 200],
      ['PATCH', `/deals/${deal}`, { stage, title }, 200],
      ['PATCH', `/deals/${deal}`, { title: 'Refused', stage: 'nowhere' }, 422],
      ['POST', '/deals', { title: 'Refused', amount: 'much' }, 422],
    ]
    const [method, path, body, expected] = works[deal === undefined ? 0 : int(works.length)] as (typeof works)[number]
    try {
      const answer = await call(server, method, path, body)
      assert.equal(answer.status, expected)
      if (answer.status < 300) acknowledged++
      onWritten()
      if (answer.status === 201 && (deal === undefined || n % 3 === 0)) deal = answer.body.id
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error
      return
    }
  }
}

test(`kill -9 under load ${KILLS} times, to a receiver that fails often: each event arrives, in the order of its record`, async () => {
  let server = await startServer()
  const intakes = new Map<string, ReturnType<typeof intake>>()
  let onCame = (): void => undefined
  receiver.answer((received) => {
    const answer = intakes.get(received.path)?.take(received) ?? 'drop'
    onCame()
    return answer
  })
  for (const path of ['/hook/one', '/hook/other']) {
    const url = new URL(path, receiver.url).href
    const { status, body } = await call(server, 'POST', '/webhooks', { url, event_types: ['*'] })
    assert.equal(status, 201)
    intakes.set(
      path,
      intake(body.secret, () => int(10) < REFUSED),
    )
  }
  for (let kill = 0; kill < KILLS; kill++) {
    const { child } = server
    let left = 1 + int(50)
    const count = () => void (--left === 0 && child.kill('SIGKILL'))
    const none = () => undefined
    // Before the answer of a try that came, or behind a write that was answered.
    const isAtTry = kill % 2 === 0
    onCame = isAtTry ? count : none
    await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(server, writer, isAtTry ? none : count)))
    if (child.signalCode === null) await once(child, 'exit')
    server.agent.destroy()
    server = await startServer()
  }

  const { db, close } = open()
  const stored = db
    .prepare(`SELECT ${EVENT_COLUMNS} FROM events WHERE org_id = ? ORDER BY commit_seq`)
    .all(org.org) as StoredEvent[]
  await new Promise<void>((resolve) => {
    onCame = () => {
      if ([...intakes.values()].every(({ taken }) => taken.size >= stored.length)) resolve()
    }
    onCame()
  })
  // The last answer is on its way to a server that may be told to stop before it has noted it.
  const undone = db.prepare("SELECT count(*) FROM deliveries WHERE status <> 'delivered'").pluck()
  while (undone.get() !== 0) await call(server, 'GET', '/webhooks', undefined)
  server.agent.destroy()
  server.child.kill('SIGTERM')
  assert.deepEqual(await once(server.child, 'exit'), [0, null])

  assert.deepEqual(
    stored.map(({ seq }) => seq),
    stored.map((_, index) => index + 1),
    'seq is gapless',
  )
  assert.ok(stored.length >= acknowledged && acknowledged > KILLS)
  const told = stored.map((event) => [event.id, eventJson(event)])
  let repeats = 0
  for (const { texts, wrongs, repeats: own } of intakes.values()) {
    assert.deepEqual(wrongs, [])
    assert.deepEqual([...texts].sort(), told.sort(), 'what was committed arrived with its bytes, and nothing else')
    repeats += own()
  }
  const count = db.prepare('SELECT count(*) FROM deliveries').pluck().get()
  assert.equal(count, 2 * stored.length)
  close()
  console.log(`${stored.length} events over ${KILLS} kills, ${receiver.requests.length} tries, ${repeats} taken twice`)
})
