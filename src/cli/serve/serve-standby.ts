import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parsePublicUrl } from '../../command/public-url.ts'
import { parseBasePath } from '../../http/base-path.ts'
import { type Every, everyMs } from '../../lib/every.ts'
import type { Log } from '../../lib/log.ts'
import { Problem } from '../../lib/problem.ts'
import { SECOND_MS } from '../../lib/time.ts'
import type { Followed } from '../../ops/replication/commands/follow-options.ts'
import { answer, awaitRequests, type Promoted, type Request } from '../../ops/replication/commands/standby.ts'
import { ageOf, refuseOld, registrationOf } from '../../ops/replication/commands/standby-age.ts'
import { replicaOf } from '../../ops/replication/commands/standby-replica.ts'
import { epochToFollow, folderOfEpoch } from '../../ops/replication/epochs.ts'
import { removeCopy } from '../../ops/replication/followed/files.ts'
import { epochOf, halfPromoted, isPromoted, promoteCopy } from '../../ops/replication/followed/promotion.ts'
import { checkReaderKeys, type ReaderStore } from '../../ops/replication/followed/reader.ts'
import { type Claim, claimNext, type Standby } from '../../ops/replication/promotion.ts'
import type { ReplicaStorage } from '../../ops/replication/replica/copy.ts'
import { urlBelow } from '../../ops/replication/replica/url.ts'
import { lockInstance } from '../../store/folder/lock.ts'
import { isCopy, isPromoting } from '../../store/folder/marks.ts'
import { lastCommit } from '../../store/newest.ts'
import { DATABASE } from '../../store/open.ts'
import type { Running } from './running.ts'
import { serveFolder } from './serve-folder.ts'
import type { ServeOptions } from './serve-options.ts'
import { serveReader } from './serve-reader.ts'

/** How often it looks whether another standby was promoted. */
const LOOK_EVERY_MS = 10 * SECOND_MS
/** How often a promotion ends following, if what it ends at is no end of a transaction. */
const MAX_ENDS = 3
/** How long that may take Litestream; the old primary writes no more. */
const WHOLE_MS = 10 * SECOND_MS

/**
 * Serves a copy for reading until "dealbox promote" asks for more; from then on it is a primary, also at its next start
 * with the same options.
 */
export async function serveStandby(
  options: ServeOptions,
  followed: Followed,
  log: Log,
  abandon?: Promise<void>,
  every: Every = everyMs,
): Promise<Running> {
  const { data } = options
  const file = join(data, DATABASE)
  if (isPromoting(file)) await goOn()
  if (isPromoted(data)) return serveFolder(options, log)
  const copy = askable(followed.replica, log)
  const registration = copy && registrationOf(copy, log)
  let epoch = localEpoch() ?? 1

  async function reading() {
    epoch = Math.max(epoch, await newestEpoch()) // storage that is not mounted has no primary at all
    if (isCopy(file) && (localEpoch() ?? epoch) !== epoch) removeCopy(file) // it does not go on in another folder
    const started = await serveReader(options, { ...followed, replica: replicaNow() }, log, abandon)
    await registration?.register(epoch)
    return started
  }

  const replicaNow = () => urlBelow(followed.replica, folderOfEpoch(epoch))

  function localEpoch(): number | undefined {
    try {
      return epochOf(data)
    } catch {
      return undefined // the reader says what is wrong with it
    }
  }

  /** Storage that does not answer, or that Dealbox cannot ask, is followed as before. */
  const newestEpoch = (): Promise<number> => (copy ? epochToFollow(copy).catch(() => epoch) : Promise.resolve(epoch))

  const { promise: failed, reject: fail } = Promise.withResolvers<never>()
  failed.catch(() => undefined)
  let reader: Awaited<ReturnType<typeof serveReader>> | undefined = await reading()
  let running: Running = reader
  const requests = awaitRequests(data)
  let isStopping = false
  let work = Promise.resolve()
  requests.listen((request) => {
    work = work.then(() => take(request))
  })
  const stopLooking = every(LOOK_EVERY_MS, () => {
    work = work.then(followNewest)
  })

  /** Another standby was promoted: from here on, its copy is followed. */
  async function followNewest(): Promise<void> {
    if (isStopping || !reader) return
    await registration?.register(epoch)
    if ((await newestEpoch()) <= epoch) return
    log.warn({ epoch: epoch + 1 }, 'another server is the primary now, whose copy is followed from here on')
    await reader.stop()
    reader = undefined
    await readAgain(new Problem(409, 'cannot_follow', 'The copy of the new primary cannot be followed.'))
  }

  async function take(request: Request): Promise<void> {
    if (isStopping || !reader) return
    try {
      answer(data, request, await promote(request, reader))
      requests.stop()
      stopLooking()
    } catch (error) {
      if (!(error instanceof Problem)) log.error({ err: error }, 'the promotion failed')
      answer(data, request, error instanceof Problem ? error : failure(error))
      if (!reader) await readAgain(error)
    }
  }

  async function promote(request: Request, { store, stop }: NonNullable<typeof reader>): Promise<Promoted> {
    const url = urlOf(options, request.url)
    const copy = replicaOf(followed.replica)
    await store.readable()
    checkReaderKeys(data, store.db) // what is refused after the claim leaves no primary
    const age = ageOf(store)
    if (!request.acceptsAge) refuseOld(age)
    await registration?.register(epoch)
    const standby: Standby = { epoch: store.replication().epoch, arrived: () => arrived(store) }
    const claim = await claimNext({ copy, standby, url, abandons: request.abandons, isOldOff: request.isOldOff })
    log.warn(claim, 'this standby is promoted')
    await endFollowing(stop, () => makePrimary(data, claim, url, request.isUnchecked))
    running = await serveFolder(options, log)
    const { api, screens } = running
    log.warn({ epoch: claim.epoch, api, screens }, 'this server is the primary now')
    return { epoch: claim.epoch, api, screens, was_fenced: claim.wasFenced, is_complete: claim.isComplete, ...age }
  }

  /** Litestream that was interrupted while it wrote has left a part of a transaction: it follows until that is whole. */
  async function endFollowing(stop: () => Promise<void>, then: () => Promise<void>, tries = 1): Promise<void> {
    reader = undefined
    await stop()
    if (isStopping) throw new Problem(409, 'stopped', 'The standby was stopped before it was promoted.')
    try {
      await then()
    } catch (error) {
      if (!(error instanceof Problem && error.code === 'copy_torn') || tries === MAX_ENDS) throw error
      log.warn({ reason: error.message }, 'the copy is followed once more')
      const patience = pause(WHOLE_MS, undefined, { ref: false })
      const again = await serveReader(options, { ...followed, replica: replicaNow() }, log, patience).catch(() => {
        throw error
      })
      await endFollowing(again.stop, then, tries + 1)
    }
  }

  /** A copy that cannot be promoted is still of use to those who read. */
  async function readAgain(reason: unknown): Promise<void> {
    try {
      reader = await reading()
      running = reader
    } catch {
      fail(reason)
    }
  }

  /** A promotion that was interrupted after following had ended. */
  async function goOn(): Promise<void> {
    const { epoch: from, ...position } = halfPromoted(data)
    const standby: Standby = { epoch: from, arrived: () => position }
    const url = urlOf(options, null)
    try {
      // Whether the old primary knew of a standby was asked before it began.
      const claim = await claimNext({
        copy: replicaOf(followed.replica),
        standby,
        url,
        abandons: false,
        isOldOff: true,
      })
      log.warn(claim, 'a promotion that was interrupted goes on')
      await makePrimary(data, claim, url)
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'older_epoch') throw error
      log.warn({ reason: error.message }, 'a promotion that was interrupted is given up, and the new primary followed')
      removeCopy(file)
    }
  }

  return {
    get api() {
      return running.api
    },
    get screens() {
      return running.screens
    },
    setup: null,
    get reload() {
      return running.reload
    },
    failed,
    stop: async () => {
      isStopping = true
      requests.stop()
      stopLooking()
      await work
      await running.stop()
    },
  }
}

async function makePrimary(data: string, { epoch }: Claim, url: string | null, isUnchecked = false): Promise<void> {
  const unlock = lockInstance(data)
  try {
    await promoteCopy(data, { epoch, url, now: Date.now(), isUnchecked })
  } finally {
    unlock()
  }
}

const urlOf = ({ publicUrl, basePath }: ServeOptions, asked: string | null): string | null =>
  asked ?? (publicUrl === undefined ? null : parsePublicUrl(publicUrl, parseBasePath(basePath)))

/** Undefined for storage that only Litestream can ask, as with keys of its own: it is followed all the same. */
function askable(url: string, log: Log): ReplicaStorage | undefined {
  try {
    return replicaOf(url)
  } catch (error) {
    log.warn({ reason: (error as Error).message }, 'this server can read, and cannot be promoted')
    return undefined
  }
}

/** Undefined while Litestream writes; it is asked again. */
function arrived({ db, replication }: ReaderStore): ReturnType<Standby['arrived']> {
  try {
    return { commit_seq: lastCommit(db), beat: replication().beat }
  } catch {
    return undefined
  }
}

const failure = (error: unknown): Problem =>
  new Problem(500, 'not_promoted', `The standby was not promoted: ${(error as Error).message}. Its log has the reason.`)
