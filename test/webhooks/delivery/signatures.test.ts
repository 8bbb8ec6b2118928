import assert from 'node:assert/strict'
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { vault } from '../../../src/store/vault.ts'
import { BROKEN, OK, type Received } from '../../support/receiver.ts'
import { HOUR, type Hook, type Rig, SECOND, startRig, verify } from './delivery-harness.ts'

const refuses = (secret: string, received: Pick<Received, 'text' | 'headers'>, at?: number) =>
  assert.throws(() => verify(secret, received, at), { name: 'WebhookVerificationError' })

test('each try and each webhook has the same body, which is what the stream shows, and the id of the event', async (t) => {
  const rig = await startRig(t)
  const receiver = await rig.receiver((_, index) => (index < 4 ? BROKEN : OK))
  const hooks = [await rig.hook(`${receiver.url}/0?a=b`), await rig.hook(`${receiver.url}/1`)]
  const since = rig.lastSeq()
  const id = await rig.deal('Müller & Söhne "Größe" 😀 </script>')
  await rig.idle()
  await rig.ok('PATCH', `/deals/${id}`, { title: 'Another title by now' })
  await rig.advance(5 * SECOND)
  await rig.advance(300 * SECOND)
  const stream = await rig.call('GET', `/webhooks/events?after_seq=${since}`)
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
  const start = Math.floor((rig.now() - 305 * SECOND) / 1000)
  for (const [index, hook] of hooks.entries()) {
    const own = tries.filter(({ path }) => path.startsWith(`/hook/${index}`))
    const times = own.map(({ headers }) => Number(headers['webhook-timestamp']))
    assert.deepEqual(times, [start, start + 5, start + 305])
    for (const each of own) verify(hook.secret, each)
  }
  assert.equal(tries.filter(({ path }) => path === '/hook/0?a=b').length, 3)
})

test('whatever is altered is refused: the body, the id, the time and the secret', async (t) => {
  const rig = await startRig(t)
  const receiver = await rig.receiver()
  const [hook, other] = [await rig.hook(receiver.url), await rig.hook(receiver.url, { event_types: ['tag.*'] })]
  await rig.deal()
  const [received] = (await receiver.came(1)) as [Received]
  const { text, headers } = received
  assert.deepEqual(verify(hook.secret, received), received.event)
  const later = String(Number(headers['webhook-timestamp']) + 1)
  refuses(hook.secret, { text: text.replace('Deal', 'deal'), headers })
  refuses(hook.secret, { text, headers: { ...headers, 'webhook-id': other.id } })
  refuses(hook.secret, { text, headers: { ...headers, 'webhook-timestamp': later } })
  refuses(hook.secret, received, rig.now() + 301 * SECOND)
  refuses(other.secret, received)
})

test('after a rotation the old secret signs along for 24 h, whichever rotations come then', async (t) => {
  const rig = await startRig(t)
  const receiver = await rig.receiver()
  const hook = await rig.hook(receiver.url)
  const rotate = async (): Promise<string> => (await rig.ok('POST', `/webhooks/${hook.id}/rotate-secret`)).secret
  /** Which of the secrets a receiver can have, at this moment. */
  const signing = async (...secrets: string[]): Promise<boolean[]> => {
    const count = receiver.requests.length
    await rig.deal()
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
  await rig.advance(24 * HOUR - 1)
  assert.deepEqual(await signing(second, first), [true, true])
  await rig.advance(1)
  assert.deepEqual(await signing(second, first), [true, false])
  const third = await rotate()
  await rig.advance(HOUR)
  const fourth = await rotate()
  await rig.advance(HOUR)
  const fifth = await rotate()
  assert.deepEqual(await signing(fifth, fourth, third, second, first), [true, true, true, true, false])
  await rig.advance(22 * HOUR)
  assert.deepEqual(await signing(fifth, fourth, third, second), [true, true, true, false])
  await rig.advance(2 * HOUR)
  assert.deepEqual(await signing(fifth, fourth, third, second), [true, false, false, false])
})

/** As if the key file were another one, which a server notices that starts with it. */
function sealWithAnotherKey({ store, dataDir }: Rig, { id, secret }: Hook): void {
  const { seal } = vault(join(dataDir, 'other'))
  const sealed = seal(`webhook ${id}`, JSON.stringify([{ secret, until: null }]))
  store.db.prepare('UPDATE webhook_states SET secrets = ? WHERE webhook_id = ?').run(sealed, id)
}

for (const [what, spoil] of [
  ['missing', ({ dataDir }: Rig) => rmSync(join(dataDir, 'keys/secrets.key'))],
  ['not the key', sealWithAnotherKey],
] as const) {
  test(`where the key file is ${what} the webhook is disabled with what to do, and a new secret mends it`, async (t) => {
    const rig = await startRig(t)
    const receiver = await rig.receiver()
    const hook = await rig.hook(receiver.url)
    spoil(rig, hook)
    const id = await rig.deal()
    await rig.ok('PATCH', `/deals/${id}`, { title: 'Changed' })
    await rig.idle()
    const { status, disabled_reason } = await rig.webhook(hook)
    assert.equal(status, 'disabled')
    assert.match(disabled_reason, new RegExp(what))
    assert.match(disabled_reason, /restore .*rotate the secret.*set it to active/)
    assert.equal(rig.sent.length, 0)
    const { secret } = await rig.ok('POST', `/webhooks/${hook.id}/rotate-secret`)
    await rig.patch(hook, { status: 'active' })
    await rig.idle()
    assert.equal(receiver.requests.length, 2)
    for (const received of receiver.requests) verify(secret, received)
    assert.equal((await rig.webhook(hook)).disabled_reason, null)
  })
}

test('where the key file comes back, the webhook goes on with its own secret', async (t) => {
  const rig = await startRig(t)
  const receiver = await rig.receiver()
  const hook = await rig.hook(receiver.url)
  const file = join(rig.dataDir, 'keys/secrets.key')
  copyFileSync(file, `${file}.copy`)
  rmSync(file)
  await rig.deal()
  await rig.idle()
  assert.equal((await rig.webhook(hook)).status, 'disabled')
  copyFileSync(`${file}.copy`, file)
  await rig.patch(hook, { status: 'active' })
  const [received] = await receiver.came(1)
  verify(hook.secret, received as Received)
})
