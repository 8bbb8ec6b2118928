import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { newestSeqs } from '../../src/http/newest-seq.ts'
import { Problem } from '../../src/lib/problem.ts'
import { openStore } from '../../src/store/open.ts'
import { recordsOf } from '../support/records.ts'
import { type Result, startServer, type TestServer } from '../support/server.ts'

let server: TestServer
before(async () => {
  server = await startServer({ corsOrigins: ['https://crm.example'] })
})
after(() => server.stop())

const { newRecord, newDeal, newId } = recordsOf(() => server)
const seqOf = ({ headers }: Result): string | null => headers.get('dealbox-seq')
const get = (path: string, headers: Record<string, string> = {}) => server.call('GET', path, undefined, { headers })
const newest = (): string =>
  String(server.store.db.prepare('SELECT last_seq FROM orgs WHERE id = ?').pluck().get(server.a.org))

describe('Dealbox-Seq of a GET', () => {
  test('is the number of the newest event, of whatever is read and in whichever way', async () => {
    const deal = await newDeal()
    const list = await newId('/lists', { name: 'Static', object: 'deal', kind: 'static' })
    const paths = [
      `/deals/${deal.id}`,
      '/deals',
      '/deals?limit=1&count=true',
      '/stages',
      '/hours',
      `/lists/${list}/members`,
    ]
    for (const path of [...paths, '/webhooks/events', '/webhooks/events?after_seq=latest']) {
      const { status, headers } = await get(path)
      assert.deepEqual([status, headers.get('dealbox-seq')], [200, newest()], path)
      const head = await server.call('HEAD', path)
      assert.deepEqual([head.status, seqOf(head)], [200, newest()], path)
    }
    const unchanged = await get(`/deals/${deal.id}`, { 'if-none-match': '"1"' })
    assert.deepEqual([unchanged.status, seqOf(unchanged)], [304, newest()])
    const gone = await get(`/deals/${list}`)
    assert.deepEqual([gone.status, seqOf(gone)], [404, newest()])
    const wrong = await get('/deals?limit=0')
    assert.deepEqual([wrong.status, seqOf(wrong)], [400, newest()])
    const other = await server.call('GET', '/deals', undefined, { token: server.b.token })
    assert.equal(seqOf(other), '0')
  })

  test('is said once, and to programs of other origins', async () => {
    const { headers } = await get('/deals', { origin: 'https://crm.example' })
    assert.match(headers.get('access-control-expose-headers') ?? '', /\bDealbox-Seq\b/)
    for (const path of ['/deals', '/deals', '/webhooks/events']) assert.match(seqOf(await get(path)) ?? '', /^\d+$/)
  })

  test('is not said to who may not read', async () => {
    const { token } = await server.tokenWith(['rest.crm.tags.read'])
    for (const sent of [null, token])
      assert.equal(seqOf(await server.call('GET', '/deals', undefined, { token: sent })), null)
  })

  test('is that of the page, also of one that is shown again, and of what another process has written', async () => {
    const first = await get('/tags')
    assert.equal(seqOf(await get('/tags')), seqOf(first))
    await newRecord('/tags', { name: 'vip' })
    assert.equal(seqOf(await get('/tags')), String(Number(seqOf(first)) + 1))
    const other = openStore(server.dataDir)
    other.transaction(() => other.db.prepare('UPDATE orgs SET last_seq = last_seq + 1 WHERE id = ?').run(server.a.org))
    other.close()
    for (const path of ['/tags', '/stages']) assert.equal(seqOf(await get(path)), String(Number(seqOf(first)) + 2))
  })

  test('of a part of the stream is where that part ends', async () => {
    const from = newest()
    for (let n = 0; n < 3; n++) await newDeal()
    const { body, ...part } = await get(`/webhooks/events?after_seq=${from}&limit=2`)
    assert.deepEqual([body.last_seq, seqOf(part as Result)], [Number(from) + 2, String(Number(from) + 2)])
  })
})

describe('the newest seq in memory', () => {
  test('is read once for all that is read between two commits, of this process or another', () => {
    let [others, commits, reads] = [0, 0, 0]
    const changes = { byOthers: () => others, commits: () => commits }
    const newestSeq = newestSeqs((org) => org * 100 + ++reads, changes)
    assert.deepEqual([newestSeq(1), newestSeq(1), newestSeq(2), newestSeq(1)], [101, 101, 202, 101])
    commits++
    assert.deepEqual([newestSeq(1), newestSeq(1)], [103, 103])
    others++
    assert.deepEqual([newestSeq(2), newestSeq(1), newestSeq(2)], [204, 105, 204])
  })
})

describe('a Dealbox-Seq above the counter', () => {
  test('is refused at once by the server that gives the numbers, for records and for the stream', async () => {
    const above = String(Number(newest()) + 1)
    for (const [path, headers] of [
      ['/deals', { 'dealbox-seq': above }],
      [`/webhooks/events?after_seq=${above}&wait=60`, {}],
    ] as const) {
      const { status, body, headers: got } = await get(path, headers)
      assert.deepEqual([status, body.code, got.get('retry-after')], [409, 'seq_ahead', null], path)
      assert.ok(body.detail.includes(`the newest one has the seq ${newest()}`), body.detail)
    }
    assert.equal((await get('/deals', { 'dealbox-seq': newest() })).status, 200)
  })

  test('is waited for by a primary that does not know whether it was replaced: the other one may have given it', async () => {
    const { health } = server.store
    const { fencedOff } = health
    health.fencedOff = () => new Problem(503, 'not_confirmed', 'Nobody knows.')
    try {
      const above = String(Number(newest()) + 1)
      for (const [path, headers] of [
        ['/deals', { 'dealbox-seq': above }],
        [`/webhooks/events?after_seq=${above}`, {}],
      ] as const) {
        const { status, body, headers: got } = await get(path, headers)
        assert.deepEqual([status, body.code, got.get('retry-after')], [503, 'seq_not_reached', '1'], path)
      }
    } finally {
      health.fencedOff = fencedOff
    }
  })
})

describe('after_seq=latest', () => {
  test('is the number of the newest event and no events, at once, whatever else is asked', async () => {
    await newDeal()
    for (const more of ['', '&wait=60', '&types=deal.created&limit=1'])
      assert.deepEqual((await get(`/webhooks/events?after_seq=latest${more}`)).body, {
        data: [],
        last_seq: Number(newest()),
        next_cursor: null,
      })
    const { body } = await get('/webhooks/events?limit=1')
    const mixed = await get(`/webhooks/events?after_seq=latest&cursor=${body.next_cursor}`)
    assert.deepEqual([mixed.status, mixed.body.code], [400, 'invalid_cursor'])
    const wrong = await get('/webhooks/events?after_seq=Latest')
    assert.match(wrong.body.detail, /from 0 to \d+, or latest\.$/)
  })
})
