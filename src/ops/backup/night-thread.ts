import { parentPort, workerData } from 'node:worker_threads'
import { giveWay } from '../../lib/machine/low-priority.ts'
import { loadDatabases } from '../../store/sqlite/sqlite-loading.ts'
import { type NightOptions, night } from './night.ts'

// The thread of night-worker.ts: does the work of one night and posts what became of it.

giveWay()
loadDatabases()

parentPort?.postMessage(night(workerData as NightOptions))
