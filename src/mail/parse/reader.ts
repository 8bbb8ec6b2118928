import { join } from 'node:path'
import { type ResourceLimits, Worker } from 'node:worker_threads'
import { asset } from '../../assets.ts'
import type { MailIn } from '../mail.ts'
import { readMail, UNREADABLE_BYTES, unreadableMail } from './read.ts'
import { fromTransferable, ownBuffer, type Transferred } from './transfer.ts'

/** Where esbuild puts the thread's code, and under which name it ships inside the executable. */
const BUNDLE = 'dist/reader.cjs'

/** What is no larger takes 2 ms at most, or 20 where it is built to take long, and a thread takes 150 to start. */
export const MAX_AT_ONCE = 65_536

export type ReaderOptions = {
  /** A mail that takes longer is answered as one that could not be read. */
  timeout_ms?: number
  /** A thread that has nothing to read for so long ends. */
  idle_ms?: number
  /** What the thread may take beside the bytes of the mail; it ends where it needs more. */
  memory_mb?: number
}

export type MailReader = ReturnType<typeof mailReader>

/**
 * Reads mails as readMail does, those that may take long in a thread of its own, one at a time, so that requests are
 * answered meanwhile. The thread starts with the first of them.
 */
export function mailReader({ timeout_ms = 30_000, idle_ms = 60_000, memory_mb = 512 }: ReaderOptions = {}) {
  let worker: Worker | undefined
  let idle: NodeJS.Timeout | undefined
  let last: Promise<unknown> = Promise.resolve()
  const stopped = new AbortController()
  stopped.signal.addEventListener('abort', end)

  /**
   * Takes the source: nobody may use it afterwards. Rejects after `stop` alone; a mail on which the thread dies, or takes
   * too long, is one that could not be read.
   */
  async function read(source: Buffer): Promise<MailIn> {
    stopped.signal.throwIfAborted()
    if (source.length <= MAX_AT_ONCE) return readMail(source)
    const turn = last.then(() => readInThread(source))
    last = turn.catch(() => undefined)
    return turn
  }

  async function readInThread(source: Buffer): Promise<MailIn> {
    stopped.signal.throwIfAborted()
    clearTimeout(idle)
    const beginning = Buffer.from(source.subarray(0, UNREADABLE_BYTES)) // the rest is gone once it is handed over
    const mail = await answer(source)
    stopped.signal.throwIfAborted()
    if (worker) idle = setTimeout(end, idle_ms).unref()
    return mail ?? unreadableMail(beginning)
  }

  /** Undefined where there came none. */
  async function answer(source: Buffer): Promise<MailIn | undefined> {
    try {
      worker ??= start()
    } catch {
      return readMail(source) // such as no room for another thread
    }
    const thread = worker
    const { promise, resolve } = Promise.withResolvers<Transferred | undefined>()
    const none = () => resolve(undefined)
    const timer = setTimeout(() => {
      end()
      none()
    }, timeout_ms)
    thread.once('message', resolve).once('exit', none)
    const bytes = ownBuffer(source)
    thread.postMessage(bytes, [bytes.buffer])
    const mail = await promise
    clearTimeout(timer)
    thread.off('exit', none)
    return mail && fromTransferable(mail)
  }

  function start(): Worker {
    const made = newThread({ maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: memory_mb })
    made.unref() // while it reads, the timer keeps the process
    made.on('error', () => undefined) // it exits next
    made.once('exit', () => {
      if (worker === made) worker = undefined
    })
    return made
  }

  function end(): void {
    const ended = worker
    worker = undefined
    clearTimeout(idle)
    void ended?.terminate()
  }

  /** Ends the thread at once. What is being read rejects. */
  async function stop(): Promise<void> {
    const ended = worker
    stopped.abort(new Error('The reader of mails has stopped.'))
    await ended?.terminate()
  }

  return { read, stop }
}

/** From the sources, or from the bundle, which has no files of its own. */
function newThread(resourceLimits: ResourceLimits): Worker {
  const options = { execArgv: [], resourceLimits }
  if (import.meta.filename.endsWith('.ts')) return new Worker(join(import.meta.dirname, 'reader-thread.ts'), options)
  return new Worker(asset(BUNDLE).toString(), { ...options, eval: true })
}
