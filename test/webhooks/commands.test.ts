import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Running } from '../../src/cli/serve/running.ts'
import { serveFolder } from '../../src/cli/serve/serve-folder.ts'
import { silentLog } from '../../src/lib/log.ts'
import { cli, cliJson, temporaryFolder } from '../cli/command-line.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'

// `dealbox webhooks ...` as a person uses it, beside a server that sends.

const data = join(temporaryFolder(), 'data')
let running: Running
let receiver: Receiver
let token: string
let webhook: { id: string }
const SERVE = { apiListen: '127.0.0.1:0', screensListen: 'off', rateLimit: 'off', corsOrigin: '' }

// biome-ignore lint/suspicious/noExplicitAny: tests look into JSON of every shape
async function call(method: string, path: string, body: unknown): Promise<any> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const response = await fetch(`${running.api}/api/v1${path}`, { method, headers, body: JSON.stringify(body) })
  assert.ok(response.ok, path)
  return response.json()
}

const allAre = async (status: string, count: number): Promise<boolean> =>
  (await cliJson('webhooks', 'deliveries', webhook.id, '--status', status, '--data', data)).length === count

before(async () => {
  await cliJson('init', '--data', data, '--org', 'Acme', '--email', 'ana@acme.example')
  token = (await cliJson('token', 'create', '--data', data, '--email', 'ana@acme.example', '--scope', 'all')).token
  receiver = await startReceiver()
  running = await serveFolder({ ...SERVE, data, webhookAllow: '127.0.0.1', eventRetention: '30d' }, silentLog)
  webhook = await call('POST', '/webhooks', { url: receiver.url, event_types: ['deal.*'] })
})
after(async () => {
  await running.stop()
  await receiver.stop()
})

test('what is sent is listed, with its tries', async () => {
  for (const title of ['A', 'B', 'C']) await call('POST', '/deals', { title })
  await until(() => allAre('delivered', 3))
  const [listed] = await cliJson('webhooks', 'list', '--data', data)
  assert.equal(listed.id, webhook.id)
  assert.deepEqual(listed.backlog, { pending: 0, unseen_events: 0 })
  assert.equal('secret' in listed, false)
  const { out } = await cli(['webhooks', 'list', '--data', data])
  assert.match(out, new RegExp(`^ID .*\\n${webhook.id}  active  0 pending, 0 unseen  .*Z  ${receiver.url}\\n$`))
  const deliveries = await cli(['webhooks', 'deliveries', webhook.id, '--data', data])
  const row = (seq: number) => `\\n\\S{36}  ${seq} deal.created  delivered  1      \\S+Z answered 204`
  assert.match(deliveries.out, new RegExp(`^ID .*${row(3)}${row(2)}${row(1)}\\n$`))
  assert.equal(await allAre('failed', 0), true)
})

test('the running server sends again what a command asks for', async () => {
  const [, , first] = await cliJson('webhooks', 'deliveries', webhook.id, '--data', data)
  const { out } = await cli(['webhooks', 'redeliver', first.id, '--data', data])
  assert.match(out, /^The server will send deal.created again\. /)
  await receiver.came(4)
  assert.deepEqual(
    [receiver.requests[3]?.headers['webhook-id'], receiver.requests[3]?.text],
    [first.event_id, receiver.requests[0]?.text],
  )
})

test('and every event from one on, in order, where they are replayed', async () => {
  await until(() => allAre('pending', 0))
  const { out } = await cli(['webhooks', 'replay', webhook.id, '--from-seq', '2', '--data', data])
  assert.equal(out, 'The events 2 to 3 will be sent again, as far as the webhook subscribes to them.\n')
  await receiver.came(6)
  assert.deepEqual(
    receiver.requests.slice(4).map(({ event }) => event.seq),
    [2, 3],
  )
  await until(() => allAre('delivered', 3))
})

test('what waits for a webhook that is paused is told, and replayed once only', async () => {
  await call('PATCH', `/webhooks/${webhook.id}`, { status: 'paused' })
  await call('POST', '/deals', { title: 'D' })
  const [listed] = await cliJson('webhooks', 'list', '--data', data)
  assert.deepEqual(listed.backlog, { pending: 0, unseen_events: 1 })
  await cliJson('webhooks', 'replay', webhook.id, '--from-seq', '4', '--data', data)
  await cliJson('webhooks', 'replay', webhook.id, '--from-seq', '3', '--data', data)
  const [delivery] = await cliJson('webhooks', 'deliveries', webhook.id, '--data', data)
  const { code, err } = await cli(['webhooks', 'redeliver', delivery.id, '--data', data])
  assert.deepEqual([code, err], [1, 'The webhook is paused. Set its status to active first.\n'])
  await call('PATCH', `/webhooks/${webhook.id}`, { status: 'active' })
  await receiver.came(8)
  await until(() => allAre('delivered', 4))
  assert.deepEqual(
    receiver.requests.slice(6).map(({ event }) => event.seq),
    [3, 4],
  )
})

test('what is wrong is told, and changes nothing', async () => {
  const nobody = '01a1f819-2588-7463-8f3e-2f0a7b1f8f3e'
  const wrong: [string[], number, RegExp][] = [
    [['deliveries', nobody], 1, /^There is no such record in this organisation/],
    [['deliveries', webhook.id, '--status', 'sent'], 2, /^--status must be one of pending, delivered, failed/],
    [['redeliver', nobody], 1, /^There is no such record in this organisation/],
    [['replay', nobody, '--from-seq', '1'], 1, /^There is no such record in this organisation/],
    [['replay', webhook.id], 2, /^--from-seq N is missing/],
    [['replay', webhook.id, '--from-seq', '0'], 2, /^--from-seq must be a whole number, 1 or more/],
    [['replay', webhook.id, '--from-seq', '5'], 1, /^There is no event 5 yet; the newest one is 4/],
  ]
  for (const [argv, code, message] of wrong) {
    const ended = await cli(['webhooks', ...argv, '--data', data])
    assert.equal(ended.code, code, argv.join(' '))
    assert.match(ended.err, message)
  }
  assert.equal(receiver.requests.length, 8)
})

test('a server does not start with a list or a time that it does not understand', async () => {
  for (const option of [
    ['--webhook-allow', 'hooks lan'],
    ['--webhook-allow', '10.0.0.0/33'],
    ['--event-retention', 'long'],
  ]) {
    const { code, err } = await cli(['serve', '--data', data, ...option])
    assert.equal(code, 2, err)
    assert.match(err, new RegExp(`${option[1]}`))
  }
})
