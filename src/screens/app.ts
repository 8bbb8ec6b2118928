import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import Koa, { type Context } from 'koa'
import { asset } from '../assets.ts'
import type { Deps } from '../deps.ts'
import { PROBLEM_TYPE, problemBody, requestId } from '../http/answer.ts'
import { type Bodies, bodies } from '../http/bodies.ts'
import { checkFraming } from '../http/framing.ts'
import type { Log } from '../http/log.ts'
import { acceptsGzip } from '../http/negotiate.ts'
import { Problem } from '../lib/problem.ts'
import type { Store } from '../store/open.ts'
import { health } from './health.ts'
import type { OpenApi } from './reference/document.ts'
import { referencePage } from './reference/reference.ts'
import { UNSUBSCRIBE, unsubscribePage } from './unsubscribe/unsubscribe.ts'

export type ScreensOptions = {
  /** The OpenAPI document of the API. */
  document: Record<string, unknown>
  store: Store
  deps: Deps
  /** Base URL of the API for the examples, such as http://127.0.0.1:8080. */
  apiUrl: string
  stopping: Pick<AbortSignal, 'aborted'>
  log: Log
  bodies?: Bodies
}

const HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; img-src 'self'; script-src 'self'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-cache',
}

/**
 * The app of the screens listener: the API reference, its OpenAPI document, health checks, and the unsubscribe page.
 */
export function screens({
  document,
  store,
  deps,
  apiUrl,
  stopping,
  log,
  bodies: read = bodies(),
}: ScreensOptions): Koa {
  const ready = health({ store, deps, stopping, log })
  const pages = new Map<string, (ctx: Context) => void | Promise<void>>(
    Object.entries({
      '/': file('text/html; charset=utf-8', () => referencePage(document as OpenApi, apiUrl)),
      '/openapi.json': file('application/json', () => JSON.stringify(document)),
      '/reference.css': file('text/css; charset=utf-8', () => asset('src/web/reference.css')),
      '/reference.js': file('text/javascript; charset=utf-8', () => asset('src/web/reference.js')),
      '/icon.svg': file('image/svg+xml', () => asset('src/web/icon.svg')),
      [`${UNSUBSCRIBE}style.css`]: file('text/css; charset=utf-8', () => asset('src/web/unsubscribe.css')),
      '/livez': (ctx: Context) => answerJson(ctx, { status: 'ok' }),
      '/readyz': (ctx: Context) => answerJson(ctx, ready()),
    }),
  )
  const unsubscribe = unsubscribePage({ store, deps, log, bodies: read })
  const app = new Koa()
  app.silent = true // errors are logged below; a client that disconnects is not an error
  app.use(async (ctx) => {
    const started = performance.now()
    const id = requestId(ctx.req)
    ctx.set({ ...HEADERS, 'X-Request-Id': id })
    if (stopping.aborted) ctx.set('Connection', 'close')
    try {
      checkFraming(ctx.req)
      await pageFor(ctx)(ctx)
    } catch (error) {
      answerProblem(ctx, asProblem(error, id), id)
    }
    if (!ctx.req.complete && !read.drain(ctx.req)) ctx.set('Connection', 'close')
    const ms = Math.round((performance.now() - started) * 100) / 100
    log.info({ id, method: ctx.method, route: routeOf(ctx.path), status: ctx.status, ms }, 'request')
  })
  return app

  function pageFor({ method, path }: Context) {
    const page = pages.get(path)
    if (!page && path.startsWith(UNSUBSCRIBE)) return unsubscribe
    if (!page) throw new Problem(404, 'no_such_path', 'There is no page at this path.')
    if (method !== 'GET' && method !== 'HEAD')
      throw new Problem(405, 'method_not_allowed', 'This path supports GET, HEAD.', { headers: { Allow: 'GET, HEAD' } })
    return page
  }

  /** Returns what to log instead of the path, whose last part may be as secret as a password. */
  function routeOf(path: string): string | null {
    if (pages.has(path)) return path
    return path.startsWith(UNSUBSCRIBE) ? `${UNSUBSCRIBE}:token` : null
  }

  function asProblem(error: unknown, id: string): Problem {
    if (error instanceof Problem) return error
    const problem = store.health.problemOf(error, 'read')
    if (problem instanceof Problem) return problem
    log.error({ id, err: error }, 'failed')
    return new Problem(
      500,
      'internal_error',
      'The server failed to process the request. Its log has the reason under this request_id.',
    )
  }
}

function answerJson(ctx: Context, body: object): void {
  ctx.set('Content-Type', 'application/json')
  ctx.body = JSON.stringify(body)
}

function answerProblem(ctx: Context, problem: Problem, id: string): void {
  ctx.status = problem.status
  ctx.set({ ...problem.headers, 'Content-Type': PROBLEM_TYPE })
  ctx.body = problemBody(problem, id)
}

const compress = promisify(gzip)

/** Serves content that stays the same while the server runs: created on first use, then cached. */
function file(type: string, make: () => string | Buffer) {
  const build = async () => {
    const plain = Buffer.from(make())
    // Weak, since the compressed and the plain form share it.
    const etag = `W/"${hash('sha256', plain, 'base64url').slice(0, 22)}"`
    return { plain, small: await compress(plain, { level: 9 }), etag }
  }
  let built: ReturnType<typeof build> | undefined
  return async (ctx: Context) => {
    built ??= build()
    const { plain, small, etag } = await built
    ctx.set({ ETag: etag, Vary: 'Accept-Encoding', 'Content-Type': type })
    // Not ctx.fresh: it returns false for requests with "Cache-Control: no-cache", which is meant for proxy caches.
    if (ctx.get('If-None-Match').includes(etag)) {
      ctx.status = 304
      return
    }
    const isSmall = acceptsGzip(ctx.get('Accept-Encoding'))
    if (isSmall) ctx.set('Content-Encoding', 'gzip')
    ctx.body = isSmall ? small : plain
  }
}
