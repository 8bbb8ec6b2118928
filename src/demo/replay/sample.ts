import { setImmediate as nextTurn } from 'node:timers/promises'
import { openStore, type Store } from '../../store/open.ts'
import { orgOf } from '../../store/orgs/orgs.ts'
import { seedBatches } from './replay.ts'
import { rememberSample } from './sample-records.ts'

const SEED = 43

/**
 * Fills a new organisation with sample data, two seconds of work in short transactions. It has a connection of its own,
 * which hides the jobs of the story from the server. A lock of another process is waited for, since half of the data
 * would be worse; the organisation has nobody yet who waits.
 */
export async function installSample(
  { store, dataDir }: { store: Pick<Store, 'clock' | 'accessChanged'>; dataDir: string },
  org: number,
  owner: string,
): Promise<void> {
  const { clock, accessChanged } = store
  const own = openStore(dataDir, { wall: clock.now })
  const pace = { now: () => performance.now(), sleep: () => undefined }
  try {
    const { currency } = orgOf(own.db, org)
    const batches = seedBatches(own, { org, seed: SEED, profile: 'demo', asOf: clock.now(), currency, pace })
    while (!batches.next().done) await nextTurn()
    own.transaction(() => rememberSample(own.db, org, owner))
  } finally {
    own.close()
    accessChanged()
  }
}
