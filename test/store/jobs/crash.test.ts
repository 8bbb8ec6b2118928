import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { jobQueue } from '../../../src/store/jobs/jobs.ts'
import { openStore } from '../../../src/store/open.ts'
import { makeOrg } from '../../support/org.ts'
import { rowsOf } from './scheduler-harness.ts'

const JOBS = 1000
/** After how many runs each process ends: in the middle of its first batch, at its end, and of later ones. */
const KILLS = [1, 30, 64, 65, 200, 301]

/** A process that runs what is due, and ends as if by kill -9 within run number `kill`, or of the job with this payload. */
async function runUntilKilled(dataDir: string, kill: number, killer = -1): Promise<[number | null, string | null]> {
  const from = (path: string) => JSON.stringify(join(import.meta.dirname, '../../../src', path))
  const script = `
    import { silentLog } from ${from('lib/log.ts')}
    import { startScheduler } from ${from('store/jobs/scheduler.ts')}
    import { openStore } from ${from('store/open.ts')}
    const store = openStore(${JSON.stringify(dataDir)})
    const insert = store.db.prepare('INSERT INTO done VALUES (?)')
    let runs = 0
    const note = { kind: 'note', run: ({ payload }) => {
      insert.run(payload)
      if (++runs === ${kill} || payload === ${killer}) process.kill(process.pid, 'SIGKILL')
    } }
    const scheduler = startScheduler({ store, log: silentLog, kinds: [note], recurring: [], afterJump: [] })
    await scheduler.tick()
    await scheduler.stop()
    store.close()`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' })
  return (await once(child, 'exit')) as [number | null, string | null]
}

test('what jobs do in a transaction is there exactly once, though the server is killed in the middle of batches', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'dealbox-test-'))
  t.after(() => rmSync(dataDir, { recursive: true, force: true }))
  const store = openStore(dataDir, { create: true })
  const { org } = await makeOrg(store, dataDir, 'Acme')
  store.db.exec('CREATE TABLE done (n INTEGER NOT NULL) STRICT')
  const { put } = jobQueue(store)
  store.transaction(() => {
    for (let n = 0; n < JOBS; n++) put(org, { kind: 'note', payload: n, dueAt: store.clock.now() })
  })
  for (const kill of KILLS) {
    const [code, signal] = await runUntilKilled(dataDir, kill)
    if (process.platform !== 'win32') assert.deepEqual([code, signal], [null, 'SIGKILL'])
    assert.equal(rowsOf(store, 'done').length + rowsOf(store).length, JOBS)
  }
  // What was cut off waits a moment, and is run by itself.
  while (rowsOf(store).length > 0) assert.deepEqual(await runUntilKilled(dataDir, 0), [0, null])
  assert.deepEqual(
    rowsOf(store, 'done')
      .map(({ n }) => n)
      .sort((one, other) => Number(one) - Number(other)),
    Array.from({ length: JOBS }, (_, n) => n),
  )
  store.close()
})

test('a job that ends the server each time is not run at each start, and takes no other along', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'dealbox-test-'))
  t.after(() => rmSync(dataDir, { recursive: true, force: true }))
  const store = openStore(dataDir, { create: true })
  const { org } = await makeOrg(store, dataDir, 'Acme')
  store.db.exec('CREATE TABLE done (n INTEGER NOT NULL) STRICT')
  const { put } = jobQueue(store)
  store.transaction(() => {
    for (let n = 0; n < 20; n++) put(org, { kind: 'note', payload: n, dueAt: store.clock.now() })
  })
  let deaths = 0
  while (rowsOf(store, 'done').length < 19) {
    const [code] = await runUntilKilled(dataDir, 0, 7)
    if (code !== 0) deaths++
    assert.ok(deaths <= 2, 'it is run again at once')
  }
  assert.equal(deaths, 2) // once with the others, and once by itself
  const [left = {}] = rowsOf(store)
  assert.deepEqual([left.payload, left.tries, left.failed_at], ['7', 2, null])
  assert.match(String(left.last_error), /It was begun and not completed/)
  assert.ok(Number(left.due_at) > store.clock.now() + 50 * 60_000, 'it waits')
  store.close()
})
