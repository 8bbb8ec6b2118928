import { TEST } from '../deliveries.ts'
import type { Reply } from '../egress/http-post.ts'
import type { Receiver, Taken, Target } from './queue.ts'
import { isDown } from './retry-policy.ts'

/** An attempt in flight. */
export type InFlight = { taken: Taken; to: Receiver; at: number; isProbe: boolean }
/** A finished attempt. Without a reply it was lost on our side, and says nothing about the receiver. */
export type TryResult = InFlight & { reply: Reply | undefined }

/** Attempts in flight per webhook, so that a slow receiver delays only itself. */
export const MAX_OF_ONE = 20
/** Attempts in flight for all webhooks; each webhook may have one beyond that. */
export const MAX_OF_ALL = 500
/** Tests in flight; tests have their own limit, so that other deliveries never delay them. */
export const MAX_TESTS = 50

export const webhookOf = ({ org, webhook_id }: Taken): string => keyOf(org, webhook_id)
export const keyOf = (org: number, webhook: string): string => `${org} ${webhook}`

/** Tracks attempts in flight by webhook. */
export function inFlight() {
  const ofWebhook = new Map<string, Set<string>>()
  let total = 0
  let tests = 0

  function add({ taken }: InFlight): void {
    const ids = ofWebhook.get(webhookOf(taken)) ?? new Set<string>()
    ofWebhook.set(webhookOf(taken), ids.add(taken.id))
    total++
    if (taken.type === TEST) tests++
  }

  function remove(taken: Taken): void {
    const ids = ofWebhook.get(webhookOf(taken))
    if (!ids?.delete(taken.id)) return
    total--
    if (taken.type === TEST) tests--
    if (ids.size === 0) ofWebhook.delete(webhookOf(taken))
  }

  /**
   * Returns how many more attempts the webhook may have; `others` attempts are about to start for other webhooks. A
   * receiver that is down gets one probe at a time.
   */
  function slotsOf(target: Target, others = 0): number {
    const own = ofWebhook.get(keyOf(target.org, target.id))?.size ?? 0
    if (isDown(target)) return own === 0 ? 1 : 0
    const shared = MAX_OF_ALL - total - others
    return Math.min(MAX_OF_ONE - own, own === 0 ? Math.max(shared, 1) : shared)
  }

  return { add, remove, slotsOf, total: () => total, slotsForTests: () => Math.max(0, MAX_TESTS - tests) }
}

export type InFlightSet = ReturnType<typeof inFlight>
