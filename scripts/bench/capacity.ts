import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, openSync, rmSync } from 'node:fs'
import { Agent, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { random } from '../../src/demo/story/random.ts'
import { addOrgs } from './capacity-fill.ts'
import { databaseMb, percentile, used } from './capacity-process.ts'
import { KINDS, type Kind, send, type Visited, visitedOrgs } from './capacity-requests.ts'
import { seedTemplate } from './capacity-template.ts'
import { ended, listening, memory, type serving } from './serving.ts'

// What many ask at once: writers of many organisations in one process, several folders on one machine with their backups,
// and a webhook of each organisation. One client at a time is measured by scale.ts.

export type CapacityOptions = { orgs: number; dealsOfEach: number; folders: number; hooks: number; seconds: number }

type Tools = Pick<ReturnType<typeof serving>, 'command' | 'dealbox'>
type Served = { url: string; process: { pid?: number | undefined }; rssMb: () => number; stop: () => Promise<void> }

export async function capacity(tools: Tools, options: CapacityOptions): Promise<void> {
  const work = join(tmpdir(), `dealbox-capacity-${process.pid}`)
  mkdirSync(work, { recursive: true })
  try {
    if (options.orgs > 0) await writers(tools, join(work, 'writers'), options)
    if (options.folders > 0) await folders(tools, work, options)
    if (options.hooks > 0) await hooks(tools, join(work, 'hooks'), options)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

const say = (what: string, found: object): void => console.log(`${what}: ${JSON.stringify(found)}`)

function filled(folder: string, orgs: number, deals: number): void {
  if (!existsSync(folder)) seedTemplate(folder, deals, 'deals')
  const { rows, seconds } = addOrgs(folder, orgs)
  say('filled', { orgs, deals, rows, seconds: Math.round(seconds), mb: Math.round(databaseMb(folder)) })
}

async function serve({ command }: Tools, folder: string, more: string[] = []): Promise<Served> {
  const log = join(folder, 'log')
  const listen = ['--api-listen', '127.0.0.1:0', '--screens-listen', '127.0.0.1:0', '--backup-at', 'off']
  const [program = '', ...argv] = [...command, 'serve', '--data', folder, '--json', '--rate-limit', '900000000/s']
  const child = spawn(program, [...argv, ...listen, ...more], { stdio: ['ignore', openSync(log, 'w'), 'inherit'] })
  const { api: url } = await listening(child, log)
  return { url, process: child, rssMb: () => memory(child, 'VmRSS'), stop: () => ended(child) }
}

/** Of all that a writer does; lists are fresh, as another question each time. */
const MIX = [
  'create',
  'create',
  'change of the title',
  'change of the stage',
  'newest 50 deals',
  'list of 50 by amount',
]

type Asked = {
  perS: number
  failed: number
  kinds: Record<string, { n: number; p50: number; p99: number; most: number }>
}

/** So many clients at once, each of which sends its next request `everyMs` after the last one, or with 0 at once. */
async function ask(
  url: string,
  orgs: readonly Visited[],
  clients: number,
  everyMs: number,
  ms: number,
): Promise<Asked> {
  const took = new Map<string, number[]>()
  let failed = 0
  const started = performance.now()
  const client = async (number: number): Promise<void> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const { next } = random(number + 1)
    await pause(next() * everyMs)
    for (let n = number * 100_000; performance.now() - started < ms; n++) {
      const name = MIX[Math.floor(next() * MIX.length)] as string
      const org = orgs[Math.floor(next() * orgs.length)] as Visited
      const from = performance.now()
      const status = await send(agent, url, org.token, (KINDS[name] as Kind)(org, n, next))
      const waited = performance.now() - from
      took.set(name, [...(took.get(name) ?? []), waited])
      if (status >= 300 && status !== 409) failed++
      await pause(everyMs - waited)
    }
    agent.destroy()
  }
  await Promise.all(Array.from({ length: clients }, (_, number) => client(number)))
  const seconds = (performance.now() - started) / 1000
  const all = [...took.values()].reduce((sum, each) => sum + each.length, 0)
  const kinds = [...took].map(([name, each]) => [
    name,
    {
      n: each.length,
      p50: tenths(percentile(each, 0.5)),
      p99: tenths(percentile(each, 0.99)),
      most: tenths(Math.max(...each)),
    },
  ])
  return { perS: Math.round(all / seconds), failed, kinds: Object.fromEntries(kinds) }
}

const tenths = (ms: number): number => Math.round(ms * 10) / 10
const pause = (ms: number): Promise<void> | undefined =>
  ms > 0 ? new Promise((wake) => setTimeout(wake, ms)) : undefined

async function writers(tools: Tools, folder: string, { orgs, dealsOfEach, seconds }: CapacityOptions): Promise<void> {
  filled(folder, orgs, dealsOfEach)
  const visited = await visitedOrgs(folder, orgs, 10)
  const server = await serve(tools, folder)
  try {
    for (const [clients, everyMs] of [
      [1, 0],
      [200, 2000],
      [200, 1000],
      [200, 0],
    ] as const) {
      const before = used(server.process.pid)
      const found = await ask(server.url, visited, clients, everyMs, seconds * 1000)
      const after = used(server.process.pid)
      say(`${clients} clients, each ${everyMs === 0 ? 'without a pause' : `every ${everyMs} ms`}`, {
        ...{ ...found, cpuS: tenths(after.cpuS - before.cpuS), rssMb: Math.round(server.rssMb()) },
      })
    }
  } finally {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Some requests a second to each, without backups, with one after the other, and with all at once. */
async function folders(tools: Tools, work: string, { folders: count, seconds }: CapacityOptions): Promise<void> {
  const all = Array.from({ length: count }, (_, n) => join(work, `folder-${n}`))
  for (const folder of all) filled(folder, 250, 1000)
  const visited = await Promise.all(all.map((folder) => visitedOrgs(folder, 250, 10)))
  const servers = await Promise.all(all.map((folder) => serve(tools, folder)))
  const asked = (ms: number) =>
    Promise.all(servers.map(({ url }, n) => ask(url, visited[n] as Visited[], 10, 1000, ms)))
  const worst = (found: Asked[]) => {
    const kinds = found.flatMap((each) => Object.values(each.kinds))
    const failed = found.reduce((sum, each) => sum + each.failed, 0)
    const perS = found.reduce((sum, each) => sum + each.perS, 0)
    return {
      perS,
      failed,
      p50: Math.max(...kinds.map(({ p50 }) => p50)),
      p99: Math.max(...kinds.map(({ p99 }) => p99)),
    }
  }
  const backup = async (folder: string): Promise<number> => {
    const from = performance.now()
    const [program = '', ...argv] = [...tools.command, 'backup', '--data', folder, '--to', join(folder, 'backups')]
    const child = spawn(program, argv, { stdio: ['ignore', 'ignore', 'inherit'] })
    await new Promise((done) => child.once('exit', done))
    return tenths((performance.now() - from) / 1000)
  }
  try {
    say('no backup', worst(await asked(seconds * 1000)))
    let isDone = false
    const during = async (made: Promise<number[]>) => {
      const found: Asked[] = []
      isDone = false
      void made.finally(() => {
        isDone = true
      })
      while (!isDone) found.push(...(await asked(5000)))
      return { tookS: await made, ...worst(found), perS: undefined }
    }
    const inTurn = (async () => {
      const took: number[] = []
      for (const folder of all) took.push(await backup(folder))
      return took
    })()
    say('backups one after the other', await during(inTurn))
    for (const folder of all) rmSync(join(folder, 'backups'), { recursive: true, force: true })
    say('all backups at once', await during(Promise.all(all.map(backup))))
    say('memory', { rssMb: servers.map((each) => Math.round(each.rssMb())) })
  } finally {
    for (const each of servers) await each.stop()
    for (const folder of all) rmSync(folder, { recursive: true, force: true })
  }
}

/** A webhook of each organisation: what it costs while nothing happens, how long one event takes, and one of each. */
async function hooks(tools: Tools, folder: string, { hooks: count, seconds }: CapacityOptions): Promise<void> {
  filled(folder, count, 10)
  const visited = await visitedOrgs(folder, count, 1)
  const arrived = new Map<string, number>()
  const receiver = createServer((req, res) => {
    arrived.set(req.url ?? '', performance.now())
    req.resume().on('end', () => res.end('ok'))
  }).listen(0, '127.0.0.1')
  await new Promise((done) => receiver.once('listening', done))
  const base = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
  const server = await serve(tools, folder, ['--webhook-allow', '127.0.0.1'])
  const agent = new Agent({ keepAlive: true, maxSockets: 20 })
  const post = (number: number, path: string, body: object): Promise<number> =>
    send(agent, server.url, (visited[number] as Visited).token, { method: 'POST', path, body })
  const idle = async (): Promise<number> => {
    const before = used(server.process.pid).cpuS
    await pause(seconds * 1000)
    return tenths(((used(server.process.pid).cpuS - before) * 100) / seconds)
  }
  const comes = async (path: string): Promise<number> => {
    while (!arrived.has(path)) await pause(1)
    return arrived.get(path) as number
  }
  try {
    const without = await idle()
    for (let from = 0; from < count; from += 20)
      await Promise.all(
        Array.from({ length: Math.min(20, count - from) }, (_, n) =>
          post(from + n, '/webhooks', { url: `${base}/${from + n}`, event_types: ['deal.created'] }),
        ),
      )
    say('idle, percent of a core', { withoutWebhooks: without, with: await idle(), rssMb: Math.round(server.rssMb()) })
    const took: number[] = []
    for (let n = 0; n < 100; n++) {
      const number = Math.floor((n * count) / 100)
      const from = performance.now()
      await post(number, '/deals', { title: 'One' })
      took.push((await comes(`/${number}`)) - from)
    }
    say('one event until its delivery, ms', {
      n: took.length,
      p50: tenths(percentile(took, 0.5)),
      most: tenths(Math.max(...took)),
    })
    arrived.clear()
    const from = performance.now()
    for (let n = 0; n < count; n += 20)
      await Promise.all(
        Array.from({ length: Math.min(20, count - n) }, (_, at) => post(n + at, '/deals', { title: 'All' })),
      )
    const writtenS = (performance.now() - from) / 1000
    for (const until = performance.now() + 600_000; arrived.size < count && performance.now() < until; ) await pause(20)
    const last = Math.max(...arrived.values())
    say('an event of each', { n: arrived.size, writtenS: tenths(writtenS), arrivedS: tenths((last - from) / 1000) })
  } finally {
    agent.destroy()
    await server.stop()
    receiver.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** 0 leaves a part out. */
export const CAPACITY_OPTIONS = {
  orgs: { type: 'string', default: '2800' },
  'org-deals': { type: 'string', default: '1k' },
  folders: { type: 'string', default: '8' },
  hooks: { type: 'string', default: '10k' },
} as const

/** A number such as 500k and 5m. */
const numberOf = (text: string): number =>
  Number.parseFloat(text) * (text.endsWith('m') ? 1_000_000 : text.endsWith('k') ? 1000 : 1)

/** Measures what many ask at once, and prints a line for each. */
export async function runCapacity(
  tools: Parameters<typeof capacity>[0],
  given: { [name in keyof typeof CAPACITY_OPTIONS]: string } & { seconds?: string | undefined },
): Promise<void> {
  await capacity(tools, {
    ...{ orgs: numberOf(given.orgs), dealsOfEach: numberOf(given['org-deals']) },
    ...{ folders: numberOf(given.folders), hooks: numberOf(given.hooks), seconds: Number(given.seconds ?? 30) },
  })
}
