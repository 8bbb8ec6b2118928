import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { packedAsset } from '../../assets.ts'
import { endOf, LOADED } from '../../store/sqlite/sqlite-loading.ts'
import type { Night, NightOptions } from './night.ts'

/** Where esbuild writes the thread's code, and its name inside the executable. */
const BUNDLE = 'dist/night.cjs'

/** Does the work of each night in a thread of its own: it is rare, and needs much memory for a while. */
export function nightWorker() {
  let end: (() => Promise<void>) | undefined

  function run(workerData: NightOptions): Promise<Night> {
    return new Promise((resolve, reject) => {
      const worker = newThread(workerData)
      end = endOf(worker)
      worker.unref()
      worker.on('message', (told: Night | typeof LOADED) => told !== LOADED && resolve(told))
      worker.once('error', reject)
      worker.once('exit', () => reject(new Error('The thread ended early.')))
    })
  }

  return { run, stop: async (): Promise<void> => end?.() }
}

/** Starts the thread from the sources, or from an asset of the executable. */
function newThread(workerData: NightOptions): Worker {
  const options = { workerData, execArgv: [] }
  if (import.meta.filename.endsWith('.ts')) return new Worker(join(import.meta.dirname, 'night-thread.ts'), options)
  return new Worker(packedAsset(BUNDLE).toString(), { ...options, eval: true })
}
