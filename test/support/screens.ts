import { PREFIX } from '../../src/app/api.ts'
import { type Proxies, trustedProxies } from '../../src/auth/client.ts'
import { credentialStore } from '../../src/auth/credentials.ts'
import { type Passwords, passwords } from '../../src/auth/passwords.ts'
import type { Role } from '../../src/auth/roles.ts'
import { sessionStore } from '../../src/auth/sessions.ts'
import { memberSettings } from '../../src/crm/members/settings.ts'
import { installSample } from '../../src/demo/replay/sample.ts'
import { bodies } from '../../src/http/body/bodies.ts'
import { listen } from '../../src/http/listener/server.ts'
import type { Reader } from '../../src/http/reader.ts'
import type { Every } from '../../src/lib/every.ts'
import { type Log, silentLog } from '../../src/lib/log.ts'
import type { Monitoring } from '../../src/ops/monitoring/metrics.ts'
import { monitored } from '../../src/ops/monitoring/monitored.ts'
import type { Operation } from '../../src/ops/monitoring/notify/operation.ts'
import { liveParts } from '../../src/site/live/live.ts'
import { webFiles } from '../../src/site/page/files.ts'
import { markOf } from '../../src/site/sessions/cookie.ts'
import { screensServer } from '../../src/site/site.ts'
import { httpClient } from './client.ts'
import type { Org } from './org.ts'
import type { TestServer } from './server.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into JSON of every shape
type Body = any

export type Answer = { status: number; headers: Headers; body: Body; text: string }
export type Screens = Awaited<ReturnType<typeof startScreens>>
export type SignedIn = Awaited<ReturnType<Screens['signedIn']>>

/** The password of every member that `newMember` makes. */
export const PASSWORD = 'a lake in the north'

type Given = Pick<TestServer, 'store' | 'deps' | 'dataDir'> & { stopping?: AbortSignal }

/** What the screens are given from above. */
export function givenToScreens({ store, deps, dataDir, stopping = new AbortController().signal }: Given) {
  return {
    monitored: monitored({ store, deps, dataDir, stopping, log: silentLog }),
    installSample: (org: number, owner: string) => installSample({ store, dataDir }, org, owner),
  }
}

/** What the routes and handlers below /app are made from. */
export function screenParts(server: Pick<TestServer, 'store' | 'deps' | 'dataDir'> & { url?: string }) {
  const { store, deps, dataDir, url: apiUrl = '' } = server
  const log = silentLog
  const stopping = new AbortController().signal
  const quiet = { bodies: bodies(), passwords: passwords(), web: webFiles(), log, listen: '', apiUrl, stopping }
  return { store, deps, dataDir, ...quiet, ...liveParts({ store, deps, stopping, log }), ...givenToScreens(server) }
}

/** Starts the screens listener for a test server. Passwords cost little here: they are stored with their cost. */
export async function startScreens(
  server: TestServer,
  options: {
    log?: Log
    hosts?: string[]
    passwords?: Passwords
    every?: Every
    monitoring?: Monitoring
    operation?: Omit<Operation, 'judge' | 'places'>
    isSendingPaused?: boolean
    proxies?: Proxies
    reader?: Reader
    basePath?: string
  } = {},
) {
  const { store, deps, dataDir, routes, document } = server
  const { basePath = '' } = options
  const stopping = new AbortController()
  const cheap = options.passwords ?? passwords({ cost: { memory: 64, passes: 1 } })
  const site = screensServer({
    ...{
      document: () => document,
      routes,
      prefix: PREFIX,
      store,
      deps,
      dataDir,
      apiUrl: new URL(server.url).origin + basePath,
    },
    stopping: stopping.signal,
    log: options.log ?? silentLog,
    hosts: options.hosts ?? [],
    passwords: cheap,
    ...(options.every ? { every: options.every } : {}),
    reader: options.reader,
    monitored: monitored({
      ...{ store, deps, dataDir, stopping: stopping.signal, log: options.log ?? silentLog },
      ...(options.monitoring ? { monitoring: options.monitoring } : {}),
      ...(options.operation ? { operation: options.operation } : {}),
      isSendingPaused: options.isSendingPaused ?? false,
    }),
    installSample: (org, owner) => installSample({ store, dataDir }, org, owner),
  })
  const proxies = options.proxies ?? trustedProxies('127.0.0.1', () => undefined)
  const listener = await listen(site.callback(), { host: '127.0.0.1', port: 0 }, { proxies, basePath })
  const { url } = listener
  const client = httpClient()
  const sessions = sessionStore(store)
  const mark = markOf(store.installation + basePath)
  const { port, origin } = new URL(url)
  const names = { session: `dealbox-${mark}-${port}`, device: `dealbox-device-${mark}-${port}` }
  let members = 0

  /** Sends a request as a page of this server would, unless `headers` say otherwise; null leaves a header out. */
  async function send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string | null> = {},
  ): Promise<Answer> {
    const sent = body === undefined || typeof body === 'string' ? (body as string | undefined) : JSON.stringify(body)
    const all: Record<string, string | null> = {
      ...(method === 'GET' ? {} : { origin }),
      ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    }
    const given = Object.entries(all).filter((each): each is [string, string] => each[1] !== null)
    const got = await client.send(url + path, { method, headers: Object.fromEntries(given), body: sent })
    const isJson = /json/.test(got.headers.get('content-type') ?? '')
    return { ...got, body: isJson ? JSON.parse(got.text) : undefined }
  }

  /** Makes a member with a password. */
  async function newMember(role: Role, org: Org = server.a): Promise<{ id: string; email: string }> {
    const email = `${role}${++members}@people.example`
    const hash = await cheap.hash(PASSWORD)
    return store.transaction(() => {
      const { id } = memberSettings(store).add(org.org, { email, name: `A ${role}`, role })
      credentialStore(store).setPassword(org.org, id, hash)
      return { id, email }
    })
  }

  /** A browser in which a member is signed in: an existing one, or a new one with a role. */
  async function signedIn(as: Role | { id: string }, org: Org = server.a) {
    const { id, email } = typeof as === 'string' ? await newMember(as, org) : { ...as, email: null }
    const started = store.transaction(() => sessions.start(org.org, id, { userAgent: 'a test' }))
    const cookie = `${names.session}=${started.secret}`
    return {
      id,
      email,
      session: started.id,
      cookie,
      call: (method: string, path: string, body?: unknown, headers: Record<string, string | null> = {}) =>
        send(method, path, body, { cookie, ...headers }),
    }
  }

  return {
    url,
    /** The names of the cookies on plain connections; on encrypted ones they begin with __Host-. */
    names,
    send,
    newMember,
    signedIn,
    passwords: cheap,
    stop: async () => {
      stopping.abort()
      client.stop()
      await listener.stop(1000)
    },
  }
}

/** The cookie of a session as a browser sends it, of an answer that sets one. */
export const sessionOf = (answer: { headers: Headers }): string =>
  answer.headers
    .getSetCookie()
    .find((line) => /^(__Host-)?dealbox-[0-9a-f]{10}-\d+=/.test(line))
    ?.split(';')[0] ?? ''

/**
 * The cookie of a member for a browser at an address: its name says the port, and the member may have signed in at another
 * listener of the same server.
 */
export function browserCookie(cookie: string, url: string): { name: string; value: string; url: string } {
  const [name = '', value = ''] = cookieAt(cookie, url).split('=')
  return { name, value, url }
}

/** The same, as a header. */
export const cookieAt = (cookie: string, url: string): string => cookie.replace(/-\d+=/, `-${new URL(url).port}=`)

/** The cookies that an answer sets, by name: the value, and the attributes in lower case. */
export function cookiesOf(answer: { headers: Headers }): Record<string, { value: string; attributes: string[] }> {
  const parsed = answer.headers.getSetCookie().map((line) => {
    const [pair = '', ...attributes] = line.split('; ')
    const at = pair.indexOf('=')
    return [pair.slice(0, at), { value: pair.slice(at + 1), attributes: attributes.map((each) => each.toLowerCase()) }]
  })
  return Object.fromEntries(parsed)
}
