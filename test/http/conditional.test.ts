import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startServer, type TestServer } from '../support/server.ts'

let server: TestServer
before(async () => {
  server = await startServer()
})
after(() => server.stop())

const newDeal = async () => (await server.call('POST', '/deals', { title: 'Rollout' })).body
/** Returns a deal of version 2. */
async function changedDeal() {
  const { id } = await newDeal()
  return (await server.call('PATCH', `/deals/${id}`, { title: 'Changed' })).body
}

describe('ETag', () => {
  test('is the version in quotes, on everything that answers one record', async () => {
    const { a, call } = server
    const created = await call('POST', '/deals', { title: 'Rollout' })
    const path = `/deals/${created.body.id}`
    const patched = await call('PATCH', path, { title: 'Changed' })
    const read = await call('GET', path)
    const closed = await call('POST', `${path}/close`, { reason_id: a.reasons.won })
    const tags = [created, patched, read, closed].map(({ headers }) => headers.get('etag'))
    assert.deepEqual(tags, ['"1"', '"2"', '"2"', '"3"'])
    assert.equal((await call('GET', '/deals')).headers.get('etag'), null)
  })

  test('stays with a change that changes nothing', async () => {
    const { id } = await changedDeal()
    assert.equal((await server.call('PATCH', `/deals/${id}`, {})).headers.get('etag'), '"2"')
  })
})

describe('If-Match', () => {
  const passing = ['"2"', ' "2" ', '*', '"1", "2"', '"1","2","3"', ', "2",', 'W/"1", "2"']
  const failing = ['"1"', '"3"', 'W/"2"', '2', '""', '"1", "3"', "'2'", '"2', '"02"', '"2"x', 'w/"2"', '"*"']

  for (const tags of passing) {
    test(`${tags} lets the change in`, async () => {
      const { id } = await changedDeal()
      const { status, body } = await server.call('PATCH', `/deals/${id}`, { amount: 5 }, ifMatch(tags))
      assert.deepEqual([status, body.version], [200, 3])
    })
  }

  for (const tags of failing) {
    test(`${tags} is 412 with the newest ETag, and nothing is written`, async () => {
      const deal = await changedDeal()
      const seq = server.lastSeq()
      const { status, body, headers } = await server.call('PATCH', `/deals/${deal.id}`, { amount: 5 }, ifMatch(tags))
      assert.deepEqual([status, body.code, headers.get('etag')], [412, 'version_mismatch', '"2"'])
      assert.deepEqual((await server.call('GET', `/deals/${deal.id}`)).body, deal)
      assert.equal(server.lastSeq(), seq)
    })
  }

  test('holds on actions and on DELETE too', async () => {
    const { a, call } = server
    const { id } = await changedDeal()
    const close = (tags: string) => call('POST', `/deals/${id}/close`, { reason_id: a.reasons.won }, ifMatch(tags))
    assert.equal((await close('"1"')).status, 412)
    assert.equal((await close('"2"')).status, 200)
    const tag = (await call('POST', '/tags', { name: 'matched' })).body.id
    assert.equal((await call('DELETE', `/tags/${tag}`, undefined, ifMatch('"2"'))).status, 412)
    assert.equal((await call('DELETE', `/tags/${tag}`, undefined, ifMatch('"1"'))).status, 204)
  })

  test('of two changes of one version lets one in', async () => {
    const { id } = await newDeal()
    const changes = ['a', 'b', 'c', 'd'].map((title) => server.call('PATCH', `/deals/${id}`, { title }, ifMatch('"1"')))
    assert.deepEqual((await Promise.all(changes)).map(({ status }) => status).sort(), [200, 412, 412, 412])
  })

  for (const tags of ['"0"', '*', ' * ', '"1"', '"0", "1"', 'W/"0"', '']) {
    test(`${tags} is 412 without an ETag on a record that is not there yet, which is not made`, async () => {
      const times = { starts_at: '2026-11-24T09:00:00Z', ends_at: '2026-11-24T10:00:00Z' }
      const { id } = (await server.call('POST', '/meetings', { title: 'Demo', ...times })).body
      const path = `/meetings/${id}/transcript`
      const given = { segments: [{ text: 'Hello.' }] }
      const seq = server.lastSeq()
      const { status, body, headers } = await server.call('PUT', path, given, ifMatch(tags))
      assert.deepEqual([status, body.code, headers.get('etag')], [412, 'version_mismatch', null])
      assert.match(body.detail, /does not exist yet/)
      assert.equal((await server.call('GET', path)).status, 404)
      assert.equal(server.lastSeq(), seq)
    })
  }

  const ifMatch = (tags: string) => ({ headers: { 'if-match': tags } })
})

describe('If-None-Match', () => {
  const unchanged = ['"2"', 'W/"2"', '*', ' * ', '"1", "2"', 'W/"1",W/"2"']
  const changed = ['"1"', '2', '""', '"22"', '"1", W/"3"', '"2']

  for (const tags of unchanged) {
    test(`${tags} is 304 without a body`, async () => {
      const { id } = await changedDeal()
      const { status, text, headers } = await server.call('GET', `/deals/${id}`, undefined, ifNoneMatch(tags))
      assert.deepEqual([status, text, headers.get('etag')], [304, '', '"2"'])
      assert.equal(headers.get('cache-control'), 'private, no-cache')
      assert.equal(headers.get('content-type'), null)
    })
  }

  for (const tags of changed) {
    test(`${tags} is 200`, async () => {
      const { id } = await changedDeal()
      assert.equal((await server.call('GET', `/deals/${id}`, undefined, ifNoneMatch(tags))).status, 200)
    })
  }

  test('does not tell of a record that is not there', async () => {
    const path = '/deals/01890000-0000-7000-8000-000000000000'
    assert.equal((await server.call('GET', path, undefined, ifNoneMatch('*'))).status, 404)
  })

  const ifNoneMatch = (tags: string) => ({ headers: { 'if-none-match': tags } })
})
