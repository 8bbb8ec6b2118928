import { parentPort, workerData } from 'node:worker_threads'
import { giveWay } from '../../lib/machine/low-priority.ts'
import { Problem } from '../../lib/problem.ts'
import { openBeside } from '../../store/beside.ts'
import { loadDatabases } from '../../store/sqlite/sqlite-loading.ts'
import { type Asking, answer, type Told } from './answer.ts'

// The thread of report-asker.ts: makes each report that is posted to it, and posts what became of it.

giveWay()
loadDatabases()
const db = openBeside(workerData as string)

parentPort?.on('message', ({ id, asking }: { id: number; asking: Asking }) => {
  parentPort?.postMessage({ id, ...told(asking) })
})

function told(asking: Asking): Told {
  try {
    return { made: answer(db, asking) }
  } catch (error) {
    if (!(error instanceof Problem)) return { failure: (error as Error).stack ?? String(error) }
    const { status, code, message } = error
    return { problem: { status, code, message } }
  }
}
