import { lastCommon } from '../../events/trail.ts'
import type { Log } from '../../lib/log.ts'
import { noteSuccessor, notPrimary, type Successor } from '../../store/folder/fence.ts'
import type { Store } from '../../store/open.ts'
import { replicationRow } from '../../store/replication.ts'
import { lastKept, newestEpoch, noteStopped, type Position, presentPosition } from './epochs.ts'
import { lost } from './lease-texts.ts'
import type { ReplicaStorage } from './replica/copy.ts'
import { writeUnreplicated } from './unreplicated.ts'

type Options = {
  store: Pick<Store, 'db' | 'wallClock'>
  dataDir: string
  copy: ReplicaStorage
  epoch: number
  log: Log
  depose: (successor: Successor) => void
  /** From here on, commands beside the server write nothing either. */
  end: () => void
}

/** What a primary does that was replaced: it says with which event it stopped, and saves what its successor does not have. */
export function withdrawal({ store, dataDir, copy, epoch, log, depose, end }: Options) {
  let successor: Successor | undefined
  /** The end of what was written here. */
  let stopped: Position | undefined
  let isWritten = false
  let isSaid = false
  let working: Promise<void> | undefined

  const here = (): Position => presentPosition(store)

  /** Each look comes here again, until all is done; several may do so at once. */
  function replaced(signal: AbortSignal): Promise<void> {
    working ??= withdraw(signal).finally(() => {
      working = undefined
    })
    return working
  }

  async function withdraw(signal: AbortSignal): Promise<void> {
    if (!successor) {
      const found = await newestEpoch(copy, signal)
      if (!found) throw lost(copy.name) // another place than the one where it was replaced
      successor = found
      log.error({ ...found, copy: copy.name }, notPrimary(found).message)
      depose(found)
      end()
    }
    try {
      const { epoch: by, primary_url, promoted_at } = successor
      noteSuccessor(dataDir, { epoch: by, primary_url, promoted_at })
      await noteStopped(copy, epoch, (stopped ??= last()), signal)
      await saveUnreplicated(signal)
    } catch (error) {
      if (!isSaid && !signal.aborted) log.error({ err: error }, NOT_NOTED)
      isSaid = true
    }
  }

  /**
   * Nothing is committed from here on but a last heartbeat: a standby that has it has everything, also what makes no event,
   * such as a token that was revoked.
   */
  function last(): Position {
    try {
      replicationRow(store.db).beat(store.wallClock.now())
    } catch (error) {
      log.warn({ err: error }, 'no last heartbeat could be written')
    }
    return here()
  }

  /** As soon as the new primary has said with which event it began. */
  async function saveUnreplicated(signal: AbortSignal): Promise<void> {
    const kept = isWritten ? undefined : await lastKept(copy, epoch, (trail) => lastCommon(store.db, trail), signal)
    if (kept === undefined) return
    const written = await writeUnreplicated({ db: store.db, dataDir, epoch, kept })
    isWritten = true
    if (written) log.error(written, UNREPLICATED)
    else log.warn({ epoch }, 'the new primary has everything that was written here')
  }

  return { replaced, successor: (): Successor | undefined => successor, isDone: (): boolean => isWritten }
}

const NOT_NOTED = 'what was replaced here could not be noted yet, and is tried again'
const UNREPLICATED =
  'what was written here and never reached the replica is in this file, as events; nothing else has it'
