import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { after, before, beforeEach, describe, test } from 'node:test'
import Koa from 'koa'
import type { Access } from '../../src/auth/access.ts'
import { cursorSecret } from '../../src/auth/keys.ts'
import { ROLES, type Role } from '../../src/auth/roles.ts'
import { auditLog } from '../../src/events/audit/log.ts'
import { bodies } from '../../src/http/body/bodies.ts'
import { cursors } from '../../src/http/cursor.ts'
import { idempotency } from '../../src/http/idempotency.ts'
import { kernel } from '../../src/http/kernel.ts'
import { type Listener, listen } from '../../src/http/listener/server.ts'
import { createRoute, type ListRoute, type Need, type Route } from '../../src/http/route.ts'
import { commitWaiters } from '../../src/http/waiting.ts'
import * as f from '../../src/lib/fields.ts'
import { silentLog } from '../../src/lib/log.ts'
import { Problem } from '../../src/lib/problem.ts'
import { startServer, type TestServer } from '../support/server.ts'

// A second kernel next to the public one: cookies instead of tokens, a separate prefix, routes that require a role.

const PREFIX = '/internal/v7'
const ID = '01890000-0000-7000-8000-00000000000a'

let server: TestServer
let listener: Listener
/** By cookie value. */
let accesses: Map<string, Access>
/** Cookies whose lookup is delayed. */
let slow: Set<string>
let written: string[]
let isCurrent: boolean
let failure: Error | undefined
let newest = 'a-1'
let seq = 7

const Notice = f.object({ text: f.line(100) })

const reading = (path: string, role: Role): Route<Need> => ({
  kind: 'read',
  method: 'get',
  path: `${path}/:id`,
  role,
  name: 'notice',
  summary: 'Get a notice',
  columns: { select: '', json: ([id]: unknown[]) => `{"id":"${id}","version":1}` },
  returns: Notice,
  find: (_, id) => [id],
})

function routes(): Route<Need>[] {
  const deals = server.routes.find(({ kind, path }) => kind === 'list' && path === '/deals') as ListRoute
  const { scope: _, ...list } = deals
  return [
    ...ROLES.map((role) => reading(`/${role}-notices`, role)),
    createRoute({
      path: '/notices',
      role: 'admin',
      name: 'notice',
      summary: 'Make a notice',
      body: Notice,
      returns: Notice,
      run: ({ body: { text } }) => {
        if (failure) throw failure
        written.push(text)
        return { id: ID, version: 1, text }
      },
    }),
    { ...list, path: '/all-deals', role: 'member' } as Route<Need>,
    // While they read, something else is committed, by another process.
    { ...reading('/moving-notices', 'viewer'), find: (_, id) => [id, seq++] } as Route<Need>,
    {
      ...list,
      ...{ path: '/moving-deals', role: 'viewer', render: undefined },
      list: () => {
        seq++
        return { rows: [], next: null }
      },
    } as Route<Need>,
    {
      kind: 'data',
      method: 'get',
      path: '/figures',
      role: 'member',
      name: 'figure',
      summary: 'Get figures',
      parameters: { of: { schema: { type: 'string', enum: ['deals', 'all'] }, description: 'What to count.' } },
      newest: () => newest,
      read: ({ org }, _ids, { given }) => ({
        json: JSON.stringify({ of: given.get('of'), org, filler: '.'.repeat(given.get('of') === 'all' ? 100_000 : 1) }),
      }),
    },
    { ...reading('/tags', 'viewer'), role: undefined, scope: 'rest.crm.tags.read' } as Route<Need>,
  ]
}

function authenticate(req: IncomingMessage): Access | Promise<Access> {
  const id = req.headers.cookie?.split('=')[1] ?? ''
  const access = accesses.get(id)
  if (!access) throw new Problem(401, 'signed_out', 'Sign in first.')
  return slow.has(id) ? new Promise((resolve) => setImmediate(() => resolve(access))) : access
}

before(async () => {
  server = await startServer()
  const { store, dataDir, a } = server
  const access = (role: Role): Access => ({
    who: { org: a.org, member: a.owner, scopes: new Set() },
    scopeKey: role,
    role,
    token: a.tokenId,
    keyOwner: a.tokenId,
    expiresAt: null,
  })
  accesses = new Map(ROLES.map((role) => [role, access(role)]))
  const stopping = new AbortController().signal
  const app = new Koa().use(
    kernel(routes(), {
      authenticate,
      isCurrent: () => isCurrent,
      refuseMoved: () => undefined,
      prefix: PREFIX,
      write: store.write,
      health: store.health,
      changes: { ...store.changes, commits: () => seq },
      cursors: cursors(cursorSecret(dataDir)),
      answers: idempotency(store),
      audit: auditLog(store).record,
      waiters: commitWaiters(store.committed.subscribe, stopping),
      newestSeq: () => seq,
      bodies: bodies(),
      dataDir,
      rate: null,
      log: silentLog,
      corsOrigins: [],
      stopping,
    }),
  )
  listener = await listen(app.callback(), { host: '127.0.0.1', port: 0 })
})
after(async () => {
  await listener.stop(1000)
  await server.stop()
})
beforeEach(() => {
  slow = new Set()
  written = []
  isCurrent = true
  failure = undefined
})

async function ask(method: string, path: string, cookie?: string, body?: unknown) {
  const answer = await fetch(listener.url + path, {
    method,
    headers: {
      ...(cookie === undefined ? {} : { cookie: `sid=${cookie}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const { status, headers } = answer
  return { status, headers, body: (await answer.json()) as Record<string, unknown> }
}

const make = (cookie: string) => ask('POST', `${PREFIX}/notices`, cookie, { text: 'x' })

describe('a kernel with a role, a prefix and cookies', () => {
  test('answers whoever has the role of the route or a higher one, and refuses the others', async () => {
    for (const [needed, role] of ROLES.flatMap((needed) => ROLES.map((role) => [needed, role] as const))) {
      const { status, body } = await ask('GET', `${PREFIX}/${needed}-notices/${ID}`, role)
      if (ROLES.indexOf(role) <= ROLES.indexOf(needed)) {
        assert.deepEqual([status, body], [200, { id: ID, version: 1 }], `${needed}: ${role}`)
        continue
      }
      const detail = `This needs the role ${needed}; your role is ${role}.`
      assert.deepEqual([status, body.code, body.detail, body.role], [403, 'insufficient_role', detail, needed])
    }
  })

  test('says which event is the newest before it reads: a change meanwhile comes again in the stream', async () => {
    for (const path of [`/moving-notices/${ID}`, '/moving-deals']) {
      const before = seq
      const { status, headers } = await ask('GET', `${PREFIX}${path}`, 'member')
      assert.deepEqual([status, headers.get('dealbox-seq'), seq], [200, String(before), before + 1], path)
    }
    // The page from memory is as old as it was.
    const again = await ask('GET', `${PREFIX}/moving-deals`, 'member')
    assert.deepEqual([again.headers.get('dealbox-seq'), seq], [String(seq - 1), seq])
  })

  test('writes for the role alone, and names the new record below its own prefix', async () => {
    const made = await make('admin')
    assert.deepEqual([made.status, made.headers.get('location')], [201, `${PREFIX}/notices/${ID}`])
    assert.equal((await make('member')).status, 403)
    assert.deepEqual(written, ['x'])
  })

  test('shows a list to a role without a scope', async () => {
    await server.call('POST', '/deals', { title: 'Roof' })
    const { status, body } = await ask('GET', `${PREFIX}/all-deals`, 'member')
    assert.deepEqual([status, (body.data as { title: string }[]).map(({ title }) => title)], [200, ['Roof']])
    assert.equal((await ask('GET', `${PREFIX}/all-deals`, 'viewer')).status, 403)
  })

  test('shows data that is neither a record nor a list, and 304 until it is outdated', async () => {
    const { status, headers, body } = await ask('GET', `${PREFIX}/figures?of=deals`, 'member')
    assert.deepEqual([status, body], [200, { of: 'deals', org: server.a.org, filler: '.' }])
    assert.equal(headers.get('etag'), '"a-1"')
    const again = () =>
      fetch(`${listener.url}${PREFIX}/figures?of=deals`, {
        headers: { cookie: 'sid=member', 'if-none-match': '"a-1"', 'cache-control': 'no-cache' },
      })
    assert.deepEqual([(await again()).status, (await again()).headers.get('etag')], [304, '"a-1"'])
    newest = 'a-2'
    assert.deepEqual([(await again()).status, (await again()).headers.get('etag')], [200, '"a-2"'])
    const large = await fetch(`${listener.url}${PREFIX}/figures?of=all`, { headers: { cookie: 'sid=member' } })
    assert.equal(large.headers.get('content-encoding'), 'gzip')
    assert.equal(((await large.json()) as { filler: string }).filler.length, 100_000)
    assert.equal((await ask('GET', `${PREFIX}/figures?of=none`, 'member')).body.code, 'invalid_query')
    assert.equal((await ask('GET', `${PREFIX}/figures?by=deals`, 'member')).status, 400)
    assert.equal((await ask('GET', `${PREFIX}/figures`, 'viewer')).body.code, 'insufficient_role')
  })

  test('asks for a scope where a route does, whatever the role', async () => {
    const { status, body } = await ask('GET', `${PREFIX}/tags/${ID}`, 'owner')
    assert.deepEqual([status, body.code, body.scope], [403, 'insufficient_scope', 'rest.crm.tags.read'])
  })

  test('lets its authenticator take its time, and answers what that refuses', async () => {
    slow.add('admin').add('viewer')
    assert.equal((await make('admin')).status, 201)
    assert.equal((await make('viewer')).status, 403)
    for (const cookie of [undefined, 'unknown']) {
      const { status, headers, body } = await ask('GET', `${PREFIX}/viewer-notices/${ID}`, cookie)
      assert.deepEqual([status, body.code, headers.get('www-authenticate')], [401, 'signed_out', null])
    }
  })

  test('takes no token', async () => {
    const headers = { authorization: `Bearer ${server.a.token}` }
    const { status } = await fetch(`${listener.url}${PREFIX}/viewer-notices/${ID}`, { headers })
    assert.equal(status, 401)
  })

  test('has nothing of the public catalog, and its routes are nowhere else', async () => {
    const paths = ['/deals', '/contacts', '/tags'].flatMap((path) => [`${PREFIX}${path}`, `/api/v1${path}`])
    for (const path of [...paths, PREFIX, `${PREFIX}/`, `/api/v1/viewer-notices/${ID}`, `/viewer-notices/${ID}`]) {
      const { status, body } = await ask('GET', path, 'owner')
      assert.deepEqual([status, body.code], [404, 'no_such_path'], path)
    }
    assert.equal((await server.call('GET', `/viewer-notices/${ID}`)).status, 404)
    const { status, headers } = await ask('GET', `${PREFIX}/notices`, 'owner')
    assert.deepEqual([status, headers.get('allow')], [405, 'POST, OPTIONS'])
  })

  test('answers 503 where the organisation of the access was replaced meanwhile, and 500 where it is there', async () => {
    failure = Object.assign(new Error('a reference'), { code: 'SQLITE_CONSTRAINT_FOREIGNKEY' })
    assert.equal((await make('admin')).status, 500)
    isCurrent = false
    const { status, body } = await make('admin')
    assert.deepEqual([status, body.code], [503, 'busy'])
  })
})
