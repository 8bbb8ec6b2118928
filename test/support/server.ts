import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { api, catalog } from '../../src/app/api.ts'
import { resourceDeps } from '../../src/app/deps.ts'
import type { Proxies } from '../../src/auth/client.ts'
import type { Scope } from '../../src/auth/scopes.ts'
import { type Bodies, bodies } from '../../src/http/body/bodies.ts'
import { type Limits, listen } from '../../src/http/listener/server.ts'
import type { Rate } from '../../src/http/ratelimit.ts'
import type { Reader } from '../../src/http/reader.ts'
import { type Log, silentLog } from '../../src/lib/log.ts'
import { type Guard, guard } from '../../src/lib/net/guard.ts'
import type { LockTimer } from '../../src/store/commit.ts'
import { MAX_STEP_MS } from '../../src/store/wall-clock.ts'
import { httpClient } from './client.ts'
import { conformance } from './conformance.ts'
import { openEmptyStore } from './empty-store.ts'
import { makeOrg, type Org, tokenFor } from './org.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into JSON of every shape
type Body = any
type EventRow = Record<'seq' | 'type' | 'object_id' | 'actor_id' | 'request_key' | 'at' | 'data', Body>

/** `body` is undefined unless it is JSON. */
export type Result = { status: number; headers: Headers; body: Body; text: string; bytes: Buffer }
export type Event = {
  seq: number
  type: string
  object_id: string
  actor: string | null
  /** The Idempotency-Key of the request. */
  key: string | null
  at: number
  object: Body
  changed_fields: string[]
  previous: Body
}

export type CallOptions = {
  token?: string | null
  headers?: Record<string, string>
  /** A body to send unchanged. */
  raw?: string | Uint8Array
}

export type TestServer = Awaited<ReturnType<typeof startServer>>

/** Avoids DNS: every name resolves to a public address, to which no test connects. */
const noDns = guard({
  allow: [],
  ownPorts: () => [],
  lookup: async () => [{ address: '93.184.215.14', family: 4 }],
})

/**
 * Starts a real server on a free port with a temporary data folder and two organisations. Its clock moves only by
 * `advance` and `jump`. Every response to `call` is checked against the OpenAPI document.
 */
export async function startServer(
  options: {
    rate?: Rate
    corsOrigins?: string[]
    guard?: Guard
    bodies?: Bodies
    log?: Log
    limits?: Limits
    lockTimer?: LockTimer
    reader?: Reader
    proxies?: Proxies
    basePath?: string
  } = {},
) {
  const dataDir = mkdtempSync(join(tmpdir(), 'dealbox-test-'))
  let now = Date.UTC(2026, 10, 20, 8, 36)
  const { lockTimer } = options
  const store = openEmptyStore(dataDir, {
    wall: () => now,
    neverSleeps: true,
    ...(lockTimer ? { lockTimer } : {}),
  })
  store.db.pragma('synchronous = OFF') // after a power cut the tests are over too
  const a = await makeOrg(store, dataDir, 'Acme')
  const b = await makeOrg(store, dataDir, 'Birch')
  const stopping = new AbortController()
  const { basePath = '' } = options
  const deps = resourceDeps(store, options.guard ?? noDns, { basePath })
  const routes = catalog(deps)
  const { check, document } = conformance(routes)
  const app = api(store, {
    dataDir,
    deps,
    bodies: options.bodies ?? bodies(),
    log: options.log ?? silentLog,
    rate: options.rate ?? null,
    corsOrigins: options.corsOrigins ?? [],
    reader: options.reader,
    stopping: stopping.signal,
  })
  const front = { basePath, ...(options.proxies ? { proxies: options.proxies } : {}) }
  const listener = await listen(app.callback(), { host: '127.0.0.1', port: 0 }, { ...options.limits, ...front })
  const client = httpClient()

  /** Calls the API as org A, or with another token; `token: null` sends none. */
  async function call(
    method: string,
    path: string,
    body?: unknown,
    { token = a.token, headers = {}, raw }: CallOptions = {},
  ): Promise<Result> {
    const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body))
    const got = await client.send(`${listener.url}/api/v1${path}`, {
      method,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: sent,
    })
    const isFile = got.headers.has('content-disposition')
    const result = { ...got, body: got.text === '' || isFile ? undefined : JSON.parse(got.text) }
    check({
      method,
      path,
      requestBody: body,
      status: result.status,
      type: got.headers.get('content-type'),
      body: result.body,
    })
    return result
  }

  /** Advances the clock in steps that the server notices, as when time passes: this is not a clock jump. */
  function advance(ms: number): void {
    let left = ms
    for (; left > MAX_STEP_MS; left -= MAX_STEP_MS) {
      now += MAX_STEP_MS
      store.wallClock.jumped()
    }
    now += left
  }

  async function stopWithin(graceMs: number): Promise<void> {
    client.stop()
    await listener.stop(graceMs)
    store.close()
    rmSync(dataDir, { recursive: true, force: true })
  }

  const eventCount = store.db.prepare('SELECT count(*) FROM events WHERE org_id = ?').pluck()

  /** Returns the events of an organisation after `after`, in order. */
  function events(after = 0, org: Org = a): Event[] {
    const rows = store.db
      .prepare('SELECT * FROM events WHERE org_id = ? AND seq > ? ORDER BY seq')
      .all(org.org, after) as EventRow[]
    return rows.map(({ seq, type, object_id, actor_id, request_key, at, data }) => ({
      seq,
      type,
      object_id,
      actor: actor_id,
      key: request_key,
      at,
      ...JSON.parse(data),
    }))
  }

  return {
    url: listener.url,
    dataDir,
    store,
    deps,
    routes,
    document,
    a,
    b,
    call,
    events,
    lastSeq: (org: Org = a) => eventCount.get(org.org) as number,
    now: () => now,
    advance,
    /** Sets the clock, as an administrator would. */
    jump: (ms: number) => {
      now += ms
    },
    /** Creates a token of org A with only these scopes. */
    tokenWith: async (scopes: Scope[], expiresAt: number | null = null) =>
      tokenFor(store, dataDir, a.org, 'ana@acme.example', scopes, expiresAt),
    beginStopping: () => {
      stopping.abort()
    },
    stop: () => stopWithin(2000),
    stopWithin,
  }
}
