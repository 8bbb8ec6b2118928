import { constants, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { type NightOptions, night } from './night.ts'

// The thread of nightly.ts: does the work of one night and posts what became of it.

// On Linux this applies to this thread alone: on a busy machine, requests take precedence.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL)

parentPort?.postMessage(night(workerData as NightOptions))
