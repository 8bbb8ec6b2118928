import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Context, Middleware } from 'koa'
import type { Session, Sessions } from '../auth/sessions.ts'
import { readJson } from '../lib/json.ts'
import { Problem } from '../lib/problem.ts'
import { validate } from '../lib/validate.ts'
import { storageProblem } from '../store/commit.ts'
import type { Store } from '../store/open.ts'
import { type Answer, problemAnswer } from './answer.ts'
import { checkMediaType, readBody } from './body.ts'
import { checkIfMatch, etag, isUnchanged } from './conditional.ts'
import type { Cursors } from './cursor.ts'
import { fingerprintOf, type idempotency, idempotencyKey } from './idempotency.ts'
import type { Log } from './log.ts'
import { acceptsGzip, acceptsJson } from './negotiate.ts'
import { readAsk, readFlags } from './query.ts'
import type { rateLimit } from './ratelimit.ts'
import type { ListRoute, ReadRoute, Route, WriteRoute } from './route.ts'
import { send } from './send.ts'
import { API, allowed, routeTree } from './tree.ts'

export type Kernel = {
  sessions: Sessions
  write: Store['write']
  cursors: Cursors
  answers: ReturnType<typeof idempotency>
  rate: ReturnType<typeof rateLimit> | null
  log: Log
  /** Origins that may call from a browser; none by default. */
  corsOrigins: readonly string[]
  /** Set while the server stops: what still comes in on open connections gets 503. */
  stopping: () => boolean
}

/** What is known of a request while it is answered. */
export type Exchange = {
  req: IncomingMessage
  res: ServerResponse
  id: string
  query: string
  /** The template, such as /deals/:id: what is logged instead of the path. */
  route: string | null
  session: Session | null
  /** Headers that the answer gets whatever it will be. */
  headers: string[]
}

const LONGEST_TARGET = 8192

/**
 * The order of checks, once for all routes: framing → path 404 → method 405 → token 401 → rate 429 → scope 403 →
 * media 415/413 → JSON 400 → idempotency → record 404 → precondition 412 → fields 422 → state 409.
 */
export function kernel(routes: readonly Route[], parts: Kernel): Middleware {
  const { sessions, write, cursors, answers, rate, log, corsOrigins, stopping } = parts
  const dispatch = routeTree(routes, (route, ctx) => serve(route, ctx.params.id as string, ctx.state as Exchange))

  return async function handle(ctx) {
    const started = performance.now()
    ctx.respond = false // the answer goes to node's response as it is
    const x = exchange(ctx)
    let answer: Answer
    try {
      checkFraming(x)
      answer = (await dispatch(ctx)) ?? noRoute(ctx)
    } catch (error) {
      answer = problemAnswer(asProblem(error, x), x.id)
    }
    await send(x, answer, stopping())
    log.info(
      {
        id: x.id,
        method: x.req.method,
        route: x.route,
        status: answer.status,
        ms: Math.round((performance.now() - started) * 100) / 100,
        org: x.session?.who.org,
        token: x.session?.token,
      },
      'request',
    )
  }

  function exchange(ctx: Context): Exchange {
    const { req, res } = ctx
    const given = req.headers['x-request-id']
    const id = typeof given === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(given) ? given : randomUUID()
    const url = req.url as string
    const mark = url.indexOf('?')
    const x: Exchange = {
      req,
      res,
      id,
      query: mark < 0 ? '' : url.slice(mark + 1),
      route: null,
      session: null,
      headers: [],
    }
    const { origin } = req.headers
    if (corsOrigins.length > 0) x.headers.push('Vary', 'Origin')
    if (origin && corsOrigins.includes(origin))
      x.headers.push('Access-Control-Allow-Origin', origin, 'Access-Control-Expose-Headers', EXPOSED)
    ctx.state = x
    return x
  }

  function checkFraming({ req }: Exchange): void {
    if (stopping())
      throw new Problem(503, 'stopping', 'The server is stopping; try again in a moment.', {
        headers: { 'Retry-After': '5' },
      })
    if ((req.url as string).length > LONGEST_TARGET)
      throw new Problem(414, 'uri_too_long', `The request target is longer than ${LONGEST_TARGET} bytes.`)
    if (req.httpVersion === '1.1' && req.headers.host === undefined)
      throw new Problem(400, 'malformed_http', 'The header Host is missing.')
  }

  function noRoute(ctx: Context): Answer {
    const x = ctx.state as Exchange
    const methods = allowed(ctx)
    if (methods.length === 0) throw new Problem(404, 'no_such_path', 'There is nothing at this path.')
    const allow = methods.join(', ')
    if (x.req.method !== 'OPTIONS') {
      throw new Problem(405, 'method_not_allowed', `This path takes ${allow}.`, { headers: { Allow: allow } })
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

  async function serve(route: Route, id: string, x: Exchange): Promise<Answer> {
    x.route = route.path
    const opened = authenticate(x.req)
    const session = opened instanceof Promise ? await opened : opened
    if (!session) throw unauthorized('The token is not valid, has expired or was revoked.')
    x.session = session
    if (rate) x.headers.push(...rate(session.token))
    if (!session.scopes.has(route.scope)) {
      throw new Problem(403, 'insufficient_scope', `This needs a token with the scope ${route.scope}.`, {
        more: { scope: route.scope },
      })
    }
    if (!acceptsJson(x.req.headers.accept))
      throw new Problem(406, 'not_acceptable', 'This is answered as application/json only.')
    if (route.kind === 'list') return answerList(route, session, x)
    if (route.kind === 'read') return answerRecord(route, session, id, x)
    return answerWrite(route, session, id, x)
  }

  function authenticate(req: IncomingMessage) {
    const header = req.headers.authorization
    if (header === undefined) throw unauthorized('Send a token: Authorization: Bearer <token>.')
    const [, token] = /^bearer +(v4\.public\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+)$/i.exec(header) ?? []
    return token === undefined || token.length > 2048 ? undefined : sessions.open(token)
  }

  function answerList(route: ListRoute, { who }: Session, x: Exchange): Answer {
    const { ask, question } = readAsk(route, who.org, x.query, cursors)
    const { rows, next, total } = route.list(who.org, ask)
    let body = '{"data":['
    for (let index = 0; index < rows.length; index++)
      body += (index === 0 ? '' : ',') + route.columns.json(rows[index]!)
    const headers = acceptsGzip(x.req.headers['accept-encoding']) ? ['Content-Encoding', 'gzip'] : []
    headers.push('Vary', 'Accept-Encoding')
    if (next) {
      const cursor = cursors.seal(next, question)
      headers.push('Link', `<${nextTarget(API + route.path, x.query, cursor)}>; rel="next"`)
      body += `],"next_cursor":"${cursor}"`
    } else body += '],"next_cursor":null'
    return { status: 200, headers, body: `${body}${total === undefined ? '' : `,"total":${total}`}}` }
  }

  function answerRecord(route: ReadRoute, { who }: Session, id: string, x: Exchange): Answer {
    readFlags(x.query, [])
    const body = route.columns.json(route.find(who, id))
    const version = versionOf(body)
    const headers = ['ETag', etag(version)]
    if (isUnchanged(x.req.headers['if-none-match'], version)) return { status: 304, headers, body: '' }
    return { status: 200, headers, body }
  }

  async function answerWrite(route: WriteRoute, session: Session, id: string, x: Exchange): Promise<Answer> {
    const flags = readFlags(x.query, Object.keys(route.flags ?? {}))
    if (route.body) checkMediaType(x.req)
    const bytes = await readBody(x.req)
    const body = route.body ? readJson(bytes) : undefined
    const key = idempotencyKey(x.req)
    const fingerprint = key === undefined ? '' : fingerprintOf(x.req, bytes)
    return write(() => {
      if (key === undefined) return change(route, session, id, x, body, flags)
      const given = answers.find(session, key, fingerprint)
      if (given) return given
      const answer = change(route, session, id, x, body, flags)
      answers.keep(session, key, fingerprint, answer)
      return answer
    })
  }

  /** The part of a write that stands in its transaction. */
  function change(
    route: WriteRoute,
    { who }: Session,
    id: string,
    x: Exchange,
    given: unknown,
    flags: Record<string, boolean>,
  ): Answer {
    const found = route.find?.(who, id)
    if (found) checkIfMatch(x.req.headers['if-match'], found.version)
    const body = (route.body ? validate(route.body, given) : undefined) as never
    const record = route.run({ who, record: found as never, body, flags })
    if (!record) return { status: route.status, headers: [], body: '' }
    const headers = ['ETag', etag(record.version)]
    if (route.status === 201) headers.push('Location', `${API}${route.path}/${record.id}`)
    return { status: route.status, headers, body: JSON.stringify(record) }
  }

  function asProblem(error: unknown, x: Exchange): Problem {
    const known = storageProblem(error)
    if (known instanceof Problem) return known
    log.error({ id: x.id, route: x.route, err: error }, 'failed')
    return new Problem(500, 'internal_error', 'The server failed; its log has the reason under this request_id.')
  }
}

const SENDABLE = 'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-Request-Id'
const EXPOSED = 'ETag, Location, Link, Idempotency-Replayed, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id'

function unauthorized(detail: string): Problem {
  return new Problem(401, 'unauthorized', detail, { headers: { 'WWW-Authenticate': 'Bearer' } })
}

// Every record ends with its version, so a GET needs no object made from its text.
const versionOf = (json: string): number => Number(json.slice(json.lastIndexOf(':') + 1, -1))

function nextTarget(path: string, query: string, cursor: string): string {
  const kept = query.split('&').filter((pair) => pair !== '' && !pair.startsWith('cursor='))
  return `${path}?${[...kept, `cursor=${cursor}`].join('&')}`
}
