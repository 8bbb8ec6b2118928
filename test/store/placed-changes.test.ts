import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventReader } from '../../src/events/reading.ts'
import { placeBulkChanges } from '../../src/store/schema/schema-6.ts'
import { insertRow } from '../support/enrolled.ts'
import { startServer, type TestServer } from '../support/server.ts'

// What a database of schema 5 knows of changes of many records, after the migration.

let server: TestServer
before(async () => {
  server = await startServer()
})
after(() => server.stop())

test('a change of many records stands among the others where it was finished; one that goes on stands nowhere yet', async () => {
  const { store, a } = server
  const member_id = store.db.prepare('SELECT id FROM members WHERE org_id = ?').pluck().get(a.org) as string
  const bulk = (finished_at: number | null): string => {
    const id = store.clock.id()
    const counts = { total: 1, done: 1, failed: 0, created_at: 0 }
    insertRow(store, 'bulk_changes', {
      org_id: a.org,
      id,
      member_id,
      object: 'deals',
      change: '{}',
      ...counts,
      finished_at,
    })
    return id
  }
  const first = store.transaction(() => bulk(store.clock.now() - 3_600_000))
  await server.call('POST', '/deals', { title: 'before' })
  const seq = eventReader(store.db).newest(a.org)
  const [second, open] = store.transaction(() => [bulk(store.clock.now()), bulk(null)])
  server.advance(60_000)
  await server.call('POST', '/deals', { title: 'behind' })
  store.transaction(() => placeBulkChanges(store.db))
  const placeOf = store.db.prepare('SELECT last_seq FROM bulk_changes WHERE id = ?').pluck()
  assert.deepEqual(
    [first, second, open].map((id) => placeOf.get(id)),
    [0, seq, null],
  )
})
