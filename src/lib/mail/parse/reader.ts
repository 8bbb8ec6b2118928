import { join } from 'node:path'
import { type ResourceLimits, Worker } from 'node:worker_threads'
import { packedAsset } from '../../../assets.ts'
import { MINUTE_MS } from '../../time.ts'
import type { MailIn } from '../mail.ts'
import { MAX_FILE_BYTES } from './files.ts'
import type { CalendarView } from './invitations.ts'
import { isCostly, readMail, UNREADABLE_BYTES, unreadableMail } from './read.ts'
import { fromTransferable, ownBuffer, type Transferred } from './transfer.ts'

/** Where esbuild writes the thread's code, and its name inside the executable. */
const BUNDLE = 'dist/reader.cjs'

/**
 * Mails up to this size are parsed on the main thread: they take at most 2 ms (20 if crafted), and a thread takes 150
 * to start.
 */
export const MAX_AT_ONCE = 65_536

export type ReaderOptions = {
  /** A mail that takes longer counts as unreadable. */
  timeout_ms?: number
  /** The thread ends after this long without a mail. */
  idle_ms?: number
  /** The memory of the thread beside the bytes of the mail; it ends if it needs more. */
  memory_mb?: number
  /** The size of all files of a mail. */
  maxFileBytes?: number | undefined
}

export type MailReader = ReturnType<typeof mailReader>

/**
 * Returns a reader that parses mails as readMail does. Large ones are parsed in a separate thread, one at a time, so
 * that requests are not blocked. The thread starts with the first large mail.
 */
export function mailReader({
  timeout_ms = 30_000,
  idle_ms = MINUTE_MS,
  memory_mb = 512,
  maxFileBytes = MAX_FILE_BYTES,
}: ReaderOptions = {}) {
  let worker: Worker | undefined
  let idle: NodeJS.Timeout | undefined
  let last: Promise<unknown> = Promise.resolve()
  const stopped = new AbortController()
  stopped.signal.addEventListener('abort', end)

  /**
   * Parses a mail. The caller must not use `source` afterwards. Rejects only after `stop`; a mail that crashes the
   * thread or takes too long counts as unreadable.
   */
  async function read(source: Buffer, view?: CalendarView): Promise<MailIn> {
    stopped.signal.throwIfAborted()
    if (source.length <= MAX_AT_ONCE && !isCostly(source, view)) return readMail(source, view, maxFileBytes)
    const turn = last.then(() => readInThread(source, view))
    last = turn.catch(() => undefined)
    return turn
  }

  async function readInThread(source: Buffer, view: CalendarView | undefined): Promise<MailIn> {
    stopped.signal.throwIfAborted()
    clearTimeout(idle)
    const beginning = Buffer.from(source.subarray(0, UNREADABLE_BYTES)) // the rest is transferred to the thread
    const mail = await answer(source, view)
    stopped.signal.throwIfAborted()
    if (worker) idle = setTimeout(end, idle_ms).unref()
    return mail ?? unreadableMail(beginning)
  }

  /** Returns undefined if the thread died or took too long. */
  async function answer(source: Buffer, view: CalendarView | undefined): Promise<MailIn | undefined> {
    try {
      worker ??= start()
    } catch {
      return readMail(source, view, maxFileBytes) // such as no memory for another thread
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
    thread.postMessage({ source: bytes, view, maxFileBytes }, [bytes.buffer])
    const mail = await promise
    clearTimeout(timer)
    thread.off('exit', none)
    return mail && fromTransferable(mail)
  }

  function start(): Worker {
    const made = newThread({ maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: memory_mb })
    made.unref() // the timer keeps the process alive during a read
    made.on('error', () => undefined) // 'exit' follows
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

  /** Ends the thread at once. A read in progress rejects. */
  async function stop(): Promise<void> {
    const ended = worker
    stopped.abort(new Error('The mail reader has stopped.'))
    await ended?.terminate()
  }

  return { read, stop }
}

/** Starts the thread from the sources, or from an asset of the executable. */
function newThread(resourceLimits: ResourceLimits): Worker {
  const options = { execArgv: [], resourceLimits }
  if (import.meta.filename.endsWith('.ts')) return new Worker(join(import.meta.dirname, 'reader-thread.ts'), options)
  return new Worker(packedAsset(BUNDLE).toString(), { ...options, eval: true })
}
