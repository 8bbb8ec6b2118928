import { type Every, everyMs } from '../../lib/every.ts'
import { SECOND_MS } from '../../lib/time.ts'
import type { Store } from '../../store/open.ts'
import { replicationRow } from '../../store/replication.ts'

/** Without other writes: so a copy whose heartbeat is older is late. */
export const BEAT_EVERY_MS = 5 * SECOND_MS
/** With other writes: the copy of a busy server shows how old it is to the second. */
const BUSY_BEAT_MS = SECOND_MS

type Options = { store: Pick<Store, 'db' | 'write' | 'health' | 'changes' | 'wallClock'>; every?: Every }

/**
 * Writes the heartbeat, which every copy brings along: its age says how old the copy is. Returns what ends it.
 */
export function startHeartbeat({ store, every = everyMs }: Options): () => Promise<void> {
  const { db, write, health, changes, wallClock } = store
  const row = replicationRow(db)
  let quietMs = BEAT_EVERY_MS // the first one is written at once
  let seen = -1
  let writing: Promise<void> | undefined

  async function beat(): Promise<void> {
    try {
      // So small that it is also written while space is short.
      await write(() => row.beat(wallClock.now()), { isSmall: true })
    } catch (error) {
      health.note(error)
    }
    seen = changes.byUs()
    writing = undefined
  }

  function tick(): void {
    quietMs += BUSY_BEAT_MS
    if (writing || (changes.byUs() === seen && quietMs < BEAT_EVERY_MS)) return
    quietMs = 0
    writing = beat()
  }

  const stop = every(BUSY_BEAT_MS, tick)
  tick()
  return async () => {
    stop()
    await writing
  }
}
