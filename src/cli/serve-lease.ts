import type { Log } from '../http/log.ts'
import { Problem } from '../lib/problem.ts'
import { SECOND_MS } from '../lib/time.ts'
import type { Copy } from '../replication/copy/copy.ts'
import type { Lease } from '../replication/lease.ts'
import { type Fence, notConfirmed, removeLease, type Successor, successorOf } from '../store/fence.ts'
import type { Store } from '../store/open.ts'
import { replicationRow } from '../store/replication.ts'

/** Storage that does not answer must not keep a server from starting that does not depend on it. */
const PATIENCE_MS = 3 * SECOND_MS

/** Writes that a server begins with wait until it may write: storage may be slow, or not made yet by Litestream. */
export const whenHeld = (store: Store, lease: Lease | undefined): Store =>
  lease ? { ...store, write: (job, allowed) => lease.held.then(() => store.write(job, allowed)) } : store

type Start = { store: Store; log: Log; url: string | undefined }

/**
 * Keeps a replicated server from writing beside another one that was promoted. The fence is closed until `start`, which
 * rejects with Problem 409 if there is such a server. With `--fence off` (`isFenced`), and without a copy that can be asked,
 * it is always open.
 */
export function fenceOf(dataDir: string, copy: Copy | undefined, isFenced: boolean) {
  let lease: Lease | undefined
  const closed = copy && isFenced ? notConfirmed() : undefined
  const fence: Fence = () => (lease ? lease.refusal() : closed)

  async function start({ store, log, url }: Start): Promise<Lease | undefined> {
    const known = successorOf(dataDir)
    const { epoch } = replicationRow(store.db).read()
    if (!copy || !isFenced) {
      if (known) throw replaced(dataDir, known)
      removeLease(dataDir)
      if (copy && epoch > 1) await noteBeginning(copy, { store, log, epoch })
      return undefined
    }
    const { openLease } = await import('../replication/lease.ts') // few servers need it
    lease = openLease({ store, dataDir, copy, epoch, url, log })
    await lease.looked()
    const successor = lease.successor() ?? known
    if (!successor) return lease
    await lease.stop()
    throw replaced(dataDir, successor)
  }

  return { fence, start }
}

/** Standbys follow a primary that has begun, and a copy of an older one is not promoted any more. */
async function noteBeginning(copy: Copy, { store, log, epoch }: Pick<Start, 'store' | 'log'> & { epoch: number }) {
  const { noteBegun, presentPosition } = await import('../replication/epochs.ts')
  try {
    await noteBegun(copy, epoch, presentPosition(store), AbortSignal.timeout(PATIENCE_MS))
  } catch (error) {
    log.error({ err: error, epoch }, 'that this primary has begun could not be noted beside the copy')
  }
}

function replaced(dataDir: string, { epoch, primary_url, promoted_at }: Successor): Problem {
  const since = promoted_at === null ? '' : ` since ${promoted_at}`
  return new Problem(
    409,
    'not_primary',
    `${dataDir} is no longer the primary: that is ${primary_url ?? 'another server'}${since} (epoch ${epoch}). It is not served, so that nobody writes to it. What the new primary does not have is in a file unreplicated-epoch-... there. Keep the folder aside, and follow the new primary from another one; docs/failover.md says how.`,
  )
}
