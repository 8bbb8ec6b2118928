import { parentPort, workerData } from 'node:worker_threads'
import { compareExports } from '../../support/moving.ts'

// The thread that compares what an organisation left with what it is.

const { from, to, id } = workerData as { from: string; to: string; id: string }
parentPort?.postMessage(compareExports(from, to, id))
