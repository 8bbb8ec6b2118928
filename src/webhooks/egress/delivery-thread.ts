import { constants, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { parseAllow } from './allow.ts'
import type { FromWorker, ToWorker, WorkerData } from './delivery-worker.ts'
import { guard } from './guard.ts'
import { poster } from './http-post.ts'

// The thread of courier.ts: makes the tries that it is told of, and tells how each went.

const { allow } = workerData as WorkerData
let ownPorts: readonly number[] = []
let replies: FromWorker = []

// On Linux this is of the thread alone: where the machine is busy, requests go before deliveries.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL)

const post = poster(guard({ allow: parseAllow(allow), ownPorts: () => ownPorts }))

/** Those of one turn of the event loop together: a message costs more than what it carries. */
function tell(reply: FromWorker[number]): void {
  if (replies.push(reply) > 1) return
  setImmediate(() => {
    parentPort?.postMessage(replies)
    replies = []
  })
}

parentPort?.on('message', (message: ToWorker) => {
  ownPorts = message.ownPorts
  for (const { number, attempt } of message.attempts) post(attempt).then((reply) => tell({ number, reply }))
})
