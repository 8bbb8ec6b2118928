import type { Deps } from '../../deps.ts'
import { parseTime, rfc3339 } from '../../lib/time.ts'
import { jobQueue } from '../../store/jobs/jobs.ts'
import type { rows } from '../../store/rows/rows.ts'
import { slaClocks } from '../sla/clocks.ts'
import { type Clock, nextSlaEvent, type SlaEvent, slaOf } from '../sla/sla.ts'
import type { Conversation } from './conversation.ts'
import { statusHistory } from './statuses.ts'

/** A conversation with its SLA clocks. */
export type ConversationWithTargets = { record: Conversation; clocks: Clock[] }

/** Kinds of jobs. */
export const WAKE = 'conversation.wake'
export const SLA_DUE = 'sla.due'

const EVENTS = {
  risk: 'conversation.sla_at_risk',
  'risk again': 'conversation.updated',
  breach: 'conversation.sla_breached',
} as const

type Update = ReturnType<typeof rows<Conversation>>['update']

/** Keeps the SLA targets of conversations, and records their events. */
export function conversationTargets(deps: Deps, update: Update) {
  const { db, clock, outbox } = deps
  const jobs = jobQueue(deps)
  const clocks = slaClocks(deps)
  const history = statusHistory(db)

  const hold = (org: number, record: Conversation): ConversationWithTargets => ({
    record,
    clocks: clocks.of(org, record.id),
  })

  /**
   * Applies the targets of a policy: the given one, or the first that matches. A closed conversation stays unchanged.
   */
  function withTargets(
    org: number,
    { record, clocks: running }: ConversationWithTargets,
    policyId: string | null | undefined,
  ): ConversationWithTargets {
    const isOver = record.status === 'closed'
    const policy =
      policyId === undefined && !isOver
        ? clocks.policies.matching(org, record.id)
        : clocks.policies.policyById(org, policyId ?? record.sla.policy_id ?? '')
    const way = policy && !isOver ? history.of(org, record.id) : []
    const after = isOver ? running : clocks.withDueTimes(org, running, policy, record.priority, way)
    return { record: { ...record, sla: slaOf(policy?.id ?? null, after, clock.now()) }, clocks: after }
  }

  const next = ({ record, clocks }: ConversationWithTargets): SlaEvent | undefined =>
    nextSlaEvent(clocks, record.sla.status)

  /** Records the breaches and risks up to a time: each target once, in the order of their times. */
  function recordDue(org: number, held: ConversationWithTargets, until: number): ConversationWithTargets {
    let now = held
    for (let event = next(now); event && event.at <= until; event = next(now)) now = recordOne(org, now, event)
    return now
  }

  function recordOne(
    org: number,
    { record, clocks: before }: ConversationWithTargets,
    { clock: late, what }: SlaEvent,
  ): ConversationWithTargets {
    const at = clock.now()
    const times =
      what === 'breach' ? { breached_at: at, due_when_breached: late.due_at } : { warned_at: late.warned_at ?? at }
    const after = before.map((each) => (each === late ? { ...late, ...times } : each))
    const sla = slaOf(record.sla.policy_id, after, at)
    const fresh = { ...record, sla, updated_at: rfc3339(at), version: record.version + 1 }
    update(org, record, fresh)
    clocks.write(org, record.id, before, after)
    outbox.record({ org, member: null }, EVENTS[what], fresh, record)
    return { record: fresh, clocks: after }
  }

  /** Schedules the end of the snooze, and the next breach or risk. */
  function schedule(org: number, before: ConversationWithTargets | undefined, after: ConversationWithTargets): void {
    const { id, snoozed_until } = after.record
    if (snoozed_until !== (before?.record.snoozed_until ?? null))
      put(org, WAKE, id, snoozed_until === null ? undefined : parseTime(snoozed_until))
    const due = next(after)?.at
    if (due !== (before && next(before)?.at)) put(org, SLA_DUE, id, due)
  }

  /** Schedules a check as soon as a server runs. */
  function look(org: number, { id, snoozed_until, status }: Conversation): void {
    if (snoozed_until !== null) put(org, WAKE, id, parseTime(snoozed_until))
    if (status !== 'closed') put(org, SLA_DUE, id, clock.now())
  }

  function put(org: number, kind: string, id: string, dueAt: number | undefined): void {
    if (dueAt === undefined) jobs.cancel(org, kind, id)
    else jobs.put(org, { kind, key: id, payload: {}, dueAt })
  }

  return { hold, withTargets, recordDue, schedule, look, clocks, history }
}
