import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { asset } from '../../assets.ts'
import type { Attempt, Reply } from './http-post.ts'

export type WorkerData = { allow: string }
export type ToWorker = { ownPorts: readonly number[]; attempts: { number: number; attempt: Attempt }[] }
export type FromWorker = { number: number; reply: Reply }[]

/** Where esbuild puts the thread's code, and under which name it ships inside the executable. */
const BUNDLE = 'dist/delivery-thread.cjs'

type Waiting = { resolve: (reply: Reply) => void; reject: (error: Error) => void }

export type DeliveryWorker = ReturnType<typeof deliveryWorker>

/**
 * Makes tries in a thread of its own, so that thousands of connections take no time from the requests that the server
 * answers. The thread starts with the first try. `allow` is the option --webhook-allow.
 */
export function deliveryWorker({ allow, ownPorts }: { allow: string; ownPorts: () => readonly number[] }) {
  const waiting = new Map<number, Waiting>()
  let worker: Worker | undefined
  let attempts: ToWorker['attempts'] = []
  let last = 0
  let isStopped = false

  /** Rejects where the thread ended before the reply came. */
  function post(attempt: Attempt): Promise<Reply> {
    if (isStopped) return Promise.reject(new Error('The courier has stopped.'))
    const number = ++last
    if (attempts.push({ number, attempt }) === 1) setImmediate(hand)
    return new Promise((resolve, reject) => waiting.set(number, { resolve, reject }))
  }

  function hand(): void {
    if (attempts.length === 0) return // they were lost with the thread, or by stopping
    try {
      worker ??= start()
    } catch (error) {
      rejectAll(error as Error) // such as no room for another thread
      return
    }
    worker.postMessage({ ownPorts: ownPorts(), attempts } satisfies ToWorker)
    attempts = []
  }

  function start(): Worker {
    const made = newThread({ allow })
    made.on('message', (replies: FromWorker) => {
      for (const { number, reply } of replies) {
        waiting.get(number)?.resolve(reply)
        waiting.delete(number)
      }
    })
    let reason = new Error('The thread that sends has ended.')
    made.on('error', (error: Error) => {
      reason = error
    })
    made.on('exit', () => {
      if (worker !== made) return
      worker = undefined
      rejectAll(reason)
    })
    return made
  }

  function rejectAll(reason: Error): void {
    const all = [...waiting.values()]
    waiting.clear()
    attempts = []
    for (const { reject } of all) reject(reason)
  }

  /** Cuts what is on its way. */
  async function stop(): Promise<void> {
    isStopped = true
    const ended = worker
    worker = undefined
    rejectAll(new Error('The courier has stopped.'))
    await ended?.terminate()
  }

  return { post, stop }
}

/** From the sources, or from the bundle, which has no files of its own. */
function newThread(workerData: WorkerData): Worker {
  const options = { workerData, execArgv: [], resourceLimits: { maxYoungGenerationSizeMb: 16 } }
  if (import.meta.filename.endsWith('.ts')) return new Worker(join(import.meta.dirname, 'delivery-thread.ts'), options)
  return new Worker(asset(BUNDLE).toString(), { ...options, eval: true })
}
