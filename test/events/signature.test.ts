import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Webhook, WebhookVerificationError } from 'standardwebhooks'
import { newSecret, signedHeaders } from '../../src/events/signature.ts'

// What we sign, an independent reader of Standard Webhooks verifies.

const body = '{"id":"019aa07f-0000-7000-8000-000000000000","data":{"object":{"name":"Zoë 日本 🚀"}}}'
const message = { id: '019aa07f-0000-7000-8000-000000000000', at: Date.now(), body }
const [secret, other] = [newSecret(), newSecret()]
const verify = (payload: string, headers: Record<string, string>, by = secret) =>
  new Webhook(by).verify(payload, headers)

test('a secret has the form of the specification, and 32 random bytes', () => {
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  assert.equal(Buffer.from(secret.slice(6), 'base64').length, 32)
  assert.notEqual(secret, other)
})

describe('a signed message', () => {
  const headers = signedHeaders(message, [secret])

  test('is verified, and is what was sent', () => {
    assert.deepEqual(verify(body, headers), JSON.parse(body))
    assert.equal(headers['webhook-id'], message.id)
    assert.equal(headers['webhook-timestamp'], String(Math.floor(message.at / 1000)))
    assert.match(headers['webhook-signature'] as string, /^v1,[A-Za-z0-9+/]{43}=$/)
  })

  const later = String(Number(headers['webhook-timestamp']) + 1)
  for (const [what, payload, changed, by] of [
    ['another body', body.replace('Zoë', 'Zoe'), {}, secret],
    ['a body with a space more', `${body} `, {}, secret],
    ['another id', body, { 'webhook-id': message.id.replace(/0$/, '1') }, secret],
    ['another time', body, { 'webhook-timestamp': later }, secret],
    ['another signature', body, { 'webhook-signature': `v1,${'A'.repeat(43)}=` }, secret],
    ['another version of it', body, { 'webhook-signature': headers['webhook-signature']?.replace('v1', 'v2') }, secret],
    ['another secret', body, {}, other],
  ] as const) {
    test(`is refused with ${what}`, () => {
      assert.throws(
        () => verify(payload, { ...headers, ...changed } as Record<string, string>, by),
        WebhookVerificationError,
      )
    })
  }

  test('is refused when it is repeated much later', () => {
    const old = signedHeaders({ ...message, at: message.at - 3_600_000 }, [secret])
    assert.throws(() => verify(body, old), /too old/)
  })

  test('has a signature of each secret, and is verified by either', () => {
    const both = signedHeaders(message, [other, secret])
    assert.equal(both['webhook-signature']?.split(' ').length, 2)
    for (const by of [secret, other]) assert.deepEqual(verify(body, both, by), JSON.parse(body))
    assert.throws(() => verify(body, both, newSecret()), WebhookVerificationError)
    assert.throws(() => verify(`${body} `, both), WebhookVerificationError)
  })

  test('has the signature that the other side makes', () => {
    const at = new Date(message.at)
    assert.equal(new Webhook(secret).sign(message.id, at, body), headers['webhook-signature'])
  })
})
