import { join } from 'node:path'
import { Readable } from 'node:stream'
import { Worker } from 'node:worker_threads'
import { packedAsset } from '../../assets.ts'
import type { Task } from './age-thread.ts'

/** Where esbuild writes the thread's code, and its name inside the executable. */
const BUNDLE = 'dist/age-thread.cjs'

/** Does a task in a thread of its own. Rejects with the error of the thread, or the reason of the signal. */
export async function inThread(task: Task, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted()
  const thread = newThread(task)
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const cancel = () => void thread.terminate()
  signal?.addEventListener('abort', cancel)
  thread.on('error', reject)
  thread.on('exit', () => {
    signal?.removeEventListener('abort', cancel)
    if (signal?.aborted) reject(signal.reason)
    resolve()
  })
  return promise
}

/** The result of a task that has no file for it. The thread sends a chunk each time that the stream asks for one. */
export function threadStream(task: Task): Readable {
  const thread = newThread(task)
  const stream = new Readable({
    read: () => thread.postMessage('more'),
    destroy: (error, done) => void thread.terminate().then(() => done(error)),
  })
  thread.on('message', (chunk: Uint8Array | null) => void stream.push(chunk))
  thread.on('error', (error: Error) => stream.destroy(error))
  return stream
}

/** Starts the thread from the sources, or from an asset of the executable. */
function newThread(workerData: Task): Worker {
  const options = { workerData, execArgv: [], resourceLimits: { maxYoungGenerationSizeMb: 16 } }
  if (import.meta.filename.endsWith('.ts')) return new Worker(join(import.meta.dirname, 'age-thread.ts'), options)
  return new Worker(packedAsset(BUNDLE).toString(), { ...options, eval: true })
}
