import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { timeOfId } from '../src/lib/id.ts'
import { openStore } from '../src/store/open.ts'
import { makeOrg, type Org, tokenFor } from './support/org.ts'
import { MAIN } from './support/program.ts'

// The clock of the machine is set while the real server runs, and between its runs.

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
const SET_CLOCK = pathToFileURL(join(import.meta.dirname, 'support/set-clock.ts')).href

// biome-ignore lint/suspicious/noExplicitAny: tests look into JSON of every shape
type Body = any
type Server = { child: ChildProcess; api: string; screens: string; lines: Body[] }

let dataDir: string
let org: Org
let running: Server | undefined
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'dealbox-clock-'))
  const store = openStore(dataDir, { create: true })
  org = await makeOrg(store, dataDir, 'Acme')
  store.close()
})
afterEach(async () => {
  await stop()
  rmSync(dataDir, { recursive: true, force: true })
})

async function start(shiftMs: number): Promise<Server> {
  const argv = ['serve', '--data', dataDir, '--json', '--api-listen', '127.0.0.1:0', '--screens-listen', '127.0.0.1:0']
  const child = spawn(process.execPath, ['--import', SET_CLOCK, MAIN, ...argv], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: { ...process.env, DEALBOX_TEST_SHIFT_MS: String(shiftMs) },
  })
  const lines: Body[] = []
  let rest = ''
  const listening = Promise.withResolvers<Body>()
  child.stdout?.on('data', (bytes) => {
    const all = (rest + bytes).split('\n')
    rest = all.pop() as string
    lines.push(...all.map((line) => JSON.parse(line)))
    const line = lines.find(({ msg }) => msg === 'listening')
    if (line) listening.resolve(line)
  })
  child.once('exit', (code) => listening.reject(new Error(`The server ended with ${code}.`)))
  const { api, screens } = await listening.promise
  running = { child, api, screens, lines }
  return running
}

/** With what it logged. */
async function stop(): Promise<Body[]> {
  if (!running) return []
  const { child, lines } = running
  running = undefined
  child.kill('SIGTERM')
  assert.deepEqual(await once(child, 'close'), [0, null])
  return lines
}

async function setClock(shiftMs: number): Promise<void> {
  const { child } = running as Server
  const set = once(child, 'message')
  child.send({ shiftMs })
  await set
}

async function call(method: string, path: string, body?: unknown, token = org.token) {
  const response = await fetch(`${running?.api}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  return { status: response.status, body: (await response.json()) as Body }
}

async function createTag(name: string): Promise<{ id: string; created_at: string; updated_at: string }> {
  const { status, body } = await call('POST', '/tags', { name })
  assert.equal(status, 201, JSON.stringify(body))
  assert.equal(Date.parse(body.created_at), timeOfId(body.id))
  return body
}

/** Every tag by the pages of the list. */
async function walkTags(): Promise<string[]> {
  const names: string[] = []
  for (let path = '/tags?limit=2'; ; ) {
    const { status, body } = await call('GET', path)
    assert.equal(status, 200)
    names.push(...body.data.map(({ name }: { name: string }) => name))
    if (!body.next_cursor) return names
    path = `/tags?limit=2&cursor=${body.next_cursor}`
  }
}

async function clockCheck(): Promise<{ status: string; detail?: string }> {
  const response = await fetch(`${running?.screens}/readyz`)
  assert.equal(response.status, 200)
  const { status, checks } = (await response.json()) as Body
  assert.equal(status, 'ready')
  return checks.clock
}

async function eventTypes(): Promise<string[]> {
  const { status, body } = await call('GET', '/webhooks/events')
  assert.equal(status, 200)
  return body.data.map(({ type }: { type: string }) => type)
}

const isNear = (one: string, ms: number) => Math.abs(Date.parse(one) - ms) < MINUTE_MS

async function tokenUntil(expiresAt: number): Promise<string> {
  const store = openStore(dataDir)
  const { token } = await tokenFor(store, dataDir, org.org, 'ana@acme.example', ['rest.crm.tags.read'], expiresAt)
  store.close()
  return token
}

describe('a clock that is ahead by 400 days for a while', () => {
  for (const restarts of [false, true]) {
    const move = async (shiftMs: number): Promise<void> => {
      if (!restarts) return setClock(shiftMs)
      await stop()
      await start(shiftMs)
    }

    test(`leaves behind nothing but the records of that time${restarts ? ', across restarts' : ''}`, async () => {
      const token = await tokenUntil(Date.now() + 90 * DAY_MS)
      const withIt = async () => (await call('GET', '/tags', undefined, token)).status
      await start(0)
      for (const name of ['a', 'b', 'c']) await createTag(name)
      assert.deepEqual([await withIt(), await clockCheck()], [200, { status: 'pass' }])

      const ahead = Date.now() + 400 * DAY_MS
      await move(400 * DAY_MS)
      assert.equal(await withIt(), 401)
      const { status, detail } = await clockCheck()
      assert.equal(status, 'warn')
      assert.match(detail as string, /jumped from .* to .*Nothing old is deleted before/)
      for (const name of ['d', 'e', 'f']) assert.ok(isNear((await createTag(name)).created_at, ahead))
      if (restarts) {
        await move(400 * DAY_MS) // what the last start saw is remembered by the next
        assert.equal((await clockCheck()).status, 'warn')
      }
      assert.deepEqual(await eventTypes(), Array(6).fill('tag.created'))

      await move(0)
      assert.equal(await withIt(), 200)
      assert.equal((await clockCheck()).status, 'warn')
      for (const name of ['g', 'h', 'i']) {
        const tag = await createTag(name)
        assert.ok(isNear(tag.created_at, Date.now()), tag.created_at)
        const changed = await call('PATCH', `/tags/${tag.id}`, { name: `${name}${name}` })
        assert.ok(isNear(changed.body.updated_at, Date.now()), changed.body.updated_at)
      }
      assert.deepEqual((await walkTags()).sort(), ['a', 'b', 'c', 'd', 'e', 'f', 'gg', 'hh', 'ii'])
      assert.equal((await eventTypes()).length, 12)

      if (!restarts) {
        const jumps = (await stop()).filter(({ job }) => job === 'clock')
        assert.ok(jumps.every(({ level, msg }) => level === 'error' && /jumped from/.test(msg)))
        await start(0)
        assert.equal(await withIt(), 200)
        assert.ok(isNear((await createTag('j')).created_at, Date.now()))
      }
    })
  }
})

describe('a machine that starts without the time', () => {
  for (const year of [1970, 2000]) {
    test(`and shows ${year} goes on from the time that was last known, and catches up`, async () => {
      const lost = Date.UTC(year, 0, 1) - Date.now()
      const expired = await tokenUntil(Date.now() - 1)
      await start(0)
      await createTag('before')
      await stop()
      await start(lost)
      const { status, detail } = await clockCheck()
      assert.equal(status, 'warn')
      assert.match(detail as string, new RegExp(`shows ${year}-01-01T.*Set the clock`))
      const tag = await createTag('lost')
      assert.ok(isNear(tag.created_at, Date.now()), tag.created_at)
      assert.equal((await call('GET', '/tags', undefined, expired)).status, 401)
      await setClock(0)
      assert.deepEqual(await clockCheck(), { status: 'pass' }) // it was not away for long
      assert.ok(isNear((await createTag('found')).created_at, Date.now()))
      assert.deepEqual(await walkTags(), ['found', 'lost', 'before'])
      const logged = (await stop()).filter(({ job }) => job === 'clock')
      assert.deepEqual(
        logged.map(({ level, msg }) => [level, msg.includes(`shows ${year}`)]),
        [['error', true]],
      )
    })
  }
})

test('a folder that was away for a year is served, and nothing old is deleted in the first hour', async () => {
  const store = openStore(dataDir)
  const past = Date.now() - 365 * DAY_MS
  store.db.prepare('INSERT OR REPLACE INTO wall_clock VALUES (1, ?, NULL, NULL)').run(past)
  const insert = store.db.prepare(
    `INSERT INTO events (org_id, seq, id, type, object_id, at, actor_type, data)
     VALUES (?, ?, ?, 'tag.created', 'x', ?, 'system', '{"object":{},"changed_fields":[],"previous":{}}')`,
  )
  insert.run(org.org, 1, store.clock.id(), past)
  store.db.prepare('UPDATE orgs SET last_seq = 1').run()
  store.close()
  await start(0)
  assert.match((await clockCheck()).detail as string, /Nothing old is deleted before/)
  await createTag('after') // whatever the start has deleted was committed before this
  assert.equal((await eventTypes()).length, 2)
  await stop()
  await start(61 * MINUTE_MS)
  assert.deepEqual(await clockCheck(), { status: 'pass' })
  await createTag('an hour later')
  assert.equal((await eventTypes()).length, 2)
  const lines = await stop()
  assert.ok(!lines.some(({ level }) => level === 'error'))
})
