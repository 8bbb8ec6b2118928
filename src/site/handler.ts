import type { Context } from 'koa'
import type * as v from 'valibot'
import type { Access } from '../auth/access.ts'
import { type Role, requireRole } from '../auth/roles.ts'
import type { Bodies } from '../http/body/bodies.ts'
import { mediaTypeOf, parseBody } from '../http/body/body.ts'
import { Problem } from '../lib/problem.ts'
import { validate } from '../lib/validate.ts'

/**
 * A path below /app that is none of the kernel's routes: it works without a session, sets a cookie, answers a stream, or
 * takes a secret that must not be kept for repeats of the request.
 */
export type Handler =
  | (Common & { role: null; answer: (ctx: Context) => void | Promise<void> })
  | (Common & { role: Role; answer: (ctx: Context, access: Access) => void | Promise<void> })

type Common = {
  method: Method
  path: string
  /** It writes nothing to the database, although it is no GET: a reader answers it, too. */
  isInMemory?: true
}

type Method = 'GET' | 'POST' | 'DELETE'

/** Returns a function that answers a request by the handler of its path; false if the path has none. */
export function answerBy(
  handlers: readonly Handler[],
  authenticate: (req: Context['req']) => Access,
): (ctx: Context) => Promise<boolean> {
  return async (ctx) => {
    const onPath = handlers.filter(({ path }) => path === ctx.path)
    if (onPath.length === 0) return false
    const handler = onPath.find(({ method }) => method === ctx.method)
    if (!handler) {
      const Allow = onPath.map(({ method }) => method).join(', ')
      throw new Problem(405, 'method_not_allowed', `This path supports ${Allow}.`, { headers: { Allow } })
    }
    ctx.set('Cache-Control', 'no-store')
    if (handler.role === null) await handler.answer(ctx)
    else {
      const access = authenticate(ctx.req)
      requireRole(access.role, handler.role)
      await handler.answer(ctx, access)
    }
    return true
  }
}

const MAX_BODY_BYTES = 16_384

/** Reads the JSON body of a request. Throws Problem 400, 408, 413, 415, 422 and 503. */
export async function readBody<Schema extends v.GenericSchema>(
  { req, res }: Context,
  bodies: Bodies,
  schema: Schema,
): Promise<v.InferOutput<Schema>> {
  mediaTypeOf(req)
  const body = await bodies.read(req, res, MAX_BODY_BYTES)
  try {
    return validate(schema, parseBody(body.bytes))
  } finally {
    bodies.release(body)
  }
}

/** Answers with a JSON object, or with nothing. */
export function answerJson(ctx: Context, status: number, body?: object): void {
  ctx.status = status
  if (body === undefined) return
  ctx.set('Content-Type', 'application/json')
  ctx.body = JSON.stringify(body)
}
