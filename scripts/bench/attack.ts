import { type ChildProcess, fork, spawnSync } from 'node:child_process'
import { Agent, request } from 'node:http'
import { getPriority, setPriority } from 'node:os'
import { join } from 'node:path'
import { ATTACKS, type Attack, type Orders, type Tallies, type Target } from './attackers.ts'
import { ended, memory, type Server } from './serving.ts'

const GETS_PER_S = 100
const POSTS_PER_S = 5
const QUIET_S = 10
const TIMEOUT_MS = 10_000
const MAX_CALMING_MS = 60_000
const MAX_MEMORY_MB = 3000
const SAMPLED_EVERY_MS = 50
const NICE = 10
/** The processes of attackers: separate, so that the floods do not delay the connections that only wait. */
const PROCESSES: Attack[][] = [
  ['pipelined', 'chunked', 'tokens'],
  ['slow', 'idle', 'pollers'],
]

/** Milliseconds from the due time of each request to its answer; a failed one counts with the time until it failed. */
type Times = { count: number; p50: number; p99: number; max: number }
export type Load = { gets: Times; posts: Times; failed: number; answers: Record<string, number> }

export type Attacked = {
  attacks: Attack[]
  seconds: number
  quiet: Load
  busy: Load
  peakMb: number
  /** How the server ended, if it did, and after how many seconds. */
  end: { how: string; afterS: number } | undefined
  tallies: Tallies
  /** From the end of the attack until the server answers. */
  calmMs: number
}

type Stretch = { last_seq: number; next_cursor: string | null }

/** Parses names of attacks such as `pipelined,tokens`; all of them by default. Throws on an unknown name. */
export function readAttacks(text: string | undefined): Attack[] {
  const all = Object.keys(ATTACKS) as Attack[]
  const names = text?.split(',') ?? all
  const unknown = names.find((name) => !all.includes(name as Attack))
  if (unknown !== undefined) throw new Error(`There is no attack "${unknown}"; there are ${all.join(', ')}.`)
  return names as Attack[]
}

/**
 * Runs the attacks together against a server with both listeners, while an honest client reads and writes at an even
 * pace; also runs that client before them. Kills a server that uses 3 GB. The attackers have a lower priority than the
 * server and the client, so that the client waits for the server and not for a core.
 */
export async function attacked(
  server: Server,
  { attacks, seconds, tokens }: { attacks: Attack[]; seconds: number; tokens: string[] },
): Promise<Attacked> {
  const { process: child } = server
  const [api, screens] = [server.url, server.screens as string].map(target)
  const { data } = await server.call('/deals?limit=100')
  const client = honest(
    server,
    data.map(({ id }) => id),
  )
  const quiet = await client(QUIET_S)
  const lastSeq = await newestEvent(server)
  const started = performance.now()
  let end: Attacked['end']
  let peakMb = 0
  const over = new AbortController()
  child.once('exit', (code, signal) => {
    end ??= { how: `it died (${signal ?? `exit code ${code}`})`, afterS: (performance.now() - started) / 1000 }
    over.abort()
  })
  const sampling = setInterval(() => {
    peakMb = Math.max(peakMb, memory(child, 'VmHWM'))
    if (peakMb <= MAX_MEMORY_MB || end) return
    end = { how: `killed at ${MAX_MEMORY_MB} MB`, afterS: (performance.now() - started) / 1000 }
    child.kill('SIGKILL')
  }, SAMPLED_EVERY_MS)
  const orders = { api, screens, seconds, tokens, lastSeq } as Omit<Orders, 'attacks'>
  const groups = PROCESSES.map((group) => group.filter((name) => attacks.includes(name)))
  const tallies: Tallies = {}
  const attackers = groups
    .filter((group) => group.length > 0)
    .map((group) => start({ ...orders, attacks: group }, tallies))
  const busy = await client(seconds, over.signal)
  await Promise.all(attackers.map(ended))
  const calmAt = performance.now()
  while (!over.signal.aborted && (await client(0.01)).failed > 0 && performance.now() - calmAt < MAX_CALMING_MS);
  clearInterval(sampling)
  return { attacks, seconds, quiet, busy, peakMb, end, tallies, calmMs: performance.now() - calmAt }
}

async function newestEvent({ call }: Server): Promise<number> {
  for (let after = 0; ; ) {
    const { last_seq, next_cursor } = (await call(
      `/webhooks/events?limit=100&after_seq=${after}`,
    )) as unknown as Stretch
    if (next_cursor === null) return last_seq
    after = last_seq
  }
}

function target(url: string): Target {
  const { hostname, port } = new URL(url)
  return { host: hostname, port: Number(port) }
}

function start(orders: Orders, tallies: Tallies): ChildProcess {
  const child = fork(join(import.meta.dirname, 'attackers.ts'))
  setPriority(child.pid as number, Math.min(getPriority() + NICE, 19))
  spawnSync('prlimit', ['--pid', String(child.pid), '--nofile=65536:65536']) // the limit stays if this fails
  child.on('message', (found: Tallies) => Object.assign(tallies, found))
  child.send(orders)
  return child
}

/** Reads one deal or a page of 50, and writes deals, each at its due time, whether or not earlier ones are answered. */
function honest({ url, token }: Server, ids: string[]) {
  const agent = new Agent({ keepAlive: true, maxSockets: 200 })

  function call(method: string, path: string, body?: string): Promise<string> {
    return new Promise((resolve) => {
      const headers = {
        authorization: `Bearer ${token}`,
        ...(body && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
      }
      const timeout = setTimeout(() => req.destroy(new Error('timeout')), TIMEOUT_MS)
      const req = request(`${url}/api/v1${path}`, { method, agent, headers }, (res) => {
        res.resume()
        res.once('end', () => settle(String(res.statusCode)))
        res.once('error', () => settle('cut off'))
      })
      req.once('error', (error: NodeJS.ErrnoException) => settle(error.code ?? error.message))
      req.end(body)
      function settle(outcome: string): void {
        clearTimeout(timeout)
        resolve(outcome)
      }
    })
  }

  const get = (n: number) => call('GET', n % 10 === 0 ? '/deals?limit=50' : `/deals/${ids[n % ids.length]}`)
  const post = (n: number) => call('POST', '/deals', JSON.stringify({ title: `Made under attack ${n}` }))

  return async function load(seconds: number, over?: AbortSignal): Promise<Load> {
    const answers: Record<string, number> = {}
    const [gets, posts] = await Promise.all([
      evenly(GETS_PER_S, seconds, get, answers, over),
      evenly(POSTS_PER_S, seconds, post, answers, over),
    ])
    const failed = Object.entries(answers).reduce((sum, [status, n]) => (/^2..$/.test(status) ? sum : sum + n), 0)
    return { gets, posts, failed, answers }
  }
}

async function evenly(
  perS: number,
  seconds: number,
  one: (n: number) => Promise<string>,
  answers: Record<string, number>,
  over?: AbortSignal,
): Promise<Times> {
  const took: number[] = []
  const running: Promise<void>[] = []
  const started = performance.now()
  for (let n = 0; n < perS * seconds && !over?.aborted; n++) {
    const due = started + (n * 1000) / perS
    const wait = due - performance.now()
    if (wait > 0) await new Promise((wake) => setTimeout(wake, wait))
    running.push(
      one(n).then((outcome) => {
        took.push(performance.now() - due)
        answers[outcome] = (answers[outcome] ?? 0) + 1
      }),
    )
  }
  await Promise.all(running)
  took.sort((a, b) => a - b)
  const at = (share: number): number => took[Math.min(Math.floor(took.length * share), took.length - 1)] ?? 0
  return { count: took.length, p50: at(0.5), p99: at(0.99), max: at(1) }
}

/** The result as Markdown. */
export function attackText({ attacks, seconds, quiet, busy, peakMb, end, tallies, calmMs }: Attacked): string {
  const row = (name: string, { gets, posts, failed }: Load): string =>
    [name, ...[gets.p50, gets.p99, gets.max, posts.p50, posts.p99].map((ms) => ms.toFixed(1)), failed].join(' | ')
  const others = Object.entries(busy.answers).filter(([status]) => !/^2..$/.test(status))
  const outcome = end
    ? `${end.how} after ${end.afterS.toFixed(0)} s`
    : `the server lived and answered ${(calmMs / 1000).toFixed(1)} s after it`
  const lines = Object.entries(tallies).map(([name, { opened, failed, open, sentMb, answers }]) => {
    const answered = Object.entries(answers).map(([status, n]) => `${n} × ${status}`)
    const sent = sentMb >= 1 ? `, ${Math.round(sentMb)} MB sent` : ''
    return `- ${name}: ${opened} connections opened, ${open} of them open at the end, ${failed} refused${sent}${answered.length > 0 ? `; answers ${answered.join(', ')}` : ''}`
  })
  return `## Under attack

${attacks.join(', ')}${attacks.length > 1 ? ' together' : ''} for ${seconds} s, from processes of a lower priority on the same machine: **${outcome}**, peak of its memory
**${Math.round(peakMb)} MB**. Meanwhile a client makes ${GETS_PER_S} reads and ${POSTS_PER_S} writes a second at an even pace, counted from when each was due.

the client | GET p50 ms | p99 | max | POST p50 ms | p99 | failed
--- | ---: | ---: | ---: | ---: | ---: | ---:
${row('without an attack', quiet)}
${row('under attack', busy)}

${others.length > 0 ? `Failed: ${others.map(([status, n]) => `${n} × ${status}`).join(', ')}.\n\n` : ''}${lines.join('\n')}
`
}
