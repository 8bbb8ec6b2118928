import { setTimeout as pause } from 'node:timers/promises'
import { Problem } from '../../lib/problem.ts'
import { SECOND_MS } from '../../lib/time.ts'
import { begunEpochs, checkStorage, claimEpoch, newestEpoch, type Position, readEpoch, readStopped } from './epochs.ts'
import { type Fenced, isSamePlace, readFenced } from './holder.ts'
import type { ReplicaStorage } from './replica/copy.ts'

/** The state of a copy that still follows its primary. */
export type Standby = {
  epoch: number
  /** The last event and the last heartbeat that have arrived; undefined while the copy cannot be read. */
  arrived: () => Pick<Position, 'commit_seq' | 'beat'> | undefined
}

export type Claim = {
  epoch: number
  /** Whether the old primary knew of a standby: otherwise it writes for as long as it does not reach the replica. */
  wasFenced: boolean
  /** Whether the old primary said that it stopped, and everything of it has arrived. */
  isComplete: boolean
}

type Options = {
  copy: ReplicaStorage
  standby: Standby
  url: string | null
  /** To give up what a later primary has written that this copy does not have. */
  abandons: boolean
  /** A person has said that the old primary is off, so that it need not have known of a standby. */
  isOldOff: boolean
  now?: () => number
  /** A monotonic clock. */
  monotonic?: () => number
  wait?: (ms: number) => Promise<unknown>
}

/** Both clocks may run at different speeds. */
const MARGIN_MS = 400
const LOOK_EVERY_MS = 250
/** A primary sees a new standby within two seconds. */
const SEEN_WITHIN_MS = 5 * SECOND_MS
/** Of a primary that has not said how long its looks count, as older versions do not. */
const LONGEST_LEASE_MS = 4 * SECOND_MS
/** How long Litestream may take for the last events of a primary that has stopped in good order. */
const LAST_EVENTS_MS = 5 * SECOND_MS

/**
 * Makes a standby the primary of the next epoch, beside the copy: resolves once the old primary has stopped, or knows that
 * it must. Rejects with Problem 409, and nothing has changed then but that an epoch may have no primary.
 */
export async function claimNext(options: Options): Promise<Claim> {
  const { copy, standby, url, now = Date.now, monotonic = () => performance.now(), wait = pause } = options
  const old = standby.epoch
  if (!options.abandons) await refuseOlder(copy, old)
  await checkStorage(copy)
  const fenced = await promiseOf(options, monotonic, wait)
  const newest = await newestEpoch(copy)
  const epoch = Math.max(newest?.epoch ?? 1, old) + 1
  const { isOurs, claimed } = await claimEpoch(copy, { epoch, from: old, primary_url: url, now: now() })
  if (!isOurs) throw meanwhile(claimed.primary_url)
  const claimedAt = monotonic()
  // One that was promoted in between may have been a moment ago, and has not said that it stopped.
  const isNext = epoch === old + 1

  let hasAll = false
  for (;;) {
    const stopped = await readStopped(copy, old).catch(() => undefined)
    const waited = monotonic() - claimedAt
    hasAll = stopped !== undefined && hasArrived(stopped, standby.arrived())
    const patience = (fenced?.lease_ms ?? LONGEST_LEASE_MS) + MARGIN_MS + (isNext && stopped ? LAST_EVENTS_MS : 0)
    if (waited >= patience || (isNext && hasAll)) break
    await wait(LOOK_EVERY_MS)
  }
  if (!isNext && !options.abandons) await refuseOlder(copy, old) // it may have begun just before
  return { epoch, wasFenced: fenced !== undefined, isComplete: hasAll && !(await hasNewer(copy, old)) }
}

/**
 * What the primary that is to be replaced has promised to a standby. Rejects with Problem 409 if it has not, or to one that
 * has other files before it, unless that primary is off.
 */
async function promiseOf(
  { copy, standby, isOldOff }: Options,
  monotonic: () => number,
  wait: (ms: number) => Promise<unknown>,
): Promise<Fenced | undefined> {
  const until = monotonic() + SEEN_WITHIN_MS
  for (;;) {
    const epoch = Math.max(standby.epoch, (await begunEpochs(copy))[0] ?? 1)
    const fenced = await readFenced(copy, epoch)
    if (isOldOff) return fenced
    if (fenced && (await isSamePlace(copy, epoch, fenced)) === false) throw synchronised(copy.name)
    if (fenced) return fenced
    if (monotonic() >= until) throw unseen(epoch)
    await wait(LOOK_EVERY_MS)
  }
}

const hasArrived = (stopped: Position, arrived: ReturnType<Standby['arrived']>): boolean =>
  arrived !== undefined && arrived.commit_seq >= stopped.commit_seq && arrived.beat >= stopped.beat

const hasNewer = async (copy: ReplicaStorage, epoch: number): Promise<boolean> =>
  (await begunEpochs(copy)).some((begun) => begun > epoch)

async function refuseOlder(copy: ReplicaStorage, epoch: number): Promise<void> {
  const [newest] = await begunEpochs(copy)
  if (newest !== undefined && newest > epoch)
    throw behind(epoch, newest, (await readEpoch(copy, newest))?.primary_url ?? null)
}

const INSIST = 'turn it off for good, and promote with --old-primary-is-off'

const unseen = (epoch: number): Problem =>
  new Problem(
    409,
    'not_seen',
    `The primary of epoch ${epoch} has never noticed a standby at its replica, so it goes on writing while it cannot reach the replica, also after a promotion. If it runs, see why it does not reach the replica, and try again. Otherwise ${INSIST}.`,
  )

const synchronised = (name: string): Problem =>
  new Problem(
    409,
    'folder_synchronised',
    `${name} is not the folder that the primary has before it, but a copy which another program synchronises: the primary would not see in time that it was replaced. Use a share or S3-compatible storage. To promote all the same, ${INSIST}.`,
  )

const behind = (old: number, newest: number, url: string | null): Problem =>
  new Problem(
    409,
    'older_epoch',
    `This copy is of epoch ${old}, but the primary of epoch ${newest}${url === null ? '' : ` (${url})`} has begun since, and may have written more. Promote a standby that follows it, or give up what it has written with --abandon.`,
  )

const meanwhile = (url: string | null): Problem =>
  new Problem(
    409,
    'promoted_meanwhile',
    `Another standby${url === null ? '' : ` (${url})`} was promoted at the same moment, and is the primary.`,
  )
