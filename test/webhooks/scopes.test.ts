import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { SCOPES, type Scope } from '../../src/auth/scopes.ts'
import { EVENT_NAMES } from '../../src/events/names.ts'
import { startServer, type TestServer } from '../support/server.ts'

// An event shows a record whole: whoever asks for it, by webhook or by pulling, needs the scope to read such records.

const READS: Record<string, Scope> = {
  contact: 'rest.crm.contacts.read',
  company: 'rest.crm.companies.read',
  deal: 'rest.crm.deals.read',
  note: 'rest.crm.notes.read',
  task: 'rest.crm.tasks.read',
  tag: 'rest.crm.tags.read',
  list: 'rest.crm.lists.read',
  custom_field: 'rest.crm.custom_fields.read',
  meeting: 'rest.meetings.meetings.read',
  transcript: 'rest.meetings.transcript.read',
  conversation: 'rest.inbox.conversations.read',
  message: 'rest.inbox.messages.read',
  enrollment: 'rest.sequences.enrollments.read',
}
const WEBHOOKS: Scope[] = ['rest.crm.webhooks.read', 'rest.crm.webhooks.write']
const URL = 'https://hooks.example/'
const resourceOf = (name: string) => name.split('.')[0] as string
const RESOURCES = Object.keys(READS)

let server: TestServer
/** By resource: of tokens that may read all records but those, and none but those. */
const without: Record<string, string> = {}
const only: Record<string, string> = {}
before(async () => {
  server = await startServer()
  for (const resource of RESOURCES) {
    without[resource] = await tokenWith(SCOPES.filter((scope) => scope !== READS[resource]))
    only[resource] = await tokenWith([...WEBHOOKS, READS[resource] as Scope])
  }
})
after(() => server.stop())

const tokenWith = async (scopes: readonly Scope[]) => (await server.tokenWith([...scopes])).token
async function make(event_types: readonly string[]) {
  const { status, body } = await server.call('POST', '/webhooks', { url: URL, event_types })
  assert.equal(status, 201, JSON.stringify(body))
  return body
}
const clear = async (id: string) => assert.equal((await server.call('DELETE', `/webhooks/${id}`)).status, 204)
const rows = () => server.store.db.prepare('SELECT * FROM webhooks').all()

test('every event belongs to a resource that has a scope', () => {
  assert.deepEqual([...new Set(EVENT_NAMES.map(resourceOf))].sort(), [...RESOURCES].sort())
})

describe('a webhook needs the scope to read what its events show', () => {
  for (const pattern of [...EVENT_NAMES, ...RESOURCES.map((resource) => `${resource}.*`)]) {
    test(pattern, async () => {
      const { call } = server
      const resource = resourceOf(pattern)
      const other = resource === 'tag' ? 'task.*' : 'tag.*'
      const [token, enough] = [without[resource] as string, only[resource] as string]
      const [existing, wide] = [await make([pattern]), await make([other])]
      const kept = rows()
      for (const [method, path, given] of [
        ['POST', '/webhooks', { url: URL, event_types: [pattern] }],
        ['POST', '/webhooks', { url: URL, event_types: [other, pattern] }],
        ['PATCH', `/webhooks/${wide.id}`, { event_types: [other, pattern] }],
        ['PATCH', `/webhooks/${existing.id}`, { event_types: [pattern, other] }],
        ['PATCH', `/webhooks/${existing.id}`, { url: 'https://elsewhere.example/' }],
      ] as const) {
        const { status, body } = await call(method, path, given, { token })
        assert.deepEqual([status, body.code, body.scope], [403, 'insufficient_scope', READS[resource]], method)
      }
      assert.deepEqual(rows(), kept)
      for (const given of [{ status: 'paused', description: 'Stopped' }, { event_types: [pattern] }, { url: URL }])
        assert.equal((await call('PATCH', `/webhooks/${existing.id}`, given, { token })).status, 200)
      const narrowed = await call('PATCH', `/webhooks/${existing.id}`, { event_types: [other] }, { token })
      assert.equal(narrowed.status, 200)
      const made = await call('POST', '/webhooks', { url: URL, event_types: [pattern] }, { token: enough })
      assert.equal(made.status, 201)
      const moved = await call('PATCH', `/webhooks/${made.body.id}`, { url: `${URL}2` }, { token: enough })
      assert.equal(moved.status, 200)
      for (const { id } of [existing, wide, made.body]) await clear(id)
    })
  }

  for (const resource of RESOURCES) {
    test(`* without ${resource}`, async () => {
      const token = without[resource] as string
      const { status, body } = await server.call('POST', '/webhooks', { url: URL, event_types: ['*'] }, { token })
      assert.deepEqual([status, body.scope], [403, READS[resource]])
    })
  }

  test('* with all of them, and a refusal names all that are missing', async () => {
    const { call } = server
    const given = { url: URL, event_types: ['*'] }
    const all = await tokenWith([...WEBHOOKS, ...Object.values(READS)])
    const made = await call('POST', '/webhooks', given, { token: all })
    assert.equal(made.status, 201)
    await clear(made.body.id)
    const { body } = await call('POST', '/webhooks', given, { token: await tokenWith(WEBHOOKS) })
    for (const scope of Object.values(READS)) assert.ok(body.detail.includes(scope), body.detail)
  })
})

describe('the stream leaves out what the token may not read', () => {
  let server: TestServer
  let types: string[]
  before(async () => {
    server = await startServer()
    await server.call('POST', '/tags', { name: 'First' })
    const { db } = server.store
    const insert = db.prepare(
      `INSERT INTO events (org_id, seq, id, type, object_id, at, actor_type, actor_id, data)
       SELECT org_id, ?, id, ?, object_id, at, actor_type, actor_id, data FROM events WHERE seq = 1 AND org_id = ?`,
    )
    types = ['tag.created', ...EVENT_NAMES, 'planet.landed']
    for (const [at, type] of types.entries()) if (at > 0) insert.run(at + 1, type, server.a.org)
    db.prepare('UPDATE orgs SET last_seq = ? WHERE id = ?').run(types.length, server.a.org)
  })
  after(() => server.stop())

  const tokenOf = async (scopes: readonly Scope[]) => (await server.tokenWith([...scopes])).token
  const pull = async (query: string, token: string) => {
    const { status, body } = await server.call('GET', `/webhooks/events?limit=100&${query}`, undefined, { token })
    assert.equal(status, 200)
    return { types: body.data.map(({ type }: { type: string }) => type), last: body.last_seq, next: body.next_cursor }
  }

  for (const resource of RESOURCES) {
    test(`of a ${resource}, and moves on past it`, async () => {
      const isOwn = (type: string) => resourceOf(type) === resource
      const lacking = await tokenOf(SCOPES.filter((scope) => scope !== READS[resource]))
      const alone = await tokenOf(['rest.crm.webhooks.read', READS[resource] as Scope])
      const isKnown = (type: string) => type !== 'planet.landed'
      const end = { last: types.length, next: null }
      for (const query of ['', 'types=*', 'types=*,tag.*'])
        assert.deepEqual(await pull(query, lacking), {
          types: types.filter((type) => isKnown(type) && !isOwn(type)),
          ...end,
        })
      for (const named of [`${resource}.*`, EVENT_NAMES.filter(isOwn).join()])
        assert.deepEqual(await pull(`types=${named}`, lacking), { types: [], ...end })
      assert.deepEqual(await pull('', alone), { types: types.filter(isOwn), ...end })
      assert.deepEqual(await pull(`types=${resource}.*`, alone), { types: types.filter(isOwn), ...end })
    })
  }

  test('of what no scope is known for, unless it may read all', async () => {
    const all = await tokenOf(['rest.crm.webhooks.read', ...Object.values(READS)])
    assert.deepEqual((await pull('', all)).types, types)
  })

  test('also of a request that waits', async () => {
    const { call, lastSeq } = server
    const token = await tokenOf(['rest.crm.webhooks.read', 'rest.crm.tags.read'])
    const after = lastSeq()
    const waiting = call('GET', `/webhooks/events?after_seq=${after}&wait=30`, undefined, { token })
    await call('POST', '/deals', { title: 'Not theirs' })
    await call('POST', '/tags', { name: 'Theirs' })
    const { body } = await waiting
    assert.deepEqual([body.data[0].type, body.data.length, body.last_seq], ['tag.created', 1, after + 2])
  })
})
