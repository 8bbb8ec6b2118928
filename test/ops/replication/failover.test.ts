import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { openStore } from '../../../src/store/open.ts'
import { cli } from '../../cli/command-line.ts'
import { httpClient } from '../../support/client.ts'
import { litestreamProgram, noLitestream, type Running, replicate } from '../../support/litestream.ts'
import { makeOrg, type Org } from '../../support/org.ts'
import { until, untilIs } from '../../support/until.ts'

// docs/failover.md, from its first command to its last, with real Litestream.

const exec = promisify(execFile)
const root = join(import.meta.dirname, '../../..')
const guide = readFileSync(join(root, 'docs/failover.md'), 'utf8')
const blocks = [...guide.matchAll(/```sh\n(.*?)```/gs)].map(([, text]) => text as string)
const needs = { skip: process.platform === 'win32' ? 'needs a POSIX shell' : noLitestream }

const work = mkdtempSync(join(tmpdir(), 'dealbox-failover-'))
const replica = join(work, 'replica')
const client = httpClient()
const children: ChildProcess[] = []
let options: { cwd: string; env: NodeJS.ProcessEnv }
let org: Org
let litestream: Running | undefined

before(async () => {
  if (needs.skip) return
  mkdirSync(replica)
  const store = openStore(join(work, 'primary'), { create: true })
  org = await makeOrg(store, join(work, 'primary'), 'Acme')
  store.close()
  const bin = join(work, 'bin')
  mkdirSync(bin)
  const script = `#!/bin/sh\nexec '${process.execPath}' '${join(root, 'src/main.ts')}' "$@"\n`
  writeFileSync(join(bin, 'dealbox'), script, { mode: 0o755 })
  const { NODE_COMPILE_CACHE } = process.env
  const PATH = `${bin}:${dirname(litestreamProgram())}:${process.env.PATH}`
  options = { cwd: work, env: { NODE_COMPILE_CACHE, PATH, HOME: work } }
})
after(async () => {
  for (const child of children) await end(child)
  await litestream?.kill()
  rmSync(work, { recursive: true, force: true })
})

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  await exit
}

/** As printed, but for the place of the copy and the ports. */
const localOf = (text: string): string =>
  text
    .replaceAll('/mnt/replica', replica)
    .replace(/--api-listen \S+/, '--api-listen 127.0.0.1:0 --screens-listen 127.0.0.1:0 --follow-interval 100ms')
    .replace(/(--replicated.*) --follow-interval 100ms/, '$1')

/** Runs a block whose last command is a server, until that listens. */
async function start(block: string) {
  const lines = localOf(block).trim().split('\n')
  const server = spawn('sh', ['-ec', [...lines.slice(0, -1), `exec ${lines.at(-1)}`].join('\n')], options)
  children.push(server)
  let said = ''
  for (const stream of [server.stdout, server.stderr]) stream.on('data', (chunk) => void (said += chunk))
  await untilIs(
    () => /screens +http/.test(said),
    (isThere) => isThere || server.exitCode !== null,
  )
  assert.equal(server.exitCode, null, said)
  const [, api, screens] = /api +(\S+)\nscreens +(\S+)/.exec(said) ?? []
  return { server, api: api as string, screens: screens as string, said: () => said }
}

async function call(api: string, method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const sent = body === undefined ? undefined : JSON.stringify(body)
  const all = { authorization: `Bearer ${org.token}`, 'content-type': 'application/json', ...headers }
  const got = await client.send(`${api}/api/v1${path}`, { method, headers: all, body: sent })
  return { ...got, body: JSON.parse(got.text) }
}
const write = (api: string, title: string) => call(api, 'POST', '/deals', { title })
const titlesAt = async (api: string): Promise<string[]> =>
  ((await call(api, 'GET', '/deals')).body.data ?? []).map(({ title }: { title: string }) => title).sort()

test('the guide, from the first start to the old machine as the standby', needs, async () => {
  const [first = '', second = '', promotion = '', counting = '', back = ''] = blocks
  assert.equal(blocks.length, 5)
  const old = await start(first)
  litestream = replicate(join(work, 'primary/dealbox.db'), { folder: replica })
  await write(old.api, 'Replicated')
  await until(() => existsSync(join(replica, 'ltx')))
  const standby = await start(second)
  await untilIs(
    () => titlesAt(standby.api),
    (titles) => titles.length === 1,
  )
  await litestream.kill()
  const lost = await write(old.api, 'Lost')
  assert.equal(lost.status, 201)

  const { stdout } = await exec('sh', ['-ec', localOf(promotion)], options)
  assert.match(stdout, /^This is the primary now, of epoch 2, after \d+\.\d s\./)
  assert.match(stdout, /did not replicate, it writes to a file/)
  const api = /api +(\S+)/.exec(stdout)?.[1] as string
  assert.deepEqual(await titlesAt(api), ['Replicated'])
  const made = await write(api, 'New')
  assert.deepEqual([made.status, made.headers.get('dealbox-seq')], [201, '1000000001'])

  // The old one.
  const refused = await write(old.api, 'Too late')
  assert.deepEqual([refused.status, refused.body.code, refused.body.epoch], [503, 'not_primary', 2])
  assert.equal(refused.headers.get('dealbox-primary'), 'http://crm-b.example.com')
  assert.equal((await fetch(`${old.screens}/readyz`)).status, 503)
  const file = join(work, 'primary/unreplicated-epoch-1.ndjson')
  await until(() => existsSync(file))
  const counted = await exec('sh', ['-ec', localOf(counting)], options)
  assert.match(counted.stdout, /^1 /)
  assert.equal(JSON.parse(readFileSync(file, 'utf8')).event.data.object.title, 'Lost')
  const data = ['--data', join(work, 'primary')]
  const added = await cli(['member', 'add', 'eve@acme.example', '--name', 'Eve', ...data])
  assert.deepEqual([added.code, /that is http:\/\/crm-b.example.com/.test(added.err)], [1, true], added.err)
  assert.match((await cli(['doctor', ...data])).out, /fail {2}server +This is no longer the primary/)
  await end(old.server)
  const again = await exec('sh', ['-ec', localOf(first)], options).catch((error) => error)
  assert.deepEqual([again.code, /is no longer the primary/.test(again.stderr)], [1, true], again.stderr)

  // What clients know of the lost event.
  const seq = lost.headers.get('dealbox-seq') as string
  const asked = await call(api, 'GET', '/deals', undefined, { 'dealbox-seq': seq })
  assert.deepEqual([asked.status, asked.body.code], [410, 'event_lost'])
  const polled = await call(api, 'GET', `/webhooks/events?after_seq=${seq}`)
  assert.deepEqual([polled.status, polled.body.code], [409, 'events_lost'])
  const before = await call(api, 'GET', `/webhooks/events?after_seq=${Number(seq) - 1}`)
  assert.deepEqual(
    before.body.data.map((event: { seq: number }) => event.seq),
    [1_000_000_001],
  )
  const known = await call(api, 'GET', '/deals', undefined, { 'dealbox-seq': String(Number(seq) - 1) })
  assert.equal(known.status, 200)

  // The new one replicates by itself, and is followed.
  const follower = await start(back)
  await until(() => existsSync(join(replica, 'epoch-00000002')))
  await untilIs(
    () => titlesAt(follower.api),
    (titles) => titles.includes('New'),
  )
  assert.deepEqual(await titlesAt(follower.api), ['New', 'Replicated'])
  assert.ok(existsSync(join(work, 'primary.old/unreplicated-epoch-1.ndjson')))

  // Without a standby: the newest folder that has begun is restored (docs/replication.md).
  assert.ok(existsSync(join(replica, 'dealbox/epoch-00000002-begun.json')))
  const restored = async (folder: string): Promise<unknown[]> => {
    const data = join(work, `back-${folder}`)
    await exec('litestream', ['restore', '-o', join(data, 'dealbox.db'), `file://${join(replica, folder)}`], options)
    const store = openStore(data)
    const titles = store.db.prepare('SELECT title FROM deals ORDER BY title').pluck().all()
    store.close()
    return titles
  }
  assert.deepEqual(await restored('epoch-00000002'), ['New', 'Replicated'])
  assert.deepEqual(await restored(''), ['Replicated'])

  // With the options of the standby it starts as the primary.
  await end(standby.server)
  const restarted = await start(second.trim().split('\n').at(-1) as string)
  assert.equal((await write(restarted.api, 'Later')).status, 201)
})
