import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { sessionStore } from '../../src/auth/sessions.ts'
import type { Running } from '../../src/cli/serve/running.ts'
import type { ServeOptions } from '../../src/cli/serve/serve-options.ts'
import { serveReader } from '../../src/cli/serve/serve-reader.ts'
import { serveStandby } from '../../src/cli/serve/serve-standby.ts'
import type { Every } from '../../src/lib/every.ts'
import type { Problem } from '../../src/lib/problem.ts'
import { MINUTE_MS } from '../../src/lib/time.ts'
import { readFollow } from '../../src/ops/replication/commands/follow-options.ts'
import { openStore } from '../../src/store/open.ts'
import { httpClient } from './client.ts'
import { litestreamProgram, type Replica, replicate, urlOf } from './litestream.ts'
import { makeOrg, type Org } from './org.ts'
import { serve } from './served.ts'
import { until, untilIs } from './until.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into JSON of every shape
type Body = any
export type Answer = { status: number; headers: Headers; body: Body }
export type Primary = Awaited<ReturnType<typeof startPrimary>>
export type StartedReader = Awaited<ReturnType<Primary['startReader']>>

/** Much more often than in earnest. */
const EVERY_MS = 100
const client = httpClient()

const call = async (
  base: string,
  token: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> => {
  const sent = body === undefined ? undefined : JSON.stringify(body)
  const got = await client.send(`${base}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(sent ? { 'content-type': 'application/json' } : {}), ...headers },
    body: sent,
  })
  return { ...got, body: got.text === '' ? undefined : JSON.parse(got.text) }
}

/** A server with one organisation, and Litestream that replicates it. */
export async function startPrimary(more: Partial<ServeOptions> = {}, given?: Replica) {
  const root = mkdtempSync(join(tmpdir(), 'dealbox-copied-'))
  const dataDir = join(root, 'primary')
  const replica = given ?? { folder: join(root, 'replica') }
  const store = openStore(dataDir, { create: true })
  const org: Org = await makeOrg(store, dataDir, 'Acme')
  const cookie = `dealbox=${store.transaction(() => sessionStore(store).start(org.org, org.owner, {})).secret}`
  // So long ago that its next use would be noted.
  store.db.prepare('UPDATE sessions SET seen_at = seen_at - ?').run(2 * MINUTE_MS)
  store.close()
  const served = await serve(dataDir, org.token, { replicated: true, ...more })
  let litestream = replicate(join(dataDir, 'dealbox.db'), replica, { everyMs: EVERY_MS })
  let readers = 0

  /** Starts a reader in a folder of its own, which has the keys of the primary. */
  async function startReader(options: Partial<ServeOptions> = {}, folder = join(root, `reader${++readers}`)) {
    cpSync(join(dataDir, 'keys'), join(folder, 'keys'), { recursive: true })
    return { ...(await reader(folder, org.token, replica, options)), folder }
  }

  /** The same for a standby. */
  async function startStandby(options: Partial<ServeOptions> = {}, folder = join(root, `standby${++readers}`)) {
    cpSync(join(dataDir, 'keys'), join(folder, 'keys'), { recursive: true })
    return { ...(await standby(folder, org.token, replica, options)), folder }
  }

  return {
    ...{ root, dataDir, org, cookie, replica, served, startReader, startStandby },
    call: (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
      call(served.api, org.token, method, path, body, headers),
    litestream: () => litestream,
    /** Starts Litestream again after it was stopped. */
    replicateAgain: (): void => {
      litestream = replicate(join(dataDir, 'dealbox.db'), replica, { everyMs: EVERY_MS })
    },
    stop: async () => {
      await served.stop()
      await litestream.stop('SIGKILL')
      rmSync(root, { recursive: true, force: true })
    },
  }
}

const optionsOf = (data: string, replica: Replica, more: Partial<ServeOptions>): ServeOptions => ({
  ...{ data, apiListen: '127.0.0.1:0', screensListen: '127.0.0.1:0', rateLimit: 'off', corsOrigin: '' },
  ...{ webhookAllow: '', eventRetention: '30d', litestream: litestreamProgram(), followInterval: `${EVERY_MS}ms` },
  ...{ follow: 'folder' in replica ? replica.folder : urlOf(replica), ...more },
})

function logged() {
  const lines: Body[] = []
  return { lines, log: pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) }) }
}

/** Its timer is `look`: it looks whether another one was promoted. */
async function standby(data: string, token: string, replica: Replica, more: Partial<ServeOptions>) {
  const { lines, log } = logged()
  const options = optionsOf(data, replica, more)
  let look = (): void => undefined
  const every: Every = (_, job) => {
    look = job
    return () => undefined
  }
  const running = await whenReplicated(() => serveStandby(options, readFollow(options) as never, log, undefined, every))
  return {
    stop: running.stop,
    lines,
    look: () => look(),
    call: (method: string, path: string, body?: unknown) => call(running.api, token, method, path, body),
  }
}

async function reader(data: string, token: string, replica: Replica, more: Partial<ServeOptions>) {
  const { lines, log } = logged()
  const options = optionsOf(data, replica, more)
  const running = await whenReplicated(() => serveReader(options, readFollow(options) as never, log))
  return {
    ...running,
    screens: running.screens as string,
    /** Its log lines of the levels warn and error. */
    lines,
    call: (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
      call(running.api, token, method, path, body, headers),
  }
}

/** Litestream of the primary may not have sent anything yet. */
const whenReplicated = (start: () => Promise<Running>): Promise<Running> =>
  until(async () => {
    try {
      return await start()
    } catch (error) {
      if (!['usage', 'cannot_follow'].includes((error as Problem).code)) throw error
      return undefined
    }
  }, 'a replica')

/** Stops the replication of a primary, and waits until a copy has all of it: then nothing changes the copy any more. */
export async function rest(primary: Primary, folder: string): Promise<void> {
  await primary.litestream().stop()
  const level = join((primary.replica as { folder: string }).folder, 'ltx/0')
  const newest = readdirSync(level).sort().at(-1) as string
  const isLast = (position: string) => newest.includes(`-${position.trim()}.`)
  await untilIs(() => readFileSync(join(folder, 'dealbox.db-txid'), 'utf8'), isLast)
}
