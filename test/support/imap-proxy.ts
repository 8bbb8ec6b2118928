import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Ends } from './smtp.ts'

/** What becomes of an answer to FETCH with content: null passes it on. */
export type Fault = 'no body' | 'nil' | 'empty' | 'nothing' | null

/**
 * Starts a proxy in front of an IMAP server without TLS, that changes chosen answers to FETCH as broken servers do: they say
 * that all is well, and leave the content out.
 */
export async function startImapProxy(t: Ends, port: number, faultOf: (uid: number, answer: string) => Fault) {
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1')
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one)
      one
        .on('error', () => undefined)
        .on('close', () => {
          sockets.delete(one)
          other.destroy()
        })
    }
    client.pipe(upstream)
    let text = ''
    upstream.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1')
      for (let end = endOfAnswer(text); end !== undefined; end = endOfAnswer(text)) {
        client.write(changed(text.slice(0, end), faultOf), 'latin1')
        text = text.slice(end)
      }
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  /** As a network that fails. */
  const cut = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  t.after(() => {
    cut()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, cut }
}

/** Where the first answer of a stream ends, with its literals; undefined as long as it is not whole. */
function endOfAnswer(text: string): number | undefined {
  for (let at = 0; ; ) {
    const end = text.indexOf('\r\n', at)
    if (end < 0) return undefined
    const literal = /\{(\d+)\}$/.exec(text.slice(at, end))
    if (!literal) return end + 2
    at = end + 2 + Number(literal[1])
    if (at > text.length) return undefined
  }
}

function changed(answer: string, faultOf: (uid: number, answer: string) => Fault): string {
  const uid = /^\* \d+ FETCH \(.*?\bUID (\d+)/s.exec(answer)?.[1]
  if (uid === undefined || !answer.includes('BODY[')) return answer
  const fault = faultOf(Number(uid), answer)
  const [head = ''] = answer.split(' (', 1)
  if (fault === 'nothing') return ''
  if (fault === 'no body') return `${head} (UID ${uid})\r\n`
  if (fault === 'nil') return `${head} (UID ${uid} BODY[]<0> NIL)\r\n`
  if (fault === 'empty') return `${head} (UID ${uid} BODY[]<0> {0}\r\n)\r\n`
  return answer
}
