import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Every } from '../../../lib/every.ts'
import type { Log } from '../../../lib/log.ts'
import { Problem } from '../../../lib/problem.ts'
import { SECOND_MS } from '../../../lib/time.ts'
import {
  type Fence,
  type Moment,
  notConfirmed,
  removeLease,
  type Successor,
  successorOf,
} from '../../../store/folder/fence.ts'
import type { Store } from '../../../store/open.ts'
import { replicationRow } from '../../../store/replication.ts'
import { readEpoch } from '../epochs.ts'
import { forgetKnown, type Known, readKnown } from '../known.ts'
import type { Lease } from '../lease.ts'
import type { ReplicaStorage } from '../replica/copy.ts'
import { unreplicatedName } from '../unreplicated.ts'
import { replicaChanged, replicaMissing } from './fence-options.ts'

/** Storage that does not answer must not keep a server from starting that does not depend on it. */
const PATIENCE_MS = 3 * SECOND_MS

/** Writes that a server begins with wait until it may write: storage may be slow, or not made yet by Litestream. */
export const whenHeld = (store: Store, lease: Lease | undefined): Store =>
  lease ? { ...store, write: (job, allowed) => lease.held.then(() => store.write(job, allowed)) } : store

/** By which the server looks; its own by default. */
type Time = { every: Every; now: () => Moment }

type Start = { store: Store; log: Log; url: string | undefined }

type Options = {
  /** Undefined where nobody can ask it, and without a replica. */
  copy: ReplicaStorage | undefined
  option: Known['option']
  /** A person has said that no other server is the primary. */
  isOldOff: boolean
} & Partial<Time>

/**
 * Keeps a replicated server from writing beside another one that was promoted. The fence is closed until `start`, which
 * rejects with Problem 409 if there is such a server, or if there may be one that this start would not see.
 */
export function fenceOf(dataDir: string, { copy, option, isOldOff, ...time }: Options) {
  let lease: Lease | undefined
  const closed = copy ? notConfirmed() : undefined
  const fence: Fence = () => (lease ? lease.refusal() : closed)

  async function start({ store, log, url }: Start): Promise<Lease | undefined> {
    const { epoch } = replicationRow(store.db).read()
    const successor = successorOf(dataDir)
    if (successor) throw replaced(dataDir, successor, await isSaved({ store, log, dataDir, copy, epoch }))
    if (isOldOff) log.warn(INSISTED)
    const known = readKnown(dataDir)
    if (!copy) {
      if (known && !isOldOff) throw replicaMissing(dataDir, known)
      forgetKnown(dataDir)
      removeLease(dataDir)
      return undefined
    }
    if (known?.is_fenced && !isOldOff && known.replica !== copy.name && !(await isHere(copy, known)))
      throw replicaChanged(dataDir, known, copy.name)
    const { openLease } = await import('../lease.ts') // few servers need it
    lease = openLease({ store, dataDir, copy, epoch, url, log, option, isOldOff, ...time })
    await lease.looked()
    if (lease.isAlone()) lease.release() // the storage may be away
    const found = lease.successor()
    if (!found && !lease.other()) return lease
    await lease.stop()
    throw found ? replaced(dataDir, found, lease.isDone()) : lease.other()
  }

  return { fence, start }
}

const INSISTED =
  'it was said with --old-primary-is-off that no other server is the primary: start without it the next time'

/** Whether it is the same place by another name, as where a share is mounted elsewhere. */
const isHere = (copy: ReplicaStorage, { epoch, id }: Known): Promise<boolean> =>
  readEpoch(copy, epoch, AbortSignal.timeout(PATIENCE_MS)).then(
    (found) => found?.id === id,
    () => false,
  )

type Left = { store: Store; log: Log; dataDir: string; copy: ReplicaStorage | undefined; epoch: number }

/**
 * Whether what the new primary does not have is in a file. A server that ended between the promotion and the first write of the
 * new primary could not tell what that is: this start does.
 */
async function isSaved({ copy, ...left }: Left): Promise<boolean> {
  if (existsSync(join(left.dataDir, unreplicatedName(left.epoch)))) return true
  if (!copy) return false
  const { withdrawal } = await import('../withdrawal.ts') // few servers need it
  const leave = withdrawal({ ...left, copy, depose: () => undefined, end: () => undefined })
  await leave.replaced(AbortSignal.timeout(PATIENCE_MS)).catch(() => undefined)
  return leave.isDone()
}

function replaced(dataDir: string, { epoch, primary_url, promoted_at }: Successor, isSaved: boolean): Problem {
  const known = readKnown(dataDir)?.replica
  const named = known === undefined ? '' : ` (${known})`
  const left = isSaved
    ? 'What the new primary does not have is in a file unreplicated-epoch-... there.'
    : `What the new primary does not have is not in a file yet: start it once more with its replica${named}, while that can be reached and the new primary serves.`
  const since = promoted_at === null ? '' : ` since ${promoted_at}`
  return new Problem(
    409,
    'not_primary',
    `${dataDir} is no longer the primary: that is ${primary_url ?? 'another server'}${since} (epoch ${epoch}). It is not served, so that nobody writes to it. ${left} Keep the folder aside, and follow the new primary from another one; docs/failover.md says how.`,
  )
}
