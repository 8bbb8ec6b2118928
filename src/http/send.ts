import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline, Readable } from 'node:stream'
import { type Answer, ECHO, echoOf, isWhole, JSON_TYPE, SECURITY_HEADERS, sizeOf, type Whole } from './answer.ts'
import type { Exchange } from './exchange.ts'

let waiting: (() => void)[] = []

/**
 * Writes all responses of a turn of the event loop together at its end. Written one by one, each wakes the waiting
 * client process, which costs more than the rest of a small response.
 */
function atEndOfTurn(write: () => void): void {
  if (waiting.push(write) > 1) return
  setImmediate(() => {
    const all = waiting
    waiting = []
    for (const write of all) write() // none of them throws
  })
}

/**
 * Writes the response directly, bypassing Koa. `last` closes the connection after it. `drain` is called for a request
 * whose body has not arrived completely, and returns whether the connection can be reused. `onSent` gets an error in
 * the middle of a response, which the client notices by its length; a client that disconnected is not an error.
 */
export function send(
  x: Exchange,
  answer: Answer,
  { last, drain }: { last: boolean; drain: (req: IncomingMessage) => boolean },
  onSent: (error?: Error) => void,
): void {
  const { req, res, id, headers: own } = x
  const { status, headers, body, type = JSON_TYPE, security = SECURITY_HEADERS } = answer
  const all = ['X-Request-Id', id, ECHO, echoOf(req), ...security, ...own, ...headers]
  const isEmpty = status === 204 || status === 304
  const bytes = isWhole(body) ? sizeOf(body) : body.bytes
  if (!isEmpty) all.push('Content-Type', type, 'Content-Length', String(bytes))
  atEndOfTurn(() => {
    if (!res.headersSent && !res.destroyed) {
      const canReuse = req.complete || drain(req)
      if ((last || !canReuse) && !headers.includes('Connection')) all.push('Connection', 'close')
      try {
        res.writeHead(status, all)
        if (isEmpty || req.method === 'HEAD') res.end()
        else if (isWhole(body)) end(res, body)
        else
          return pipeline(Readable.from(body.parts()), res, (error) =>
            onSent(isGone(error) ? undefined : (error ?? undefined)),
          )
      } catch {
        res.destroy() // node refuses a header; this must not affect the other responses of this turn
      }
    }
    onSent()
  })
}

function end(res: ServerResponse, body: Whole): void {
  if (!Array.isArray(body)) return void res.end(body)
  res.cork()
  for (const piece of body) res.write(piece)
  res.end()
}

const isGone = (error: NodeJS.ErrnoException | null | undefined): boolean =>
  error?.code === 'ERR_STREAM_PREMATURE_CLOSE'
