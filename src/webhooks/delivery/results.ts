import type { Log } from '../../http/log.ts'
import { rfc3339 } from '../../lib/time.ts'
import type { Deps } from '../../deps.ts'
import { TEST } from '../deliveries.ts'
import { webhookStore } from '../webhooks.ts'
import { type Landing, webhookOf } from './in-flight.ts'
import type { DeliveryQueue } from './queue.ts'
import { deliveryAfter, type Health, healthAfter, isDown } from './retry-policy.ts'

/** A try that was lost on this side is repeated after so long. */
export const LOST_PAUSE_MS = 5000

type Verdict = Health & { disabled?: string }

/** Writes down what became of tries, inside a transaction. `random` is from 0 to 1. */
export function settler(deps: Deps, queue: DeliveryQueue, log: Log, random: () => number) {
  const { clock } = deps
  const { disable } = webhookStore(deps)

  function settle(back: readonly Landing[]): void {
    for (const ofOne of Map.groupBy(back, ({ taken }) => webhookOf(taken)).values()) settleWebhook(ofOne)
  }

  function settleWebhook(back: Landing[]): void {
    const { org, webhook_id: id } = (back[0] as Landing).taken
    const before = queue.health(org, id)
    if (!before) return // the webhook was deleted
    const now = clock.now()
    let after: Verdict = before
    for (const landing of back) after = settleOne(landing, after, now)
    const { disabled, ...health } = after
    queue.setHealth(org, id, health)
    if (isDown(before) && !isDown(after)) queue.hurry(org, id, now)
    if (isDown(after) && !isDown(before)) log.warn({ webhook: id }, 'webhook held: its receiver is down')
    if (disabled === undefined) return
    disable(org, id, disabled)
    log.warn({ webhook: id, reason: disabled }, 'webhook disabled')
  }

  function settleOne({ taken, at, isProbe, reply }: Landing, health: Verdict, now: number): Verdict {
    if (!reply) {
      queue.release(taken, now + LOST_PAUSE_MS)
      return health
    }
    const { duration_ms, status: response_status, reply: response_body, error } = reply
    const attempt = { at: rfc3339(at), duration_ms, response_status, response_body, error }
    const isTest = taken.type === TEST
    const verdict = deliveryAfter({ failures: taken.failures, isProbe, isTest }, reply, now, random())
    queue.settle(taken, attempt, verdict, now)
    return isTest ? health : { ...health, ...healthAfter(health, reply, now) }
  }

  return settle
}
