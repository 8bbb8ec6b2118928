import { type IncomingMessage, request } from 'node:http'
import type { Way } from '../../lib/net/way.ts'
import { Problem } from '../../lib/problem.ts'
import { READ_BYTES, type ReplyReader } from './reply.ts'

/** The part of the reply received up to now. */
export type Answer = { head: IncomingMessage | undefined; body: ReplyReader }

export type Post = { url: URL; headers: Record<string, string>; body: string }

/**
 * Sends the request over an open connection and fills the answer. Resolves when the answer is complete or has reached
 * 64 KiB; rejects with the error of the connection or the parser, or a Problem.
 */
export function exchange({ socket, ...way }: Way, { url, headers, body }: Post, answer: Answer): Promise<void> {
  return new Promise((resolve, reject) => {
    const req = request({
      method: 'POST',
      path: way.prefix + url.pathname + url.search,
      headers: {
        Host: url.host.replace(/\.(?=$|:)/, ''),
        'User-Agent': 'Dealbox',
        ...headers,
        ...way.headers,
        'Content-Length': Buffer.byteLength(body),
        Connection: 'close',
      },
      // Without an agent there is no pool, so no socket of an earlier attempt can be reused.
      createConnection: () => socket,
    })
    req.on('error', reject)
    req.on('close', () => {
      if (!answer.head?.complete) reject(Object.assign(new Error('closed early'), { code: 'ECONNRESET' }))
    })
    req.on('information', () => {
      if (socket.bytesRead > READ_BYTES) reject(badReply('The receiver sent too many interim responses.'))
    })
    req.on('upgrade', (head) => {
      answer.head = head
      reject(badReply('The receiver answered with a protocol upgrade.'))
    })
    req.on('response', (head) => {
      answer.head = head
      head.on('error', reject)
      head.on('end', resolve)
      head.on('data', (chunk: Buffer) => {
        if (!answer.body.take(chunk)) resolve()
      })
    })
    req.end(body)
  })
}

function badReply(sentence: string): Problem {
  return new Problem(502, 'bad_reply', sentence)
}
