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

/** Writes the answer as it is, past Koa's own response handling; `last` closes the connection after it. */
export function send(x: Exchange, answer: Answer, last: boolean, onSent: () => void): void {
  const { req, res, id, headers: own } = x
  const { status, headers, body, type = JSON_TYPE } = answer
  const all = ['X-Request-Id', id, ...SECURITY_HEADERS, ...own, ...headers]
  if (last) all.push('Connection', 'close')
  const isEmpty = status === 204 || status === 304
  if (!isEmpty) all.push('Content-Type', type, 'Content-Length', String(Buffer.byteLength(body)))
  atEndOfTurn(() => {
    if (!res.headersSent && !res.destroyed) {
      try {
        res.writeHead(status, all)
        res.end(isEmpty || req.method === 'HEAD' ? undefined : body)
      } catch {
        res.destroy() // node refuses a header; the other answers of this turn are not to go with this one
      }
    }
    onSent()
  })
}
