import { spawn } from 'node:child_process'
import { Agent, request } from 'node:http'
import { join } from 'node:path'

const EVENTS = 10_000
const WRITES_PER_S = 200

/** Latencies of writes in milliseconds. */
export type Waits = { p50: number; p99: number }
export type Webhooks = {
  events: number
  receivers: number
  perS: number
  writesPerS: number
  quiet: Waits
  busy: Waits
}

type Server = { url: string; token: string }

/**
 * 10,000 events to five receivers: how many deliveries a second, and what writes wait meanwhile. Writes come at an even
 * pace, first while nothing is sent, then while everything is.
 */
export async function webhooks(server: Server): Promise<Webhooks> {
  const child = spawn('nice', ['-n', '10', process.execPath, join(import.meta.dirname, 'receivers.mjs')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const ports: number[] = JSON.parse(
      await new Promise((found) => child.stdout.once('data', (data) => found(String(data)))),
    )
    const call = caller(server)
    const created = (await Promise.all(
      ports.map((port) => call('POST', '/webhooks', { url: `http://127.0.0.1:${port}/`, event_types: ['deal.*'] })),
    )) as { id: string }[]
    const setAll = (status: string) =>
      Promise.all(created.map(({ id }) => call('PATCH', `/webhooks/${id}`, { status })))
    await setAll('paused')
    for (let done = 0; done < EVENTS; done += 50)
      await Promise.all(Array.from({ length: 50 }, (_, n) => call('POST', '/deals', { title: `Deal ${done + n}` })))
    const quiet = (await writeEvenly(call, (elapsedMs) => elapsedMs > 5000)).waits
    const already = WRITES_PER_S * 5
    let received = { count: 0, lastAt: 0 }
    const started = Date.now()
    await setAll('active')
    const wanted = (EVENTS + already) * ports.length
    const look = async (): Promise<void> => {
      received = (await (await fetch(`http://127.0.0.1:${ports[0]}/`)).json()) as typeof received
    }
    let looked = Promise.resolve()
    const poll = setInterval(() => {
      looked = looked.then(look)
    }, 50)
    const busy = (await writeEvenly(call, (elapsedMs) => received.count >= wanted || elapsedMs > 120_000)).waits
    clearInterval(poll)
    await looked
    return {
      events: EVENTS,
      receivers: ports.length,
      writesPerS: WRITES_PER_S,
      perS: (received.count / (received.lastAt - started)) * 1000,
      quiet,
      busy,
    }
  } finally {
    child.kill()
  }
}

type Call = (method: string, path: string, body: object) => Promise<unknown>

function caller({ url, token }: Server): Call {
  const agent = new Agent({ keepAlive: true, maxSockets: 50 })
  return (method, path, body) =>
    new Promise((resolve, reject) => {
      const text = JSON.stringify(body)
      const headers = {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      }
      const req = request(`${url}/api/v1${path}`, { method, agent, headers }, (res) => {
        let answer = ''
        res.on('data', (chunk) => {
          answer += chunk
        })
        res.on('end', () => {
          if ((res.statusCode ?? 500) < 300) resolve(JSON.parse(answer))
          else reject(new Error(`${method} ${path}: ${res.statusCode} ${answer}`))
        })
      })
      req.on('error', reject)
      req.end(text)
    })
}

/** Creates deals at an even pace, whether or not those before are answered. */
async function writeEvenly(call: Call, isEnough: (elapsedMs: number) => boolean): Promise<{ waits: Waits }> {
  const took: number[] = []
  const running = new Set<Promise<void>>()
  const started = performance.now()
  for (let n = 0; !isEnough(performance.now() - started); n++) {
    const at = started + (n * 1000) / WRITES_PER_S
    const wait = at - performance.now()
    if (wait > 0) await new Promise((wake) => setTimeout(wake, wait))
    const one = call('POST', '/deals', { title: `Paced ${n}` }).then(() => {
      took.push(performance.now() - at)
      running.delete(one)
    })
    running.add(one)
  }
  await Promise.all(running)
  took.sort((a, b) => a - b)
  const at = (share: number): number => took[Math.floor(took.length * share)] ?? 0
  return { waits: { p50: at(0.5), p99: at(0.99) } }
}
