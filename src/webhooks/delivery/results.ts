import type { Deps } from '../../deps.ts'
import type { Log } from '../../lib/log.ts'
import { rfc3339 } from '../../lib/time.ts'
import { TEST } from '../deliveries.ts'
import { webhookStore } from '../webhooks.ts'
import { type TryResult, webhookOf } from './in-flight.ts'
import type { DeliveryQueue } from './queue.ts'
import { deliveryAfter, type Health, healthAfter, isDown } from './retry-policy.ts'

/** How long to wait before an attempt lost on our side is repeated. */
export const LOST_PAUSE_MS = 5000

type Decision = Health & { disabled?: string }

/** Records finished attempts, inside a transaction. `random` returns a number from 0 to 1. */
export function resultRecorder(deps: Deps, queue: DeliveryQueue, log: Log, random: () => number) {
  const { clock } = deps
  const { disable } = webhookStore(deps)
  let givenUp = 0

  /** Returns how many deliveries of events were given up: their last attempt failed. */
  function record(results: readonly TryResult[]): number {
    givenUp = 0
    for (const ofWebhook of Map.groupBy(results, ({ taken }) => webhookOf(taken)).values()) recordHealth(ofWebhook)
    return givenUp
  }

  function recordHealth(results: TryResult[]): void {
    const { org, webhook_id: id } = (results[0] as TryResult).taken
    const before = queue.health(org, id)
    if (!before) return // the webhook was deleted
    const now = clock.now()
    let after: Decision = before
    for (const result of results) after = recordOne(result, after, now)
    const { disabled, ...health } = after
    queue.setHealth(org, id, health)
    if (isDown(before) && !isDown(after)) queue.hurry(org, id, now)
    if (isDown(after) && !isDown(before)) log.warn({ webhook: id }, 'webhook on hold: its receiver is down')
    if (disabled === undefined) return
    disable(org, id, disabled)
    log.warn({ webhook: id, reason: disabled }, 'webhook disabled')
  }

  function recordOne({ taken, at, isProbe, reply }: TryResult, health: Decision, now: number): Decision {
    if (!reply) {
      queue.release(taken, now + LOST_PAUSE_MS)
      return health
    }
    const { duration_ms, status: response_status, reply: response_body, error } = reply
    const attempt = { at: rfc3339(at), duration_ms, response_status, response_body, error }
    const isTest = taken.type === TEST
    const decision = deliveryAfter({ failures: taken.failures, isProbe, isTest }, reply, now, random())
    queue.recordResult(taken, attempt, decision, now)
    if (decision.status === 'failed' && !isTest) givenUp++
    return isTest ? health : { ...health, ...healthAfter(health, reply, now) }
  }

  return record
}
