import { type Every, everyMs } from '../../lib/every.ts'
import { Problem } from '../../lib/problem.ts'
import { MINUTE_MS, SECOND_MS } from '../../lib/time.ts'
import type { ReplicaStorage } from './replica/copy.ts'
import { HEADER_BYTES, isChangesFile, isFirst, NEW_FILES, newestOf, SNAPSHOTS, timeOf } from './replica/ltx.ts'

/** How it stands with the copy. */
export type Lag = {
  /** The age of the newest that has arrived there, in milliseconds; while nothing has, the time since the start. */
  ms: number
  /** The fault that a person has to mend, as a sentence; undefined if there is none. */
  problem: string | undefined
}

export type CopyWatch = ReturnType<typeof watchCopy>

const ASK_EVERY_MS = 10 * SECOND_MS
/**
 * The heartbeat changes the database every five seconds, and Litestream copies it within two. With the time between two
 * questions, a copy that has stopped is noticed within three quarters of a minute.
 */
const LATE_MS = 30 * SECOND_MS
/** The first copy has the whole database. */
const FIRST_COPY_MS = MINUTE_MS

type Options = {
  copy: ReplicaStorage
  now: () => number
  /** Milliseconds that go on evenly. */
  elapsed?: () => number
  /** Called after each question. */
  asked?: (lag: Lag) => void
  /** Called before each question; what it returns is called with the names of the new files. */
  compare?: () => (names: readonly string[]) => void
  every?: Every
}

/**
 * Asks the copy itself how new it is: Litestream would say what it has sent, and nothing at all if it does not run. The
 * newest file there says when its changes were read from the log.
 */
export function watchCopy(options: Options) {
  const { copy, now, elapsed = () => performance.now(), asked = () => undefined, compare, every = everyMs } = options
  const startedAt = now()
  const ending = new AbortController()
  let newestAt: number | undefined
  /** The newest file, and since when it is. */
  let newest: string | undefined
  let changedAt = 0
  let problem: string | undefined
  let asking: Promise<void> | undefined
  let count = 0

  async function look({ signal }: AbortController): Promise<string | undefined> {
    const found = compare?.()
    const [names, snapshots] = await Promise.all([copy.files(NEW_FILES, signal), copy.files(SNAPSHOTS, signal)])
    found?.(names)
    const name = newestOf(names.filter(isChangesFile))
    if (name === undefined) return undefined
    const header = await copy.start(NEW_FILES, name, HEADER_BYTES, signal)
    if (header) newestAt = timeOf(header, copy.name)
    if (name !== newest) changedAt = elapsed()
    newest = name
    const isWhole = snapshots.some(isChangesFile) || names.some(isFirst)
    return isWhole ? undefined : `The replica at ${copy.name} has lost its beginning and cannot be restored: ${ANEW}`
  }

  async function ask(): Promise<void> {
    try {
      problem = await look(ending)
    } catch (error) {
      if (ending.signal.aborted) return
      problem = `The replica cannot be asked: ${error instanceof Problem ? error.message : String(error)}`
    }
    count++
    asked(lag())
  }

  function lag(): Lag {
    // Times alone would say that all is well for as long as the clock of who wrote the file was ahead of ours.
    const unchangedMs = newest === undefined ? 0 : elapsed() - changedAt
    const ms = Math.max(unchangedMs, now() - (newestAt ?? startedAt))
    return { ms, problem: problem ?? late(ms) }
  }

  function late(ms: number): string | undefined {
    const seconds = Math.floor(ms / SECOND_MS)
    if (newestAt === undefined)
      return ms <= FIRST_COPY_MS
        ? undefined
        : `There is no replica at ${copy.name} yet, ${seconds} s after the start. ${LOOK}`
    return ms <= LATE_MS ? undefined : `Nothing has arrived at ${copy.name} for ${seconds} s. ${LOOK}`
  }

  /** A question that hangs is not asked a second time. */
  function tick(): void {
    asking ??= ask().finally(() => {
      asking = undefined
    })
  }

  const stop = every(ASK_EVERY_MS, tick)
  tick()
  return {
    name: copy.name,
    lag,
    /** How often it was asked, with or without an answer. */
    count: (): number => count,
    stop: async (): Promise<void> => {
      stop()
      ending.abort()
      await asking
    },
  }
}

const LOOK = 'Look whether Litestream runs, and into its log.'
const ANEW = 'stop Litestream, run "litestream reset" and start it: it then copies the whole database.'
