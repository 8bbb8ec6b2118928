import { timeOfId } from '../../../lib/id.ts'
import { notFound } from '../../../lib/problem.ts'
import type { Database } from '../../../store/sqlite/driver.ts'
import { eventSeqs } from '../event-seqs.ts'
import type { Told } from './inverse.ts'

export type ToldEvent = Told & { seq: number; id: string; type: string; object_id: string }

/** Later events of a record that are looked at for who has changed a field. */
const MAX_LATER = 50

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
  const later = db.prepare(
    `SELECT actor_id, data ->> '$.changed_fields' AS fields FROM events INDEXED BY events_seq
     WHERE org_id = ? AND seq > ? AND object_id = ? ORDER BY seq DESC LIMIT ${MAX_LATER}`,
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

  /** Who has changed one of the fields last, after a seq; null if that was no member. */
  function changerOf(org: number, after: number, record: string, fields: readonly string[]): string | null {
    const rows = later.all(org, after, record) as { actor_id: string | null; fields: string }[]
    const names = fields.map((name) => name.split('.')[0] as string)
    const found = rows.find((row) => names.some((name) => (JSON.parse(row.fields) as string[]).includes(name)))
    return (found ?? rows[0])?.actor_id ?? null
  }

  return {
    find,
    /** Undefined for an event that is no longer kept. */
    seqOf: (org: number, id: string) => (near(org, id) as Row | undefined)?.seq,
    changerOf,
    lastSeq: (org: number): number => last.get(org) as number,
    /** The newest event of a record after a seq. */
    newestOf: (org: number, after: number, record: string) =>
      newest.get(org, after, record) as { seq: number; id: string } | undefined,
  }
}
