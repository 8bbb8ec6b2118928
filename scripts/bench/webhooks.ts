import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { caller, type Waits, writeEvenly } from './client.ts'

const EVENTS = 10_000
const WRITES_PER_S = 200

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
 * 10,000 events to five receivers: how many deliveries a second, and how long writes take in the meantime. Writes come
 * at an even pace, first without deliveries, then with all of them.
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
    const quiet = (await writeEvenly(call, WRITES_PER_S, (elapsedMs) => elapsedMs > 5000)).waits
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
    const busy = (await writeEvenly(call, WRITES_PER_S, (elapsedMs) => received.count >= wanted || elapsedMs > 120_000))
      .waits
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
