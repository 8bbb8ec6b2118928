import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { packedAsset } from '../../assets.ts'
import { Problem } from '../../lib/problem.ts'
import { MINUTE_MS } from '../../lib/time.ts'
import { fileOf } from '../../store/beside.ts'
import { isCopy } from '../../store/folder/marks.ts'
import type { Database } from '../../store/sqlite/driver.ts'
import { endOf, LOADED } from '../../store/sqlite/sqlite-loading.ts'
import { bounded, isTooMuchWork } from '../../store/sqlite/work.ts'
import { type Asking, answer, type Made, type Told } from './answer.ts'

/** Where esbuild writes the thread's code, and its name inside the executable. */
const BUNDLE = 'dist/report-thread.cjs'

/** So much is made at once: about 5 ms. A thread takes 150 to start. */
const AT_ONCE = 2_000
/** The thread ends after this long without a report. */
const IDLE_MS = MINUTE_MS
/** So many wait for it; others are asked to come back. */
const MOST_WAITING = 32

/**
 * Makes reports: small ones at once, and others in a thread with a connection of its own, one after the other, so that a report over
 * all records holds up nobody. A copy that is followed is read in place, since its connection is another one.
 */
export function reportAsker(db: Database, stopping: AbortSignal): (asking: Asking) => Made | Promise<Made> {
  let worker: Worker | undefined
  let idle: NodeJS.Timeout | undefined
  let last = 0
  const waiting = new Map<number, { resolve: (made: Made) => void; reject: (error: unknown) => void }>()
  stopping.addEventListener('abort', end)

  function end(): void {
    clearTimeout(idle)
    const ended = worker
    worker = undefined
    for (const { reject } of waiting.values()) reject(new Problem(503, 'stopping', 'The server is stopping.'))
    waiting.clear()
    if (ended) void ends.get(ended)?.()
  }

  function start(): Worker {
    const thread = newThread(fileOf(db))
    ends.set(thread, endOf(thread))
    thread.unref()
    thread.on('message', (told: typeof LOADED | ({ id: number } & Told)) => {
      if (told === LOADED) return
      const asked = waiting.get(told.id)
      waiting.delete(told.id)
      if (waiting.size === 0) idle = setTimeout(end, IDLE_MS).unref()
      if (told.made) asked?.resolve(told.made)
      else asked?.reject(told.problem ? problemOf(told.problem) : new Error(told.failure))
    })
    const failed = (error: unknown): void => {
      if (worker !== thread) return
      worker = undefined
      for (const { reject } of waiting.values()) reject(error)
      waiting.clear()
    }
    thread.once('error', failed).once('exit', () => failed(new Error('The thread of reports ended early.')))
    return thread
  }

  function inThread(asking: Asking): Promise<Made> {
    stopping.throwIfAborted()
    if (waiting.size >= MOST_WAITING)
      throw new Problem(503, 'too_many_reports', 'Too many reports are being made. Try again in a moment.', {
        headers: { 'Retry-After': '5' },
      })
    clearTimeout(idle)
    worker ??= start()
    const thread = worker
    const id = ++last
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject })
      thread.postMessage({ id, asking })
    })
  }

  return (asking) => {
    if (isCopy(fileOf(db))) return answer(db, asking)
    try {
      return bounded(() => answer(db, asking), AT_ONCE)
    } catch (error) {
      if (!isTooMuchWork(error)) throw error
    }
    return inThread(asking)
  }
}

const ends = new WeakMap<Worker, () => Promise<void>>()

const problemOf = ({ status, code, message }: { status: number; code: string; message: string }): Problem =>
  new Problem(status, code, message)

/** Starts the thread from the sources, or from an asset of the executable. */
function newThread(workerData: string): Worker {
  const options = { workerData, execArgv: [] }
  if (import.meta.filename.endsWith('.ts')) return new Worker(join(import.meta.dirname, 'report-thread.ts'), options)
  return new Worker(packedAsset(BUNDLE).toString(), { ...options, eval: true })
}
