import type { Deps } from '../../deps.ts'
import { parseTime, rfc3339 } from '../../lib/time.ts'
import { jobQueue } from '../../store/jobs.ts'
import type { rows } from '../../store/rows.ts'
import { slaClocks } from '../sla/clocks.ts'
import { type Clock, nextTelling, slaOf, type Telling } from '../sla/sla.ts'
import type { Conversation } from './conversation.ts'
import { statusHistory } from './statuses.ts'

/** A conversation with its promises. */
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

/** What is promised of conversations, and what is told of it. */
export function conversationTargets(deps: Deps, update: Update) {
  const { db, clock, outbox } = deps
  const jobs = jobQueue(deps)
  const clocks = slaClocks(deps)
  const history = statusHistory(db)

  const hold = (org: number, record: Conversation): ConversationWithTargets => ({
    record,
    clocks: clocks.of(org, record.id),
  })

  /** With what its policy promises: the one named, or the first that matches. A closed one is left as it was. */
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

  const next = ({ record, clocks }: ConversationWithTargets): Telling | undefined =>
    nextTelling(clocks, record.sla.status)

  /** Tells what was broken, or is at risk, up to a time: each promise once, in the order of their times. */
  function tell(org: number, held: ConversationWithTargets, until: number): ConversationWithTargets {
    let now = held
    for (let telling = next(now); telling && telling.at <= until; telling = next(now)) now = tellOne(org, now, telling)
    return now
  }

  function tellOne(
    org: number,
    { record, clocks: before }: ConversationWithTargets,
    { clock: late, what }: Telling,
  ): ConversationWithTargets {
    const at = clock.now()
    const told =
      what === 'breach' ? { breached_at: at, due_when_breached: late.due_at } : { warned_at: late.warned_at ?? at }
    const after = before.map((each) => (each === late ? { ...late, ...told } : each))
    const sla = slaOf(record.sla.policy_id, after, at)
    const fresh = { ...record, sla, updated_at: rfc3339(at), version: record.version + 1 }
    update(org, record, fresh)
    clocks.write(org, record.id, before, after)
    outbox.record({ org, member: null }, EVENTS[what], fresh, record)
    return { record: fresh, clocks: after }
  }

  /** Has the scheduler come when it wakes up, and when there is something to tell of its promises. */
  function schedule(org: number, before: ConversationWithTargets | undefined, after: ConversationWithTargets): void {
    const { id, snoozed_until } = after.record
    if (snoozed_until !== (before?.record.snoozed_until ?? null))
      put(org, WAKE, id, snoozed_until === null ? undefined : parseTime(snoozed_until))
    const due = next(after)?.at
    if (due !== (before && next(before)?.at)) put(org, SLA_DUE, id, due)
  }

  /** Has the scheduler come as soon as there is one. */
  function look(org: number, { id, snoozed_until, status }: Conversation): void {
    if (snoozed_until !== null) put(org, WAKE, id, parseTime(snoozed_until))
    if (status !== 'closed') put(org, SLA_DUE, id, clock.now())
  }

  function put(org: number, kind: string, id: string, dueAt: number | undefined): void {
    if (dueAt === undefined) jobs.cancel(org, kind, id)
    else jobs.put(org, { kind, key: id, payload: {}, dueAt })
  }

  return { hold, withTargets, tell, schedule, look, clocks, history }
}
