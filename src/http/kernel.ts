import type { Context, Middleware } from 'koa'
import type { Access } from '../auth/access.ts'
import { basePathOf, clientOf } from '../auth/client.ts'
import { requireRole } from '../auth/roles.ts'
import { requireScopes } from '../auth/scopes.ts'
import { Problem } from '../lib/problem.ts'
import { isForeignKeyViolation } from '../store/sqlite/constraints.ts'
import { type Answer, JSON_TYPE, problemAnswer, requestId } from './answer.ts'
import { belowBase } from './base-path.ts'
import { answerData } from './data.ts'
import type { Exchange, Kernel } from './exchange.ts'
import { answerFile } from './file.ts'
import { checkFraming } from './listener/framing.ts'
import { acceptsGzip, acceptsJson, preferred } from './negotiate.ts'
import { newestSeqs } from './newest-seq.ts'
import { pages } from './pages.ts'
import { pollAnswers } from './poll.ts'
import { readAsk } from './query.ts'
import { isKnown, lagOf, saysWho } from './reader.ts'
import { answerRecord } from './record.ts'
import { renderList } from './render.ts'
import type { ListRoute, Need, Route } from './route.ts'
import { send } from './send.ts'
import { SEQ, seqWaits } from './seq.ts'
import { routeTree } from './tree.ts'
import { writeAnswers } from './write.ts'

/**
 * The order of checks for all routes: framing → host 421 → path 404 → method 405 → token 401 → rate 429 → scope or role 403 →
 * media 415/413 → JSON 400 → idempotency → record 404 → precondition 412 → fields 422 → state 409.
 */
export function kernel(routes: readonly Route<Need>[], parts: Kernel): Middleware {
  const { authenticate, headersOf, isCurrent, prefix, health, cursors, rate, bodies, waiters, log, measure } = parts
  const { corsOrigins, checkHost, stopping, reader } = parts
  const find = routeTree(prefix, routes)
  const page = pages(parts.changes)
  const { reach, reachAsked } = seqWaits({ ...parts, givesSeqs: () => !reader && !health.fencedOff() })
  const newest = newestSeqs(parts.newestSeq, parts.changes)
  const answerPoll = pollAnswers({ cursors, waiters, reach })
  const answerWrite = writeAnswers(parts)

  return async function handle(ctx) {
    const started = performance.now()
    ctx.respond = false // the response bypasses Koa
    const x = exchange(ctx)
    let answer: Answer
    try {
      checkServing()
      checkFraming(x.req)
      const match = find(ctx.method, x.path)
      if (reader && 'route' in match && saysWho(x.req)) x.headers.push(...(await lagOf(reader)))
      checkHost?.(x.req)
      if ('route' in match && match.route.kind === 'write' && reader?.pass) {
        x.route = match.route.path
        const passed = { id: x.id, maxBytes: match.route.maxBytes, isKnown: await isKnown(authenticate, x.req) }
        const status = await reader.pass(x.req, x.res, passed)
        return logRequest(x, status, started)
      }
      answer = 'route' in match ? await serve(match.route, match.ids, x) : noRoute(match.allowed, x)
    } catch (error) {
      answer = problemAnswer(asProblem(error, x), x.id)
    }
    if (x.seq !== undefined && !answer.headers.includes(SEQ)) x.headers.push(SEQ, String(x.seq))
    send(x, belowBase(answer, basePathOf(x.req)), { last: stopping.aborted, drain: bodies.drain }, (error) => {
      if (error) logFailure(x, error)
      logRequest(x, answer.status, started)
    })
  }

  function logRequest({ req, res, id, route, access }: Exchange, planned: number, started: number): void {
    const ms = performance.now() - started
    const status = res.headersSent ? res.statusCode : planned
    measure?.(req.method as string, route, status, ms)
    log.info(
      {
        id,
        address: clientOf(req).address,
        method: req.method,
        route,
        status,
        ms: Math.round(ms * 100) / 100,
        org: access?.who.org,
        token: access?.token,
      },
      'request',
    )
  }

  function logFailure({ id, route }: Exchange, err: unknown): void {
    log.error({ id, route, err }, 'failed')
  }

  function exchange(ctx: Context): Exchange {
    const { req, res } = ctx
    const url = req.url as string
    const mark = url.indexOf('?')
    const x: Exchange = {
      req,
      res,
      id: requestId(req),
      path: mark < 0 ? url : url.slice(0, mark),
      query: mark < 0 ? '' : url.slice(mark + 1),
      route: null,
      access: null,
      seq: undefined,
      headers: [],
    }
    const { origin } = req.headers
    if (corsOrigins.length > 0) x.headers.push('Vary', 'Origin')
    if (origin && corsOrigins.includes(origin))
      x.headers.push('Access-Control-Allow-Origin', origin, 'Access-Control-Expose-Headers', EXPOSED)
    return x
  }

  function checkServing(): void {
    if (!stopping.aborted) return
    throw new Problem(503, 'stopping', 'The server is shutting down. Try again in a moment.', {
      headers: { 'Retry-After': '5' },
    })
  }

  function noRoute(methods: string[], x: Exchange): Answer {
    if (methods.length === 0)
      throw new Problem(
        404,
        'no_such_path',
        'There is no resource at this path. See the API reference for the available paths.',
      )
    const allow = methods.join(', ')
    if (x.req.method !== 'OPTIONS') {
      throw new Problem(405, 'method_not_allowed', `This path supports ${allow}.`, { headers: { Allow: allow } })
    }
    const preflight = x.headers.includes('Access-Control-Allow-Origin')
      ? [
          'Access-Control-Allow-Methods',
          allow,
          'Access-Control-Allow-Headers',
          SENDABLE,
          'Access-Control-Max-Age',
          '600',
        ]
      : []
    return { status: 204, headers: ['Allow', allow, ...preflight], body: '' }
  }

  async function serve(route: Route<Need>, ids: string[], x: Exchange): Promise<Answer> {
    x.route = route.path
    const opened = authenticate(x.req)
    const access = opened instanceof Promise ? await opened : opened
    x.access = access
    if (headersOf) x.headers.push(...headersOf(access))
    if (rate) x.headers.push(...rate(access.token))
    if (route.role === undefined) requireScopes(access.who, [route.scope])
    else requireRole(access.role, route.role)
    if (reader && route.kind === 'write') throw health.refusal() as Problem
    if (route.kind !== 'write') {
      const reached = reachAsked(access.who.org, x.req, x.res)
      if (reached) await reached
      x.seq = newest(access.who.org)
    }
    const form = formOf(route, x.req.headers.accept)
    if (route.kind === 'list') return answerList(route, access, ids, x)
    if (route.kind === 'read') return answerRecord(route, access.who, ids, form, x, cursors)
    if (route.kind === 'file') return answerFile(route, access.who, ids, x, cursors)
    if (route.kind === 'data') return answerData(route, access.who, ids, x, cursors)
    if (route.kind === 'poll') return answerPoll(route, access, x)
    return answerWrite(route, access, ids, x)
  }

  function answerList(route: ListRoute<Need>, { who, scopeKey }: Access, ids: string[], x: Exchange): Answer {
    if (route.open) readAsk(route, who, x.path, x.query, cursors) // a wrong query is reported before a missing record
    const listed = route.open ? route.open(who, ...ids) : route
    if (listed.scope !== undefined) requireScopes(who, [listed.scope])
    const zipped = acceptsGzip(x.req.headers['accept-encoding'])
    // A list may depend on the scopes, so only tokens with the same scopes share a page.
    const question = `${who.org} ${scopeKey} ${zipped} ${x.path}?${x.query}`
    return page(question, () => {
      const rendered = renderList(listed, who, x, zipped, cursors)
      // A page that is shown again says what it was as of.
      if (x.seq !== undefined) rendered.answer.headers.push(SEQ, String(x.seq))
      return rendered
    })
  }

  function asProblem(error: unknown, x: Exchange): Problem {
    if (error instanceof Problem) return error
    const problem = health.problemOf(error, x.req.method === 'GET' ? 'read' : 'write')
    if (problem instanceof Problem) return problem
    if (x.access && isForeignKeyViolation(error) && !isCurrent(x.access)) return restoredMeanwhile()
    logFailure(x, error)
    return new Problem(
      500,
      'internal_error',
      'The server failed to process the request. Its log has the reason under this request_id.',
    )
  }
}

/** The media type preferred by Accept; undefined means JSON. A file has its own type. Throws Problem 406. */
function formOf(route: Route<Need>, accept: string | undefined): string | undefined {
  if (route.kind === 'file') return undefined
  const forms = route.kind === 'read' && route.forms ? Object.keys(route.forms) : []
  const type = forms.length > 0 ? preferred(accept, [JSON_TYPE, ...forms]) : acceptsJson(accept) && JSON_TYPE
  if (type) return type === JSON_TYPE ? undefined : type
  const only = forms.length > 0 ? `${JSON_TYPE}, ${forms.join(', ')}` : `${JSON_TYPE} only`
  throw new Problem(406, 'not_acceptable', `This resource is available as ${only}. Change the header Accept.`)
}

const restoredMeanwhile = (): Problem =>
  new Problem(
    503,
    'busy',
    'An export was restored into this organisation in the meantime, and nothing was written. Try again.',
    {
      headers: { 'Retry-After': '1' },
    },
  )

const SENDABLE =
  'Authorization, Content-Type, Dealbox-Echo, Dealbox-Seq, Idempotency-Key, If-Match, If-None-Match, If-Range, Range, X-Request-Id'
const EXPOSED =
  'ETag, Location, Link, Dealbox-Echo, Dealbox-Lag-Ms, Dealbox-Primary, Dealbox-Seq, Dealbox-Token-Ends, Idempotency-Replayed, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id, Accept-Ranges, Content-Disposition, Content-Range'
