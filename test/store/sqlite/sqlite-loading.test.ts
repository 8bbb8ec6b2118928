import assert from 'node:assert/strict'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { endOf } from '../../../src/store/sqlite/sqlite-loading.ts'

const moduleUrl = join(import.meta.dirname, '../../../src/store/sqlite/sqlite-loading.ts')

/** Says that it has loaded SQLite once it may; `seen` counts up as it begins, and again as it is done. */
function slowThread() {
  const seen = new Int32Array(new SharedArrayBuffer(8))
  const code = `
    const { workerData, parentPort } = require('node:worker_threads')
    Atomics.add(workerData, 0, 1)
    Atomics.notify(workerData, 0)
    Atomics.wait(workerData, 1, 0)
    Atomics.add(workerData, 0, 1)
    parentPort.postMessage('loaded')
    setInterval(() => undefined, 1000)`
  return { seen, thread: new Worker(code, { eval: true, workerData: seen }) }
}

test('a thread is ended once it has loaded SQLite, and not while it does', async () => {
  const { seen, thread } = slowThread()
  const end = endOf(thread)
  thread.unref()
  await Atomics.waitAsync(seen, 0, 0).value
  const ended = end()
  Atomics.store(seen, 1, 1)
  Atomics.notify(seen, 1)
  await ended
  assert.equal(Atomics.load(seen, 0), 2)
})

test('a thread that dies before is not waited for, nor is one that is ended already', async () => {
  const thread = new Worker('process.exit(1)', { eval: true })
  const end = endOf(thread)
  await once(thread, 'exit')
  await Promise.all([end(), end()])
})

test('what a thread does first loads SQLite, and says so', async () => {
  const code = `import(${JSON.stringify(moduleUrl)}).then(({ loadDatabases }) => loadDatabases())`
  const thread = new Worker(code, { eval: true })
  assert.deepEqual(await once(thread, 'message'), ['loaded'])
  await thread.terminate()
})
