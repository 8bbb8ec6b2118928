import { Agent, request } from 'node:http'

/** Latencies of writes in milliseconds. */
export type Waits = { p50: number; p99: number }

export type Call = (method: string, path: string, body?: object) => Promise<unknown>

/** Calls the API of a server over persistent connections. */
export function caller({ url, token }: { url: string; token: string }): Call {
  const agent = new Agent({ keepAlive: true, maxSockets: 50 })
  return (method, path, body) =>
    new Promise((resolve, reject) => {
      const text = body === undefined ? '' : JSON.stringify(body)
      const headers = {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
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

/** Runs `one` for each number, `atOnce` at a time. */
export async function inBatches(count: number, atOnce: number, one: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const work = async (): Promise<void> => {
    while (next < count) await one(next++)
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}

/** Creates deals at an even pace, whether or not earlier ones are answered. */
export async function writeEvenly(
  call: Call,
  perS: number,
  isEnough: (elapsedMs: number) => boolean,
): Promise<{ waits: Waits }> {
  const took: number[] = []
  const running = new Set<Promise<void>>()
  const started = performance.now()
  for (let n = 0; !isEnough(performance.now() - started); n++) {
    const at = started + (n * 1000) / perS
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
