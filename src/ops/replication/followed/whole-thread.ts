import { parentPort, workerData } from 'node:worker_threads'
import { faultOf } from './fault.ts'

// The thread of whole.ts: looks at a whole database, and posts what is wrong with it.

parentPort?.postMessage(faultOf(workerData as string) ?? null)
