import { version } from '../assets.ts'
import type { Deps } from '../deps.ts'
import type { Log } from '../http/log.ts'
import type { Logins } from '../inbox/mailboxes/access-tokens.ts'
import { startReceiver } from '../mail/sync/mailbox-sync.ts'
import type { Trust } from '../mail/transport/server.ts'
import type { Recorded } from '../screens/monitoring/recorded.ts'
import type { Store } from '../store/open.ts'
import { startDelivery } from '../webhooks/delivery/delivery.ts'
import { deliveryWorker } from '../webhooks/egress/delivery-worker.ts'

type Options = {
  store: Store
  deps: Deps
  log: Log
  trust: Trust
  logins: Logins
  maxFileBytes: number | undefined
  webhookAllow: string
  ownPorts: () => readonly number[]
  recorded: Recorded
}

/** Starts what reads mailboxes, and what sends events to webhooks. Returns what ends each. */
export function startSending(options: Options): (() => Promise<void>)[] {
  const { store, deps, log, trust, logins, maxFileBytes, webhookAllow: allow, ownPorts, recorded } = options
  const { write, health, committed } = store
  const mail = { deps, write, health, committed, trust, logins, log, maxFileBytes }
  const receiver = startReceiver({ ...mail, count: recorded.mailReceived })
  const thread = deliveryWorker({ allow, ownPorts })
  const webhooks = { store, deps, post: thread.post, log, userAgent: `Dealbox/${version}` }
  const sender = startDelivery({ ...webhooks, count: recorded.webhookTried })
  return [receiver.stop, () => sender.stop().finally(thread.stop)]
}
