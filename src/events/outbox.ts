import type { Caller } from '../lib/caller.ts'
import { same } from '../lib/merge.ts'
import type { Store } from '../store/open.ts'
import type { EventName } from './names.ts'

type Shape = { id: string } & Record<string, unknown>

/** The place of an event in the stream. */
export type RecordedEvent = { id: string; seq: number; at: number }

export type Outbox = ReturnType<typeof outbox>

/** Not in `changed_fields`: these change with every change. */
const ALWAYS_CHANGING = new Set(['updated_at', 'version'])

/**
 * Writes events in the transaction of their change, so that there is an event for every commit and none for a rollback.
 * `seq` is assigned in that transaction too, and therefore has no gaps per organisation. Events before the time
 * `writesFrom` only take their place, as if they had been purged already.
 */
export function outbox({ db, clock }: Pick<Store, 'db' | 'clock'>, writesFrom = Number.NEGATIVE_INFINITY) {
  // Not by RETURNING: SQLite runs that in a savepoint, at which FTS5 writes the data that it buffered for the commit.
  const count = db.prepare('UPDATE orgs SET last_seq = last_seq + 1 WHERE id = ?')
  const counted = db.prepare('SELECT last_seq FROM orgs WHERE id = ?').pluck()
  const insert = db.prepare(
    `INSERT INTO events (org_id, seq, id, type, object_id, at, actor_type, actor_id, data, request_key)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )

  /**
   * Records an event. `object` is the REST shape after the change (before it, for a deletion); `before` is only for
   * changes. The members in `withheld` are null in the event, which still lists them as changed.
   */
  function record(
    { org, member, key }: Caller,
    type: EventName,
    object: Shape,
    before?: Shape,
    withheld: readonly string[] = [],
  ): RecordedEvent {
    const changed = before
      ? Object.keys(object).filter((name) => !ALWAYS_CHANGING.has(name) && !same(before[name], object[name]))
      : []
    const none = Object.fromEntries(withheld.map((name) => [name, null]))
    const previous = Object.fromEntries(changed.map((name) => [name, name in none ? null : before?.[name]]))
    const shown = withheld.length > 0 ? { ...object, ...none } : object
    count.run(org)
    const event = { id: clock.id(), seq: counted.get(org) as number, at: clock.now() }
    if (event.at < writesFrom) return event
    insert.run(
      org,
      event.seq,
      event.id,
      type,
      object.id,
      event.at,
      member ? 'member' : 'system',
      member,
      JSON.stringify({ object: shown, changed_fields: changed, previous }),
      key ?? null,
    )
    return event
  }

  return { record }
}
