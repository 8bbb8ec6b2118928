import { eventsOf } from '../events/names.ts'
import type { Store } from '../store/open.ts'

/** Events scanned: more than an active webhook ever has after its stored position. */
const MAX_LOOKED_AT = 10_000

/** Moves the position of a webhook before its event types change. */
export function positions({ db }: Pick<Store, 'db'>) {
  const planned = db.prepare('SELECT planned_seq FROM webhook_states WHERE org_id = ? AND webhook_id = ?').pluck()
  const behind = db.prepare('SELECT seq, type FROM events WHERE org_id = ? AND seq > ? ORDER BY seq LIMIT ?')
  const move = db.prepare('UPDATE webhook_states SET planned_seq = ? WHERE org_id = ? AND webhook_id = ?')

  /** Skips events that were not among `types`, so that they are not sent after types have been added. */
  function passUnwanted(org: number, id: string, types: readonly string[]): void {
    const wanted = eventsOf(types)
    const before = planned.get(org, id) as number
    let last = before
    for (const { seq, type } of behind.iterate(org, last, MAX_LOOKED_AT) as Iterable<{ seq: number; type: string }>) {
      if (wanted.has(type)) break
      last = seq
    }
    if (last > before) move.run(last, org, id)
  }

  return { passUnwanted }
}
