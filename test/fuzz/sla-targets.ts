import { timeOfId } from '../../src/lib/id.ts'
import type { Database } from '../../src/store/sqlite/driver.ts'
import { type Matched, POLICIES } from './settings.ts'

// The SLA targets that conversations must have after a run.

export type Conversation = Matched & {
  org_id: number
  id: string
  number: number
  snoozed_until: number | null
  closed_at: number | null
  unread_count: number
  read_at: number | null
  waiting_since: number | null
  first_response_at: number | null
  last_message_at: number
  preview: string
  sla: string
  sla_status: string
  version: number
}
export type Status = { at: number; status: string }
type Clock = {
  target: string
  started_at: number
  ended_at: number | null
  target_s: number | null
  due_at: number | null
  warned_at: number | null
  breached_at: number | null
}
type Targets = Record<string, Record<string, number | null>>
type Policy = { id: string; org_id: number; key: string; hours_id: string | null; targets: string; pause_on: string }

/** A timer may be so late. */
export const LATE_MS = 3000
const MAX_BREACHES = 100

export function slaFindings(db: Database, now: number) {
  const clocksOf = db.prepare('SELECT * FROM sla_clocks WHERE org_id = ? AND conversation_id = ?')
  const told = db
    .prepare("SELECT type || ' ' || object_id, count(*) FROM events WHERE type LIKE 'conversation.%' GROUP BY 1")
    .raw()
  const times = new Map(told.all() as [string, number][])
  const oldest = new Map(
    db.prepare('SELECT org_id, min(at) FROM events GROUP BY org_id').raw().all() as [number, number][],
  )

  /** Each promise is told once, and what the conversation shows is what its clocks say. */
  function faults(one: Conversation): string[] {
    const clocks = clocksOf.all(one.org_id, one.id) as Clock[]
    const { status: shown, breaches } = JSON.parse(one.sla)
    const breached = clocks.filter(({ breached_at }) => breached_at !== null)
    const said: string[] = []
    if ((shown === 'breached') !== breached.length > 0)
      said.push(`its SLA status is ${shown}, and ${breached.length} are breached`)
    if (breaches.length !== Math.min(breached.length, MAX_BREACHES))
      said.push(`it shows ${breaches.length} breaches of ${breached.length}`)
    const late = now - LATE_MS
    for (const { target, ended_at, due_at, breached_at } of clocks)
      if (ended_at === null && breached_at === null && due_at !== null && due_at < late)
        said.push(`${target} was due at ${due_at}, and nobody was told`)
    // Events of long ago are not kept.
    const isKept = timeOfId(one.id) >= (oldest.get(one.org_id) ?? 0)
    return isKept ? [...said, ...toldFaults(one, clocks, breached)] : said
  }

  function toldFaults({ id }: Conversation, clocks: Clock[], breached: Clock[]): string[] {
    const timesOf = (what: string): number => times.get(`conversation.${what} ${id}`) ?? 0
    const due: [string, number][] = [
      ['created', 1],
      ['sla_breached', breached.length],
      ['sla_at_risk', clocks.filter(({ warned_at }) => warned_at !== null).length],
    ]
    return due
      .filter(([what, many]) => timesOf(what) !== many)
      .map(([what, many]) => `${what} was told ${timesOf(what)} times, and not ${many}`)
  }

  return faults
}

export function chosenPolicies(db: Database) {
  const clocksOf = db.prepare('SELECT * FROM sla_clocks WHERE org_id = ? AND conversation_id = ?')
  const all = db.prepare('SELECT * FROM sla_policies').all() as Policy[]
  const policies = new Map(all.map((each) => [each.id, each]))
  /** Those who have the policies of this fuzzer. */
  const orgs = new Set(all.filter(({ key }) => key === POLICIES[0]?.key).map(({ org_id }) => org_id))
  const isRecounting = db.prepare("SELECT 1 FROM jobs WHERE kind = 'sla.recount'").get() !== undefined

  /** Nothing as long as promises are counted anew. */
  return function faults(one: Conversation, statuses: Status[]): string[] {
    if (isRecounting || one.status === 'closed' || !orgs.has(one.org_id)) return []
    const clocks = clocksOf.all(one.org_id, one.id) as Clock[]
    return policyFaults(one, policies.get(JSON.parse(one.sla).policy_id), clocks, statuses)
  }
}

/** It has the first policy that fits, and what that one promises for its priority. */
function policyFaults(one: Conversation, policy: Policy | undefined, clocks: Clock[], statuses: Status[]): string[] {
  const key = POLICIES.find(({ fits }) => fits(one))?.key
  if (!policy || policy.key !== key) return [`its policy is ${policy?.key}, and not ${key}`]
  const targets = (JSON.parse(policy.targets) as Targets)[one.priority]!
  const isPlain = policy.hours_id === null && policy.pause_on === '[]'
  const neverClosed = statuses.every(({ status }) => status !== 'closed')
  return clocks
    .filter(({ ended_at }) => ended_at === null)
    .flatMap(({ target, started_at, target_s, due_at }) => {
      const seconds = targets[`${target}_s`] ?? null
      if (target_s !== seconds) return [`${target} is promised in ${target_s} s, and not in ${seconds} s`]
      const due = seconds === null ? null : started_at + seconds * 1000
      const isWrong = isPlain && neverClosed && due_at !== due
      return isWrong ? [`${target} is due at ${due_at}, and not at ${due}`] : []
    })
}
