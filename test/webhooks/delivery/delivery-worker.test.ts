import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { deliveryWorker } from '../../../src/webhooks/egress/delivery-worker.ts'
import { OK, startReceiver } from '../../support/receiver.ts'
import { startServer } from '../../support/server.ts'
import { deliveryHarness } from './delivery-harness.ts'

const attempt = (url: string, body = '{}') => ({ url, headers: { 'content-type': 'application/json' }, body })

async function start(t: TestContext, { allow = '127.0.0.1', ownPorts = () => [] as number[] } = {}) {
  const receiver = await startReceiver()
  const made = deliveryWorker({ allow, ownPorts })
  t.after(async () => {
    await made.stop()
    await receiver.stop()
  })
  return { ...made, receiver }
}

/** The thread that is started next. */
const nextThread = (): Promise<Worker> =>
  once(process as unknown as EventTarget & NodeJS.Process, 'worker').then(([worker]) => worker)

describe('the courier', () => {
  test('makes tries in a thread, which starts with the first one', async (t) => {
    const threads: Worker[] = []
    const note = (worker: Worker) => void threads.push(worker)
    process.on('worker', note)
    t.after(() => void process.off('worker', note))
    const { post, receiver } = await start(t)
    assert.equal(threads.length, 0)
    receiver.answer((_, index) => ({ status: 200 + index, body: `Number ${index}` }))
    const bodies = ['{"n":0}', '{"n":1}', '{"text":"Größe 😀"}']
    const replies = await Promise.all(bodies.map((body) => post(attempt(receiver.url, body))))
    assert.deepEqual(receiver.requests.map(({ text }) => text).sort(), [...bodies].sort())
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 201, 202])
    for (const { status, reply, error } of replies)
      assert.deepEqual([reply, error], [`Number ${(status as number) - 200}`, null])
    await post(attempt(receiver.url))
    assert.equal(threads.length, 1)
  })

  test('guards each try, with the ports that the server has by then', async (t) => {
    const ports: number[] = []
    const { post, receiver } = await start(t, { ownPorts: () => ports })
    assert.equal((await post(attempt(receiver.url))).error, null)
    ports.push(Number(new URL(receiver.url).port))
    assert.match((await post(attempt(receiver.url))).error ?? '', /this server itself/)
    assert.match((await post(attempt('http://10.0.0.1/'))).error ?? '', /private/)
    assert.equal(receiver.requests.length, 1)
  })

  test('rejects what is on its way when its thread ends, and starts another one', async (t) => {
    const { post, receiver } = await start(t)
    receiver.answer(() => 'never')
    const thread = nextThread()
    const lost = [post(attempt(receiver.url)), post(attempt(receiver.url))]
    await receiver.came(2)
    const all = Promise.allSettled(lost)
    await (await thread).terminate()
    assert.deepEqual(
      (await all).map(({ status }) => status),
      ['rejected', 'rejected'],
    )
    receiver.answer(() => OK)
    assert.equal((await post(attempt(receiver.url))).error, null)
  })

  test('rejects what is asked for while its thread ends', async (t) => {
    const { post, receiver } = await start(t)
    const thread = nextThread()
    await post(attempt(receiver.url))
    const ended = (await thread).terminate()
    await assert.rejects(post(attempt(receiver.url)), /delivery thread has ended/)
    await ended
    assert.equal((await post(attempt(receiver.url))).error, null)
  })

  test('cuts what is on its way when it stops, and takes nothing more', async (t) => {
    const { post, stop, receiver } = await start(t)
    receiver.answer(() => 'never')
    const cut = assert.rejects(post(attempt(receiver.url)), /stopped/)
    await receiver.came(1)
    const early = assert.rejects(post(attempt(receiver.url)), /stopped/)
    await stop()
    await Promise.all([cut, early])
    await assert.rejects(post(attempt(receiver.url)), /stopped/)
    assert.equal(receiver.requests.length, 1)
  })
})

test('a try that is lost with its thread is repeated', async (t) => {
  const { post, stop } = deliveryWorker({ allow: '127.0.0.1', ownPorts: () => [] })
  t.after(stop)
  const harness = await deliveryHarness(t, { post })
  const receiver = await harness.receiver(() => 'never')
  const hook = await harness.hook(receiver.url)
  const thread = nextThread()
  await harness.deal()
  await receiver.came(1)
  receiver.answer(() => OK)
  await (await thread).terminate()
  await harness.idle()
  await harness.advance(5000)
  const [delivery] = harness.deliveries(hook)
  assert.deepEqual([receiver.requests.length, delivery?.status, delivery?.tries.length], [2, 'delivered', 1])
  assert.equal(receiver.requests[0]?.headers['webhook-id'], receiver.requests[1]?.headers['webhook-id'])
})

test('a server that has stopped leaves nothing that keeps its process', async (t) => {
  const server = await startServer()
  const receiver = await startReceiver(() => 'never')
  t.after(receiver.stop)
  const { call, a, dataDir, store } = server
  t.after(() => server.stop())
  const from = (path: string) => JSON.stringify(join(import.meta.dirname, '../../../src', path))
  const script = `
    import { silentLog } from ${from('lib/log.ts')}
    import { serveFolder } from ${from('cli/serve/serve-folder.ts')}
    const listen = { apiListen: '127.0.0.1:0', screensListen: 'off' }
    const more = { rateLimit: 'off', corsOrigin: '', webhookAllow: '127.0.0.1', eventRetention: '30d' }
    const server = await serveFolder({ data: process.argv[1], ...listen, ...more }, silentLog)
    const headers = { authorization: 'Bearer ' + process.argv[2], 'content-type': 'application/json' }
    const post = async (path, body) =>
      (await fetch(server.api + '/api/v1' + path, { method: 'POST', headers, body: JSON.stringify(body) })).status
    const hook = { url: process.argv[3], event_types: ['*'] }
    console.log(await post('/webhooks', hook), await post('/deals', { title: 'Sent' }))
    process.once('SIGTERM', async () => {
      await server.stop()
      console.log('stopped')
    })`
  const argv = ['--input-type=module', '-e', script, '--', dataDir, a.token, receiver.url]
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => child.kill('SIGKILL'))
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  await receiver.came(1)
  child.kill('SIGTERM')
  receiver.release()
  const [code] = await once(child, 'exit')
  assert.deepEqual([code, output], [0, '201 201\nstopped\n'])
  const status = store.db.prepare('SELECT status FROM deliveries').pluck().all()
  assert.deepEqual(status, ['delivered'])
  assert.equal((await call('GET', '/deals')).body.data.length, 1)
})
