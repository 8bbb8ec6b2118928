import { parentPort, workerData } from 'node:worker_threads'
import { giveWay } from '../../lib/machine/low-priority.ts'
import { parseAllow } from '../../lib/net/allow.ts'
import { guard } from '../../lib/net/guard.ts'
import { ownProxies } from '../../lib/net/proxies.ts'
import { trustAsStarter } from '../../lib/net/trust.ts'
import type { FromWorker, ToWorker, WorkerData } from './delivery-worker.ts'
import { poster } from './http-post.ts'

// The thread of delivery-worker.ts: makes the attempts posted to it and posts the results back.

const { allow } = workerData as WorkerData
let ownPorts: readonly number[] = []
let replies: FromWorker = []

giveWay()
trustAsStarter()

const post = poster(guard({ allow: parseAllow(allow), ownPorts: () => ownPorts }), { proxies: ownProxies() })

/** Collects the replies of one turn of the event loop: a message costs more than its contents. */
function postReply(reply: FromWorker[number]): void {
  if (replies.push(reply) > 1) return
  setImmediate(() => {
    parentPort?.postMessage(replies)
    replies = []
  })
}

parentPort?.on('message', (message: ToWorker) => {
  ownPorts = message.ownPorts
  for (const { number, attempt } of message.attempts) post(attempt).then((reply) => postReply({ number, reply }))
})
