import type { IncomingMessage } from 'node:http'
import Koa, { type Context } from 'koa'
import { asset } from '../assets.ts'
import { basePathOf, clientOf } from '../auth/client.ts'
import { cursorSecret } from '../auth/keys.ts'
import { passwords } from '../auth/passwords.ts'
import { auditLog } from '../events/audit/log.ts'
import { eventSeqs } from '../events/epochs.ts'
import { ECHO, echoOf, PROBLEM_TYPE, problemBody, requestId } from '../http/answer.ts'
import { bodies } from '../http/body/bodies.ts'
import { cursors } from '../http/cursor.ts'
import { idempotency } from '../http/idempotency.ts'
import { kernel } from '../http/kernel.ts'
import { checkFraming } from '../http/listener/framing.ts'
import { apiUrlFor, hostCheck, hostOf } from '../http/listener/hosts.ts'
import { preferredName } from '../http/negotiate.ts'
import { isKnown, LAG, lagOf, type Reader } from '../http/reader.ts'
import { commitWaiters } from '../http/waiting.ts'
import { Problem } from '../lib/problem.ts'
import { addressOfMovedHost, Moved, movedProblem } from '../store/orgs/org-states.ts'
import { publicUrls, publicUrlsWith } from '../store/orgs/orgs.ts'
import { bootData } from './app/boot.ts'
import { signedOutBoot } from './app/signed-out.ts'
import { builtFile as file } from './built-file.ts'
import { answerBy } from './handler.ts'
import { liveParts } from './live/live.ts'
import type { ScreensOptions } from './options.ts'
import { ASSETS, webFiles } from './page/files.ts'
import { answerMoved } from './page/moved.ts'
import { answerPage, isAppPath } from './page/page.ts'
import { RATING, ratingPage } from './rating/rating.ts'
import type { OpenApi } from './reference/document.ts'
import { referencePage } from './reference/reference.ts'
import { APP, screenHandlers, screenRoutes } from './routes.ts'
import { sessionAccess } from './sessions/access.ts'
import { originCheck } from './sessions/same-origin.ts'
import { UNSUBSCRIBE, unsubscribePage } from './unsubscribe/unsubscribe.ts'

const HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; img-src 'self'; script-src 'self'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Frame-Options': 'DENY',
  'Cache-Control': 'no-cache',
}

/** Names of this server by which the API is reached. */
const MOST_SERVERS = 8

/** Where the pages behind links in mails are. */
const IN_MAILS = [UNSUBSCRIBE, RATING]
const isInMails = (path: string): boolean => IN_MAILS.some((each) => path.startsWith(each))

/** Answered whatever name they are asked by: probes know an address only, and mails keep an old name. */
const BY_ANY_NAME = ['/livez', '/readyz']
/** Of the whole server, and answered also if its database is damaged. */
const OF_NO_ORG = [...BY_ANY_NAME, '/metrics']

/**
 * The app of the screens listener: the browser app with the API for its sessions, the API reference, its OpenAPI
 * document, health checks, metrics, and the pages behind links in mails. The order of checks: framing 400 → host 421 → path and
 * method → origin of writes 403 → what kernel.ts checks, with a session instead of a token.
 */
export function screensServer(options: ScreensOptions): Koa {
  const { document, store, deps, apiUrl, stopping, log, listen = '127.0.0.1', bodies: read = bodies() } = options
  const { monitored, reader } = options
  const pages = new Map<string, (ctx: Context) => void | Promise<void>>(
    Object.entries({
      '/reference': perServer('text/html; charset=utf-8', (found) => referencePage(found as OpenApi)),
      '/openapi.json': perServer('application/json', (found) => JSON.stringify(found)),
      '/reference.css': file('text/css; charset=utf-8', () => asset('src/web/reference.css')),
      '/reference.js': file('text/javascript; charset=utf-8', () => asset('src/web/reference.js')),
      '/icon.svg': file('image/svg+xml', () => asset('src/web/icon.svg')),
      ...Object.fromEntries(
        IN_MAILS.map((path) => [
          `${path}style.css`,
          file('text/css; charset=utf-8', () => asset('src/web/mail-page.css')),
        ]),
      ),
      '/livez': (ctx: Context) => answerJson(ctx, { status: 'ok' }),
      ...monitored.pages,
    }),
  )
  /** Files of the document, which names the server as the browser reaches it. */
  function perServer(type: string, make: (document: Record<string, unknown>) => string) {
    const files = new Map<string, ReturnType<typeof file>>()
    return (ctx: Context) => {
      const server = apiUrlFor(apiUrl, `http://${hostOf(clientOf(ctx.req).host)}`) + options.prefix
      const known = files.get(server) ?? file(type, () => make({ ...document(), servers: [{ url: server }] }))
      if (files.size >= MOST_SERVERS) files.clear() // it has few names
      files.set(server, known)
      return known(ctx)
    }
  }

  const unsubscribe = unsubscribePage({ store, deps, log, bodies: read })
  const checkOrigin = originCheck({ others: publicUrls(store.db), log })
  const movedFrom = addressOfMovedHost(store.db)
  const checkHost = hostCheck({
    listen,
    added: options.hosts ?? [],
    publicUrls: publicUrlsWith(store.db),
  })
  const access = sessionAccess(store)
  const memberOf = (req: IncomingMessage) => access.current(req)?.org
  const rating = ratingPage({ store, deps, log, bodies: read, memberOf })
  const web = options.web ?? webFiles()
  const live = liveParts(options)
  const parts = {
    ...options,
    ...live,
    listen,
    bodies: read,
    passwords: options.passwords ?? passwords(),
    web,
  }
  const boot = bootData(parts)
  const signedOut = signedOutBoot(parts)
  const shared = {
    ...access,
    write: store.write,
    health: store.health,
    changes: store.changes,
    cursors: cursors(cursorSecret(options.dataDir)),
    answers: idempotency(store),
    audit: auditLog(store).record,
    rate: null,
    bodies: read,
    dataDir: options.dataDir,
    log,
    corsOrigins: [],
    waiters: commitWaiters(store.committed.subscribe, stopping),
    ...eventSeqs(store.db),
    reader,
    stopping,
  }
  const measured = (prefix: string) => ({ ...shared, prefix, measure: monitored.requests(prefix) })
  const api = kernel(options.routes, measured(options.prefix))
  const own = kernel(screenRoutes(parts), measured(APP))
  const measure = monitored.requests('')
  const handlers = screenHandlers(parts)
  const answerHandler = answerBy(handlers, access.authenticate)
  const writesByHandler = ({ method, path }: Context): boolean =>
    handlers.some(
      (handler) => handler.path === path && handler.method === method && method !== 'GET' && !handler.isInMemory,
    )
  const isForPrograms = (path: string): boolean => [options.prefix, APP].some((start) => path.startsWith(`${start}/`))
  /** Whether anything answers at a path, as far as that can be said without the database. */
  const isThere = (path: string): boolean =>
    isForPrograms(path) || pages.has(path) || isAppPath(path) || isInMails(path) || path.startsWith(ASSETS)
  const app = new Koa()
  app.silent = true // errors are logged below; a client that disconnects is not an error
  app.use(async (ctx) => {
    const started = performance.now()
    const id = requestId(ctx.req)
    ctx.set({ ...HEADERS, 'X-Request-Id': id, [ECHO]: echoOf(ctx.req) })
    if (stopping.aborted) ctx.set('Connection', 'close')
    let passed: number | undefined
    try {
      checkFraming(ctx.req)
      if (reader && isThere(ctx.path)) for (const lag of (await lagOf(reader)).slice(1)) ctx.set(LAG, lag)
      if (!BY_ANY_NAME.includes(ctx.path) && !isInMails(ctx.path)) checkHost(ctx.req)
      passed = await answer(ctx)
    } catch (error) {
      ctx.respond = true // unless the primary has answered, and then nothing is thrown
      const problem = asProblem(error, id, ctx.method !== 'GET')
      if (problem instanceof Moved && isForPeople(ctx)) answerMoved(ctx, problem)
      else answerProblem(ctx, problem, id)
    }
    if (ctx.respond === false && passed === undefined) return // a kernel answers, and logs
    if (ctx.respond !== false && !ctx.req.complete && !read.drain(ctx.req)) ctx.set('Connection', 'close')
    const ms = performance.now() - started
    const route = routeOf(ctx.path)
    const status = passed ?? ctx.status
    measure(ctx.method, route ?? familyOf(ctx.path), status, ms)
    const { address } = clientOf(ctx.req)
    const took = { status, ms: Math.round(ms * 100) / 100 }
    log.info({ id, address, method: ctx.method, route, ...took }, 'request')
  })
  return app

  /** Returns the status of a request that was passed on to the primary, else undefined. */
  async function answer(ctx: Context): Promise<number | undefined> {
    const { path } = ctx
    checkMoved(ctx)
    if (isForPrograms(path) || isAppPath(path)) access.takeOver(ctx)
    const isApi = path.startsWith(`${options.prefix}/`)
    if (!isApi && !path.startsWith(`${APP}/`)) {
      const page = pageFor(ctx)
      if (reader && isInMails(path) && ctx.method === 'POST') return leave(ctx, reader)
      return void (await page(ctx))
    }
    checkOrigin(ctx.req)
    if (reader && writesByHandler(ctx)) return leave(ctx, reader)
    if (isApi) await api(ctx, done)
    else if (!(await answerHandler(ctx))) await own(ctx, done)
    return undefined
  }

  /** On a reader: passes a write on to the primary, and returns the status, or refuses it. */
  async function leave(ctx: Context, { pass }: Reader): Promise<number> {
    if (!pass) throw store.health.refusal() as Problem
    ctx.respond = false
    return pass(ctx.req, ctx.res, { id: requestId(ctx.req), isKnown: await isKnown(access.authenticate, ctx.req) })
  }

  /** A host name may be that of an organisation that has moved. Probes and links in mails do not ask by it. */
  function checkMoved({ req, path }: Context): void {
    if (OF_NO_ORG.includes(path) || isInMails(path)) return
    const address = movedFrom(hostOf(clientOf(req).host) ?? '')
    if (address !== undefined) throw movedProblem(address, true)
  }

  function isForPeople({ method, path }: Context): boolean {
    return (method === 'GET' || method === 'HEAD') && !isForPrograms(path)
  }

  function pageFor({ method, path }: Context) {
    const page = pages.get(path) ?? (path.startsWith(ASSETS) ? web.answer : isAppPath(path) ? appPage : undefined)
    if (isInMails(path) && !pages.has(path)) return path.startsWith(RATING) ? rating : unsubscribe
    if (!page) throw new Problem(404, 'no_such_path', 'There is no page at this path.')
    if (method !== 'GET' && method !== 'HEAD')
      throw new Problem(405, 'method_not_allowed', 'This path supports GET, HEAD.', { headers: { Allow: 'GET, HEAD' } })
    return page
  }

  /** The browser app: every path is the same page, with what it starts with. */
  async function appPage(ctx: Context): Promise<void> {
    // Without regions: "de-AT" is German.
    const language = preferredName(ctx.get('Accept-Language').replace(/-\w+/g, ''), ['en', 'de']) ?? 'en'
    const who = access.current(ctx.req) && access.authenticate(ctx.req).who
    const first = who ? boot(who) : { json: signedOut(language), language, theme: 'system' as const }
    const theme = first.theme === 'system' ? undefined : first.theme
    const at = { path: ctx.path, basePath: basePathOf(ctx.req) }
    await answerPage(ctx, web, { boot: first.json, language: first.language, theme, ...at })
  }

  /** Returns what to log instead of the path, whose last part may be as secret as a password. */
  function routeOf(path: string): string | null {
    if (pages.has(path) || handlers.some((handler) => handler.path === path)) return path
    const secret = IN_MAILS.find((each) => path.startsWith(each))
    return secret === undefined ? null : `${secret}:token`
  }

  /** What many paths are counted as that the log leaves out. */
  function familyOf(path: string): string | null {
    if (path.startsWith(ASSETS)) return `${ASSETS}:file`
    return isAppPath(path) ? '/:page' : null
  }

  function asProblem(error: unknown, id: string, isWrite: boolean): Problem {
    if (error instanceof Problem) return error
    const problem = store.health.problemOf(error, isWrite ? 'write' : 'read')
    if (problem instanceof Problem) return problem
    log.error({ id, err: error }, 'failed')
    return new Problem(
      500,
      'internal_error',
      'The server failed to process the request. Its log has the reason under this request_id.',
    )
  }
}

const done = async () => undefined

function answerJson(ctx: Context, body: object): void {
  ctx.set('Content-Type', 'application/json')
  ctx.body = JSON.stringify(body)
}

function answerProblem(ctx: Context, problem: Problem, id: string): void {
  ctx.status = problem.status
  ctx.set({ ...problem.headers, 'Content-Type': PROBLEM_TYPE })
  ctx.body = problemBody(problem, id)
}
