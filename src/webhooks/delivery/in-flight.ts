import { TEST } from '../deliveries.ts'
import type { Reply } from '../egress/http-post.ts'
import type { Receiver, Taken, Target } from './queue.ts'
import { isDown } from './retry-policy.ts'

/** A try on its way. */
export type InFlight = { taken: Taken; to: Receiver; at: number; isProbe: boolean }
/** One that came back; without a reply it was lost on this side, and says nothing of the receiver. */
export type TryResult = InFlight & { reply: Reply | undefined }

/** So many tries at a time for one webhook: a slow receiver holds up itself only. */
export const MAX_OF_ONE = 20
/** And beyond the first of each webhook, so many for all together. */
export const MAX_OF_ALL = 500
/** So many tests, which are sent whatever else is on its way. */
export const MAX_TESTS = 50

export const webhookOf = ({ org, webhook_id }: Taken): string => keyOf(org, webhook_id)
export const keyOf = (org: number, webhook: string): string => `${org} ${webhook}`

/** What is on its way, by webhook. */
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

  /** How many more may go to the webhook, where `others` are about to go elsewhere. One that is down gets a probe. */
  function slotsOf(target: Target, others = 0): number {
    const own = ofWebhook.get(keyOf(target.org, target.id))?.size ?? 0
    if (isDown(target)) return own === 0 ? 1 : 0
    const shared = MAX_OF_ALL - total - others
    return Math.min(MAX_OF_ONE - own, own === 0 ? Math.max(shared, 1) : shared)
  }

  return { add, remove, slotsOf, total: () => total, slotsForTests: () => Math.max(0, MAX_TESTS - tests) }
}

export type InFlightSet = ReturnType<typeof inFlight>
