import { timeOfId } from '../../../lib/id.ts'
import { notFound } from '../../../lib/problem.ts'
import type { Database } from '../../../store/driver.ts'
import { eventSeqs } from '../event-seqs.ts'
import type { Told } from './inverse.ts'

export type ToldEvent = Told & { seq: number; id: string; type: string; object_id: string }

type Row = { seq: number; id: string; type: string; object_id: string; data: string }

/** Events of other changes in the same moment. */
const MAX_NEAR = 2000

/** Finds an event by its seq or its id; the id contains its time. Throws 404: events are kept for a while only. */
export function toldEvents(db: Database) {
  const { seqAt, nextAfter } = eventSeqs(db)
  const bySeq = db.prepare('SELECT seq, id, type, object_id, data FROM events WHERE org_id = ? AND seq = ?')
  const byId = db.prepare(
    'SELECT seq, id, type, object_id, data FROM events WHERE org_id = ? AND seq BETWEEN ? AND ? AND id = ?',
  )
  const newest = db.prepare(
    `SELECT seq, id FROM events INDEXED BY events_seq
     WHERE org_id = ? AND seq > ? AND object_id = ? ORDER BY seq DESC LIMIT 1`,
  )
  const last = db.prepare('SELECT last_seq FROM orgs WHERE id = ?').pluck()

  function find(org: number, { seq, event_id: id }: { seq?: number; event_id?: string }): ToldEvent {
    const row = (seq === undefined ? near(org, id as string) : bySeq.get(org, seq)) as Row | undefined
    if (!row) throw notFound()
    return { ...row, ...JSON.parse(row.data) }
  }

  function near(org: number, id: string): unknown {
    const around = seqAt(org, timeOfId(id))
    return byId.get(org, around - MAX_NEAR, (nextAfter(org, around) ?? around) + MAX_NEAR, id)
  }

  return {
    find,
    lastSeq: (org: number): number => last.get(org) as number,
    /** The newest event of a record after a seq. */
    newestOf: (org: number, after: number, record: string) =>
      newest.get(org, after, record) as { seq: number; id: string } | undefined,
  }
}
