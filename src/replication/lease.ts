import type { Log } from '../http/log.ts'
import { type Every, everyMs } from '../lib/every.ts'
import { Problem } from '../lib/problem.ts'
import { SECOND_MS } from '../lib/time.ts'
import {
  type Fence,
  isHeld,
  leaseFile,
  type Moment,
  notConfirmed,
  noteSuccessor,
  notPrimary,
  type Successor,
  thisMoment,
} from '../store/fence.ts'
import type { Store } from '../store/open.ts'
import { replicationRow } from '../store/replication.ts'
import type { Copy } from './copy/copy.ts'
import {
  checkStorage,
  claimEpoch,
  lastKept,
  newestEpoch,
  noteBegun,
  noteStopped,
  type Position,
  presentPosition,
  readEpoch,
} from './epochs.ts'
import { KNOWN, knownId, noteKnown } from './known.ts'
import { writeUnreplicated } from './unreplicated.ts'

/** Twice within a lease, so that one look may fail. */
const LOOK_EVERY_MS = 1.5 * SECOND_MS
/** A look that takes longer would not count any more. */
const PATIENCE_MS = 3 * SECOND_MS

export type LeaseStatus = {
  epoch: number
  /** The server that was promoted instead of this one. */
  successor: Successor | undefined
  /** Why nothing is written now; undefined while writes are answered. */
  problem: string | undefined
}

export type Lease = ReturnType<typeof openLease>

type Options = {
  store: Pick<Store, 'db' | 'wallClock'>
  dataDir: string
  copy: Copy
  epoch: number
  /** Where clients reach this server. */
  url: string | undefined
  log: Log
  every?: Every
  now?: () => Moment
}

/**
 * Looks beside the copy whether another server was promoted. Until the first look, and from four seconds after the last
 * one, nothing is written; once there is a successor, never again.
 */
export function openLease({ store, dataDir, copy, epoch, url, log, every = everyMs, now = thisMoment }: Options) {
  const ending = new AbortController()
  const { promise: deposed, resolve: depose } = Promise.withResolvers<Successor>()
  const { promise: held, resolve: hold } = Promise.withResolvers<void>()
  const file = leaseFile(dataDir)
  let lookedAt: Moment | undefined
  let successor: Successor | undefined
  /** The end of what was written here. */
  let stopped: Position | undefined
  let id: string | undefined
  let hasBegun = epoch === 1
  let isChecked = false
  let isSaid = false
  let failure: string | undefined
  let looking: Promise<void> | undefined
  let isWritten = false

  const isCurrent = (): boolean => lookedAt !== undefined && isHeld(lookedAt, now())
  const refusal: Fence = () => {
    if (successor) return notPrimary(successor)
    return isCurrent() ? undefined : notConfirmed()
  }

  async function look(): Promise<void> {
    const began = now()
    const signal = AbortSignal.any([ending.signal, AbortSignal.timeout(PATIENCE_MS)])
    try {
      id ??= knownId(dataDir, { replica: copy.name, epoch }) ?? (await claim(began, signal))
      const [own, next] = await Promise.all([readEpoch(copy, epoch, signal), readEpoch(copy, epoch + 1, signal)])
      if (next) return await replaced(signal)
      // Storage that has lost our own file may have lost that of a successor.
      if (own?.id !== id) throw lost(copy.name)
      if (!isChecked) await checkStorage(copy, signal)
      isChecked = true
      // Nothing is written before the first look, so this is still what it began with, also after a crash.
      if (!hasBegun) await noteBegun(copy, epoch, here(), signal)
      hasBegun = true
      lookedAt = began
      hold()
      file.note(began)
      failure = undefined
      if (isSaid) log.warn({ copy: copy.name, epoch }, 'the replica can be reached again, and writes resume')
      isSaid = false
    } catch (error) {
      if (ending.signal.aborted) return
      if (successor && !isSaid) log.error({ err: error }, NOT_NOTED)
      if (successor) isSaid = true
      failure = error instanceof Problem ? error.message : `${copy.name} does not answer.`
      sayIfOver()
    }
  }

  async function claim(began: Moment, signal: AbortSignal): Promise<string> {
    const { claimed } = await claimEpoch(
      copy,
      { epoch, from: epoch - 1, primary_url: url ?? null, now: began.wall },
      signal,
    )
    noteKnown(dataDir, { replica: copy.name, epoch, id: claimed.id })
    return claimed.id
  }

  const here = (): Position => presentPosition(store)

  function sayIfOver(): void {
    if (isSaid || successor || isCurrent()) return
    isSaid = true
    log.error({ copy: copy.name, epoch, reason: failure }, NOT_CONFIRMED)
  }

  async function replaced(signal: AbortSignal): Promise<void> {
    if (!successor) {
      successor = (await newestEpoch(copy, signal)) as Successor
      log.error({ ...successor, copy: copy.name }, notPrimary(successor).message)
      depose(successor)
      file.note({ monotonic: 0, wall: 0 })
    }
    const { epoch: by, primary_url, promoted_at } = successor
    noteSuccessor(dataDir, { epoch: by, primary_url, promoted_at })
    await noteStopped(copy, epoch, (stopped ??= end()), signal)
    await saveUnreplicated(signal)
  }

  /**
   * Nothing is committed from here on but a last heartbeat: a standby that has it has everything, also what makes no event,
   * such as a token that was revoked.
   */
  function end(): Position {
    try {
      replicationRow(store.db).beat(store.wallClock.now())
    } catch (error) {
      log.warn({ err: error }, 'no last heartbeat could be written')
    }
    return here()
  }

  /** As soon as the new primary has said with which event it began. */
  async function saveUnreplicated(signal: AbortSignal): Promise<void> {
    const kept = isWritten ? undefined : await lastKept(copy, epoch, signal)
    if (kept === undefined) return
    const written = await writeUnreplicated({ db: store.db, dataDir, epoch, kept })
    isWritten = true
    if (written) log.error(written, UNREPLICATED)
    else log.warn({ epoch }, 'the new primary has everything that was written here')
  }

  function tick(): void {
    if (lookedAt) sayIfOver()
    if (isWritten) return
    looking ??= look().finally(() => {
      looking = undefined
    })
  }

  const stop = every(LOOK_EVERY_MS, tick)
  tick()
  return {
    refusal,
    /** The first look; resolves also if it failed. */
    looked: (): Promise<void> => looking ?? Promise.resolve(),
    /** Resolves after the first look without a successor, and at the end. */
    held,
    release: hold,
    /** Resolves once there is a successor. */
    deposed,
    successor: (): Successor | undefined => successor,
    status: (): LeaseStatus => {
      const problem = refusal()?.message
      return { epoch, successor, problem: problem && !successor && failure ? `${problem} (${failure})` : problem }
    },
    stop: async (): Promise<void> => {
      stop()
      hold()
      ending.abort()
      await looking
      file.close()
    },
  }
}

const NOT_CONFIRMED =
  'the replica was not reached for four seconds, so another server may have been promoted: nothing is written until it can be'
const NOT_NOTED = 'what was replaced here could not be noted yet, and is tried again'
const UNREPLICATED =
  'what was written here and never reached the replica is in this file, as events; nothing else has it'

const lost = (name: string): Problem =>
  new Problem(
    502,
    'copy_lost',
    `${name} does not know this primary any more. If it is on a share, mount the share. If its files were deleted on purpose, stop this server, delete ${KNOWN} in its data folder, and start it again.`,
  )
