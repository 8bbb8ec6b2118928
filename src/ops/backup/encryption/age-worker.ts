import { join } from 'node:path'
import { Readable } from 'node:stream'
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { packedAsset } from '../../../assets.ts'
import type { Ending, Task, Told } from './age-task.ts'

/** A passphrase takes a second, or ten on a slow machine; a chunk much less. */
const SILENCE_MS = 120_000

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

/** Does a task in a thread of its own, while this one waits. Throws the error of the thread. */
export function inThreadNow(task: Task): void {
  const { port1, port2 } = new MessageChannel()
  const alive = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  const thread = newThread({ ...task, told: { alive, port: port2 } }, [port2])
  thread.on('error', () => {}) // its end is awaited below
  thread.unref()
  try {
    const { error } = endingOf(port1, alive)
    if (error) throw Object.assign(new Error(error.message), { code: error.code })
  } finally {
    port1.close()
    void thread.terminate()
  }
}

/** A thread that has died, as for want of memory, cannot say so while this one waits: then it is silent. */
function endingOf(port: MessagePort, alive: Int32Array): Ending {
  for (;;) {
    const seen = Atomics.load(alive, 0)
    const received = receiveMessageOnPort(port) as { message: Ending } | undefined
    if (received) return received.message
    if (Atomics.wait(alive, 0, seen, SILENCE_MS) === 'timed-out') throw new Error('The thread of the encryption hangs.')
  }
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
function newThread(workerData: Task & { told?: Told }, transferList: MessagePort[] = []): Worker {
  const options = { workerData, transferList, execArgv: [], resourceLimits: { maxYoungGenerationSizeMb: 16 } }
  if (import.meta.filename.endsWith('.ts')) return new Worker(join(import.meta.dirname, 'age-thread.ts'), options)
  return new Worker(packedAsset(BUNDLE).toString(), { ...options, eval: true })
}
