import { parentPort, type Worker } from 'node:worker_threads'
import { openSqlite } from './driver.ts'

// A thread that is ended while it loads SQLite takes the whole process along: the addon cannot fail to be registered, and
// Node aborts. So a thread that opens databases loads it first and says so, and is not ended before.

export const LOADED = 'loaded'

/** What such a thread does first. */
export function loadDatabases(): void {
  openSqlite(':memory:').close()
  parentPort?.postMessage(LOADED)
}

/** For a new thread that does so: how it is ended, at once if it has loaded SQLite. */
export function endOf(thread: Worker): () => Promise<void> {
  const loaded = new Promise((resolve) => thread.once('message', resolve).once('exit', resolve))
  return async () => {
    thread.ref()
    await loaded
    await thread.terminate()
  }
}
