import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { SCOPES, type Scope } from '../../src/auth/scopes.ts'
import { type RawAnswer, sendAll, sendRaw } from '../support/raw.ts'
import { UNKNOWN } from '../support/records.ts'
import { startServer, type TestServer } from '../support/server.ts'

// The order of checks. The answer to a request with several faults names the first one, so that no client learns more
// than it may, and cheap checks run before expensive ones.

const ORDER = [
  ['framing', 400, 'malformed_http'],
  ['path', 404, 'no_such_path'],
  ['method', 405, 'method_not_allowed'],
  ['token', 401, 'unauthorized'],
  ['rate', 429, 'rate_limited'],
  ['scope', 403, 'insufficient_scope'],
  ['accept', 406, 'not_acceptable'],
  ['query', 400, 'invalid_query'],
  ['media', 415, 'unsupported_media_type'],
  ['size', 413, 'body_too_large'],
  ['json', 400, 'malformed_json'],
  ['root', 400, 'wrong_root'],
  ['key', 400, 'invalid_idempotency_key'],
  ['reuse', 422, 'idempotency_key_reused'],
  ['record', 404, 'not_found'],
  ['precondition', 412, 'version_mismatch'],
  ['fields', 422, 'invalid_fields'],
  ['state', 409, 'deal_closed'],
] as const
type Fault = (typeof ORDER)[number][0]

const RATE = 30
const READ_ONLY = SCOPES.filter((scope) => scope.endsWith('.read'))

let server: TestServer
/** Tokens by what they lack. The exhausted ones use up their rate limit before each test. */
let tokens: Record<'scope' | 'exhausted' | 'exhaustedScope', string>

before(async () => {
  server = await startServer({ rate: { requests: RATE, perSeconds: 1 } })
  const make = async (scopes: readonly Scope[]) => (await server.tokenWith([...scopes])).token
  tokens = { scope: await make(READ_ONLY), exhausted: await make(SCOPES), exhaustedScope: await make(READ_ONLY) }
})
after(() => server.stop())

beforeEach(async () => {
  server.advance(60_000)
  for (const token of [tokens.exhausted, tokens.exhaustedScope]) {
    const request = `GET /api/v1/close-reasons HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`
    await sendAll(server.url, request.repeat(RATE), RATE)
  }
})

async function newDeal(isClosed: boolean): Promise<string> {
  const { call, a } = server
  const { id } = (await call('POST', '/deals', { title: 'x' })).body
  if (isClosed) await call('POST', `/deals/${id}/close`, { reason_id: a.reasons.won })
  return id
}

/** Closes a deal with a request that has exactly these faults. */
async function closeDeal(faults: readonly Fault[]): Promise<RawAnswer> {
  const has = (fault: Fault) => faults.includes(fault)
  const id = has('record') ? UNKNOWN : await newDeal(has('state'))
  const token = has('token')
    ? 'v4.public.AAAA.AAAA'
    : has('rate')
      ? tokens[has('scope') ? 'exhaustedScope' : 'exhausted']
      : has('scope')
        ? tokens.scope
        : server.a.token
  const reason = { reason_id: server.a.reasons.won, ...(has('fields') ? { note: 'x' } : {}) }
  const body = has('json') ? '{"reason_id":' : JSON.stringify(has('root') ? [reason] : reason)
  const keys = [...(has('key') ? ['no key'] : []), ...(has('reuse') ? [await usedKey()] : [])]
  const headers = [
    ...(has('framing') ? [] : ['Host: x']),
    `Authorization: Bearer ${token}`,
    `Content-Type: ${has('media') ? 'text/plain' : 'application/json'}`,
    `Content-Length: ${has('size') ? 2_000_000 : body.length}`,
    ...(has('accept') ? ['Accept: text/html'] : []),
    ...keys.map((key) => `Idempotency-Key: ${key}`),
    ...(has('precondition') ? ['If-Match: "99"'] : []),
  ]
  const method = has('method') ? 'PUT' : 'POST'
  const path = `/api/v1/deals/${id}/${has('path') ? 'shut' : 'close'}${has('query') ? '?now=true' : ''}`
  return sendRaw(server.url, `${method} ${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n${has('size') ? '' : body}`)
}

let used = 0
async function usedKey(): Promise<string> {
  const key = `used-${used++}`
  await server.call('POST', '/tags', { name: key }, { headers: { 'idempotency-key': key } })
  return key
}

async function assertAnswer(faults: readonly Fault[], status: number, code: string): Promise<void> {
  const answer = await closeDeal(faults)
  assert.equal(answer.status, status, `${faults.join()}: ${answer.body}`)
  assert.equal(JSON.parse(answer.body).code, code)
}

test('a request without a fault is done', async () => {
  assert.equal((await closeDeal([])).status, 200)
})

describe('a request with one fault is answered for it', () => {
  for (const [fault, status, code] of ORDER) test(fault, () => assertAnswer([fault], status, code))
})

describe('of two neighbouring faults the first is answered', () => {
  for (const [index, [fault, status, code]] of ORDER.slice(0, -1).entries()) {
    const [next] = ORDER[index + 1]!
    test(`${fault} before ${next}`, () => assertAnswer([fault, next], status, code))
  }
})

describe('of all faults from one on the first is answered', () => {
  const names = ORDER.map(([fault]) => fault)
  for (const [index, [fault, status, code]] of ORDER.entries()) {
    test(fault, () => assertAnswer(names.slice(index), status, code))
  }
})
