import type { Log } from '../http/log.ts'
import { Problem } from '../lib/problem.ts'
import type { Copy } from '../replication/copy/copy.ts'
import type { Lease } from '../replication/lease.ts'
import { type Fence, notConfirmed, removeLease, type Successor, successorOf } from '../store/fence.ts'
import type { Store } from '../store/open.ts'
import { replicationRow } from '../store/replication.ts'

/** Writes that a server begins with wait until it may write: storage may be slow, or not made yet by Litestream. */
export const whenHeld = (store: Store, lease: Lease | undefined): Store =>
  lease ? { ...store, write: (job, allowed) => lease.held.then(() => store.write(job, allowed)) } : store

type Start = { store: Store; log: Log; url: string | undefined }

/**
 * Keeps a replicated server from writing beside another one that was promoted. The fence is closed until `start`, which
 * rejects with Problem 409 if there is such a server. Without a copy that can be asked it is always open.
 */
export function fenceOf(dataDir: string, copy: Copy | undefined) {
  let lease: Lease | undefined
  const closed = copy ? notConfirmed() : undefined
  const fence: Fence = () => (lease ? lease.refusal() : closed)

  async function start({ store, log, url }: Start): Promise<Lease | undefined> {
    const known = successorOf(dataDir)
    if (!copy) {
      if (known) throw replaced(dataDir, known)
      removeLease(dataDir)
      return undefined
    }
    const { openLease } = await import('../replication/lease.ts') // few servers need it
    const { epoch } = replicationRow(store.db).read()
    lease = openLease({ store, dataDir, copy, epoch, url, log })
    await lease.looked()
    const successor = lease.successor() ?? known
    if (!successor) return lease
    await lease.stop()
    throw replaced(dataDir, successor)
  }

  return { fence, start }
}

function replaced(dataDir: string, { epoch, primary_url, promoted_at }: Successor): Problem {
  const since = promoted_at === null ? '' : ` since ${promoted_at}`
  return new Problem(
    409,
    'not_primary',
    `${dataDir} is no longer the primary: that is ${primary_url ?? 'another server'}${since} (epoch ${epoch}). It is not served, so that nobody writes to it. What the new primary does not have is in a file unreplicated-epoch-... there. Keep the folder aside, and follow the new primary from another one; docs/failover.md says how.`,
  )
}
