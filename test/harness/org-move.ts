// npm run org-move: moves an organisation between two servers under load, by processes as an operator runs them.
//   npm run org-move                                       100,000 deals, which takes some minutes to make
//   npm run org-move -- --deals 2000 --kills 30 --seed 1
// The first move is whole: nothing may be lost or doubled, webhooks have to stay in order, and both exports be the same. Then
// the organisation moves to and fro, while the source, the target or the command is killed at a random moment: each time
// exactly one of both servers has it, with every write that was acknowledged.
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { random } from '../../src/demo/story/random.ts'
import { checkDelivered, checkTold, startLoad, type Told, triesIn } from '../support/moving.ts'
import { startReceiver } from '../support/receiver.ts'
import { fill } from './org-move/fill.ts'
import { dealbox, type Host, lastSeq, startHost } from './org-move/host.ts'

const { values: given } = parseArgs({
  options: {
    deals: { type: 'string', default: '100000' },
    kills: { type: 'string', default: '0' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})
const [deals, kills, seed] = [Number(given.deals), Number(given.kills), Number(given.seed)]
const WRITERS = 8
/** What the issue asks for. */
const MAX_PAUSE_MS = 5000
const { int } = random(seed)
const say = (text: string): void => void process.stdout.write(`${text}\n`)

const folder = mkdtempSync(join(tmpdir(), 'dealbox-move-'))
const receiver = await startReceiver()
const hosts: Host[] = []
/** The one that has the organisation. */
let at = 0
let round = 0
/** How long a move takes, to kill at any moment of it. */
let lastMs = 20_000
process.once('exit', () => {
  for (const host of hosts) host.child?.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

say(`seed ${seed}: ${deals} deals, ${kills} kills`)
const { id, token } = await fill(join(folder, 'a'), deals)
await dealbox(['init', '--data', join(folder, 'b'), '--org', 'Birch', '--email', 'bo@birch.example'])
hosts.push(await startHost(join(folder, 'a')), await startHost(join(folder, 'b')))
const first = lastSeq(join(folder, 'a'), id)
await request('POST', '/webhooks', { url: receiver.url, event_types: ['*'] })
const told: Told = { versions: new Map(), made: new Map() }

await wholeMove()
let [moved, stayed] = [0, 0]
for (let kill = 1; kill <= kills; kill++) {
  const outcome = await killedMove(kill)
  if (outcome === 'moved') moved++
  else stayed++
}
if (kills > 0)
  say(`${kills} kills: ${moved} moves were completed all the same, ${stayed} left the organisation where it was`)
await allDelivered(true)
say('no write was lost or doubled, and webhooks came in order')
for (const host of hosts) await host.stop()
await receiver.stop()

function base(): string[] {
  const [a, b] = hosts as [Host, Host]
  return at === 0 ? [a.url, b.url] : [b.url, a.url]
}

async function request(method: string, path: string, body?: unknown, host = hosts[at] as Host): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return fetch(`${host.url}/api/v1${path}`, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) })
}

async function command(signal?: AbortSignal): Promise<{ code: number | null; out: string; err: string }> {
  const [source, target] = [hosts[at] as Host, hosts[1 - at] as Host]
  const key = JSON.parse((await dealbox(['org', 'receive', '--data', target.dataDir, '--json'])).out).key
  return dealbox(
    ['org', 'move', id, '--to', target.url, '--data', source.dataDir, '--json'],
    { DEALBOX_MOVE_KEY: key },
    signal,
  )
}

async function wholeMove(): Promise<void> {
  const load = startLoad({ bases: base(), token, writers: WRITERS, name: `load-${round++}`, told })
  await sleep(500)
  const began = performance.now()
  const { code, out, err } = await command()
  if (code !== 0) throw new Error(err)
  const { rows, changes, paused_ms } = JSON.parse(out)
  lastMs = performance.now() - began
  const seconds = Math.round(lastMs / 1000)
  await load.stop()
  const [source, target] = [hosts[at] as Host, hosts[1 - at] as Host]
  const lines = await compare(source.dataDir, target.dataDir)
  say(`moved ${rows} rows in ${seconds} s, and ${changes} changes of ${load.count()} writes meanwhile`)
  say(`writes waited ${paused_ms} ms, the slowest was answered after ${Math.round(load.longestMs())} ms`)
  say(`both exports have the same ${lines} lines`)
  if (paused_ms >= MAX_PAUSE_MS || load.longestMs() >= MAX_PAUSE_MS) throw new Error('the pause was too long')
  at = 1 - at
  await allDelivered(false)
  checkTold(target.dataDir, id, told)
}

/** In a thread: the receiver of webhooks has to answer meanwhile. */
async function compare(from: string, to: string): Promise<number> {
  const worker = new Worker(new URL('org-move/compare.ts', import.meta.url), { workerData: { from, to, id } })
  const [lines] = (await once(worker, 'message')) as [number]
  return lines
}

async function allDelivered(mayRepeat: boolean): Promise<void> {
  const last = lastSeq((hosts[at] as Host).dataDir, id)
  const seen = () => new Set(receiver.requests.map(({ event }) => event.seq)).size
  for (const until = performance.now() + 300_000; seen() < last - first && performance.now() < until; ) await sleep(200)
  const tries = triesIn((hosts[at] as Host).dataDir, id)
  checkDelivered(receiver.requests, { from: first + 1, to: last, tries }, mayRepeat)
}

/** Kills one of the three at a random moment of a move, and waits until it is settled. Returns what came of it. */
async function killedMove(kill: number): Promise<'moved' | 'stayed'> {
  const load = startLoad({ bases: base(), token, writers: 2, name: `kill-${round++}`, told })
  const victim = ['source', 'target', 'command'][int(3)] as string
  const cut = new AbortController()
  const running = command(cut.signal)
  const longest = lastMs
  const began = performance.now()
  await Promise.race([sleep(int(longest)), running])
  if (victim === 'command') cut.abort()
  else await (hosts[victim === 'source' ? at : 1 - at] as Host).kill()
  await running
  lastMs = Math.max(1500, Math.min(60_000, (lastMs + (performance.now() - began) * 1.2) / 2))
  for (const host of hosts) if (!host.isRunning()) await host.start()
  const where = await settled()
  await load.stop()
  const isMoved = where !== at
  at = where
  checkTold((hosts[at] as Host).dataDir, id, told)
  say(
    `kill ${kill}: the ${victim}; the organisation ${isMoved ? 'has moved' : 'stays'}, ${told.made.size} deals made so far`,
  )
  return isMoved ? 'moved' : 'stayed'
}

/** Which of both has the organisation, once it takes writes again. Never both, and in the end one. */
async function settled(): Promise<number> {
  for (const until = performance.now() + 60_000; performance.now() < until; await sleep(100)) {
    const reads = await Promise.all(hosts.map((host) => request('GET', '/deals?limit=1', undefined, host)))
    const serving = reads.flatMap(({ status }, index) => (status === 200 ? [index] : []))
    for (const { status } of reads) if (![200, 401, 421].includes(status)) throw new Error(`a read answered ${status}`)
    if (serving.length === 2) throw new Error('both servers have the organisation')
    const [only] = serving
    if (only === undefined) continue
    const written = await request('POST', '/deals', { title: 'settled' }, hosts[only] as Host)
    if (written.status === 201) return only
  }
  throw new Error('no server takes writes')
}
