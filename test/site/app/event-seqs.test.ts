import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { SEQS_PER_EPOCH } from '../../../src/events/epochs.ts'
import { eventSeqs } from '../../../src/site/app/event-seqs.ts'
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
  const { seqAt, timeAt, nextAfter } = eventSeqs(db)
  const { a, b } = server
  assert.equal(seqAt(a.org, 100), 0, 'without events')
  write(a.org, [10, 20, 20, 20, 30, 40, 40])
  write(b.org, [5, 15, 25])
  const seqs = (org: number) => [4, 5, 9, 10, 19, 20, 29, 30, 40, 50].map((at) => seqAt(org, at))
  assert.deepEqual(seqs(a.org), [0, 0, 0, 1, 1, 4, 4, 5, 7, 7])
  assert.deepEqual(seqs(b.org), [0, 1, 1, 1, 2, 2, 3, 3, 3, 3])
  assert.deepEqual([timeAt(a.org, 5), timeAt(b.org, 2), timeAt(b.org, 5)], [30, 15, 25])
  assert.deepEqual([nextAfter(b.org, 0), nextAfter(b.org, 2), nextAfter(b.org, 3)], [1, 3, undefined])
  db.prepare('DELETE FROM events WHERE org_id = ? AND seq <= 2').run(a.org)
  assert.deepEqual(seqs(a.org), [0, 0, 0, 0, 0, 4, 4, 5, 7, 7])
  assert.equal(timeAt(a.org, 2), undefined)

  const setLast = db.prepare('UPDATE orgs SET last_seq = ? WHERE id = ?')
  setLast.run(SEQS_PER_EPOCH, a.org) // a standby took over
  assert.deepEqual(seqs(a.org), [0, 0, 0, 0, 0, 4, 4, 5, 7, 7])
  const [one, two] = [SEQS_PER_EPOCH + 1, SEQS_PER_EPOCH + 2]
  for (const [seq, at] of [
    [one, 60],
    [two, 70],
  ])
    insert.run(a.org, seq, clock.id(), at)
  setLast.run(two, a.org)
  assert.deepEqual(
    [...seqs(a.org), ...[59, 60, 70, 80].map((at) => seqAt(a.org, at))],
    [...[0, 0, 0, 0, 0, 4, 4, 5, 7, 7], ...[7, one, two, two]],
  )
  assert.deepEqual([timeAt(a.org, SEQS_PER_EPOCH), nextAfter(a.org, 7)], [40, one])
})
