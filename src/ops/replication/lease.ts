import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { type Every, everyMs } from '../../lib/every.ts'
import type { Log } from '../../lib/log.ts'
import { Problem } from '../../lib/problem.ts'
import { MINUTE_MS, rfc3339, SECOND_MS } from '../../lib/time.ts'
import {
  type Fence,
  isHeld,
  LEASE_MS,
  leaseFile,
  type Moment,
  notConfirmed,
  notPrimary,
  replacedByCopy,
  type Successor,
  thisMoment,
} from '../../store/folder/fence.ts'
import { installationId } from '../../store/installation.ts'
import type { Store } from '../../store/open.ts'
import { beginning, checkStorage, claimEpoch, noteBegun, readEpoch } from './epochs.ts'
import {
  type Holder,
  hasStandby,
  noteFenced,
  putDisplaced,
  putHolder,
  readDisplaced,
  readFenced,
  readHolder,
} from './holder.ts'
import { type Known, noteKnown, readKnown } from './known.ts'
import { DISPLACED, lost, NOT_CONFIRMED, NOT_REACHED, ofCopy, ofOther, REACHED } from './lease-texts.ts'
import type { ReplicaStorage } from './replica/copy.ts'
import { withdrawal } from './withdrawal.ts'

/** Several times within a lease, so that looks may be slow, or fail. */
const LOOK_EVERY_MS = SECOND_MS / 2
/** Without a standby: nobody waits for this server to stop. */
const LOOK_ALONE_EVERY = 4
/** A look that takes longer would not count any more; the first one has more to do. */
const PATIENCE_MS = 3 * SECOND_MS
/** So long after its start a server looks whether it has displaced another one. */
const DISPLACED_MS = MINUTE_MS
/** So many looks may be on their way at once. */
const MAX_LOOKS = 4

export type LeaseStatus = {
  epoch: number
  /** The server that was promoted instead of this one. */
  successor: Successor | undefined
  /** Why nothing is written now; undefined while writes are answered. */
  problem: Problem | undefined
  /** The fault that a person has to mend, although this server goes on without the replica. */
  warning: string | undefined
  /** Whether a standby may take over, so that nothing is written while the replica cannot be reached. */
  isFenced: boolean
}

export type Lease = ReturnType<typeof openLease>

type Options = {
  store: Pick<Store, 'db' | 'wallClock'>
  dataDir: string
  copy: ReplicaStorage
  epoch: number
  /** Where clients reach this server. */
  url: string | undefined
  log: Log
  /** A person has said that no other server is the primary. */
  isOldOff?: boolean
  /** The option that names the replica. */
  option?: Known['option']
  every?: Every
  now?: () => Moment
}

/**
 * Looks beside the copy whether another server was promoted, or started from a copy of this folder. Once there is one,
 * nothing is written any more. Where a standby has registered, nothing is written either from two seconds after the last
 * look: it may be promoted then. Until a place was reached for the first time, nothing is written.
 */
export function openLease(options: Options) {
  const { store, dataDir, copy, epoch, url, log, every = everyMs, now = thisMoment } = options
  const ending = new AbortController()
  const { promise: deposed, resolve: depose } = Promise.withResolvers<Successor | Holder>()
  const { promise: held, resolve: hold } = Promise.withResolvers<void>()
  const file = leaseFile(dataDir)
  const start = randomUUID()
  /** The lease as this data folder last noted it, perhaps at another replica. */
  const remembered = readKnown(dataDir)
  let known = remembered?.replica === copy.name && remembered.epoch === epoch ? remembered : undefined
  let lookedAt: Moment | undefined
  /** Another server of this folder. */
  let other: Holder | undefined
  let isEstablished = false
  let establishedAt: number | undefined
  let isMixed = false
  let mixed = (): void => undefined
  let isSaid = false
  let failure: string | undefined
  const looking = new Set<Promise<void>>()
  let turn = 0
  const leave = withdrawal({ store, dataDir, copy, epoch, log, depose, end: () => file.noteNone() })
  if (isAlone()) file.remove()
  else file.noteNone()

  /** No standby has registered, as far as is known, and the place was reached before. */
  function isAlone(): boolean {
    return known !== undefined && !known.is_fenced && known.has_begun
  }

  const isCurrent = (): boolean => lookedAt !== undefined && isHeld(lookedAt, now())
  const refusal: Fence = () => {
    const successor = leave.successor()
    if (successor) return notPrimary(successor)
    if (other) return replacedByCopy(other.host, other.at)
    return isAlone() || isCurrent() ? undefined : notConfirmed()
  }

  /** What has to be there before the first write, in the order in which others rely on it. */
  async function establish(began: Moment, signal: AbortSignal): Promise<void> {
    const installation = installationId(store.db)()
    const holder = await readHolder(copy, epoch, signal)
    if (holder && holder.installation !== installation) throw ofOther(copy.name, holder.host)
    if (holder && !isOurs(holder) && !options.isOldOff) return await standDown(holder, signal)
    const id = known?.id ?? (await claim(began, signal))
    const [own, next] = await Promise.all([readEpoch(copy, epoch, signal), readEpoch(copy, epoch + 1, signal)])
    if (next) return await leave.replaced(signal)
    if (own?.id !== id) throw lost(copy.name)
    await checkStorage(copy, signal)
    const starts = [start, ...(holder ? [holder.start] : (known?.starts ?? []))].slice(0, 2)
    note({ id, starts, has_begun: known?.has_begun ?? false })
    await putHolder(copy, epoch, { start, installation, host: hostname(), at: rfc3339(began.wall) }, signal)
    // Nothing is written before the first look, so this is still what it began with, also after a crash.
    if (!known?.has_begun && epoch > 1) await noteBegun(copy, epoch, beginning(store), signal)
    await lookForStandby(began, signal)
    if (!known?.has_begun) note({ has_begun: true })
    isEstablished = true
    establishedAt = now().wall
  }

  const isOurs = (holder: Holder): boolean =>
    [...(known?.starts ?? []), ...(remembered?.starts ?? [])].includes(holder.start)

  async function claim(began: Moment, signal: AbortSignal): Promise<string> {
    const asked = { epoch, from: epoch - 1, primary_url: url ?? null, now: began.wall }
    return (await claimEpoch(copy, asked, signal)).claimed.id
  }

  function note(more: Partial<Known>): void {
    const { option = 'replica' } = options
    const before = known ?? { id: '', starts: [], is_fenced: false, has_begun: false }
    known = { ...before, ...more, replica: copy.name, epoch, option }
    noteKnown(dataDir, known)
  }

  /** From here on it keeps the promise of `noteFenced`, also after its next start. */
  async function lookForStandby(began: Moment, signal: AbortSignal): Promise<void> {
    if (known?.is_fenced && isEstablished) return
    const found = await Promise.all([hasStandby(copy, epoch, signal), readFenced(copy, epoch, signal)])
    const isFenced = found.some(Boolean)
    if (isFenced) seen(began) // so that nothing is refused between
    if (isFenced !== known?.is_fenced) note({ is_fenced: isFenced })
    if (isFenced) await noteFenced(copy, epoch, LEASE_MS, signal)
  }

  async function lookAgain(began: Moment, signal: AbortSignal): Promise<void> {
    const [holder, next] = await Promise.all([readHolder(copy, epoch, signal), readEpoch(copy, epoch + 1, signal)])
    if (next) return await leave.replaced(signal)
    if (!holder) throw lost(copy.name) // storage that has lost our own file may have lost that of a successor
    if (holder.start !== start) return await standDown(holder, signal)
    await lookForStandby(began, signal)
    await lookForDisplaced(signal)
  }

  /** A server that this one has displaced writes until it sees that, and its Litestream sends it. */
  async function lookForDisplaced(signal: AbortSignal): Promise<void> {
    if (isMixed || now().wall - (establishedAt ?? 0) > DISPLACED_MS) return
    if ((await readDisplaced(copy, epoch, signal))?.by !== start || isMixed) return
    isMixed = true
    log.error({ copy: copy.name }, DISPLACED)
    mixed()
  }

  async function look(): Promise<void> {
    const began = now()
    const signal = AbortSignal.any([ending.signal, AbortSignal.timeout(PATIENCE_MS)])
    try {
      if (leave.successor()) await leave.replaced(signal)
      else if (other) await standDown(other, signal)
      else if (isEstablished) await lookAgain(began, signal)
      else await establish(began, signal)
      if (!leave.successor() && !other) confirmed(began)
    } catch (error) {
      if (ending.signal.aborted) return
      if (!leave.successor()) failed(error)
    }
  }

  function seen(began: Moment): void {
    if (lookedAt === undefined || began.monotonic > lookedAt.monotonic) lookedAt = began
  }

  function confirmed(began: Moment): void {
    seen(began)
    if (isAlone()) file.remove()
    else file.note(lookedAt as Moment)
    hold()
    failure = undefined
    if (isSaid) log.warn({ copy: copy.name, epoch }, REACHED)
    isSaid = false
  }

  function failed(error: unknown): void {
    failure = error instanceof Problem ? error.message : `${copy.name} does not answer.`
    sayIfOver()
  }

  function sayIfOver(): void {
    if (isSaid || leave.successor() || other || isCurrent() || (isAlone() && failure === undefined)) return
    isSaid = true
    const said = { copy: copy.name, epoch, reason: failure }
    if (isAlone()) log.warn(said, NOT_REACHED)
    else log.error(said, NOT_CONFIRMED)
  }

  /** Nothing is written any more. The other one has to know: its copy may have something of both. */
  async function standDown(holder: Holder, signal: AbortSignal): Promise<void> {
    if (!other) {
      other = holder
      file.noteNone()
      log.error({ ...holder, copy: copy.name }, replacedByCopy(holder.host, holder.at).message)
      depose(holder)
    }
    if (isEstablished) await putDisplaced(copy, epoch, { start, by: holder.start, at: rfc3339(now().wall) }, signal)
    turn = Number.NEGATIVE_INFINITY // there is nothing to look for any more
  }

  function tick(): void {
    if (lookedAt || isAlone()) sayIfOver()
    if (leave.isDone() || turn === Number.NEGATIVE_INFINITY) return
    const isCalm = isEstablished && isAlone() && !leave.successor()
    if (isCalm && turn++ % LOOK_ALONE_EVERY !== 0) return
    if (looking.size >= (isEstablished && !isCalm && !leave.successor() && !other ? MAX_LOOKS : 1)) return
    const one: Promise<void> = look().finally(() => looking.delete(one))
    looking.add(one)
  }

  const stop = every(LOOK_EVERY_MS, tick)
  tick()
  return {
    refusal,
    /** The looks that are on their way; resolves also if they failed. */
    looked: async (): Promise<void> => void (await Promise.all(looking)),
    /** Whether writes need not wait for the first look. */
    isAlone,
    /** Resolves after the first look without a successor, and at the end. */
    held,
    release: hold,
    /** Called if another server of this folder was at work until this one started. */
    onMixed: (listener: () => void): void => {
      mixed = listener
      if (isMixed) listener()
    },
    /** Resolves once there is a successor, or another server of this folder. */
    deposed,
    successor: leave.successor,
    /** Whether what the successor does not have is in a file, if there is anything. */
    isDone: leave.isDone,
    other: (): Problem | undefined => other && ofCopy(dataDir, other),
    /** The name of this start. */
    start,
    status: (): LeaseStatus => {
      const problem = refusal()
      const successor = leave.successor()
      const warning =
        isAlone() && !problem && failure !== undefined && !isCurrent() ? `${NOT_REACHED} (${failure})` : undefined
      const isFenced = known?.is_fenced ?? true
      return {
        epoch,
        successor,
        problem: problem && !successor && failure ? withReason(problem, failure) : problem,
        warning,
        isFenced,
      }
    },
    stop: async (): Promise<void> => {
      stop()
      hold()
      ending.abort()
      await Promise.all(looking)
      file.close()
    },
  }
}

const withReason = ({ status, code, message }: Problem, reason: string): Problem =>
  new Problem(status, code, `${message} (${reason})`)
