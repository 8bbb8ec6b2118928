import pino from 'pino'
import { rfc3339 } from '../lib/time.ts'

export type Log = pino.Logger

/**
 * JSON lines on standard output or standard error. Lines are gathered to 4 KiB and written at the latest after a second, since a
 * system call per request would cost a tenth of the speed. What is logged of a request is in kernel.ts: never a
 * query, a body or a token.
 */
export function openLog(level: string, fd: 1 | 2): { log: Log; flush: () => void } {
  const destination = pino.destination({ dest: fd, sync: true, minLength: 4096 })
  const log = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${rfc3339(Date.now())}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  )
  const timer = setInterval(() => destination.flushSync(), 1000)
  timer.unref()
  return {
    log,
    flush: () => {
      clearInterval(timer)
      destination.flushSync()
    },
  }
}

export const silentLog: Log = pino({ level: 'silent' })
