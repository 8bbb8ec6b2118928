import { type Deps, once } from '../../deps.ts'
import { parseTime } from '../../lib/time.ts'
import { hoursStore } from '../hours/hours.ts'
import { type Policy, slaStore } from './policies.ts'
import { type Clock, isAwaited, type Target } from './sla.ts'
import { running, type StatusChange, usedUpAt } from './timeline.ts'

/** The fields of a conversation that its clocks depend on. */
export type Followed = {
  status: string
  priority: string
  waiting_since: string | null
  first_response_at: string | null
}

/** The milliseconds of each second of a target after which it is at risk. */
const RISK_MS = 800

/** The SLA targets of conversations: which are pending, and when they are due. */
export const slaClocks = once((deps: Deps) => {
  const { db } = deps
  const { businessTimeOf } = hoursStore(deps)
  const select = db.prepare(
    `SELECT target, ordinal, started_at, ended_at, target_s, risk_at, due_at, warned_at, breached_at, due_when_breached
     FROM sla_clocks WHERE org_id = ? AND conversation_id = ? ORDER BY target, ordinal`,
  )
  const insert = db.prepare(
    `INSERT INTO sla_clocks (org_id, conversation_id, target, ordinal, started_at, ended_at, target_s, risk_at, due_at,
       warned_at, breached_at, due_when_breached)
     VALUES (@org, @conversation, @target, @ordinal, @started_at, @ended_at, @target_s, @risk_at, @due_at, @warned_at,
       @breached_at, @due_when_breached)`,
  )
  const update = db.prepare(
    `UPDATE sla_clocks SET started_at = @started_at, ended_at = @ended_at, target_s = @target_s, risk_at = @risk_at, due_at = @due_at,
       warned_at = @warned_at, breached_at = @breached_at, due_when_breached = @due_when_breached
     WHERE org_id = @org AND conversation_id = @conversation AND target = @target AND ordinal = @ordinal`,
  )

  const of = (org: number, id: string): Clock[] => select.all(org, id) as Clock[]

  /** The clocks of a new conversation: a first response is only due if the contact wrote first. */
  function first(at: number, isInbound: boolean): Clock[] {
    return [...(isInbound ? [started('first_response', at)] : []), started('resolution', at)]
  }

  /** The clocks after a change at the given time: ends some, and starts others. */
  function follow(clocks: readonly Clock[], now: Followed, at: number): Clock[] {
    const isClosed = now.status === 'closed'
    const answeredAt = now.first_response_at === null ? null : (parseTime(now.first_response_at) as number)
    const waitingSince = now.waiting_since === null ? null : (parseTime(now.waiting_since) as number)
    const after = clocks.map((clock): Clock => {
      if (clock.target === 'resolution') {
        if (isClosed === (clock.ended_at !== null)) return clock
        return { ...clock, ended_at: isClosed ? at : null } // a reopened conversation continues the same target
      }
      if (!isAwaited(clock)) return clock
      if (clock.target === 'first_response')
        return answeredAt === null && !isClosed ? clock : ended(clock, answeredAt ?? at)
      if (waitingSince === clock.started_at) return clock
      if (waitingSince === null || waitingSince > clock.started_at) return ended(clock, at)
      return { ...clock, started_at: waitingSince } // an earlier message arrived late: it is the same wait
    })
    const isAnyAwaited = after.some((clock) => clock.target !== 'resolution' && isAwaited(clock))
    if (waitingSince === null || isAnyAwaited) return after
    const others = after.filter(({ target }) => target === 'next_response')
    const same = others.find(({ started_at }) => started_at === waitingSince)
    if (!same) return [...after, started('next_response', waitingSince, others.length)]
    return after.map((clock) => (clock === same ? { ...clock, ended_at: null } : clock))
  }

  /** Sets the due times of the policy on the clocks; ended ones keep theirs. */
  function withDueTimes(
    org: number,
    clocks: readonly Clock[],
    policy: Policy | undefined,
    priority: string,
    changes: readonly StatusChange[],
  ): Clock[] {
    const hours = policy?.hours_id ? businessTimeOf(org, policy.hours_id) : undefined
    const stops = ['closed', ...(policy?.pause_on ?? [])]
    return clocks.map((clock) => {
      if (!isAwaited(clock)) return clock
      const seconds = policy?.targets[priority as keyof Policy['targets']][`${clock.target}_s`] ?? null
      if (seconds === null) return { ...clock, target_s: null, risk_at: null, due_at: null }
      const stretches = running(clock.started_at, changes, stops)
      return {
        ...clock,
        target_s: seconds,
        risk_at: usedUpAt(stretches, seconds * RISK_MS, hours) ?? null,
        due_at: usedUpAt(stretches, seconds * 1000, hours) ?? null,
      }
    })
  }

  /** Writes the clocks that differ. */
  function write(org: number, conversation: string, before: readonly Clock[], after: readonly Clock[]): void {
    for (const clock of after) {
      const known = before.find(({ target, ordinal }) => clock.target === target && clock.ordinal === ordinal)
      if (!known) insert.run({ org, conversation, ...clock })
      else if (known !== clock && differs(known, clock)) update.run({ org, conversation, ...clock })
    }
  }

  return { of, first, follow, withDueTimes, write, policies: slaStore(deps) }
})

const started = (target: Target, at: number, ordinal = 0): Clock => ({
  target,
  ordinal,
  started_at: at,
  ended_at: null,
  target_s: null,
  risk_at: null,
  due_at: null,
  warned_at: null,
  breached_at: null,
  due_when_breached: null,
})

const ended = (clock: Clock, at: number): Clock => ({ ...clock, ended_at: Math.max(at, clock.started_at) })

const differs = (one: Clock, other: Clock): boolean =>
  (Object.keys(one) as (keyof Clock)[]).some((name) => one[name] !== other[name])
