import { closeSync, openSync } from 'node:fs'
import type { Log } from '../../lib/log.ts'
import { SECOND_MS } from '../../lib/time.ts'
import { END_WITHIN_MS, endAtOnce } from '../ending.ts'

// What each signal means to a server; the table is in docs/install.md. Node ends a process for most of them, and service
// managers take an end by some for a clean one, after which they do not start it again.

/** To stop in good order. */
const TO_STOP = ['SIGTERM', 'SIGINT', 'SIGQUIT'] as const
/** Nothing is done, and nobody can end the server by mistake: other programs have a meaning for them. SIGUSR1 is in main.ts. */
const TO_NOTHING = ['SIGUSR2'] as const

const TERMINAL = '/dev/tty'

/** Whether this process has a terminal that is open. */
function hasTerminal(): boolean {
  try {
    closeSync(openSync(TERMINAL, 'r+'))
    return true
  } catch {
    return false
  }
}

export type Signals = ReturnType<typeof listenToSignals>

/** From now on, the signals mean what they mean to a server, but those to stop: until it has started, they end it at once. */
export function listenToSignals(log: Log, flush: () => void) {
  const { promise: stopped, resolve: stop } = Promise.withResolvers<'asked' | 'hung up'>()
  // One that runs without its terminal, by nohup, writes into a file.
  const ofTerminal = [process.stdout, process.stderr].some(({ isTTY }) => isTTY) && hasTerminal()
  let reopen: (() => void) | undefined
  let isStopping = false
  for (const signal of TO_NOTHING) process.on(signal, () => log.warn({ signal }, 'this signal means nothing here'))

  process.on('SIGHUP', () => {
    if (ofTerminal && !hasTerminal()) end('hung up')
    else if (reopen) reopen()
    else log.warn({ signal: 'SIGHUP' }, NOTHING_TO_REOPEN)
  })

  /** A second time ends the process at once, and so does END_WITHIN_MS. */
  function end(why: 'asked' | 'hung up'): void {
    if (isStopping) endAtOnce(1)
    isStopping = true
    setTimeout(() => {
      log.error({ open: [...new Set(process.getActiveResourcesInfo())] }, LATE)
      flush()
      endAtOnce(1)
    }, END_WITHIN_MS)
    stop(why)
  }

  return {
    /** From now on, the server stops in good order. Resolves when it has to, and with why. */
    stopped: (): Promise<'asked' | 'hung up'> => {
      for (const signal of TO_STOP) if (process.listenerCount(signal) === 0) process.on(signal, () => end('asked'))
      return stopped
    },
    /** For SIGHUP. */
    onReopen: (job: () => void): void => {
      reopen = job
    },
  }
}

const NOTHING_TO_REOPEN =
  'there is nothing to open again: this server has no certificate of its own, and its log goes to standard output'

const LATE = `the server did not end within ${END_WITHIN_MS / SECOND_MS} seconds, and is ended as it is: what was acknowledged is in the database`
