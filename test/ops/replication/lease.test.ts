import assert from 'node:assert/strict'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, test } from 'node:test'
import pino from 'pino'
import { claimEpoch, noteBegun, readBegun, readStopped } from '../../../src/ops/replication/epochs.ts'
import {
  noteFenced,
  readDisplaced,
  readFenced,
  readHolder,
  registerStandby,
} from '../../../src/ops/replication/holder.ts'
import { readKnown } from '../../../src/ops/replication/known.ts'
import { openLease } from '../../../src/ops/replication/lease.ts'
import { folderCopy } from '../../../src/ops/replication/replica/folder.ts'
import type { Fence, Moment } from '../../../src/store/folder/fence.ts'
import { fenceOfFolder } from '../../../src/store/folder/fence.ts'
import { lastCommit } from '../../../src/store/newest.ts'
import { type OpenedStore, openStore } from '../../../src/store/open.ts'
import { replicationRow } from '../../../src/store/replication.ts'
import { temporaryFolder } from '../../cli/command-line.ts'
import { makeOrg, type Org } from '../../support/org.ts'

// When a replicated primary writes, with its clock as an argument.

let root: string
let replica: string
let data: string
let store: OpenedStore
let org: Org
let fence: Fence
let now: Moment
let tick: () => void
let lines: { msg: string; events?: number; orgs?: Record<string, number> }[]
const parent = temporaryFolder()
let count = 0

beforeEach(async () => {
  root = join(parent, String(++count))
  replica = join(root, 'replica')
  data = join(root, 'data')
  mkdirSync(replica, { recursive: true })
  fence = () => undefined
  store = openStore(data, { create: true, fence: () => fence() })
  org = await makeOrg(store, data, 'Acme')
  now = { monotonic: 1_000_000, wall: 2_000_000 }
  lines = []
})
afterEach(() => store.close())

const copy = () => folderCopy(replica)

/** Starts to look as a primary of an epoch, with the first look done. A standby has registered before, unless it is `alone`. */
async function start(epoch = 1, { storage = copy(), alone = false, isOldOff = false, dataDir = data } = {}) {
  if (!alone)
    await copy()
      .put(`epoch-0000000${epoch}-standby.json`, Buffer.from('{}'))
      .catch(() => undefined)
  const lease = openLease({
    ...{ store, dataDir, copy: storage, epoch, url: 'http://old.example.com', now: () => now, isOldOff },
    log: pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) }),
    every: (_, job) => {
      tick = job
      return () => undefined
    },
  })
  fence = lease.refusal
  await lease.looked()
  const ownTick = tick
  return {
    ...lease,
    tick: ownTick,
    look: async () => {
      for (let ticks = 0; ticks < 4; ticks++) ownTick() // alone it looks at each fourth
      await lease.looked()
    },
  }
}

const pass = (ms: Partial<Moment> | number): void => {
  const { monotonic = 0, wall = 0 } = typeof ms === 'number' ? { monotonic: ms, wall: ms } : ms
  now = { monotonic: now.monotonic + monotonic, wall: now.wall + wall }
}

const makeEvent = (n: number) =>
  store.db
    .prepare(
      "INSERT INTO events (org_id, seq, id, type, object_id, at, actor_type, data) VALUES (?, ?, ?, 'deal.created', 'd', 0, 'system', '{}')",
    )
    .run(org.org, n, `e${n}`)
const write = (n: number) => store.write(() => void makeEvent(n))
const refused = (code: string) => (error: { status: number; code: string }) =>
  error.status === 503 && error.code === code

test('beside a standby it writes for two seconds after a look, and then not until the next one succeeds', async () => {
  const lease = await start()
  await write(1)
  renameSync(replica, `${replica}-gone`)
  pass(1999)
  await lease.look()
  await write(2)
  pass(1)
  await assert.rejects(write(3), refused('not_confirmed'))
  assert.throws(() => store.transaction(() => makeEvent(3)), refused('not_confirmed'))
  let hasRun = false
  const job = () => {
    hasRun = true
    return null
  }
  await assert.rejects(store.write(job), refused('not_confirmed'))
  assert.equal(hasRun, false)
  tick()
  tick()
  assert.equal(lines.filter(({ msg }) => msg.includes('not reached')).length, 1)
  assert.match(lease.status().problem?.message ?? '', /does not know this primary/)
  renameSync(`${replica}-gone`, replica)
  await lease.looked()
  await lease.look()
  await write(3)
  assert.equal(lease.status().problem, undefined)
  assert.equal(lastCommit(store.db), 3)
  await lease.stop()
})

test('it counts by both clocks: a machine that slept, and one whose clock was set back', async () => {
  const lease = await start()
  pass({ wall: 2000 })
  await assert.rejects(write(1), refused('not_confirmed'))
  await lease.look()
  pass({ monotonic: 2000, wall: -60_000 })
  await assert.rejects(write(1), refused('not_confirmed'))
  await lease.look()
  await write(1)
  await lease.stop()
})

test('what is over when a commit begins is not committed, and what is over after it is not confirmed', async () => {
  const lease = await start()
  await assert.rejects(
    store.write(() => {
      makeEvent(1)
      pass(2000) // as if the process was stopped here
      return null
    }),
    refused('not_confirmed'),
  )
  await lease.look()
  assert.throws(
    () =>
      store.transaction(() => {
        makeEvent(1)
        pass(2000)
      }),
    refused('not_confirmed'),
  )
  assert.equal(lastCommit(store.db), 0)
  await lease.look()
  let asked = 0
  fence = () => (++asked > 3 ? lease.refusal() : undefined) // before, in the job, before COMMIT; and after it
  pass(2000)
  await assert.rejects(write(1), refused('not_confirmed'))
  assert.equal(asked, 4)
  assert.equal(lastCommit(store.db), 1)
  asked = 0
  fence = () => (++asked > 2 ? lease.refusal() : undefined) // before, before COMMIT; and after it
  assert.throws(() => store.transaction(() => makeEvent(2)), refused('not_confirmed'))
  assert.equal(asked, 3)
  assert.equal(lastCommit(store.db), 2)
  await lease.stop()
})

test('storage that has lost the file of this primary, as an empty one, confirms nothing', async () => {
  const lease = await start()
  rmSync(join(replica, 'dealbox'), { recursive: true })
  pass(2000)
  await lease.look()
  await assert.rejects(write(1), refused('not_confirmed'))
  await lease.stop()
})

test('storage that is empty when the server starts again confirms nothing, such as a share that is not mounted', async () => {
  await (await start()).stop()
  renameSync(replica, `${replica}-gone`)
  mkdirSync(replica)
  const lease = await start(1, { alone: true })
  assert.equal(await registerStandby(copy(), 1, 0), false)
  await assert.rejects(write(1), refused('not_confirmed'))
  assert.match(lease.status().problem?.message ?? '', /mount the share.*delete primary\.json/)
  assert.deepEqual(readdirSync(replica), [])
  rmSync(replica, { recursive: true })
  renameSync(`${replica}-gone`, replica)
  await lease.look()
  await write(1)
  await lease.stop()
})

test('storage that lets two servers make the same file confirms nothing', async () => {
  const put = (name: string, content: Buffer) => copy().put(name, content)
  const lease = await start(1, {
    storage: { ...copy(), create: (name, content) => put(name, content).then(() => true) },
  })
  await assert.rejects(write(1), refused('not_confirmed'))
  await lease.look()
  assert.match(lease.status().problem?.message ?? '', /takes a file a second time/)
  await lease.stop()
})

test('storage that knows another primary of the same epoch confirms nothing', async () => {
  await (await start()).stop()
  rmSync(join(replica, 'dealbox/epoch-00000001.json'))
  await claimEpoch(copy(), { epoch: 1, from: 0, primary_url: null, now: 0 })
  const lease = await start()
  await assert.rejects(write(1), refused('not_confirmed'))
  await lease.stop()
})

test('another replica is one that this primary begins', async () => {
  await (await start()).stop()
  replica = join(root, 'another')
  mkdirSync(replica)
  const lease = await start()
  await write(1)
  await lease.stop()
})

test('a look that began before a promotion counts from then', async () => {
  const lease = await start()
  pass(1500)
  tick() // looks now
  pass(1000) // and gets its answer later
  await lease.looked()
  pass(999)
  assert.equal(lease.refusal(), undefined)
  pass(1)
  assert.equal(lease.refusal()?.code, 'not_confirmed')
  await lease.stop()
})

test('a successor ends it for good, is named, and gets everything that it does not have as events', async () => {
  const lease = await start()
  for (const n of [1, 2, 3]) await write(n)
  const taken = { epoch: 2, from: 1, primary_url: 'http://new.example.com', now: Date.UTC(2026, 0, 2) }
  await claimEpoch(copy(), taken)
  await lease.look()
  assert.deepEqual((await lease.deposed) as object, lease.successor())
  assert.equal(lease.successor()?.primary_url, 'http://new.example.com')
  await assert.rejects(write(4), (error: { message: string; headers: object; code: string }) => {
    assert.equal(error.code, 'not_primary')
    assert.match(error.message, /that is http:\/\/new.example.com since 2026-01-02T00:00:00.000Z \(epoch 2\)/)
    assert.deepEqual(error.headers, { 'Dealbox-Primary': 'http://new.example.com' })
    return true
  })
  assert.equal((await readStopped(copy(), 1))?.commit_seq, 3)
  // A copy that has this heartbeat has everything, also what makes no event.
  assert.deepEqual([(await readStopped(copy(), 1))?.beat, replicationRow(store.db).read().beat], [1, 1])
  await lease.look()
  assert.equal(replicationRow(store.db).read().beat, 1)
  const file = join(data, 'unreplicated-epoch-1.ndjson')
  assert.equal(existsSync(file), false, 'nobody knows yet what the new one has')

  await noteBegun(copy(), 2, { commit_seq: 1, beat: 1, at: '2026-01-02T00:00:00.000Z' })
  await lease.look()
  const noted = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual(
    noted.map(({ org, commit_seq, event }) => [org, commit_seq, event.id]),
    [
      [org.id, 2, 'e2'],
      [org.id, 3, 'e3'],
    ],
  )
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.deepEqual(lines.at(-1)?.orgs, { [org.id]: 2 })
  await lease.stop()

  const command = openStore(data)
  assert.throws(() => command.transaction(() => undefined), refused('not_primary'))
  command.close()
})

test('commands beside the server write only while that may', async () => {
  const lease = await start()
  const ofCommand = fenceOfFolder(data, () => now)
  assert.equal(ofCommand(), undefined)
  pass(2000)
  assert.equal(ofCommand()?.code, 'not_confirmed')
  await lease.look()
  assert.equal(ofCommand(), undefined)
  now = { monotonic: 1000, wall: now.wall } // after a restart of the machine
  assert.equal(ofCommand()?.code, 'not_confirmed')
  writeFileSync(join(data, 'deposed.json'), '{')
  assert.throws(ofCommand, { code: 'not_primary' })
  await lease.stop()
})

test('a promoted primary says where it began before it writes', async () => {
  await claimEpoch(copy(), { epoch: 2, from: 1, primary_url: null, now: 0 })
  makeEvent(1)
  const lease = await start(2)
  assert.equal((await readBegun(copy(), 2))?.commit_seq, 1)
  await write(2)
  await lease.stop()
  const again = await start(2)
  assert.equal((await readBegun(copy(), 2))?.commit_seq, 1)

  // What it began with itself says nothing of its successor.
  await claimEpoch(copy(), { epoch: 3, from: 2, primary_url: null, now: 0 })
  await noteBegun(copy(), 3, { commit_seq: 2, beat: 1, at: '2026-01-02T00:00:00.000Z' })
  await again.look()
  assert.deepEqual(lines.at(-1)?.msg, 'the new primary has everything that was written here')
  assert.equal(existsSync(join(data, 'unreplicated-epoch-2.ndjson')), false)
  await again.stop()
})

describe('alone', () => {
  const away = () => renameSync(replica, `${replica}-gone`)
  const isBack = () => renameSync(`${replica}-gone`, replica)

  test('it goes on while the replica is away, says so, and commands do as well', async () => {
    const lease = await start(1, { alone: true })
    await write(1)
    away()
    pass(60_000)
    await lease.look()
    await lease.look()
    await write(2)
    assert.equal(fenceOfFolder(data, () => now)(), undefined)
    assert.match(lease.status().warning ?? '', /cannot be reached.*only this machine has them.*mount the share/)
    assert.deepEqual([lease.status().problem, lease.status().isFenced], [undefined, false])
    assert.equal(lines.filter(({ msg }) => /writes go on/.test(msg)).length, 1)
    isBack()
    await lease.look()
    assert.equal(lease.status().warning, undefined)
    await lease.stop()
  })

  test('it also starts while the replica is away, but not before that was reached for the first time', async () => {
    await (await start(1, { alone: true })).stop()
    away()
    const lease = await start(1, { alone: true })
    await write(1)
    await lease.stop()
    const first = await start(1, { alone: true, dataDir: join(root, 'other') }).catch((error) => error)
    assert.equal(first.code, 'ENOENT') // no folder
    mkdirSync(join(root, 'other'))
    const unknown = await start(1, { alone: true, dataDir: join(root, 'other') })
    await assert.rejects(write(2), refused('not_confirmed'))
    await unknown.stop()
  })

  test('it stops in time as soon as it has seen a standby, which it tells that, also after its next start', async () => {
    const lease = await start(1, { alone: true })
    await registerStandby(copy(), 1, 0)
    pass(10_000)
    await lease.look()
    assert.equal((await readFenced(copy(), 1))?.lease_ms, 2000)
    assert.equal(lease.status().isFenced, true)
    await write(1)
    away()
    pass(2000)
    await assert.rejects(write(2), refused('not_confirmed'))
    await lease.stop()
    const again = await start(1, { alone: true })
    await assert.rejects(write(2), refused('not_confirmed'))
    await again.stop()
  })

  test('it promises nothing before it keeps the promise itself', async () => {
    let isKept: boolean | undefined
    const storage = {
      ...copy(),
      create: (name: string, content: Buffer) => {
        if (name.includes('fenced')) isKept = readKnown(data)?.is_fenced
        return copy().create(name, content)
      },
    }
    await (await start(1, { storage })).stop()
    assert.equal(isKept, true)
  })

  test('what was promised before holds, also where the file of the standby is gone', async () => {
    await noteFenced(copy(), 1, 2000)
    const lease = await start(1, { alone: true })
    assert.equal(lease.status().isFenced, true)
    await lease.stop()
  })
})

describe('two servers of one folder', () => {
  const clone = () => {
    const to = join(root, 'clone')
    cpSync(data, to, { recursive: true })
    return to
  }
  const starts = async (dataDir: string) => {
    const lease = await start(1, { alone: true, dataDir })
    return { ...lease, refusal: lease.refusal }
  }

  test('the one that was there first sees the other, writes no more, and says so beside the replica', async () => {
    await (await start(1, { alone: true })).stop()
    const to = clone()
    const first = await starts(data)
    const second = await starts(to)
    // The clone knows of the last start before it was made, and not of the one after.
    assert.equal(second.refusal()?.code, 'another_server')
    assert.equal(first.refusal(), undefined)
    await second.stop()

    const third = await start(1, { alone: true, dataDir: to, isOldOff: true })
    assert.equal(third.refusal(), undefined)
    await first.look()
    assert.equal(first.refusal()?.code, 'another_server')
    assert.match(lines.at(-1)?.msg ?? '', /started from a copy of this data folder, on /)
    assert.equal(fenceOfFolder(data, () => now)()?.code, 'not_confirmed')
    assert.equal((await readDisplaced(copy(), 1))?.by, third.start)
    let mixed = 0
    third.onMixed(() => mixed++)
    await third.look()
    await third.look()
    assert.equal(mixed, 1)
    assert.equal(third.refusal(), undefined)
    await first.stop()
    await third.stop()

    const again = await starts(data)
    assert.match(again.other()?.message ?? '', /start this one once with --old-primary-is-off/)
    await again.stop()
  })

  test('a clone of a folder that is being served takes over from it, and each restart of one alone is nothing else', async () => {
    const first = await starts(data)
    const second = await starts(clone())
    assert.equal(second.refusal(), undefined)
    await first.look()
    assert.equal(first.refusal()?.code, 'another_server')
    await first.stop()
    await second.stop()
    for (let restarts = 0; restarts < 3; restarts++) {
      const again = await starts(join(root, 'clone'))
      assert.equal(again.refusal(), undefined)
      await again.stop()
    }
  })

  test('a start that was interrupted before it was said beside the replica does not lock the next one out', async () => {
    await (await starts(data)).stop()
    const storage = { ...copy(), put: () => Promise.reject(new Error('cut')) }
    await (await start(1, { alone: true, storage })).stop()
    await (await start(1, { alone: true, storage })).stop()
    const lease = await starts(data)
    assert.equal(lease.other(), undefined)
    assert.equal((await readHolder(copy(), 1))?.start, lease.start)
    await lease.stop()
  })

  test('another installation does not take the place of a replica', async () => {
    await (await starts(data)).stop()
    const other = join(root, 'other')
    const foreign = openStore(other, { create: true })
    const mine = store
    store = foreign as OpenedStore
    const lease = await starts(other)
    assert.equal(lease.refusal()?.code, 'not_confirmed')
    assert.match(lease.status().problem?.message ?? '', /has the replica of another installation/)
    await lease.stop()
    store = mine
    foreign.close()
  })
})
