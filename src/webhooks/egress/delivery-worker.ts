import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { packedAsset } from '../../assets.ts'
import type { Attempt, Reply } from './http-post.ts'

export type WorkerData = { allow: string }
export type ToWorker = { ownPorts: readonly number[]; attempts: { number: number; attempt: Attempt }[] }
export type FromWorker = { number: number; reply: Reply }[]

/** Where esbuild writes the thread's code, and its name inside the executable. */
const BUNDLE = 'dist/delivery-thread.cjs'

type Waiting = { resolve: (reply: Reply) => void; reject: (error: Error) => void }

export type DeliveryWorker = ReturnType<typeof deliveryWorker>

/**
 * Makes attempts in a separate thread, so that thousands of connections do not slow down requests. The thread starts
 * with the first attempt. `allow` is the option --webhook-allow.
 */
export function deliveryWorker({ allow, ownPorts }: { allow: string; ownPorts: () => readonly number[] }) {
  const waiting = new Map<number, Waiting>()
  let worker: Worker | undefined
  let attempts: ToWorker['attempts'] = []
  let last = 0
  let isStopped = false

  /** Rejects if the thread ends before the reply arrives. */
  function post(attempt: Attempt): Promise<Reply> {
    if (isStopped) return Promise.reject(new Error('The delivery worker has stopped.'))
    const number = ++last
    if (attempts.push({ number, attempt }) === 1) setImmediate(postAttempts)
    return new Promise((resolve, reject) => waiting.set(number, { resolve, reject }))
  }

  function postAttempts(): void {
    if (attempts.length === 0) return // already rejected, since the thread ended or the worker was stopped
    try {
      worker ??= start()
    } catch (error) {
      rejectAll(error as Error) // such as no memory for another thread
      return
    }
    worker.postMessage({ ownPorts: ownPorts(), attempts } satisfies ToWorker)
    attempts = []
  }

  function start(): Worker {
    const thread = newThread({ allow })
    thread.on('message', (replies: FromWorker) => {
      for (const { number, reply } of replies) {
        waiting.get(number)?.resolve(reply)
        waiting.delete(number)
      }
    })
    let reason = new Error('The delivery thread has ended.')
    thread.on('error', (error: Error) => {
      reason = error
    })
    thread.on('exit', () => {
      if (worker !== thread) return
      worker = undefined
      rejectAll(reason)
    })
    return thread
  }

  function rejectAll(reason: Error): void {
    const all = [...waiting.values()]
    waiting.clear()
    attempts = []
    for (const { reject } of all) reject(reason)
  }

  /** Aborts all attempts in flight. */
  async function stop(): Promise<void> {
    isStopped = true
    const ended = worker
    worker = undefined
    rejectAll(new Error('The delivery worker has stopped.'))
    await ended?.terminate()
  }

  return { post, stop }
}

/** Starts the thread from the sources, or from an asset of the executable. */
function newThread(workerData: WorkerData): Worker {
  const options = { workerData, execArgv: [], resourceLimits: { maxYoungGenerationSizeMb: 16 } }
  if (import.meta.filename.endsWith('.ts')) return new Worker(join(import.meta.dirname, 'delivery-thread.ts'), options)
  return new Worker(packedAsset(BUNDLE).toString(), { ...options, eval: true })
}
