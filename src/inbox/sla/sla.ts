import type * as v from 'valibot'
import * as f from '../../lib/fields.ts'
import { rfc3339 } from '../../lib/time.ts'

// The state of a conversation's SLA targets.

export const SLA_STATUSES = ['none', 'ok', 'at_risk', 'breached', 'met'] as const
export const TARGETS = ['first_response', 'next_response', 'resolution'] as const
export type Target = (typeof TARGETS)[number]

const due = (text: string) => f.doc(f.nullable(f.recordFields.created_at), text)

/** A conversation may last for years: only the newest breaches are shown. */
const MAX_BREACHES = 100

const Breach = f.named(
  'SlaBreach',
  f.object({
    target: f.oneOf(TARGETS),
    due_at: f.doc(f.recordFields.created_at, 'When the target was due.'),
    breached_at: f.doc(
      f.recordFields.created_at,
      'When the breach was noticed: later than `due_at` if the server was not running.',
    ),
  }),
)

export const Sla = f.doc(
  f.named(
    'ConversationSla',
    f.object({
      policy_id: f.doc(f.nullable(f.id), 'The policy of `GET /sla` that applies; null for none.'),
      status: f.doc(
        f.oneOf(SLA_STATUSES),
        '`breached` permanently after a missed target. Otherwise `at_risk` if four fifths of the time of a pending target have passed, `ok` if a target is pending, `met` if all targets were met, and `none` without targets.',
      ),
      first_response_due_at: due('Remains after the response. Null without a target, or while time is paused.'),
      next_response_due_at: due('Null if nobody is waiting.'),
      resolution_due_at: due('Remains after the conversation is closed.'),
      breaches: f.doc(f.arrayOf(Breach), `Missed targets, each once, oldest first; the last ${MAX_BREACHES}.`),
    }),
  ),
  'SLA targets of the policy and their state.',
)
export type Sla = v.InferOutput<typeof Sla>

/** One SLA target: it starts, is pending, and ends. Times are milliseconds. */
export type Clock = {
  target: Target
  /** Numbers the clocks of the same target, from 0. */
  ordinal: number
  started_at: number
  /** Null while it is pending. */
  ended_at: number | null
  /** Null if the policy has no such target. */
  target_s: number | null
  /** When four fifths of the time have passed; null also if the clock pauses before that. */
  risk_at: number | null
  due_at: number | null
  /** Each of the two is recorded once. */
  warned_at: number | null
  breached_at: number | null
  /** The value of `due_at` when it was breached. */
  due_when_breached: number | null
}

export const NO_SLA: Sla = {
  policy_id: null,
  status: 'none',
  first_response_due_at: null,
  next_response_due_at: null,
  resolution_due_at: null,
  breaches: [],
}

export const isAwaited = (clock: Clock): boolean => clock.ended_at === null

export function slaOf(policyId: string | null, clocks: readonly Clock[], now: number): Sla {
  const dueOf = (clock: Clock | undefined): string | null =>
    clock && clock.due_at !== null ? rfc3339(clock.due_at) : null
  const of = (target: Target): Clock[] => clocks.filter((clock) => clock.target === target)
  return {
    policy_id: policyId,
    status: statusOf(clocks, now),
    first_response_due_at: dueOf(of('first_response')[0]),
    next_response_due_at: dueOf(of('next_response').find(isAwaited)),
    resolution_due_at: dueOf(of('resolution')[0]),
    breaches: clocks
      .filter(({ breached_at }) => breached_at !== null)
      .sort((one, other) => (one.due_when_breached as number) - (other.due_when_breached as number))
      .slice(-MAX_BREACHES)
      .map(({ target, due_when_breached, breached_at }) => ({
        target,
        due_at: rfc3339(due_when_breached as number),
        breached_at: rfc3339(breached_at as number),
      })),
  }
}

function statusOf(clocks: readonly Clock[], now: number): Sla['status'] {
  if (clocks.some(({ breached_at }) => breached_at !== null)) return 'breached'
  const dueFirst = clocks.filter(({ target_s }) => target_s !== null)
  const awaited = dueFirst.filter(isAwaited)
  if (awaited.some(({ warned_at, risk_at }) => warned_at !== null && risk_at !== null && risk_at <= now))
    return 'at_risk'
  if (awaited.length > 0) return 'ok'
  return dueFirst.length > 0 ? 'met' : 'none'
}

/**
 * The next event of the pending targets, and when it is due. A target warns once; if its due time was moved and comes
 * near again, the conversation becomes `at_risk` again without another warning.
 */
export type SlaEvent = { clock: Clock; at: number; what: 'risk' | 'risk again' | 'breach' }

export function nextSlaEvent(clocks: readonly Clock[], status: Sla['status']): SlaEvent | undefined {
  const all = clocks.filter((clock) => isAwaited(clock) && clock.breached_at === null)
  return all
    .flatMap((clock): SlaEvent[] => {
      const { warned_at, risk_at, due_at } = clock
      if (warned_at === null) return risk_at === null ? [] : [{ clock, at: risk_at, what: 'risk' }]
      return [
        ...(risk_at !== null && status === 'ok' ? [{ clock, at: risk_at, what: 'risk again' } as const] : []),
        ...(due_at !== null ? [{ clock, at: due_at, what: 'breach' } as const] : []),
      ]
    })
    .sort((one, other) => one.at - other.at)[0]
}
