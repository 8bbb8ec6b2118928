import type { IncomingMessage } from 'node:http'
import type { Context, Middleware } from 'koa'
import { ECHO, echoOf, PROBLEM_TYPE, problemBody, requestId } from '../../http/answer.ts'
import type { Bodies } from '../../http/body/bodies.ts'
import { checkFraming } from '../../http/listener/framing.ts'
import type { Log } from '../../lib/log.ts'
import { Problem } from '../../lib/problem.ts'
import type { Store } from '../../store/open.ts'
import { isConstraintViolation } from '../../store/sqlite/constraints.ts'
import { checkFence } from '../../store/writes.ts'
import { KEY } from './arrivals.ts'
import type { Arriving } from './arriving.ts'
import { MAX_REQUEST_BYTES, MOVES } from './protocol.ts'
import { readRequest } from './requests.ts'

type Options = {
  arriving: Arriving
  store: Store
  bodies: Bodies
  log: Log
  stopping: AbortSignal
}

/**
 * What servers say to each other: internal, in no catalog, and for who has a key of "dealbox org receive" only. For anybody
 * else there is nothing at these paths, as at any other.
 */
export function movesEndpoint({ arriving, store, bodies, log, stopping }: Options): Middleware {
  async function answer({ req, res, path, method }: Context, key: string): Promise<object> {
    checkFraming(req)
    if (stopping.aborted) throw new Problem(503, 'stopping', 'The server is shutting down.')
    const name = path.slice(MOVES.length)
    if (!arriving.isRequest(name) || method !== 'POST')
      throw new Problem(404, 'no_such_path', 'There is no resource at this path.')
    const { id } = arriving.open(key) // before anything of the body is read
    const body = await bodies.read(req, res, MAX_REQUEST_BYTES)
    try {
      const answered = await arriving.perform(name, id, readRequest(name, body.bytes))
      checkFence(store.health) // what became of a move here counts only while this is the primary
      return answered
    } finally {
      bodies.release(body)
    }
  }

  return async (ctx, next) => {
    const key = ctx.path.startsWith(MOVES) ? keyOf(ctx.req) : undefined
    if (key === undefined) return next()
    const id = requestId(ctx.req)
    const began = performance.now()
    ctx.set({
      'X-Request-Id': id,
      [ECHO]: echoOf(ctx.req),
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    })
    try {
      ctx.body = JSON.stringify(await answer(ctx, key))
      ctx.set('Content-Type', 'application/json')
    } catch (error) {
      const problem = problemOf(error, id)
      ctx.status = problem.status
      ctx.set({ ...problem.headers, 'Content-Type': PROBLEM_TYPE })
      ctx.body = problemBody(problem, id)
      if (!ctx.req.complete && !bodies.drain(ctx.req)) ctx.set('Connection', 'close')
    }
    const ms = Math.round((performance.now() - began) * 100) / 100
    log.info({ id, method: ctx.method, route: `${MOVES}:step`, status: ctx.status, ms }, 'request')
  }

  function problemOf(error: unknown, id: string): Problem {
    if (error instanceof Problem) return error
    const problem = store.health.problemOf(error, 'write')
    if (problem instanceof Problem) return problem
    if (isConstraintViolation(error))
      return new Problem(
        400,
        'malformed_request',
        `What was sent does not fit the tables: ${(error as Error).message}.`,
      )
    log.error({ id, err: error }, 'failed')
    return new Problem(500, 'internal_error', 'The receiving server failed; its log has the reason.')
  }
}

/** The token of a request, if it looks like a key. */
function keyOf({ headers }: IncomingMessage): string | undefined {
  const token = /^bearer +(.*)$/i.exec(headers.authorization ?? '')?.[1] ?? ''
  return KEY.test(token) ? token : undefined
}
