import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { MIB } from '../../../src/lib/size.ts'
import { DATABASE, openStore } from '../../../src/store/open.ts'
import { openSqlite } from '../../../src/store/sqlite/driver.ts'
import { failureOf } from '../../../src/store/sqlite/failures.ts'
import { type Bundled, bundled } from '../../support/bundle.ts'
import { noLitestream, type Replica, replicate, restore } from '../../support/litestream.ts'
import { makeOrg, type Org } from '../../support/org.ts'
import { examples } from '../../support/seed.ts'
import { until } from '../../support/until.ts'
import { BUCKET, type Gateway, KEYS, startVersitygw } from '../../support/versitygw.ts'

// A server under load beside a real Litestream, and the end of both.

const root = mkdtempSync(join(tmpdir(), 'dealbox-replicated-'))
const WRITERS = 8
const WRITES = examples(2500)
/** Litestream copies each tenth of a second here, and each second otherwise. */
const PACE = { everyMs: 100 }

let dealbox: Bundled
let gateway: Gateway
const keyFile = join(root, 'keys')
writeFileSync(keyFile, `[default]\naws_access_key_id = ${KEYS.id}\naws_secret_access_key = ${KEYS.secret}\n`, {
  mode: 0o600,
})
before(async () => {
  if (noLitestream) return
  dealbox = await bundled('src/main.ts')
  gateway = await startVersitygw()
})
const children: ChildProcess[] = []
after(async () => {
  for (const child of children) child.kill('SIGKILL')
  await gateway?.stop()
  dealbox?.remove()
  rmSync(root, { recursive: true, force: true })
})

type Server = { child: ChildProcess; port: number }

async function start(dataDir: string, replica: string[]): Promise<Server> {
  const listen = ['--api-listen', '127.0.0.1:0', '--screens-listen', 'off', '--rate-limit', 'off']
  const argv = [dealbox.file, 'serve', '--data', dataDir, '--replicated', ...replica, ...listen]
  const env = { ...process.env, ...dealbox.env }
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'ignore'], env })
  children.push(child)
  const [first] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer]
  return { child, port: Number(/api +http:\/\/127\.0\.0\.1:(\d+)/.exec(String(first))?.[1]) }
}

/** The id of a new tag; undefined if the server ended first. */
function create({ port }: Server, agent: Agent, { token }: Org, name: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const options = { host: '127.0.0.1', port, agent, method: 'POST', path: '/api/v1/contacts', headers }
    const sent = request(options, (response) => {
      let text = ''
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () => resolve(response.statusCode === 201 ? JSON.parse(text).id : undefined))
      response.on('error', () => resolve(undefined))
    })
    sent.on('error', () => resolve(undefined))
    sent.end(JSON.stringify({ last_name: name }))
  })
}

/**
 * Another server follows the killed one, as a service manager would start it. Whatever Litestream has made of the last
 * commit of that one, the copy has to be the same as the database.
 */
async function goOn({ child }: Server, again: () => Promise<Server>, org: Org, done: Acknowledged[]): Promise<Server> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  await pause(400) // Litestream copies what it finds, and checkpoints
  const next = await again()
  const agent = new Agent({ keepAlive: true })
  for (let at = 0; at < 20; at++) {
    const id = await create(next, agent, org, 'After')
    assert.ok(id)
    done.push({ id, at: Date.now() })
  }
  agent.destroy()
  return next
}

type Acknowledged = { id: string; at: number }

/** Writes until `enough`, and returns what was acknowledged, and the longest log. */
async function load(server: Server, org: Org, dataDir: string, enough: number, end: () => unknown) {
  const agent = new Agent({ keepAlive: true, maxSockets: WRITERS })
  const done: Acknowledged[] = []
  let hasEnded = false
  let longest = 0
  let endedAt = 0
  await Promise.all(
    Array.from({ length: WRITERS }, async (_, writer) => {
      while (!hasEnded) {
        const id = await create(server, agent, org, `Name ${writer}`)
        if (id === undefined) return
        done.push({ id, at: Date.now() })
        if (done.length % 50 === 0) longest = Math.max(longest, statSync(join(dataDir, `${DATABASE}-wal`)).size)
        if (done.length < enough || hasEnded) continue
        hasEnded = true
        endedAt = Date.now()
        end()
      }
    }),
  )
  agent.destroy()
  return { done, longest, endedAt }
}

/** What a restored copy has. */
function read(file: string) {
  const db = openSqlite(file, { readonly: true })
  try {
    return {
      integrity: db.pragma('integrity_check', { simple: true }),
      ids: new Set(db.prepare('SELECT id FROM contacts').pluck().all() as string[]),
      beatAt: db.prepare('SELECT beat_at FROM replication').pluck().get() as number,
    }
  } finally {
    db.close()
  }
}

/** Until it has begun anew, the copy may be of no database that there ever was. */
function unlessDamaged<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (failureOf(error) !== 'damaged') throw error
    return undefined
  }
}

let restores = 0

function readRestored(replica: Replica, folder: string) {
  const file = join(folder, `restored-${restores++}.db`)
  restore(replica, file)
  return read(file)
}

for (const kind of ['folder', 'bucket'] as const)
  describe(`a server under load, replicated to a ${kind}`, { skip: noLitestream }, () => {
    for (const isBoth of [false, true])
      test(`keeps what was copied when ${isBoth ? 'it and Litestream are' : 'it is'} killed`, async (t) => {
        const own = join(root, `${kind}-${isBoth}`)
        const dataDir = join(own, 'data')
        mkdirSync(own)
        const store = openStore(dataDir, { create: true })
        const org = await makeOrg(store, dataDir, 'Acme')
        store.close()
        const replica: Replica =
          kind === 'folder' ? { folder: join(own, 'copy') } : { port: gateway.port, prefix: `crm-${isBoth}` }
        const replicaArgv =
          'folder' in replica
            ? ['--replica', replica.folder]
            : [
                '--replica',
                `http://127.0.0.1:${replica.port}/${BUCKET}/${replica.prefix}`,
                '--replica-key-file',
                keyFile,
              ]
        if ('folder' in replica) mkdirSync(replica.folder) // as a share that is mounted
        const server = await start(dataDir, replicaArgv)
        const litestream = replicate(join(dataDir, DATABASE), replica, PACE)
        t.after(() => litestream.stop())
        await until(() => existsSync(join(dataDir, `.${DATABASE}-litestream/ltx/0`)), litestream.said)
        const { done, longest, endedAt } = await load(server, org, dataDir, WRITES, () => {
          server.child.kill('SIGKILL')
          if (isBoth) process.kill(litestream.pid, 'SIGKILL')
        })
        assert.ok(done.length >= WRITES)
        assert.ok(longest < 64 * MIB, `the log had ${longest} bytes`)
        const newest = () => readRestored(replica, own)
        if (isBoth) {
          const { integrity, ids, beatAt } = newest()
          const lost = done.filter(({ id }) => !ids.has(id))
          const oldest = Math.max(0, ...lost.map(({ at }) => endedAt - at))
          assert.equal(integrity, 'ok')
          // How long before the end is for `npm run failovers`: a busy machine moves it.
          t.diagnostic(
            `lost: ${lost.length} of ${oldest} ms before the end; the heartbeat was ${endedAt - beatAt} ms old`,
          )
          const firstLost = done.findIndex(({ id }) => !ids.has(id))
          const keptBehind = firstLost < 0 ? [] : done.slice(firstLost).filter(({ id }) => ids.has(id))
          assert.ok(lost.length < done.length && keptBehind.length <= WRITERS, 'only the last ones are lost')
          return
        }
        const next = await goOn(server, () => start(dataDir, replicaArgv), org, done)
        const isThere = ({ ids }: ReturnType<typeof read>) => done.every(({ id }) => ids.has(id))
        const copied = await until(() => {
          const found = unlessDamaged(newest)
          return found && isThere(found) && found
        }, litestream.said)
        next.child.kill('SIGTERM')
        await once(next.child, 'exit')
        await litestream.stop()
        assert.equal(copied.integrity, 'ok')
        assert.deepEqual([...copied.ids].sort(), [...read(join(dataDir, DATABASE)).ids].sort())
      })
  })
