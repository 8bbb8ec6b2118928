import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { SCOPES, type Scope } from '../../src/auth/scopes.ts'
import { startServer, type TestServer } from '../support/server.ts'

// A search of meetings includes transcripts only for callers who may read them.

const TRANSCRIPT: Scope = 'rest.meetings.transcript.read'

let server: TestServer
let [full, limited] = ['', '']
before(async () => {
  server = await startServer()
  full = (await server.tokenWith(['rest.meetings.meetings.read', TRANSCRIPT])).token
  limited = (await server.tokenWith(SCOPES.filter((scope) => scope !== TRANSCRIPT))).token
})
after(() => server.stop())

const times = { starts_at: '2026-12-01T09:00:00Z', ends_at: '2026-12-01T10:00:00Z' }
async function made(given: object = {}): Promise<string> {
  const { status, body } = await server.call('POST', '/meetings', { title: 'Weekly', ...times, ...given })
  assert.equal(status, 201, JSON.stringify(body))
  return body.id
}
async function say(id: string, text: string): Promise<void> {
  const segments = [{ speaker: null, start_ms: 0, end_ms: 1000, text }]
  const { status, body } = await server.call('PUT', `/meetings/${id}/transcript`, { segments })
  assert.ok(status === 200 || status === 201, JSON.stringify(body))
}
async function found(q: string, token: string): Promise<string[]> {
  const { status, body } = await server.call('GET', `/meetings?count=true&q=${q}`, undefined, { token })
  assert.equal(status, 200)
  assert.equal(body.total, body.data.length)
  return body.data.map(({ id }: { id: string }) => id)
}

describe('without the scope of transcripts, q', () => {
  test('finds no meeting by what was said, also not where a kept page has it', async () => {
    const id = await made()
    await say(id, 'The merger is called Bluebird')
    for (let count = 0; count < 2; count++) {
      assert.deepEqual(await found('bluebird', full), [id])
      assert.deepEqual(await found('bluebird', limited), [])
      assert.deepEqual(await found('bluebird%20weekly', limited), [])
      assert.deepEqual(await found('bluebird%20weekly', full), [id])
    }
  })

  test('finds by everything else, before and after there is a transcript', async () => {
    const id = await made({
      title: 'Kickoff',
      description: 'Ordinaltopic',
      location: 'Greenroom',
      summary: 'Wentwell',
      participants: [{ email: 'zoe@visitor.example', name: 'Zoë Visitor' }],
    })
    const words = ['kickoff', 'ordinal', 'greenroom', 'wentwell', 'zoe', 'visitor.example', 'kickoff%20zoe']
    for (const text of ['', 'Kickoff of Purplehaze']) {
      if (text) await say(id, text)
      for (const word of words)
        for (const token of [full, limited]) assert.deepEqual(await found(word, token), [id], word)
    }
    assert.deepEqual(await found('purplehaze', limited), [])
  })

  test('follows changes, and the end of the meeting and of its transcript', async () => {
    const { call } = server
    const id = await made({ title: 'Beforehand' })
    await say(id, 'Afterwards we shall see')
    assert.deepEqual(await found('afterwards', limited), [])
    await call('PATCH', `/meetings/${id}`, { title: 'Afterwards' })
    assert.deepEqual(await found('afterwards', limited), [id])
    assert.deepEqual(await found('beforehand', limited), [])
    assert.equal((await call('DELETE', `/meetings/${id}/transcript`)).status, 204)
    assert.deepEqual(await found('afterwards', limited), [id])
    assert.equal((await call('DELETE', `/meetings/${id}`)).status, 204)
    for (const token of [full, limited]) assert.deepEqual(await found('afterwards', token), [])
  })

  test('goes with other filters, sorts and pages', async () => {
    const { call } = server
    const ids = [await made({ title: 'Walked one' }), await made({ title: 'Walked two' })]
    const spoken = await made()
    await say(spoken, 'Walked as well')
    const walk: string[] = []
    for (let path = '/meetings?q=walked&sort=starts_at&limit=1&status=scheduled'; path; ) {
      const { body, headers } = await call('GET', path, undefined, { token: limited })
      walk.push(...body.data.map(({ id }: { id: string }) => id))
      path = /^<\/api\/v1([^>]+)>/.exec(headers.get('link') ?? '')?.[1] ?? ''
    }
    assert.deepEqual(walk.sort(), ids.sort())
  })
})

test('a token that loses the scope loses what it found by it, from the next request on', async () => {
  const { store, a } = server
  const id = await made()
  await say(id, 'Revocable')
  const own = await server.tokenWith(['rest.meetings.meetings.read', TRANSCRIPT])
  assert.deepEqual(await found('revocable', own.token), [id])
  await store.write(() => {
    store.db
      .prepare('UPDATE tokens SET scopes = ? WHERE org_id = ? AND id = ?')
      .run(JSON.stringify(['rest.meetings.meetings.read']), a.org, own.id)
    return null
  })
  server.advance(30_000) // as long as what is known of a token may be remembered
  assert.deepEqual(await found('revocable', own.token), [])
})
