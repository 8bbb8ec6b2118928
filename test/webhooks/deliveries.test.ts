import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { EVENT_NAMES } from '../../src/events/names.ts'
import { startServer, type TestServer } from '../support/server.ts'

type Row = Record<string, string | number | null>

// Without the sender: what it would write stands in the rows.

let server: TestServer
before(async () => {
  server = await startServer()
})
after(() => server.stop())

let count = 0
async function webhook(more: object = {}): Promise<string> {
  const given = { url: `https://hooks${count++}.example/`, event_types: ['*'], ...more }
  return (await server.call('POST', '/webhooks', given)).body.id
}

/** The seq of a new event. */
async function news(): Promise<number> {
  await server.call('POST', '/tags', { name: `Tag ${count++}` })
  return server.events().at(-1)?.seq as number
}

/** A delivery of an event as the sender leaves it. */
function delivery(webhookId: string, seq: number, given: Row = {}): string {
  const { db, clock } = server.store
  const id = clock.id()
  const row = {
    ...{ status: 'pending', tries: '[]', failures: 0, is_ordered: 1, due_at: null, leased_until: null },
    ...given,
  }
  db.prepare(
    `INSERT INTO deliveries (org_id, id, webhook_id, event_id, seq, type, object_id, ${Object.keys(row).join(', ')},
       created_at, updated_at, version)
     SELECT org_id, ?, ?, id, seq, type, object_id, ${Object.keys(row).fill('?').join(', ')}, at, at, 1
     FROM events WHERE org_id = ? AND seq = ?`,
  ).run(id, webhookId, ...Object.values(row), server.a.org, seq)
  return id
}
const rowOf = (id: string) => server.store.db.prepare('SELECT * FROM deliveries WHERE id = ?').get(id) as Row
const stateOf = (id: string) =>
  server.store.db.prepare('SELECT * FROM webhook_states WHERE webhook_id = ?').get(id) as Row
const hold = (id: string, until: number) =>
  server.store.db.prepare('UPDATE webhook_states SET held_until = ? WHERE webhook_id = ?').run(until, id)
const redeliver = (webhookId: string, id: string, headers = {}) =>
  server.call('POST', `/webhooks/${webhookId}/deliveries/${id}/redeliver`, undefined, { headers })

const TRY = {
  at: '2026-11-20T08:36:00.000Z',
  duration_ms: 12,
  response_status: 500,
  response_body: '<b>"no"</b>',
  error: 'The receiver answered 500.',
}

describe('the deliveries of a webhook', () => {
  test('show the event, each try and the next one', async () => {
    const [id, seq] = [await webhook(), await news()]
    const tries = [TRY, { ...TRY, response_status: null, response_body: null, error: 'No answer in 15 s.' }]
    const due = server.now() + 5000
    const made = delivery(id, seq, { tries: JSON.stringify(tries), due_at: due, failures: 2 })
    const [event] = server.events(seq - 1)
    const { id: event_id } = server.store.db.prepare('SELECT id FROM events WHERE seq = ?').get(seq) as { id: string }
    const { body } = await server.call('GET', `/webhooks/${id}/deliveries`)
    assert.deepEqual(body, {
      data: [
        {
          ...{ id: made, webhook_id: id, event_id, seq, type: event?.type, status: 'pending', tries },
          next_try_at: new Date(due).toISOString(),
          ...{ created_at: '2026-11-20T08:36:00.000Z', updated_at: '2026-11-20T08:36:00.000Z', version: 1 },
        },
      ],
      next_cursor: null,
    })
  })

  test('are its own, newest first, filtered by status and type, and walked to the end', async () => {
    const [id, other] = [await webhook(), await webhook()]
    const seqs = []
    for (let n = 0; n < 7; n++) seqs.push(await news())
    const statuses = ['delivered', 'failed', 'pending']
    const ids = seqs.map((seq, index) => delivery(id, seq, { status: statuses[index % 3] as string }))
    for (const seq of seqs) delivery(other, seq)
    const { body: tested } = await server.call('POST', `/webhooks/${id}/test`)
    const all = [...ids, tested.id].reverse()
    const list = async (query = ''): Promise<string[]> => {
      const { status, body } = await server.call('GET', `/webhooks/${id}/deliveries?${query}`)
      assert.equal(status, 200)
      return body.data.map((each: { id: string }) => each.id)
    }
    assert.deepEqual(await list(), all)
    assert.deepEqual(await list('sort=created_at'), all.toReversed())
    assert.deepEqual(await list('status=failed'), [ids[4], ids[1]])
    assert.deepEqual(await list('status[ne]=pending'), [ids[6], ids[4], ids[3], ids[1], ids[0]])
    assert.deepEqual(await list('type=webhook.test'), [tested.id])
    assert.deepEqual(await list('type=tag.created&status=pending'), [ids[5], ids[2]])
    assert.deepEqual(await list('type[in]=tag.created,webhook.test'), all)
    assert.deepEqual(await list('type=deal.closed'), [])

    const walked: string[] = []
    for (let path: string | undefined = `/webhooks/${id}/deliveries?limit=3&count=true`; path; ) {
      const { body, headers } = await server.call('GET', path)
      assert.equal(body.total, 8)
      walked.push(...body.data.map((each: { id: string }) => each.id))
      path = /^<\/api\/v1([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1]
    }
    assert.deepEqual(walked, all)
  })

  test('refuse filters that they do not have, naming those that they have', async () => {
    const id = await webhook()
    for (const [query, detail] of [
      [
        'webhook_id=1',
        /"webhook_id" here\. The allowed parameters are: status, status\[ne\], status\[in\], type, .*limit, cursor/,
      ],
      ['status=lost', /one of pending, delivered, failed/],
      ['type=deal.*', new RegExp(`one of ${EVENT_NAMES[0]}, .*, webhook.test`)],
    ] as const) {
      const { status, body } = await server.call('GET', `/webhooks/${id}/deliveries?${query}`)
      assert.deepEqual([status, body.code], [400, 'invalid_query'])
      assert.match(body.detail, detail)
    }
    const { body } = await server.call('GET', `/webhooks/${id}/deliveries?status=pending&limit=1`)
    assert.equal(body.next_cursor, null)
  })

  test('give a cursor that is of no other webhook', async () => {
    const [id, other] = [await webhook(), await webhook()]
    for (let n = 0; n < 2; n++) await server.call('POST', `/webhooks/${id}/test`)
    const { body } = await server.call('GET', `/webhooks/${id}/deliveries?limit=1`)
    const { status, body: refused } = await server.call(
      'GET',
      `/webhooks/${other}/deliveries?cursor=${body.next_cursor}`,
    )
    assert.deepEqual([status, refused.code], [400, 'invalid_cursor'])
  })
})

describe('a test of a webhook', () => {
  for (const status of ['active', 'paused', 'disabled']) {
    test(`is sent at once, also where it is ${status}, and is no event`, async () => {
      const id = await webhook({ status, description: 'To be tried' })
      const seq = server.lastSeq()
      const { status: answered, body, headers } = await server.call('POST', `/webhooks/${id}/test`)
      assert.equal(answered, 200)
      const { id: delivery, event_id, ...rest } = body
      const now = new Date(server.now()).toISOString()
      assert.deepEqual(rest, {
        ...{ webhook_id: id, seq: null, type: 'webhook.test', status: 'pending', tries: [], next_try_at: now },
        ...{ created_at: now, updated_at: now, version: 1 },
      })
      assert.equal(headers.get('etag'), '"1"')
      assert.equal(server.lastSeq(), seq)
      const { body: sent, is_ordered } = rowOf(delivery)
      assert.equal(is_ordered, 0)
      const { body: webhookNow } = await server.call('GET', `/webhooks/${id}`)
      assert.deepEqual(JSON.parse(sent as string), {
        ...{ id: event_id, seq: null, type: 'webhook.test', timestamp: now },
        actor: { type: 'member', id: server.a.owner },
        data: { object: webhookNow, changed_fields: [], previous: {} },
      })
    })
  }

  test('is made once by a key that is sent twice', async () => {
    const id = await webhook()
    const headers = { 'idempotency-key': `test-${id}` }
    const path = `/webhooks/${id}/test`
    const first = await server.call('POST', path, undefined, { headers })
    assert.equal((await server.call('POST', path, undefined, { headers })).text, first.text)
    assert.equal((await server.call('GET', `/webhooks/${id}/deliveries?count=true`)).body.total, 1)
  })
})

describe('to send a delivery again', () => {
  const PAST = 1000
  test('tries at once what is pending, and holds up nothing else', async () => {
    const [id, seq, next] = [await webhook(), await news(), await news()]
    const later = server.now() + 3_600_000
    const made = delivery(id, seq, { due_at: later, failures: 4 })
    const other = delivery(id, next, { due_at: later, failures: 2 })
    hold(id, later)
    server.advance(10)
    const { status, body, headers } = await redeliver(id, made)
    assert.equal(status, 200)
    assert.deepEqual([body.status, body.next_try_at], ['pending', new Date(server.now()).toISOString()])
    assert.deepEqual([body.version, headers.get('etag')], [2, '"2"'])
    assert.deepEqual([rowOf(made).failures, rowOf(made).is_ordered], [4, 1])
    assert.equal(rowOf(other).due_at, later)
    assert.equal(stateOf(id).held_until, server.now())
  })

  test('leaves alone what is on its way, is due already, or waits for an earlier one of its record', async () => {
    const id = await webhook()
    const [leased, due, waiting] = [await news(), await news(), await news()]
    const all = [
      delivery(id, leased, { leased_until: server.now() + PAST }),
      delivery(id, due, { due_at: server.now() - PAST }),
      delivery(id, waiting),
    ]
    for (const made of all) {
      const before = rowOf(made)
      assert.equal((await redeliver(id, made)).status, 200)
      assert.deepEqual(rowOf(made), before)
    }
  })

  for (const status of ['delivered', 'failed']) {
    test(`sends what was ${status} once more, with the whole schedule and in no order`, async () => {
      const [id, seq] = [await webhook(), await news()]
      const made = delivery(id, seq, { status, failures: 10, tries: JSON.stringify([TRY]) })
      server.advance(10)
      const { body } = await redeliver(id, made)
      assert.deepEqual([body.status, body.next_try_at], ['pending', new Date(server.now()).toISOString()])
      assert.deepEqual([body.tries, body.version], [[TRY], 2])
      assert.deepEqual([rowOf(made).failures, rowOf(made).is_ordered], [0, 0])
    })
  }

  for (const status of ['paused', 'disabled']) {
    test(`is refused where the webhook is ${status}, but for a test`, async () => {
      const [id, seq] = [await webhook({ status }), await news()]
      const made = delivery(id, seq, { status: 'failed' })
      const before = rowOf(made)
      const { status: answered, body } = await redeliver(id, made)
      assert.deepEqual([answered, body.code], [409, 'webhook_not_active'])
      assert.match(body.detail, new RegExp(`is ${status}. Set its status to active`))
      assert.deepEqual(rowOf(made), before)
      const { body: tested } = await server.call('POST', `/webhooks/${id}/test`)
      server.store.db.prepare("UPDATE deliveries SET status = 'failed', due_at = NULL WHERE id = ?").run(tested.id)
      assert.equal((await redeliver(id, tested.id)).body.status, 'pending')
    })
  }

  test('is refused where the event is not kept any longer', async () => {
    const [id, seq] = [await webhook(), await news()]
    const made = delivery(id, seq, { status: 'delivered' })
    const before = rowOf(made)
    server.store.db.prepare('DELETE FROM events WHERE org_id = ? AND seq = ?').run(server.a.org, seq)
    const { status, body } = await redeliver(id, made)
    assert.deepEqual([status, body.code], [409, 'event_expired'])
    assert.deepEqual(rowOf(made), before)
  })

  test('is for the version that If-Match names', async () => {
    const [id, seq] = [await webhook(), await news()]
    const made = delivery(id, seq, { status: 'failed' })
    assert.equal((await redeliver(id, made, { 'if-match': '"2"' })).status, 412)
    assert.equal((await redeliver(id, made, { 'if-match': '"1"' })).status, 200)
  })

  test('is 404 for a delivery of a webhook that was deleted', async () => {
    const [id, seq] = [await webhook(), await news()]
    const made = delivery(id, seq)
    await server.call('DELETE', `/webhooks/${id}`)
    assert.ok(rowOf(made), 'a job clears it away, some at a time')
    assert.equal((await redeliver(id, made)).status, 404)
    assert.equal((await redeliver(id, made, { 'if-match': '"9"' })).status, 404)
  })
})
