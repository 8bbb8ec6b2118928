import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { get } from 'node:http'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { catalog } from '../../../src/app/api.ts'
import { resourceDeps } from '../../../src/app/deps.ts'
import type { Route } from '../../../src/http/route.ts'
import { screenHandlers, screenRoutes } from '../../../src/site/routes.ts'
import { cliJson } from '../../cli/command-line.ts'
import { type Answer, type Primary, rest, type StartedReader, startPrimary } from '../../support/copied.ts'
import { openEmptyStore } from '../../support/empty-store.ts'
import { noLitestream } from '../../support/litestream.ts'
import { UNKNOWN } from '../../support/records.ts'
import { screenParts } from '../../support/screens.ts'
import { untilIs } from '../../support/until.ts'

// A reader beside its primary, with Litestream in between. Once all was written, the primary's Litestream rests, so that
// the copy stays as it is.

const needs = { skip: noLitestream }
const PUBLIC = 'https://crm.example.com'
let primary: Primary
let reader: StartedReader
/** The seq of the newest event. */
let seq: string

const own = mkdtempSync(join(tmpdir(), 'dealbox-routes-'))
const store = openEmptyStore(own)
const routes: readonly Route[] = catalog(resourceDeps(store))
/** Where anybody connects to in this process. */
const connectedTo = new Set<number>()
const connect = Socket.prototype.connect

before(async () => {
  if (noLitestream) return
  primary = await startPrimary({ publicUrl: PUBLIC })
  await writeSome()
  reader = await primary.startReader()
  await untilIs(
    () => reader.call('GET', '/deals', undefined, { 'dealbox-seq': seq }),
    ({ status }) => status === 200,
  )
  Socket.prototype.connect = function (this: Socket, ...given: unknown[]) {
    connectedTo.add(Number((Array.isArray(given[0]) ? given[0][0] : given[0])?.port))
    return connect.apply(this, given as never)
  } as never
})
after(async () => {
  Socket.prototype.connect = connect
  await reader?.stop()
  await primary?.stop()
  store.close()
  rmSync(own, { recursive: true })
})

async function writeSome(): Promise<void> {
  const write = async (path: string, given: object): Promise<Answer> => {
    const made = await primary.call('POST', path, given)
    assert.equal(made.status, 201, JSON.stringify(made.body))
    seq = made.headers.get('dealbox-seq') as string
    return made
  }
  await write('/companies', { name: 'Northwind' })
  await write('/contacts', { last_name: 'Ruiz' })
  await write('/deals', { title: 'Rollout' })
  await write('/tags', { name: 'vip' })
  await write('/tasks', { title: 'Call again' })
}

const rowOf = (path: string): string => path.split('/:')[0] as string
const hashOfCopy = (): string => hash('sha256', readFileSync(join(reader.folder, 'dealbox.db')))

/** The path of a route with the ids of records that are there. */
async function filled({ path }: Route): Promise<string> {
  if (!path.includes(':id')) return path
  const list = await primary.call('GET', rowOf(path))
  return path.replace(':id', list.body?.data?.[0]?.id ?? UNKNOWN).replace(/:\w+/g, UNKNOWN)
}

test('every GET of the API answers as on the primary, and says how old it is', needs, async () => {
  let found = 0
  for (const route of routes.filter(({ method }) => method === 'get')) {
    const path = await filled(route)
    const [there, here] = [await primary.call('GET', path), await reader.call('GET', path)]
    assert.deepEqual(
      [here.status, here.body?.data ?? here.body?.code],
      [there.status, there.body?.data ?? there.body?.code],
      path,
    )
    if (here.status === 200) {
      assert.deepEqual({ ...here.body }, there.body, path)
      found++
    }
    assert.match(here.headers.get('dealbox-lag-ms') ?? '', /^\d{1,5}$/, path)
    assert.equal(there.headers.get('dealbox-lag-ms'), null)
  }
  assert.ok(found > 25, String(found))
})

test('every write of the API is refused with the address of the primary', needs, async () => {
  const writes = routes.filter(({ kind }) => kind === 'write')
  assert.ok(writes.length >= 40)
  for (const route of writes) {
    const { status, body, headers } = await reader.call(route.method.toUpperCase(), await filled(route), {})
    assert.deepEqual(
      [status, body.code, body.primary, headers.get('dealbox-primary')],
      [503, 'read_only', PUBLIC, PUBLIC],
    )
  }
  const large = await reader.call('POST', '/deals', { title: 'x'.repeat(1_100_000) })
  assert.deepEqual([large.status, large.body.code], [503, 'read_only']) // before the body is read
  const stranger = await fetch(`${reader.api}/api/v1/deals`, { method: 'POST' })
  assert.equal(stranger.status, 401)
})

test('a session reads everything in the browser app, and writes nothing', needs, async () => {
  const headers = { cookie: primary.cookie, origin: reader.screens, 'content-type': 'application/json' }
  const parts = screenParts({ store, deps: resourceDeps(store), dataDir: own })
  const paths = [...screenRoutes(parts), ...screenHandlers(parts)]
  for (const { method, path } of paths) {
    if (path === '/stream' || path === '/app/stream') continue // stays open
    const url = `${reader.screens}${path.startsWith('/app') ? '' : '/app'}${path.replace(/:\w+/g, UNKNOWN)}`
    const isRead = method.toLowerCase() === 'get'
    const answer = await fetch(url, { method: method.toUpperCase(), headers, ...(isRead ? {} : { body: '{}' }) })
    const text = await answer.text()
    const { code } = text.startsWith('{') ? JSON.parse(text) : {}
    if (isRead) assert.ok([200, 204, 400, 404, 422].includes(answer.status), `${path} ${answer.status} ${text}`)
    else if (path === '/app/presence') assert.equal(code, 'invalid_fields')
    else assert.deepEqual([answer.status, code], [503, 'read_only'], `${method} ${path}`)
    assert.match(answer.headers.get('dealbox-lag-ms') ?? '', /^\d+$/)
  }
  const page = await fetch(`${reader.screens}/deals`, { headers: { cookie: primary.cookie } })
  assert.match(await page.text(), /Acme/)
  const unsubscribing = await fetch(`${reader.screens}/unsubscribe/none`, { method: 'POST' })
  assert.equal(unsubscribing.status, 503)
  assert.equal((await fetch(`${reader.screens}/rating/none`)).status, 404)
  assert.equal((await fetch(`${reader.screens}/rating/none`, { method: 'POST' })).status, 503)
})

test('the stream brings the events of the primary as they arrive', needs, async () => {
  const asked = get(`${reader.screens}/app/stream`, { headers: { cookie: primary.cookie } })
  const [answer] = await once(asked, 'response')
  let text = ''
  answer.on('data', (chunk: Buffer) => void (text += chunk))
  const polled = reader.call('GET', `/webhooks/events?after_seq=${seq}&wait=10`)
  const made = await primary.call('POST', '/deals', { title: 'Streamed' })
  seq = made.headers.get('dealbox-seq') as string
  await untilIs(
    () => text,
    (all) => all.includes(made.body.id),
  )
  assert.match(text, /event: deal.created|deal\.created/)
  assert.deepEqual(
    (await polled).body.data.map((event: { seq: number }) => event.seq),
    [Number(seq)],
  )
  asked.destroy()
})

test('the health checks and metrics are those of a reader', needs, async () => {
  const ready = JSON.parse(await (await fetch(`${reader.screens}/readyz`)).text())
  assert.deepEqual(Object.keys(ready.checks), ['database', 'disk', 'clock', 'copy', 'keys'])
  assert.deepEqual([ready.checks.copy.status, ready.checks.keys], ['pass', { status: 'pass' }])
  const metrics = await (await fetch(`${reader.screens}/metrics`)).text()
  assert.match(metrics, /^dealbox_reader_lag_seconds \d/m)
  assert.match(metrics, /^dealbox_reader_following 1$/m)
  assert.match(metrics, /^dealbox_reader_restarts_total 0$/m)
  assert.doesNotMatch(metrics, /dealbox_jobs|dealbox_webhooks|dealbox_mailboxes/)
})

test('a key that the primary has made since is missed at once, not at a promotion', needs, async () => {
  const { kid } = await cliJson('keys', 'rotate', '--data', primary.dataDir)
  const keys = async () => JSON.parse(await (await fetch(`${reader.screens}/readyz`)).text()).checks.keys
  const { status, detail } = await untilIs(keys, (found) => found?.status === 'warn')
  assert.equal(status, 'warn')
  assert.ok(
    detail.startsWith(`The folder keys lacks ${kid}.pem of the primary. Copy it, or run "dealbox replicate --f`),
  )
  cpSync(join(primary.dataDir, 'keys'), join(reader.folder, 'keys'), { recursive: true })
  assert.deepEqual(await keys(), { status: 'pass' })
})

test('a reader changes no byte by itself, and connects to nobody', needs, async () => {
  await rest(primary, reader.folder)
  const [before, files] = [hashOfCopy(), readdirSync(reader.folder, { recursive: true })]
  for (const path of ['/deals', '/contacts', '/webhooks']) assert.equal((await reader.call('GET', path)).status, 200)
  await reader.call('DELETE', `/deals/${UNKNOWN}`)
  await fetch(`${reader.screens}/app/boot`, { headers: { cookie: primary.cookie } }) // would note the use of the session
  await fetch(`${reader.screens}/readyz`)
  assert.equal(hashOfCopy(), before)
  assert.deepEqual(readdirSync(reader.folder, { recursive: true }), files)
  const known = [reader.api, reader.screens, primary.served.api, primary.served.screens].map((url) =>
    Number(new URL(url).port),
  )
  assert.deepEqual(
    [...connectedTo].filter((port) => !known.includes(port)),
    [],
  )
})
