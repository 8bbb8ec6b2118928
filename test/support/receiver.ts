import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Received = {
  path: string
  headers: IncomingHttpHeaders & { 'webhook-id': string; 'webhook-timestamp': string; 'webhook-signature': string }
  /** The exact bytes as text. */
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: an event of any shape
  event: any
}

/** `never` leaves the sender waiting until `release`; `drop` closes the connection. */
export type Answer = { status: number; headers?: Record<string, string>; body?: string } | 'never' | 'drop'

/** `index` counts all requests from 0. */
export type Script = (received: Received, index: number) => Answer

export type Receiver = Awaited<ReturnType<typeof startReceiver>>

export const OK: Answer = { status: 204 }
export const BROKEN: Answer = { status: 500, body: 'It broke.' }

/** Starts a receiver of webhooks that responds by a replaceable script and stores all requests. */
export async function startReceiver(script: Script = () => OK) {
  const requests: Received[] = []
  const held = new Set<ServerResponse>()
  const waiting: { count: number; resolve: () => void }[] = []
  let current = script

  function keep(received: Received, response: ServerResponse): void {
    const answer = current(received, requests.length)
    requests.push(received)
    if (answer === 'never') held.add(response)
    else if (answer === 'drop') response.destroy()
    else response.writeHead(answer.status, answer.headers).end(answer.body)
    for (const { count, resolve } of waiting) if (requests.length >= count) resolve()
  }

  const server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8')
    request.on('data', (chunk) => {
      text += chunk
    })
    request.on('end', () => {
      const headers = request.headers as Received['headers']
      keep({ path: request.url ?? '', headers, text, event: JSON.parse(text) }, response)
    })
    response.on('close', () => held.delete(response))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  return {
    url: `http://127.0.0.1:${port}/hook`,
    requests,
    /** Returns the seqs in order of arrival. */
    seqs: () => requests.map(({ event }) => event.seq as number),
    answer: (next: Script) => {
      current = next
    },
    /** Resolves when this many requests have arrived in total. */
    came: async (count: number): Promise<Received[]> => {
      if (requests.length < count) {
        const { promise, resolve } = Promise.withResolvers<void>()
        waiting.push({ count, resolve })
        await promise
      }
      return requests
    },
    /** Responds to the requests left waiting by `never`. */
    release: (status = 204) => {
      for (const response of held) response.writeHead(status).end()
    },
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
