import { writeSync } from 'node:fs'
import pino from 'pino'
import { rfc3339 } from './time.ts'

export type Log = pino.Logger

const BUFFER_SIZE = 4096
const TRIES = 50

/**
 * JSON lines on standard output or standard error. Lines are buffered up to 4 KiB and written after a second at the
 * latest, since a system call per request would cost a tenth of the throughput. The fields of a request are in
 * kernel.ts: never a query, a body or a token.
 */
export function openLog(level: string, fd: 1 | 2): { log: Log; flush: () => void } {
  const { write, flush } = bufferedWriter(fd)
  const log = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${rfc3339(Date.now())}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write },
  )
  setInterval(flush, 1000).unref()
  return { log, flush }
}

/** A log that cannot be written (closed pipe, full disk) loses lines; it never stops the server. */
function bufferedWriter(fd: number) {
  let buffered = ''

  function write(line: string): void {
    buffered += line
    if (buffered.length >= BUFFER_SIZE) flush()
  }

  function flush(): void {
    let bytes = Buffer.from(buffered)
    buffered = ''
    for (let tries = 0; bytes.length > 0 && tries < TRIES; tries++) {
      try {
        bytes = bytes.subarray(writeSync(fd, bytes))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return
      }
    }
  }

  return { write, flush }
}

export const silentLog: Log = pino({ level: 'silent' })
