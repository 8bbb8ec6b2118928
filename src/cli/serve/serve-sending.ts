import { version } from '../../assets.ts'
import { type ReceiverOptions, startReceiver } from '../../mail/mailbox-sync.ts'
import type { Recorded } from '../../ops/monitoring/recorded.ts'
import type { Store } from '../../store/open.ts'
import { startDelivery } from '../../webhooks/delivery/delivery.ts'
import { deliveryWorker } from '../../webhooks/egress/delivery-worker.ts'

export const PAUSED =
  'nothing is sent, no mail is fetched, and backups stay in the data folder, since it was restored from a backup. "dealbox resume-sending" ends this with the next start'

type SendingOptions = Pick<ReceiverOptions, 'deps' | 'logins' | 'log' | 'maxFileBytes'> & {
  store: Store
  recorded: Recorded
  webhookAllow: string
  ownPorts: () => readonly number[]
}

/** Starts what reaches other machines beside the jobs: mailboxes and webhooks. Returns what ends each. */
export function startSending({ store, recorded, webhookAllow, ownPorts, ...options }: SendingOptions) {
  const { deps, log } = options
  const { write, health, committed } = store
  const receiver = startReceiver({ ...options, write, health, committed, count: recorded.mailReceived })
  const thread = deliveryWorker({ allow: webhookAllow, ownPorts })
  const userAgent = `Dealbox/${version}`
  const sender = startDelivery({ store, deps, post: thread.post, log, userAgent, count: recorded.webhookTried })
  return [receiver.stop, () => sender.stop().finally(thread.stop)]
}
