import type { Deps } from '../../deps.ts'
import { DAY_MS, rfc3339 } from '../../lib/time.ts'
import { hoursStore } from '../hours/hours.ts'
import { slaClocks } from '../sla/clocks.ts'
import { type Clock, isAwaited, type Target } from '../sla/sla.ts'
import { type CountedPart, countedBefore, countedParts, running, type StatusChange } from '../sla/timeline.ts'
import type { Conversation } from './conversation.ts'
import { statusHistory } from './statuses.ts'

// Why a target is due when it is: the policy, its hours, what paused it, and the parts whose sum is the target.

type Span = { from: string; to: string | null }

export type SlaReason = {
  target: Target
  target_s: number
  started_at: string
  /** Null while time is paused. */
  due_at: string | null
  /** What counted and will count until it is due, or until now while time is paused; the newest of them. */
  parts: { from: string; to: string; counted_s: number }[]
  /** What counted before these parts, in seconds. */
  earlier_s: number
  /** When nothing counted, and the status for which it did not. */
  pauses: (Span & { status: string })[]
}

export type SlaReasons = {
  policy: string | null
  priority: string
  /** Null for around the clock. */
  hours: { name: string; timezone: string } | null
  pending: SlaReason[]
}

/** As many fit on a page that somebody reads. */
const MAX_PARTS = 20
/** Parts before that are only summed: a target may be years away, and the office open by the hour. */
const SHOWN_MS = 28 * DAY_MS

export function slaReasons(deps: Deps) {
  const { db, clock } = deps
  const clocks = slaClocks(deps)
  const history = statusHistory(db)
  const { businessTimeOf } = hoursStore(deps)
  const nameOf = db.prepare('SELECT name FROM sla_policies WHERE org_id = ? AND id = ?').pluck()
  const hoursOf = db.prepare('SELECT name, timezone FROM hours WHERE org_id = ? AND id = ?')

  /** The targets that are pending, the one that is due first before the others. */
  function reasonsOf(org: number, { id, priority, sla }: Conversation): SlaReasons {
    const policy = sla.policy_id === null ? undefined : clocks.policies.policyById(org, sla.policy_id)
    if (!policy) return { policy: null, priority, hours: null, pending: [] }
    const hours = policy.hours_id === null ? undefined : businessTimeOf(org, policy.hours_id)
    const changes = history.of(org, id)
    const stops = ['closed', ...policy.pause_on]
    const pending = clocks
      .of(org, id)
      .filter((clock) => isAwaited(clock) && clock.target_s !== null)
      .sort((one, other) => (one.due_at ?? Number.POSITIVE_INFINITY) - (other.due_at ?? Number.POSITIVE_INFINITY))
      .map((one): SlaReason => {
        const stretches = running(one.started_at, changes, stops)
        const until = one.due_at ?? clock.now()
        const parts = countedParts(stretches, until - SHOWN_MS, until, hours)
        const shown = parts.slice(-MAX_PARTS)
        const earlier = parts.slice(0, -MAX_PARTS)
        return {
          target: one.target,
          target_s: one.target_s as number,
          started_at: rfc3339(one.started_at),
          due_at: one.due_at === null ? null : rfc3339(one.due_at),
          parts: shown.map((part) => ({ from: rfc3339(part.from), to: rfc3339(part.to), counted_s: secondsOf(part) })),
          earlier_s: earlier.reduce(
            (sum, part) => sum + secondsOf(part),
            countedBefore(stretches, until - SHOWN_MS, hours) / 1000,
          ),
          pauses: pausesOf(one, changes, stops),
        }
      })
    return {
      policy: nameOf.get(org, policy.id) as string,
      priority,
      hours: policy.hours_id === null ? null : (hoursOf.get(org, policy.hours_id) as SlaReasons['hours']),
      pending,
    }
  }

  return { reasonsOf }
}

const secondsOf = ({ from, to }: CountedPart): number => (to - from) / 1000

/** From each status that stops a clock up to the next one that does not. */
function pausesOf({ started_at }: Clock, changes: readonly StatusChange[], stops: readonly string[]) {
  const pauses: SlaReason['pauses'] = []
  let begun: StatusChange | undefined
  for (const change of changes) {
    if (stops.includes(change.status)) begun ??= change
    else if (begun) {
      if (change.at > started_at) pauses.push(pause(begun, started_at, change.at))
      begun = undefined
    }
  }
  if (begun) pauses.push(pause(begun, started_at, null))
  return pauses.slice(-MAX_PARTS)
}

const pause = ({ at, status }: StatusChange, started: number, to: number | null) => ({
  from: rfc3339(Math.max(at, started)),
  to: to === null ? null : rfc3339(to),
  status,
})
