import { parentPort, workerData } from 'node:worker_threads'
import { giveWay } from '../lib/low-priority.ts'
import { type NightOptions, night } from './night.ts'

// The thread of nightly.ts: does the work of one night and posts what became of it.

giveWay()

parentPort?.postMessage(night(workerData as NightOptions))
