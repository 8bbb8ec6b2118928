import { MAX_AHEAD_MS, timeOfId } from '../../../lib/id.ts'
import type { Database } from '../../../store/sqlite/driver.ts'
import { eventSeqs } from '../event-seqs.ts'
import type { TimelinePosition } from './place.ts'

/** An event of a record. */
export type RecordEvent = TimelinePosition & {
  seq: number
  type: string
  actor_id: string | null
  /** JSON text. */
  fields: string
  previous: string
  object: string
}

/** Entries of the index that are searched for a page. */
const MAX_SEARCHED = 50_000
/** Events of other records between an event and the moment of what it tells. */
const MAX_NEAR = 500
const FIRST_ID = '00000000-0000-7000-8000-000000000000'

export type RecordEvents = ReturnType<typeof recordEvents>

/**
 * Finds the events of a record by searching the index of seq, which has the record, from a time on.
 */
export function recordEvents(db: Database) {
  const { seqAt, timeAt } = eventSeqs(db)
  const find = db.prepare(
    `SELECT at, id, seq, type, actor_id, data ->> 'changed_fields' AS fields, data ->> 'previous' AS previous,
       data ->> 'object' AS object
     FROM events INDEXED BY events_seq
     WHERE org_id = ? AND seq BETWEEN ? AND ? AND object_id = ? AND (at, id) < (?, ?) ORDER BY seq DESC LIMIT ?`,
  )
  const near = db.prepare(
    `SELECT actor_id FROM events INDEXED BY events_seq
     WHERE org_id = ? AND seq BETWEEN ? AND ? AND object_id = ? AND type LIKE ? ORDER BY seq DESC LIMIT 1`,
  )

  const moved = db
    .prepare(
      `SELECT id FROM events INDEXED BY events_seq
       WHERE org_id = ? AND seq BETWEEN ? AND ? AND object_id = ? AND type LIKE 'deal.%'
         AND data ->> '$.object.version' = ? AND data -> '$.changed_fields' LIKE '%"stage"%' ORDER BY seq DESC LIMIT 1`,
    )
    .pluck()

  /**
   * Returns the events of a record after a place, newest first. `until`: the events from this place on were not
   * searched, so nothing after it can be shown yet.
   */
  function after(
    org: number,
    record: string,
    place: TimelinePosition,
    limit: number,
  ): { found: RecordEvent[]; until?: TimelinePosition } {
    const newest = seqAt(org, place.at)
    const before = seqAt(org, timeOfId(record) - MAX_AHEAD_MS) // no event of it is older, if its id was ahead of the clock
    const oldest = Math.max(newest - MAX_SEARCHED, before)
    const found = find.all(org, oldest + 1, newest, record, place.at, place.id, limit) as RecordEvent[]
    const reached = found.length < limit && oldest > before ? timeAt(org, oldest) : undefined
    // A page goes on by a millisecond at least.
    return reached === undefined ? { found } : { found, until: { at: Math.min(reached, place.at - 1), id: LAST_ID } }
  }

  /** Who made a change of a record at about a time; null if it was nobody, or is no longer known. */
  function actorAt(org: number, record: string, at: number, type: string): string | null {
    return nearAt(org, record, at, type)?.actor_id ?? null
  }

  /** The event that tells of a change of stages; null if it is no longer kept. */
  function moveAt(org: number, deal: string, at: number, version: number): string | null {
    return (moved.get(org, ...around(org, at), deal, version) as string | undefined) ?? null
  }

  const around = (org: number, at: number): [number, number] => {
    const seq = seqAt(org, at + 1)
    return [seq - MAX_NEAR, seq]
  }
  const nearAt = (org: number, record: string, at: number, type: string) =>
    near.get(org, ...around(org, at), record, type) as { actor_id: string | null } | undefined

  return { after, actorAt, moveAt }
}

/** After all ids of a millisecond, in a timeline: before them. */
const LAST_ID = FIRST_ID.replaceAll('0', 'f').replace('ffff-8', 'ffff-b').replace('-ffff-', '-7fff-')
