import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * What becomes of a request: `drop` loses it, `lose` loses its answer, and a text takes the place of its body. A promise
 * holds it back until then.
 */
export type Fate = 'pass' | 'drop' | 'lose' | { body: string }
export type Fates = (path: string, body: string) => Fate | Promise<Fate>

/** A server on the way to another one, which can lose what passes. */
export async function startRelay(target: () => string) {
  let fates: Fates = () => 'pass'
  const passed: string[] = []
  const faults: unknown[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const path = request.url ?? ''
    const fate = await Promise.resolve(fates(path, Buffer.concat(chunks).toString())).catch((error) => {
      faults.push(error)
      return 'drop' as const
    })
    if (fate === 'drop') return void response.destroy()
    const body = typeof fate === 'object' ? fate.body : Buffer.concat(chunks)
    const headers = { authorization: request.headers.authorization ?? '', 'content-type': 'application/json' }
    const answer = await fetch(`${target()}${path}`, { method: 'POST', headers, body })
    const text = await answer.text()
    passed.push(path)
    if (fate === 'lose') response.destroy()
    else response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passed,
    /** What went wrong while it decided. */
    faults,
    /** From now on. */
    decide: (next: Fates) => {
      fates = next
    },
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
