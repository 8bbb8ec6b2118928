import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { EVENT_NAMES, EVENT_PATTERNS, eventsOf } from '../../src/events/names.ts'
import { eventStore } from '../../src/webhooks/events.ts'
import { startServer, type TestServer } from '../support/server.ts'

type Told = {
  id: string
  seq: number
  type: string
  timestamp: string
  actor: object
  data: { object: { id: string } }
}
type Answer = { data: Told[]; last_seq: number; next_cursor: string | null }

const ask = async (server: TestServer, query = '', org = server.a): Promise<Answer> => {
  const { status, body } = await server.call('GET', `/webhooks/events?${query}`, undefined, { token: org.token })
  assert.equal(status, 200, JSON.stringify(body))
  return body
}
const seqs = ({ data }: Answer): number[] => data.map(({ seq }) => seq)
const upTo = (last: number, first = 1): number[] => Array.from({ length: last - first + 1 }, (_, at) => first + at)

describe('the stream of events', () => {
  let server: TestServer
  let deal: string
  /** As they were announced; the position in here and one is the seq. */
  let types: string[]
  before(async () => {
    server = await startServer()
    const { call, a } = server
    deal = (await call('POST', '/deals', { title: 'Zoë’s "deal"\n' })).body.id
    await call('PATCH', `/deals/${deal}`, { title: 'Other' })
    await call('PATCH', `/deals/${deal}`, { stage: a.stages.demo })
    await call('POST', `/deals/${deal}/close`, { reason_id: a.reasons.won })
    const task = (await call('POST', '/tasks', { title: 'Call' })).body.id
    await call('PATCH', `/tasks/${task}`, { title: 'Call again' })
    await call('PATCH', `/tasks/${task}`, { status: 'done' })
    for (let n = 0; n < 3; n++) await call('POST', '/tags', { name: `Tag ${n}` })
    await call('POST', '/tags', { name: 'Of the other one' }, { token: server.b.token })
    await call('DELETE', `/tasks/${task}`)
    types = server.events().map(({ type }) => type)
  })
  after(() => server.stop())

  const typesOf = async (query: string) => (await ask(server, query)).data.map(({ type }) => type)

  test('has every event of the organisation, in its order and without a gap, and none of another one', async () => {
    assert.deepEqual(types, [
      ...['deal.created', 'deal.updated', 'deal.stage_changed', 'deal.closed'],
      ...['task.created', 'task.updated', 'task.completed'],
      ...['tag.created', 'tag.created', 'tag.created', 'task.deleted'],
    ])
    const answer = await ask(server)
    assert.deepEqual(seqs(answer), upTo(types.length))
    assert.deepEqual([answer.last_seq, answer.next_cursor], [types.length, null])
    assert.deepEqual(
      (await ask(server, '', server.b)).data.map(({ seq, type }) => [seq, type]),
      [[1, 'tag.created']],
    )
  })

  test('tells of each what was written with its change', async () => {
    const { data } = await ask(server, 'after_seq=1&limit=1')
    const row = server.store.db
      .prepare('SELECT id, data FROM events WHERE org_id = ? AND seq = 2')
      .get(server.a.org) as { id: string; data: string }
    assert.deepEqual(data, [
      {
        ...{ id: row.id, seq: 2, type: 'deal.updated', timestamp: '2026-11-20T08:36:00.000Z' },
        actor: { type: 'member', id: server.a.owner },
        data: JSON.parse(row.data),
      },
    ])
    const [{ changed_fields, previous, object }] = data.map((each) => each.data as Record<string, unknown>) as [
      Record<string, unknown>,
    ]
    assert.deepEqual([changed_fields, previous], [['title'], { title: 'Zoë’s "deal"\n' }])
    assert.equal((object as { title: string }).title, 'Other')
  })

  test('begins with the oldest without after_seq and with 0, and behind it otherwise', async () => {
    const last = types.length
    for (const query of ['', 'after_seq=0']) assert.deepEqual(seqs(await ask(server, query)), upTo(last))
    assert.deepEqual(seqs(await ask(server, 'after_seq=4')), upTo(last, 5))
    assert.deepEqual(await ask(server, `after_seq=${last}`), { data: [], last_seq: last, next_cursor: null })
  })

  for (const [given, expected] of [
    ['*', undefined],
    ['deal.updated', ['deal.updated', 'deal.stage_changed', 'deal.closed']],
    ['deal.stage_changed', ['deal.stage_changed']],
    ['task.updated', ['task.updated', 'task.completed']],
    ['deal.*', ['deal.created', 'deal.updated', 'deal.stage_changed', 'deal.closed']],
    ['task.completed,deal.created', ['deal.created', 'task.completed']],
    ['tag.*,*', undefined],
    ['contact.*', []],
  ] as const) {
    test(`has for types=${given} what a webhook with these gets`, async () => {
      const isMeant = (type: string) => (expected as readonly string[] | undefined)?.includes(type) ?? true
      assert.deepEqual(await typesOf(`types=${given}`), types.filter(isMeant))
    })
  }

  test('moves on past what is of other types', async () => {
    assert.deepEqual(await ask(server, 'types=contact.*'), { data: [], last_seq: types.length, next_cursor: null })
    const one = await ask(server, 'types=deal.created&limit=1')
    assert.deepEqual([seqs(one), one.last_seq], [[1], 1])
  })

  test('is walked by the cursor and by the Link, and by last_seq alike', async () => {
    for (const types of ['', '&types=deal.*,task.deleted']) {
      const whole = seqs(await ask(server, `after_seq=0${types}`))
      for (const limit of [1, 3, 100]) {
        const walks: number[][] = [[], [], []]
        const query = `after_seq=0&limit=${limit}${types}`
        for (let cursor: string | null = ''; cursor !== null; ) {
          const answer: Answer = await ask(server, query + (cursor && `&cursor=${cursor}`))
          walks[0]?.push(...seqs(answer))
          cursor = answer.next_cursor
        }
        for (let path: string | undefined = `/webhooks/events?${query}`; path; ) {
          const { body, headers } = await server.call('GET', path)
          walks[1]?.push(...seqs(body))
          const link = headers.get('link')
          assert.equal(link === null, body.next_cursor === null)
          path = /^<\/api\/v1([^>]+)>; rel="next"$/.exec(link ?? '')?.[1]
        }
        for (let after = 0; after < server.lastSeq(); ) {
          const answer = await ask(server, `after_seq=${after}&limit=${limit}${types}`)
          walks[2]?.push(...seqs(answer))
          assert.ok(answer.last_seq > after)
          after = answer.last_seq
        }
        for (const walk of walks) assert.deepEqual(walk, whole)
      }
    }
  })

  test('refuses a cursor of another question, and one that was altered', async () => {
    const { next_cursor: cursor } = await ask(server, 'limit=1')
    assert.ok(cursor)
    assert.deepEqual(seqs(await ask(server, `limit=2&wait=0&cursor=${cursor}`)), [2, 3])
    for (const query of [
      `after_seq=1&cursor=${cursor}`,
      `types=deal.*&cursor=${cursor}`,
      `cursor=${cursor}A`,
      'cursor=',
    ]) {
      const { status, body } = await server.call('GET', `/webhooks/events?${query}`)
      assert.deepEqual([status, body.code], [400, 'invalid_cursor'], query)
    }
    const other = await server.call('GET', `/webhooks/events?cursor=${cursor}`, undefined, { token: server.b.token })
    assert.equal(other.status, 400)
  })

  for (const [query, detail] of [
    ['surprise=1', /"surprise" here\. The allowed parameters are: after_seq, types, wait, limit, cursor\.$/],
    ['sort=created_at', /The allowed parameters are: after_seq, types, wait, limit, cursor\.$/],
    ['count=true', /The allowed parameters are: after_seq/],
    ['after_seq=-1', /"after_seq" must be a whole number from 0 to 9007199254740991/],
    ['after_seq=1.5', /whole number/],
    ['after_seq=', /whole number/],
    ['after_seq=9007199254740992', /whole number/],
    ['after_seq=x', /whole number/],
    ['wait=61', /"wait" must be a whole number from 0 to 60/],
    ['wait=-1', /from 0 to 60/],
    ['wait=1s', /from 0 to 60/],
    ['limit=101', /"limit" must be a whole number from 1 to 100/],
    ['limit=0', /from 1 to 100/],
    ['types=', /"types" contains "", which is not an event type\. Event types are: \*, contact\.\*, /],
    ['types=deal.exploded', /contains "deal.exploded", .*deal\.stage_changed/],
    ['types=deal.created,', /contains ""/],
    ['types=webhook.test', /contains "webhook.test"/],
    [`types=${Array(101).fill('*').join()}`, /at most 100/],
    ['after_seq=1&after_seq=1', /more than once/],
    ['types=%ff', /percent-encoded/],
  ] as const) {
    test(`refuses ${query.slice(0, 40)}, naming what is allowed`, async () => {
      const { status, body } = await server.call('GET', `/webhooks/events?${query}`)
      assert.deepEqual([status, body.code], [400, 'invalid_query'])
      assert.match(body.detail, detail)
    })
  }

  test('is answered to GET and HEAD alone, and to those who may read webhooks', async () => {
    const { status, headers } = await server.call('POST', '/webhooks/events', {})
    assert.deepEqual([status, headers.get('allow')], [405, 'HEAD, GET, OPTIONS'])
    assert.equal((await server.call('HEAD', '/webhooks/events?wait=1')).status, 200)
    const { token } = await server.tokenWith(['rest.crm.deals.read', 'rest.crm.webhooks.write'])
    assert.equal((await server.call('GET', '/webhooks/events', undefined, { token })).status, 403)
  })
})

describe('the stream of events, where the oldest are gone', () => {
  let server: TestServer
  before(async () => {
    server = await startServer()
    for (let n = 0; n < 10; n++) await server.call('POST', '/tags', { name: `Tag ${n}` })
    purge(4)
  })
  after(() => server.stop())
  const purge = (seq: number) =>
    server.store.db.prepare('DELETE FROM events WHERE org_id = ? AND seq <= ?').run(server.a.org, seq)

  test('begins with the oldest that is kept, and goes on where none is missing', async () => {
    for (const query of ['', 'after_seq=0', 'after_seq=4'])
      assert.deepEqual(seqs(await ask(server, query)), upTo(10, 5))
    assert.deepEqual(seqs(await ask(server, 'after_seq=5')), upTo(10, 6))
  })

  test('says so to who would miss some, with where to go on', async () => {
    for (const after of [1, 3]) {
      const { status, body } = await server.call('GET', `/webhooks/events?after_seq=${after}&wait=60`)
      assert.deepEqual([status, body.code], [409, 'events_expired'])
      assert.match(body.detail, new RegExp(`some after ${after} are missing.*after_seq=4\\.$`))
    }
  })

  test('says so to who is ahead of it', async () => {
    const { status, body } = await server.call('GET', '/webhooks/events?after_seq=11&wait=60')
    assert.deepEqual([status, body.code], [409, 'seq_ahead'])
    assert.match(body.detail, /There is no event 11: .* 10.*after_seq=10\.$/)
  })

  test('says so to who walks it too slowly', async () => {
    const { body } = await server.call('GET', '/webhooks/events?limit=2')
    purge(8)
    const { status, body: refused } = await server.call('GET', `/webhooks/events?limit=2&cursor=${body.next_cursor}`)
    assert.deepEqual([status, refused.code], [409, 'events_expired'])
  })

  test('is empty where all are gone, and where there never was one', async () => {
    purge(10)
    for (const query of ['', 'after_seq=0', 'after_seq=10'])
      assert.deepEqual(await ask(server, query), { data: [], last_seq: 10, next_cursor: null })
    assert.equal((await server.call('GET', '/webhooks/events?after_seq=9')).body.code, 'events_expired')
    for (const query of ['', 'after_seq=0'])
      assert.deepEqual(await ask(server, query, server.b), { data: [], last_seq: 0, next_cursor: null })
    await server.call('POST', '/tags', { name: 'Next' })
    assert.deepEqual(seqs(await ask(server)), [11])
  })
})

test('one answer looks at 5,000 events at most, and says that there is more', async () => {
  const server = await startServer()
  try {
    const { db } = server.store
    await server.call('POST', '/tags', { name: 'First' })
    db.prepare(
      `WITH RECURSIVE series (at_seq) AS (SELECT 2 UNION ALL SELECT at_seq + 1 FROM series WHERE at_seq < 5200)
       INSERT INTO events (org_id, seq, id, type, object_id, at, actor_type, actor_id, data)
       SELECT org_id, at_seq, id, iif(at_seq = 5100, 'task.deleted', type), object_id, at, 'system', NULL, data
       FROM series, events WHERE seq = 1 AND org_id = ?`,
    ).run(server.a.org)
    db.prepare('UPDATE orgs SET last_seq = 5200 WHERE id = ?').run(server.a.org)
    const first = await ask(server, 'types=task.*&wait=60')
    assert.deepEqual([first.data, first.last_seq], [[], 5000])
    assert.ok(first.next_cursor)
    const second = await ask(server, `types=task.*&wait=60&cursor=${first.next_cursor}`)
    assert.deepEqual([seqs(second), second.last_seq, second.next_cursor], [[5100], 5200, null])
    assert.deepEqual(second.data[0]?.actor, { type: 'system', id: null })
  } finally {
    await server.stop()
  }
})

test('who looks in the same turn gets the events of his own organisation, position and types', async (t) => {
  const server = await startServer()
  t.after(server.stop)
  for (const { token } of [server.a, server.b])
    for (const name of ['One', 'Two', 'Three']) await server.call('POST', '/tags', { name }, { token })
  const { read } = eventStore(server.deps)
  const looked = ({ org }: { org: number }, after: number, types = ['*']) =>
    read({ org, member: null }, after, types, 50).items.map((text) => JSON.parse(text).data.object.id)
  const [ofA, ofB] = [server.a, server.b].map((org) => server.events(0, org).map(({ object_id }) => object_id))
  assert.deepEqual(looked(server.a, 1), ofA?.slice(1))
  assert.deepEqual(looked(server.a, 1, ['deal.*']), [])
  assert.deepEqual(looked(server.a, 1), ofA?.slice(1))
  assert.deepEqual(looked(server.b, 1), ofB?.slice(1))
  assert.deepEqual(looked(server.b, 2), ofB?.slice(2))
  await server.call('POST', '/tags', { name: 'Four' }, { token: server.b.token })
  assert.equal(looked(server.b, 2).length, 2)
  await new Promise(setImmediate)
  server.store.db.exec('DELETE FROM events WHERE seq <= 3')
  assert.throws(() => looked(server.b, 2), /no longer stored/)
})

test('an answer that has grown long takes no further event, and is zipped for those who ask', async () => {
  const server = await startServer()
  try {
    const deal_ids = [(await server.call('POST', '/deals', { title: 'About' })).body.id]
    for (let n = 0; n < 6; n++) await server.call('POST', '/notes', { body: 'x'.repeat(260_000), deal_ids })
    const first = await ask(server, 'after_seq=1')
    assert.deepEqual(seqs(first), upTo(6, 2))
    assert.deepEqual(seqs(await ask(server, `after_seq=1&cursor=${first.next_cursor}`)), [7])
    const zipped = async (query: string, encoding: string) => {
      const headers = { 'accept-encoding': encoding }
      const answer = await server.call('GET', `/webhooks/events?${query}`, undefined, { headers })
      assert.equal(answer.headers.get('vary'), 'Accept-Encoding')
      return [answer.headers.get('content-encoding'), seqs(answer.body).length]
    }
    assert.deepEqual(await zipped('', 'gzip'), ['gzip', 6])
    assert.deepEqual(await zipped('', 'identity'), [null, 6])
    assert.deepEqual(await zipped('after_seq=7', 'gzip'), [null, 0])
  } finally {
    await server.stop()
  }
})

test('a subscription names events, all of a resource, or all there are', () => {
  assert.deepEqual([...eventsOf(['*'])], [...EVENT_NAMES])
  assert.deepEqual([...eventsOf([])], [])
  assert.deepEqual([...eventsOf(['tag.*'])], ['tag.created', 'tag.updated', 'tag.deleted'])
  assert.deepEqual([...eventsOf(['deal.updated'])], ['deal.updated', 'deal.stage_changed', 'deal.closed'])
  for (const pattern of EVENT_PATTERNS) assert.ok(eventsOf([pattern]).size > 0, pattern)
})
