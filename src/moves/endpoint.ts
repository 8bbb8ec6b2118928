import type { Context, Middleware } from 'koa'
import { PROBLEM_TYPE, problemBody, requestId } from '../http/answer.ts'
import type { Bodies } from '../http/bodies.ts'
import { checkFraming } from '../http/framing.ts'
import type { Log } from '../http/log.ts'
import { Problem } from '../lib/problem.ts'
import type { Store } from '../store/open.ts'
import { checkFence } from '../store/writes.ts'
import type { Arriving } from './arriving.ts'
import { MAX_REQUEST_BYTES, MOVES } from './protocol.ts'

type Options = {
  arriving: Arriving
  store: Store
  bodies: Bodies
  log: Log
  stopping: AbortSignal
}

/** What servers say to each other: internal, in no catalog, and for who has a key of "dealbox org receive" only. */
export function movesEndpoint({ arriving, store, bodies, log, stopping }: Options): Middleware {
  async function answer({ req, res, path, method }: Context): Promise<object> {
    checkFraming(req)
    if (stopping.aborted) throw new Problem(503, 'stopping', 'The server is shutting down.')
    const name = path.slice(MOVES.length)
    const request = Object.hasOwn(arriving.requests, name) ? arriving.requests[name] : undefined
    if (!request || method !== 'POST') throw new Problem(404, 'no_such_path', 'There is no resource at this path.')
    const key = /^bearer +(.*)$/i.exec(req.headers.authorization ?? '')?.[1] ?? ''
    const { id } = arriving.open(key) // before anything of the body is read
    const body = await bodies.read(req, res, MAX_REQUEST_BYTES)
    try {
      const given = parsed(body.bytes)
      const answered = await arriving.inTurn(() => request(arriving.get(id), given as never))
      checkFence(store.health) // what became of a move here counts only while this is the primary
      return answered
    } finally {
      bodies.release(body)
    }
  }

  return async (ctx, next) => {
    if (!ctx.path.startsWith(MOVES)) return next()
    const id = requestId(ctx.req)
    const began = performance.now()
    ctx.set({ 'X-Request-Id': id, 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' })
    try {
      ctx.body = JSON.stringify(await answer(ctx))
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
    log.error({ id, err: error }, 'failed')
    return new Problem(500, 'internal_error', 'The receiving server failed; its log has the reason.')
  }
}

function parsed(bytes: Buffer): object {
  try {
    const value = JSON.parse(bytes.toString())
    if (typeof value === 'object' && value !== null) return value
  } catch {
    // below
  }
  throw new Problem(400, 'malformed_json', 'The body is not a JSON object.')
}
