import { setTimeout as pause } from 'node:timers/promises'
import { Problem } from '../lib/problem.ts'
import { SECOND_MS } from '../lib/time.ts'
import { LEASE_MS } from '../store/fence.ts'
import type { Copy } from './copy/copy.ts'
import { claimEpoch, newestEpoch, readBegun, readStopped } from './epochs.ts'

/** What a copy has, while it still follows. */
export type Standby = {
  epoch: () => number
  /** The last event that has arrived. */
  lastCommit: () => number
}

export type Claim = {
  epoch: number
  /** Whether a primary ever looked after this copy: otherwise it will not notice that it was replaced. */
  wasFenced: boolean
  /** Whether the old primary said that it stopped, and everything of it has arrived. */
  isComplete: boolean
}

type Options = {
  copy: Copy
  standby: Standby
  url: string | null
  /** To give up what a later primary has written that this copy does not have. */
  abandons: boolean
  now?: () => number
  /** A monotonic clock. */
  monotonic?: () => number
  wait?: (ms: number) => Promise<unknown>
}

/** Both clocks may run at different speeds. */
const MARGIN_MS = 400
const LOOK_EVERY_MS = 250
/** How long Litestream may take for the last events of a primary that has stopped in good order. */
const LAST_EVENTS_MS = 5 * SECOND_MS

/**
 * Makes a standby the primary of the next epoch, beside the copy: resolves once the old primary has stopped, or knows that
 * it must. Rejects with Problem 409, and nothing has changed then but that an epoch may have no primary.
 */
export async function claimNext(options: Options): Promise<Claim> {
  const { copy, standby, url, now = Date.now, monotonic = () => performance.now(), wait = pause } = options
  const newest = await newestEpoch(copy)
  const old = standby.epoch()
  if (newest && newest.epoch > old && !options.abandons && (await readBegun(copy, newest.epoch)))
    throw behind(old, newest.epoch, newest.primary_url)
  const epoch = Math.max(newest?.epoch ?? 1, old) + 1
  const { isOurs, claimed } = await claimEpoch(copy, { epoch, primary_url: url, now: now() })
  if (!isOurs) throw meanwhile(claimed.primary_url)
  const claimedAt = monotonic()
  const wasFenced = newest !== undefined

  for (;;) {
    const stopped = await readStopped(copy, old).catch(() => undefined)
    const waited = monotonic() - claimedAt
    if (stopped && standby.lastCommit() >= stopped.commit_seq) return { epoch, wasFenced, isComplete: true }
    const patience = LEASE_MS + MARGIN_MS + (stopped ? LAST_EVENTS_MS : 0)
    if (waited >= patience) return { epoch, wasFenced, isComplete: false }
    await wait(LOOK_EVERY_MS)
  }
}

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
