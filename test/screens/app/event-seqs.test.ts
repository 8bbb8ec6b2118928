import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventSeqs } from '../../../src/screens/app/event-seqs.ts'
import { startServer, type TestServer } from '../../support/server.ts'

let server: TestServer
before(async () => {
  server = await startServer()
})
after(() => server.stop())

test('the seq of a time is that of the newest event until then, also where the oldest are gone', () => {
  const { db, clock } = server.store
  const insert = db.prepare(
    `INSERT INTO events (org_id, seq, id, type, object_id, at, actor_type, data)
     VALUES (?, ?, ?, 'deal.updated', 'r', ?, 'system', '{}')`,
  )
  const write = (org: number, times: number[]) => {
    for (const [at, time] of times.entries()) insert.run(org, at + 1, clock.id(), time)
    db.prepare('UPDATE orgs SET last_seq = ? WHERE id = ?').run(times.length, org)
  }
  const { seqAt, timeAt } = eventSeqs(db)
  const { a, b } = server
  assert.equal(seqAt(a.org, 100), 0, 'without events')
  write(a.org, [10, 20, 20, 20, 30, 40, 40])
  write(b.org, [5, 15, 25])
  const seqs = (org: number) => [4, 5, 9, 10, 19, 20, 29, 30, 40, 50].map((at) => seqAt(org, at))
  assert.deepEqual(seqs(a.org), [0, 0, 0, 1, 1, 4, 4, 5, 7, 7])
  assert.deepEqual(seqs(b.org), [0, 1, 1, 1, 2, 2, 3, 3, 3, 3])
  assert.deepEqual([timeAt(a.org, 5), timeAt(b.org, 2), timeAt(b.org, 5)], [30, 15, undefined])
  db.prepare('DELETE FROM events WHERE org_id = ? AND seq <= 2').run(a.org)
  assert.deepEqual(seqs(a.org), [0, 0, 0, 0, 0, 4, 4, 5, 7, 7])
})
