import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { packedAsset } from '../../../assets.ts'

const BUNDLE = 'dist/whole-thread.cjs'

/**
 * What is wrong with a copy; undefined if nothing is. It is read in a thread: that takes minutes where it is large, and
 * the service manager must not take the server for dead.
 */
export function faultOfWhole(file: string): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const thread = newThread(file)
    thread.once('message', (fault: string | null) => resolve(fault ?? undefined)).once('error', reject)
    thread.once('exit', () => reject(new Error('The thread ended early.')))
  })
}

/** Starts the thread from the sources, or from an asset of the executable. */
function newThread(workerData: string): Worker {
  const options = { workerData, execArgv: [] }
  if (import.meta.filename.endsWith('.ts')) return new Worker(join(import.meta.dirname, 'whole-thread.ts'), options)
  return new Worker(packedAsset(BUNDLE).toString(), { ...options, eval: true })
}
