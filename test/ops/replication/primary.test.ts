import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import pino from 'pino'
import { type Primary, startPrimary } from '../../../src/ops/replication/primary.ts'
import type { ReplicaStorage } from '../../../src/ops/replication/replica/copy.ts'
import { folderCopy } from '../../../src/ops/replication/replica/folder.ts'
import { s3Copy } from '../../../src/ops/replication/replica/s3.ts'
import { readReplicationState } from '../../../src/ops/replication/state.ts'
import { DATABASE, openStore, type Store } from '../../../src/store/open.ts'
import { noLitestream, type Replica, type Running, replicate } from '../../support/litestream.ts'
import { until } from '../../support/until.ts'
import { BUCKET, type Gateway, KEYS, startVersitygw } from '../../support/versitygw.ts'
import { type Between, standBetween } from '../backup/places/between.ts'

// A store with a real Litestream beside it, and time that moves when the test says so: Litestream writes its own.

const root = mkdtempSync(join(tmpdir(), 'dealbox-primary-'))
after(() => rmSync(root, { recursive: true, force: true }))

let count = 0
let store: Store
let dataDir: string
/** How far the clock of the server is ahead of that of Litestream. */
let aheadMs: number
/** The time that has passed, whatever clocks say. */
let elapsedMs: number
let primary: Primary
let litestream: Running
let lines: string[]
let jobs: Set<() => void>

/** Timers that run when the test says so. */
const every = (_ms: number, job: () => void) => {
  jobs.add(job)
  return () => void jobs.delete(job)
}
const tick = () => {
  for (const job of jobs) job()
}

function start(copy: ReplicaStorage | undefined): void {
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line).msg) })
  primary = startPrimary({ store, log, dataDir, copy, encryption: undefined, every, elapsed: () => elapsedMs })
}

/** Ten seconds pass, and the copy is asked. */
async function passTime(): Promise<void> {
  aheadMs += 10_000
  elapsedMs += 10_000
  const before = primary.asked()
  tick()
  await until(() => primary.asked() > before, 'the copy was asked')
}

/** Until what was written a moment ago has arrived. */
async function upToDate(): Promise<void> {
  aheadMs = 0
  const since = Date.now()
  await until(() => {
    tick()
    const { lagMs, problem } = primary.status()
    return problem === undefined && (lagMs as number) < Date.now() - since
  }, 'the copy is up to date')
}

/** Lets time pass until somebody is needed: after how many seconds, and why. */
async function noticed(startMs = 0): Promise<{ seconds: number; problem: string }> {
  aheadMs = startMs
  const from = elapsedMs
  for (;;) {
    await passTime()
    const { problem } = primary.status()
    if (problem !== undefined) return { seconds: (elapsedMs - from) / 1000, problem }
    assert.ok(elapsedMs - from < 120_000, 'nothing was noticed')
  }
}

beforeEach(() => {
  aheadMs = 0
  elapsedMs = 0
  lines = []
  jobs = new Set()
  dataDir = join(root, String(count++))
  store = openStore(dataDir, { create: true, isReplicated: true, wall: () => Date.now() + aheadMs })
})
afterEach(async () => {
  await primary.stop()
  assert.equal(jobs.size, 0)
  if (litestream?.isRunning()) await litestream.kill()
  store.close()
})

describe('a replication that has silently stopped is noticed within a minute', { skip: noLitestream }, () => {
  let gateway: Gateway
  let between: Between
  before(async () => {
    gateway = await startVersitygw()
    between = await standBetween(gateway.port)
  })
  after(async () => {
    await between?.stop()
    await gateway?.stop()
  })
  const database = () => join(dataDir, DATABASE)
  const account = (port = gateway.port) => ({
    ...{ endpoint: new URL(`http://127.0.0.1:${port}`), bucket: BUCKET, prefix: `crm-${count}/` },
    ...{ keys: KEYS, region: 'us-east-1' },
  })
  const bucket = (port: number): Replica => ({ port, prefix: `crm-${count}` })

  test('Litestream ended', async () => {
    const folder = join(dataDir, '../copy')
    litestream = replicate(database(), { folder })
    await until(() => existsSync(join(folder, 'ltx/0')), 'there is a copy')
    start(folderCopy(folder))
    await upToDate()
    assert.deepEqual(lines, [])
    await litestream.kill()
    const { seconds, problem } = await noticed()
    assert.ok(seconds <= 60, `${seconds} s`)
    assert.match(
      problem,
      /^Nothing has arrived at .*copy for \d+ s\. Look whether Litestream runs, and into its log\.$/,
    )
    await passTime()
    assert.deepEqual(lines, [problem]) // once, not each time
    assert.equal(readReplicationState(dataDir)?.problem, problem)
    litestream = replicate(database(), { folder })
    await upToDate()
    assert.deepEqual(lines.slice(1), ['the replica is up to date again'])
    assert.equal(readReplicationState(dataDir)?.problem, null)
  })

  test('Litestream ended, and the clock was set back by an hour', async () => {
    const folder = join(dataDir, '../copy-ahead')
    litestream = replicate(database(), { folder })
    await until(() => existsSync(join(folder, 'ltx/0')))
    start(folderCopy(folder))
    await upToDate()
    await litestream.kill()
    const { seconds, problem } = await noticed(-3_600_000)
    assert.ok(seconds <= 60, `${seconds} s`)
    assert.match(problem, /^Nothing has arrived at /)
  })

  test('Litestream runs, and cannot send', async () => {
    litestream = replicate(database(), bucket(between.port))
    start(s3Copy(account()))
    await upToDate()
    await between.stop()
    const { seconds, problem } = await noticed()
    assert.ok(seconds <= 60 && litestream.isRunning(), `${seconds} s`)
    assert.match(problem, /^Nothing has arrived at 127\.0\.0\.1:\d+\/backups\/crm-\d+ for \d+ s\./)
  })

  test('the storage is gone', async () => {
    const near = await standBetween(gateway.port)
    litestream = replicate(database(), bucket(near.port))
    start(s3Copy(account(near.port)))
    await upToDate()
    await near.stop()
    const { seconds, problem } = await noticed()
    assert.equal(seconds, 10)
    assert.match(problem, /^The replica cannot be asked: 127\.0\.0\.1:\d+\/backups\/crm-\d+: /)
  })

  test('the files of the copy were deleted', async () => {
    const folder = join(dataDir, '../copy-2')
    litestream = replicate(database(), { folder })
    await until(() => existsSync(join(folder, 'ltx/9')), 'there is a copy')
    start(folderCopy(folder))
    await upToDate()
    for (const level of [0, 1, 9]) rmSync(join(folder, 'ltx', String(level)), { recursive: true, force: true })
    await until(() => {
      tick()
      return (
        existsSync(join(folder, 'ltx/0')) && readdirSync(join(folder, 'ltx/0')).some((name) => name.endsWith('.ltx'))
      )
    }, 'Litestream goes on')
    const { seconds, problem } = await noticed()
    assert.ok(seconds <= 20, `${seconds} s`) // the first question may have been on its way before
    assert.match(problem, /has lost its beginning and cannot be restored: stop Litestream, run "litestream reset"/)
    await litestream.kill()
    rmSync(folder, { recursive: true })
    assert.match((await noticed()).problem, /There is no folder .*copy-2\. If it is on a share, mount the share\.$/)
  })
})

test('without a copy yet, a minute may pass', async () => {
  const folder = join(dataDir, '../none')
  mkdirSync(folder)
  start(folderCopy(folder))
  for (let at = 0; at < 5; at++) {
    await passTime()
    assert.equal(primary.status().problem, undefined)
  }
  await passTime()
  await passTime()
  assert.match(primary.status().problem ?? '', /^There is no replica at .*none yet, 70 s after the start\./)
})

test('where nobody can ask the copy, that is said', () => {
  start(undefined)
  const { problem, ...others } = primary.status()
  assert.deepEqual(others, { epoch: 1, lagMs: undefined, hasFiles: false })
  assert.match(problem ?? '', /^Nobody asks the replica/)
  assert.equal(lines.length, 1)
})
