import assert from 'node:assert/strict'
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { vault } from '../../../src/store/folder/vault.ts'
import { BROKEN, OK, type Received } from '../../support/receiver.ts'
import { type DeliveryHarness, deliveryHarness, HOUR, type Hook, SECOND, verify } from './delivery-harness.ts'

const refuses = (secret: string, received: Pick<Received, 'text' | 'headers'>, at?: number) =>
  assert.throws(() => verify(secret, received, at), { name: 'WebhookVerificationError' })

test('each try and each webhook has the same body, which is what the stream shows, and the id of the event', async (t) => {
  const harness = await deliveryHarness(t)
  const receiver = await harness.receiver((_, index) => (index < 4 ? BROKEN : OK))
  const hooks = [await harness.hook(`${receiver.url}/0?a=b`), await harness.hook(`${receiver.url}/1`)]
  const since = harness.lastSeq()
  const id = await harness.deal('Müller & Söhne "Größe" 😀 </script>')
  await harness.idle()
  await harness.ok('PATCH', `/deals/${id}`, { title: 'Another title by now' })
  await harness.advance(5 * SECOND)
  await harness.advance(300 * SECOND)
  const stream = await harness.call('GET', `/webhooks/events?after_seq=${since}`)
  const [first, second] = stream.body.data
  const tries = receiver.requests.filter(({ event }) => event.seq === first.seq)
  assert.deepEqual([tries.length, receiver.requests.length], [6, 8])
  const [{ text }] = tries as [Received]
  assert.ok(stream.text.startsWith(`{"data":[${text},{`))
  assert.deepEqual(JSON.parse(text), first)
  for (const each of tries) {
    assert.deepEqual([each.text, each.headers['webhook-id']], [text, first.id])
    assert.equal(each.headers['content-type'], 'application/json')
    assert.equal(each.headers['user-agent'], 'Dealbox/test')
  }
  assert.equal(receiver.requests.at(-1)?.headers['webhook-id'], second.id)
  const start = Math.floor((harness.now() - 305 * SECOND) / 1000)
  for (const [index, hook] of hooks.entries()) {
    const own = tries.filter(({ path }) => path.startsWith(`/hook/${index}`))
    const times = own.map(({ headers }) => Number(headers['webhook-timestamp']))
    assert.deepEqual(times, [start, start + 5, start + 305])
    for (const each of own) verify(hook.secret, each)
  }
  assert.equal(tries.filter(({ path }) => path === '/hook/0?a=b').length, 3)
})

test('whatever is altered is refused: the body, the id, the time and the secret', async (t) => {
  const harness = await deliveryHarness(t)
  const receiver = await harness.receiver()
  const [hook, other] = [await harness.hook(receiver.url), await harness.hook(receiver.url, { event_types: ['tag.*'] })]
  await harness.deal()
  const [received] = (await receiver.came(1)) as [Received]
  const { text, headers } = received
  assert.deepEqual(verify(hook.secret, received), received.event)
  const later = String(Number(headers['webhook-timestamp']) + 1)
  refuses(hook.secret, { text: text.replace('Deal', 'deal'), headers })
  refuses(hook.secret, { text, headers: { ...headers, 'webhook-id': other.id } })
  refuses(hook.secret, { text, headers: { ...headers, 'webhook-timestamp': later } })
  refuses(hook.secret, received, harness.now() + 301 * SECOND)
  refuses(other.secret, received)
})

test('after a rotation the old secret signs along for 24 h, whichever rotations come then', async (t) => {
  const harness = await deliveryHarness(t)
  const receiver = await harness.receiver()
  const hook = await harness.hook(receiver.url)
  const rotate = async (): Promise<string> => (await harness.ok('POST', `/webhooks/${hook.id}/rotate-secret`)).secret
  /** Which of the secrets a receiver can have, at this moment. */
  const signing = async (...secrets: string[]): Promise<boolean[]> => {
    const count = receiver.requests.length
    await harness.deal()
    const received = (await receiver.came(count + 1))[count] as Received
    return secrets.map((secret) => {
      try {
        return verify(secret, received) === received.event || true
      } catch {
        return false
      }
    })
  }
  const first = hook.secret
  const second = await rotate()
  assert.deepEqual(await signing(second, first), [true, true])
  await harness.advance(24 * HOUR - 1)
  assert.deepEqual(await signing(second, first), [true, true])
  await harness.advance(1)
  assert.deepEqual(await signing(second, first), [true, false])
  const third = await rotate()
  await harness.advance(HOUR)
  const fourth = await rotate()
  await harness.advance(HOUR)
  const fifth = await rotate()
  assert.deepEqual(await signing(fifth, fourth, third, second, first), [true, true, true, true, false])
  await harness.advance(22 * HOUR)
  assert.deepEqual(await signing(fifth, fourth, third, second), [true, true, true, false])
  await harness.advance(2 * HOUR)
  assert.deepEqual(await signing(fifth, fourth, third, second), [true, false, false, false])
})

/** As if the key file were another one, which a server notices that starts with it. */
function sealWithAnotherKey({ store, dataDir }: DeliveryHarness, { id, secret }: Hook): void {
  const { seal } = vault(join(dataDir, 'other'))
  const sealed = seal(`webhook ${id}`, JSON.stringify([{ secret, until: null }]))
  store.db.prepare('UPDATE webhook_states SET secrets = ? WHERE webhook_id = ?').run(sealed, id)
}

for (const [what, spoil] of [
  ['missing', ({ dataDir }: DeliveryHarness) => rmSync(join(dataDir, 'keys/secrets.key'))],
  ['not the key', sealWithAnotherKey],
] as const) {
  test(`where the key file is ${what} the webhook is disabled with what to do, and a new secret mends it`, async (t) => {
    const harness = await deliveryHarness(t)
    const receiver = await harness.receiver()
    const hook = await harness.hook(receiver.url)
    spoil(harness, hook)
    const id = await harness.deal()
    await harness.ok('PATCH', `/deals/${id}`, { title: 'Changed' })
    await harness.idle()
    const { status, disabled_reason } = await harness.webhook(hook)
    assert.equal(status, 'disabled')
    assert.match(disabled_reason, new RegExp(what))
    assert.match(disabled_reason, /restore .*rotate the secret.*set its status to active/)
    assert.equal(harness.sent.length, 0)
    const { secret } = await harness.ok('POST', `/webhooks/${hook.id}/rotate-secret`)
    await harness.patch(hook, { status: 'active' })
    await harness.idle()
    assert.equal(receiver.requests.length, 2)
    for (const received of receiver.requests) verify(secret, received)
    assert.equal((await harness.webhook(hook)).disabled_reason, null)
  })
}

test('where the key file comes back, the webhook goes on with its own secret', async (t) => {
  const harness = await deliveryHarness(t)
  const receiver = await harness.receiver()
  const hook = await harness.hook(receiver.url)
  const file = join(harness.dataDir, 'keys/secrets.key')
  copyFileSync(file, `${file}.copy`)
  rmSync(file)
  await harness.deal()
  await harness.idle()
  assert.equal((await harness.webhook(hook)).status, 'disabled')
  copyFileSync(`${file}.copy`, file)
  await harness.patch(hook, { status: 'active' })
  const [received] = await receiver.came(1)
  verify(hook.secret, received as Received)
})
