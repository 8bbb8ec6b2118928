import { eventsOf } from '../events/names.ts'
import type { Store } from '../store/open.ts'

/** So many events are looked at: more than a webhook that is sent to ever has behind it without a word in the store. */
const MAX_LOOKED_AT = 10_000

/** How far a webhook is, before it asks for other events. */
export function positions({ db }: Pick<Store, 'db'>) {
  const planned = db.prepare('SELECT planned_seq FROM webhook_states WHERE org_id = ? AND webhook_id = ?').pluck()
  const behind = db.prepare('SELECT seq, type FROM events WHERE org_id = ? AND seq > ? ORDER BY seq LIMIT ?')
  const move = db.prepare('UPDATE webhook_states SET planned_seq = ? WHERE org_id = ? AND webhook_id = ?')

  /** What came while it asked for `types` only, and was none of them, is not sent once it asks for more. */
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
