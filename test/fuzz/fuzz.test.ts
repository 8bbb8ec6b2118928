import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startServer, type TestServer } from '../support/server.ts'
import { faultsOf } from './check.ts'
import { type Interface, readDocument } from './document.ts'
import { blank, requests } from './make.ts'
import { memoryFaults } from './memory.ts'
import { newObservations } from './observations.ts'
import type { Tokens } from './parts.ts'
import { type Answer, bytesOf, fault, jsonOf, type Request } from './request.ts'

// That the fuzzer can fail: right answers of a real server pass, and each way to change one is found.

let server: TestServer
let api: Interface
const tokens: Tokens = { good: 'good', narrow: { token: 'narrow', scopes: [] }, bad: ['bad'] }

before(async () => {
  server = await startServer()
  api = readDocument(server.document)
})
after(() => server.stop())

const operation = (id: string) => api.operations.find((each) => each.id === id)!

/** A request of an operation, and what the server answers to it. */
async function exchange(id: string, path: string, body?: unknown, headers: [string, string][] = []) {
  const of = operation(id)
  const request: Request = { ...blank(of, of.method, `${api.base}${path}`), headers }
  if (body !== undefined) request.body = Buffer.from(JSON.stringify(body))
  const {
    status,
    headers: given,
    text,
  } = await server.call(of.method, path, body, { headers: Object.fromEntries(headers) })
  return { request, answer: { status, headers: Object.fromEntries(given), body: text } }
}

const created = () => exchange('createDeal', '/deals', { title: 'Desks', amount: 25000.1 })

type Change = (
  answer: Answer,
  body: Record<string, unknown>,
) => Partial<Answer> | { header: Record<string, string | undefined> }

function changed(answer: Answer, change: Change): Answer {
  const { header, ...rest } = { header: {}, ...change(answer, JSON.parse(answer.body || '{}')) }
  const headers = Object.entries({ ...answer.headers, ...header }).filter(([, value]) => value !== undefined)
  return { ...answer, headers: Object.fromEntries(headers) as Record<string, string>, ...rest }
}

describe('the checker', () => {
  test('finds nothing in right answers', async () => {
    const { request, answer } = await created()
    const { id } = JSON.parse(answer.body)
    assert.deepEqual(faultsOf(api, request, answer), [])
    const others = [
      await exchange('listDeals', '/deals?limit=1'),
      await exchange('getDeal', `/deals/${id}`),
      await exchange('getDeal', `/deals/${id}`, undefined, [['If-None-Match', '*']]),
      await exchange('updateDeal', `/deals/${id}`, { owner_id: server.a.deactivated }),
    ]
    assert.deepEqual(
      others.map((each) => each.answer.status),
      [200, 200, 304, 422],
    )
    for (const each of others) assert.deepEqual(faultsOf(api, each.request, each.answer), [])
  })

  test('takes a mark behind a line feed for what it is', async () => {
    const { request, answer } = await exchange('createTag', '/tags', { name: 'a', description: 'a\n\u0301' })
    assert.deepEqual([answer.status, faultsOf(api, request, answer)], [201, []])
  })

  const changes: [what: string, found: RegExp, change: Change][] = [
    ['a 500', /^500 for what a client sent$/, () => ({ status: 500 })],
    ['a 503', /^503 for what a client sent$/, () => ({ status: 503 })],
    ['a status that the document does not have', /^the document has no 202 /, () => ({ status: 202 })],
    ['another status', /^404 for a request that is valid|the document has no 404/, () => ({ status: 404 })],
    [
      'a member that the document does not have',
      /^not as documented: .*additional/,
      (_, body) => ({ body: JSON.stringify({ ...body, more: 1 }) }),
    ],
    [
      'a member of another type',
      /^not as documented: .*title/,
      (_, body) => ({ body: JSON.stringify({ ...body, title: null }) }),
    ],
    [
      'a member less',
      /^not as documented: .*required.*stage/,
      (_, { stage, ...rest }) => ({ body: JSON.stringify(rest) }),
    ],
    [
      'a number that was rounded',
      /^amount was 25000.1 and came back as 25000$/,
      (_, body) => ({ body: JSON.stringify({ ...body, amount: 25000 }) }),
    ],
    ['text with NUL', /^a text with NUL/, (_, body) => ({ body: JSON.stringify({ ...body, title: 'a\0b' }) })],
    [
      'text with half of a pair',
      /^a text with NUL or half/,
      (_, body) => ({ body: JSON.stringify({ ...body, title: '\ud800' }) }),
    ],
    [
      'text that is not in NFC',
      /^a text that is not in NFC$/,
      (_, body) => ({ body: JSON.stringify({ ...body, title: 'e\u0301' }) }),
    ],
    ['no body', /^there is no body$/, () => ({ body: '' })],
    ['no JSON', /^the body is not JSON$/, () => ({ body: '{' })],
    [
      'another media type',
      /^the document has no body of the type text\/html/,
      () => ({ header: { 'content-type': 'text/html' } }),
    ],
    ['no ETag', /^there is no ETag$/, () => ({ header: { etag: undefined } })],
    ['the ETag of another version', /^the ETag "7" is not the version$/, () => ({ header: { etag: '"7"' } })],
    ['no Location', /^there is no Location$/, () => ({ header: { location: undefined } })],
    ['the Location of something else', /^Location is \/$/, () => ({ header: { location: '/' } })],
    ['no X-Request-Id', /^there is no X-Request-Id$/, () => ({ header: { 'x-request-id': undefined } })],
    [
      'no nosniff',
      /^x-content-type-options is undefined$/,
      () => ({ header: { 'x-content-type-options': undefined } }),
    ],
    ['another Cache-Control', /^cache-control is public$/, () => ({ header: { 'cache-control': 'public' } })],
    [
      'no Content-Security-Policy',
      /^content-security-policy is/,
      () => ({ header: { 'content-security-policy': undefined } }),
    ],
    ['the name of the server', /^there is a header server$/, () => ({ header: { server: 'x' } })],
  ]
  for (const [what, found, change] of changes) {
    test(`finds ${what}`, async () => {
      const { request, answer } = await created()
      assert.match(faultsOf(api, request, changed(answer, change)).join('\n'), new RegExp(found, 'm'))
    })
  }

  test('finds a success where the request has a fault, and another refusal than the first fault asks for', async () => {
    const { request, answer } = await created()
    request.faults.push(fault('fields', 'a wrong type', 422))
    assert.deepEqual(faultsOf(api, request, answer), ['201 for a wrong type (422)'])
    request.faults.push(fault('token', 'no token', 401))
    assert.deepEqual(faultsOf(api, request, answer), ['201 for no token (401)'])
  })

  test('finds a refusal by a rule that the schema could say', async () => {
    const refused = await exchange('createDeal', '/deals', { title: '' })
    assert.deepEqual(faultsOf(api, refused.request, refused.answer), []) // white space only is empty, too
    const answer = { ...refused.answer, body: refused.answer.body.replaceAll('"empty"', '"required"') }
    assert.match(faultsOf(api, refused.request, answer).join(), /^422 for what the document allows: \/title/)
  })

  test('finds a problem that is none, and one that contradicts its headers', async () => {
    const { request, answer } = await exchange('getDeal', '/deals/none')
    request.faults.push(fault('record', 'no id', 404))
    assert.deepEqual(faultsOf(api, request, answer), [])
    const wrong: [RegExp, Change][] = [
      [/^not the body of a problem/, () => ({ body: '{"error":"no"}' })],
      [/^the problem says 410$/, (_, body) => ({ body: JSON.stringify({ ...body, status: 410 }) })],
      [/^the code a b is none$/, (_, body) => ({ body: JSON.stringify({ ...body, code: 'a b' }) })],
      [/^the problem has another request_id/, () => ({ header: { 'x-request-id': 'another' } })],
      [/^the type \w+ is not that of the code/, (_, body) => ({ body: JSON.stringify({ ...body, type: 'x' }) })],
      [/^a problem as application\/json$/, () => ({ header: { 'content-type': 'application/json' } })],
    ]
    for (const [found, change] of wrong)
      assert.match(faultsOf(api, request, changed(answer, change)).join('\n'), new RegExp(found, 'm'))
  })

  test('finds a record of another org under a filter, and a page that is too long or without its link', async () => {
    await created()
    await created()
    const { request, answer } = await exchange('listDeals', '/deals?limit=1')
    assert.match(
      faultsOf(
        api,
        request,
        changed(answer, () => ({ header: { link: undefined } })),
      ).join(),
      /^Link is undefined/,
    )
    const double = changed(answer, (_, body) => ({
      body: JSON.stringify({ ...body, data: [body.data, body.data].flat() }),
    }))
    assert.match(faultsOf(api, request, double).join(), /^a page of 2 with the limit 1$/)
    const counted = changed(answer, (_, body) => ({ body: JSON.stringify({ ...body, total: 2 }) }))
    assert.match(faultsOf(api, request, counted).join(), /^the total is 2$/)
    request.isEmpty = true
    assert.deepEqual(faultsOf(api, request, answer), ['a list by an id of no record of the org is not empty'])
  })

  test('finds a repeat that ran twice, and one that was answered in other words', async () => {
    const { request, answer } = await created()
    const kept = {
      ...request,
      operation: operation('createDeal'),
      body: request.body!,
      status: 201,
      answer: answer.body,
    }
    request.repeats = { kept, same: true }
    assert.deepEqual(faultsOf(api, request, answer), ['201 instead of the stored 201'])
    const replayed = changed(answer, () => ({ header: { 'idempotency-replayed': 'true' } }))
    assert.deepEqual(faultsOf(api, request, replayed), [])
    assert.deepEqual(faultsOf(api, request, { ...replayed, body: answer.body.replace('Desks', 'Chair') }), [
      'a stored answer came back changed',
    ])
  })
})

test('a heap that grows is found, and too much resident memory', () => {
  const usual = { heap_halfway_mb: 40, heap_mb: 52, resident_mb: 500 }
  assert.deepEqual(memoryFaults(10_000, usual), [])
  assert.equal(memoryFaults(10_000, { ...usual, heap_mb: 53 }).length, 1)
  assert.equal(memoryFaults(9_999, { ...usual, heap_mb: 53 }).length, 0, 'caches are filling')
  assert.equal(memoryFaults(10, { ...usual, resident_mb: 501 }).length, 1)
})

test('the same seed makes the same requests, and another one others', () => {
  const bytes = (seed: number): string[] => {
    const make = requests(api, newObservations(api), tokens, { seed, clock: () => Date.UTC(2026, 10, 20) })
    return Array.from({ length: 300 }, (_, number) => bytesOf(make(number), 'host').toString('latin1'))
  }
  assert.deepEqual(bytes(1), bytes(1))
  const [one, other] = [new Set(bytes(1)), bytes(2)]
  assert.ok(other.filter((each) => one.has(each)).length < 30)
})

test('every operation is asked for, also with a body that the document allows', () => {
  const make = requests(api, newObservations(api), tokens, { seed: 1 })
  const made = Array.from({ length: 3000 }, (_, number) => make(number))
  const isAllowed = (each: Request) =>
    !each.operation?.body ||
    (each.faults.every(({ stage }) => stage !== 'media') && !each.operation.body.check(jsonOf(each)))
  for (const asked of api.operations)
    assert.ok(
      made.some((each) => each.operation === asked && isAllowed(each)),
      asked.id,
    )
})
