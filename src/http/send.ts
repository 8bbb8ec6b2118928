import type { IncomingMessage } from 'node:http'
import { pipeline, Readable } from 'node:stream'
import { type Answer, JSON_TYPE, SECURITY_HEADERS } from './answer.ts'
import type { Exchange } from './kernel.ts'

let waiting: (() => void)[] = []

/**
 * The answers of one turn of the event loop are written together at its end. Written one by one, each wakes the
 * process that waits for it, which costs more than the whole of a small answer.
 */
function atEndOfTurn(write: () => void): void {
  if (waiting.push(write) > 1) return
  setImmediate(() => {
    const all = waiting
    waiting = []
    for (const one of all) one() // none of them throws
  })
}

/**
 * Writes the answer as it is, past Koa's own response handling; `last` closes the connection after it, and `drain` gets a
 * request whose body has not come, or not all of it, and returns whether the connection can go on. `onSent` gets what
 * failed in the middle of an answer, which the client notices by its length; one that has gone is no failure.
 */
export function send(
  x: Exchange,
  answer: Answer,
  { last, drain }: { last: boolean; drain: (req: IncomingMessage) => boolean },
  onSent: (error?: Error) => void,
): void {
  const { req, res, id, headers: own } = x
  const { status, headers, body, type = JSON_TYPE } = answer
  const all = ['X-Request-Id', id, ...SECURITY_HEADERS, ...own, ...headers]
  const isEmpty = status === 204 || status === 304
  const bytes = typeof body === 'string' || Buffer.isBuffer(body) ? Buffer.byteLength(body) : body.bytes
  if (!isEmpty) all.push('Content-Type', type, 'Content-Length', String(bytes))
  atEndOfTurn(() => {
    if (!res.headersSent && !res.destroyed) {
      const goesOn = req.complete || drain(req)
      if ((last || !goesOn) && !headers.includes('Connection')) all.push('Connection', 'close')
      try {
        res.writeHead(status, all)
        if (isEmpty || req.method === 'HEAD') res.end()
        else if (typeof body === 'string' || Buffer.isBuffer(body)) res.end(body)
        else
          return pipeline(Readable.from(body.parts()), res, (error) =>
            onSent(isGone(error) ? undefined : (error ?? undefined)),
          )
      } catch {
        res.destroy() // node refuses a header; the other answers of this turn are not to go with this one
      }
    }
    onSent()
  })
}

const isGone = (error: NodeJS.ErrnoException | null | undefined): boolean =>
  error?.code === 'ERR_STREAM_PREMATURE_CLOSE'
