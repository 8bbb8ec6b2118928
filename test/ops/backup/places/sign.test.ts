import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MIB } from '../../../../src/lib/size.ts'
import { etagOf, rangesOf, USUAL_CUT } from '../../../../src/ops/backup/places/s3/parts.ts'
import { pathOf, queryText, SHA256_OF_NOTHING, signed } from '../../../../src/ops/backup/places/s3/sign.ts'

// The examples of "Authenticating Requests: Using the Authorization Header" in the reference of Amazon S3.
const KEYS = { id: 'AKIAIOSFODNN7EXAMPLE', secret: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' }
const NOW = Date.UTC(2013, 4, 24)
const host = 'examplebucket.s3.amazonaws.com'

const EXAMPLES = [
  {
    what: 'an object',
    request: { method: 'GET', path: '/test.txt', query: {}, headers: { host, range: 'bytes=0-9' } },
    signature: 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  },
  {
    what: 'an object that is put',
    request: {
      ...{ method: 'PUT', path: '/test%24file.text', query: {} },
      headers: { host, date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
      sha256: '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072',
    },
    signature: '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  },
  {
    what: 'a setting',
    request: { method: 'GET', path: '/', query: { lifecycle: '' }, headers: { host } },
    signature: 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  },
  {
    what: 'a list',
    request: { method: 'GET', path: '/', query: { prefix: 'J', 'max-keys': '2' }, headers: { host } },
    signature: '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  },
]

for (const { what, request, signature } of EXAMPLES) {
  test(`the signature for ${what} is that of the reference`, () => {
    const { authorization, ...headers } = signed({ sha256: SHA256_OF_NOTHING, ...request }, KEYS, 'us-east-1', NOW)
    assert.equal(headers['x-amz-date'], '20130524T000000Z')
    const names = Object.keys(headers).sort().join(';')
    assert.equal(
      authorization,
      `AWS4-HMAC-SHA256 Credential=${KEYS.id}/20130524/us-east-1/s3/aws4_request, SignedHeaders=${names}, Signature=${signature}`,
    )
  })
}

test('everything but unreserved characters is encoded, once', () => {
  assert.equal(pathOf('b', "a b+c/d'é~*"), '/b/a%20b%2Bc/d%27%C3%A9~%2A')
  assert.equal(pathOf('b', ''), '/b/')
  assert.equal(queryText({ prefix: 'a/b c', 'list-type': '2' }), 'list-type=2&prefix=a%2Fb%20c')
})

test('files up to 64 MiB are sent at once, others in parts of 16 MiB, of which there are at most 10,000', () => {
  assert.deepEqual(rangesOf(64 * MIB, USUAL_CUT), [{ start: 0, end: 64 * MIB }])
  const parts = rangesOf(64 * MIB + 1, USUAL_CUT)
  assert.equal(parts.length, 5)
  assert.deepEqual(parts.at(-1), { start: 64 * MIB, end: 64 * MIB + 1 })
  const huge = rangesOf(400_000 * MIB, USUAL_CUT)
  assert.equal(huge.length, 10_000)
  assert.deepEqual(huge.at(-1), { start: 9999 * 40 * MIB, end: 400_000 * MIB })
})

test('the ETag of parts is the hash of their hashes', () => {
  const nothing = Buffer.from('d41d8cd98f00b204e9800998ecf8427e', 'hex')
  assert.equal(etagOf([nothing], false), 'd41d8cd98f00b204e9800998ecf8427e')
  assert.equal(etagOf([nothing], true), '59adb24ef3cdbe0297f05b395827453f-1')
})
