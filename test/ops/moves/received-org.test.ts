import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { MINUTE_MS } from '../../../src/lib/time.ts'
import { leavingOrg, receivedOrg } from '../../../src/ops/moves/received-org.ts'
import { jobQueue } from '../../../src/store/jobs/jobs.ts'
import { deliveryQueue } from '../../../src/webhooks/delivery/queue.ts'
import { insertRow } from '../../support/enrolled.ts'
import { startServer, type TestServer } from '../../support/server.ts'

let server: TestServer
before(async () => {
  server = await startServer()
})
after(() => server.stop())

/** Makes B one that is being received, and then one that has arrived, as the commit of a move does. */
function arrive(): void {
  const { store, b } = server
  store.transaction(() => {
    const prepared = leavingOrg(store.db, b.org).prepared()
    store.db.prepare("UPDATE orgs SET state = 'staged', public_id = 'staged' WHERE id = ?").run(b.org)
    receivedOrg(store.db).install(b.org, b.id, prepared, server.now())
  })
}

describe('what the source had begun when an organisation left is begun again at once:', () => {
  test('jobs', () => {
    const { store, a, b } = server
    const jobs = jobQueue(store)
    const put = (org: number, key: string) => jobs.put(org, { kind: 'moved', key, payload: {}, dueAt: server.now() })
    store.transaction(() => {
      for (const org of [a.org, b.org]) put(org, 'begun')
      assert.equal(jobs.claim('moved', 10, 10 * MINUTE_MS).length, 2)
      put(b.org, 'waits')
    })
    arrive()
    assert.equal(jobs.nextLeaseEnd(), server.now())
    const released = store.transaction(() =>
      jobs.releaseExpired(
        10,
        () => 5,
        () => 0,
      ),
    )
    assert.deepEqual(
      released.map(({ org, key }) => [org, key]),
      [[b.org, 'begun']],
      'as at the start of a server, and none of another organisation',
    )
  })

  test('deliveries, and those that wait for others go on waiting', async () => {
    const { store, a, b, deps, call } = server
    const queue = deliveryQueue(deps)
    const [mine, other] = await Promise.all(
      [b, a].map(async ({ org, token }) => {
        const url = 'https://hooks.example.com/dealbox'
        const { body } = await call('POST', '/webhooks', { url, event_types: ['*'] }, { token })
        const row = {
          org_id: org,
          webhook_id: body.id,
          object_id: 'x',
          type: 'deal.created',
          status: 'pending',
          tries: '[]',
        }
        const times = { failures: 0, is_ordered: 1, created_at: 0, updated_at: 0, version: 1 }
        for (const [id, due_at, seq] of [
          ['begun', server.now(), 901],
          ['waits', null, 902],
        ] as const)
          insertRow(store, 'deliveries', { ...row, ...times, id, event_id: id, seq, due_at })
        return { org, id: body.id as string }
      }),
    )
    const take = (webhook: typeof mine) =>
      store.transaction(() => queue.take(webhook as never, server.now(), 10)).map(({ id }) => id)
    for (const webhook of [mine, other]) assert.deepEqual(take(webhook), ['begun'])
    arrive()
    assert.deepEqual([take(mine), take(other)], [['begun'], []])
  })
})
