import type { Log } from '../../lib/log.ts'
import { Problem } from '../../lib/problem.ts'
import { isCopy } from '../../store/folder/marks.ts'
import { type Child, type Ended, startChild } from './child.ts'
import { removeCopy } from './followed/files.ts'

export type FollowOptions = {
  /** The URL of the replica. */
  replica: string
  /** The database that becomes its copy. */
  file: string
  /** The program `litestream`. */
  program: string
  /** How often it looks for something new. */
  everyMs: number
  log: Log
  /** How long it waits before it starts the program again for the first time; then twice as long each time. */
  firstPauseMs?: number
}

/** How it goes. `failure` is what Litestream said when it failed, until it is right again. */
export type FollowState = { isRunning: boolean; restarts: number; failure: string | undefined }

/** What a reader can say about its copy; `lagMs` is undefined if it has no heartbeat, or cannot be read. */
export type CopyStatus = FollowState & {
  lagMs: number | undefined
  /** Files of keys that the primary has made, and this folder lacks. */
  missingKeys: readonly string[]
}

export type Following = {
  state: () => FollowState
  /** Rejects with Problem 409 if following has failed before there was a copy. */
  failed: Promise<never>
  stop: () => Promise<void>
}

const FIRST_PAUSE_MS = 1000
const MAX_PAUSE_MS = 60_000
/** Litestream that says nothing more for so long goes on. */
const STEADY_MS = 60_000

/**
 * Keeps a copy up to date: Litestream does so, as a program of its own (`litestream restore -f`), which is started again
 * whenever it ends. A copy that it cannot continue, such as after the replica was made anew, is removed and made anew.
 * Throws Problem 409 if there is no such program.
 */
export function follow({
  replica,
  file,
  program,
  everyMs,
  log,
  firstPauseMs = FIRST_PAUSE_MS,
}: FollowOptions): Following {
  const argv = ['restore', '-f', '-follow-interval', `${everyMs}ms`, '-o', file, replica]
  const { promise: failed, reject: fail } = Promise.withResolvers<never>()
  failed.catch(() => undefined)
  let child: Child | undefined
  let timer: NodeJS.Timeout | undefined
  let pauseMs = firstPauseMs
  let restarts = 0
  let failure: string | undefined
  let failedAt = 0
  let isStopped = false
  if (!start().isStarted) {
    isStopped = true
    throw noProgram(program)
  }

  function start(): Child {
    const own = startChild(program, argv, `${file}-follower`, hear)
    child = own
    void own.ended.then((ended) => {
      child = undefined
      if (!isStopped) again(ended)
    })
    return own
  }

  /** Litestream goes on by itself after most errors, and says so only when there is something new. */
  function hear(line: string): void {
    if (line.includes('level=ERROR')) {
      if (failure === undefined) log.warn({ litestream: line }, 'the copy cannot be brought up to date now')
      failure = line
      failedAt = performance.now()
    } else if (line.includes('applied updates')) {
      failure = undefined
      pauseMs = firstPauseMs
    }
  }

  function again({ code, said }: Ended): void {
    const last = said.at(-1) ?? 'it said nothing'
    if (restarts === 0 && !isCopy(file)) {
      fail(new Problem(409, 'cannot_follow', `Litestream ended (${code}), and there is no copy: ${last}`))
      return
    }
    failure = last
    failedAt = Number.POSITIVE_INFINITY
    const isLost = said.some((line) => line.includes('cannot resume follow mode'))
    if (isLost) {
      log.warn({ litestream: last }, 'the copy cannot be continued, and is made anew')
      removeCopy(file)
    } else log.warn({ code, litestream: last, pause_ms: pauseMs }, 'Litestream has ended, and is started again')
    restarts++
    timer = setTimeout(start, pauseMs)
    pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)
  }

  return {
    state: () => {
      const isOver = performance.now() - failedAt > 5 * everyMs + STEADY_MS
      return { isRunning: child !== undefined, restarts, failure: isOver ? undefined : failure }
    },
    failed,
    stop: async () => {
      isStopped = true
      clearTimeout(timer)
      await child?.stop()
    },
  }
}

const noProgram = (program: string): Problem =>
  new Problem(
    409,
    'no_litestream',
    `There is no program ${program}. Install Litestream 0.5, or name it with --litestream.`,
  )
