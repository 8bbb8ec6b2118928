import * as v from 'valibot'
import { hasRole, type Role, refuseHigher } from '../../../auth/roles.ts'
import type { Member } from '../../../crm/members/members.ts'
import { type Deps, once } from '../../../deps.ts'
import { dateIn } from '../../../lib/calendar/days.ts'
import type { Caller, Session } from '../../../lib/caller.ts'
import * as f from '../../../lib/fields.ts'
import { conflict, type FieldError, field, invalid, Problem } from '../../../lib/problem.ts'
import { DAY_MS } from '../../../lib/time.ts'
import { orgOf } from '../../../store/orgs/orgs.ts'
import { missing } from '../../../store/rows/references.ts'
import type { Database } from '../../../store/sqlite/driver.ts'
import { type Counts, FINISHED, type FinishedKind, KINDS, type WorkKind, workOf } from './work.ts'

// What is asked for when a member hands over, and whether it can be done.

const MAX_RECEIVERS = 100
const MAX_AWAY_DAYS = 1100
/** More are refused: all of them are written down for an undo. */
export const MAX_HANDED = 500_000
/** What receivers have to be: whoever only reads cannot go on with anything. */
const RECEIVER: Role = 'member'

const receivers = v.pipe(
  f.arrayOf(f.id, MAX_RECEIVERS),
  v.minLength(1, 'empty|must name at least one member'),
  v.check((all) => new Set(all).size === all.length, 'repeated|must name each member once'),
)
const byKind = <Schema extends v.GenericSchema>(schema: Schema) =>
  f.object(Object.fromEntries(KINDS.map((kind) => [kind, f.optional(schema)])))

export const HandOver = f.object({
  to: f.doc(byKind(receivers), 'Who gets what, by kind: evenly by count. Kinds that are left out stay.'),
  finished: f.optional(
    f.doc(f.arrayOf(f.oneOf(FINISHED), FINISHED.length), 'Kinds of which what is finished is handed over as well.'),
  ),
  expected: f.optional(
    f.doc(byKind(f.count()), 'How many of each kind the member has seen: more are 409 `count_changed`.'),
  ),
  deactivate: f.optional(f.doc(v.literal(true), 'Deactivates the member with the same change.')),
  returns_on: f.optional(f.doc(f.date, 'When what is left comes back: at the beginning of the day.')),
})

export type Asked = {
  to: { [Kind in WorkKind]?: string[] }
  finished?: FinishedKind[]
  expected?: Counts
  deactivate?: true
  returns_on?: string
}

/** What was agreed to, as the change keeps it: never more of a kind than were counted. `was` is the deactivated version. */
export type Agreed = Pick<Asked, 'to'> & { finished: FinishedKind[]; counts: Counts; was?: number }

type Known = { name: string; role: Role; status: string }

/** Whom records can be given to. */
export function receiverStates(db: Database) {
  const byId = db.prepare('SELECT name, role, status FROM members WHERE org_id = ? AND id = ?')

  /** What is wrong with a receiver; undefined if nothing is. */
  function fault(org: number, id: string, pointer: string): FieldError | undefined {
    const found = byId.get(org, id) as Known | undefined
    if (!found) return missing(pointer)
    if (found.status !== 'active')
      return field(pointer, 'member_deactivated', `must be an active member; ${found.name} is deactivated`)
    if (!hasRole(found.role, RECEIVER))
      return field(pointer, 'member_reads_only', `must be a member who may write; ${found.name} may only read`)
    return undefined
  }

  /** The same for a change that has begun. */
  function refusal(org: number, id: string): Problem | undefined {
    const found = fault(org, id, '')
    return found && new Problem(409, found.code, `Not handed over: the receiver ${found.message}.`)
  }

  return { fault, refusal }
}

export const handOverChecks = once((deps: Deps) => {
  const { db, clock } = deps
  const { counts } = workOf(deps)
  const { fault } = receiverStates(db)
  const unfinished = db
    .prepare(
      `SELECT 1 FROM bulk_changes INDEXED BY bulk_changes_from WHERE org_id = ? AND from_id = ?
       AND (finished_at IS NULL OR (undo_started_at IS NOT NULL AND undone_at IS NULL)) LIMIT 1`,
    )
    .pluck()

  /** Throws 403, 409 and 422. Counts what will be handed over. */
  function check(who: Caller, from: Member, asked: Asked): Agreed & { total: number } {
    refuseHigher((who.session as Session).role, from.role)
    const { to, finished = [], deactivate, returns_on } = asked
    const errors = Object.entries(to).flatMap(([kind, ids]) =>
      ids.flatMap((id, at) => {
        const pointer = `/to/${kind}/${at}`
        if (id === from.id) return [field(pointer, 'same_member', 'must be another member')]
        return fault(who.org, id, pointer) ?? []
      }),
    )
    if (Object.keys(to).length === 0 && !deactivate && returns_on === undefined)
      errors.push(field('/to', 'required', 'must name who gets something'))
    if (returns_on !== undefined) {
      if (deactivate) errors.push(field('/returns_on', 'contradiction', 'must be omitted for who is deactivated'))
      if (finished.length > 0) errors.push(field('/finished', 'contradiction', 'must be omitted for who comes back'))
    }
    if (errors.length > 0) throw invalid(...errors)
    if (returns_on !== undefined) checkReturn(who.org, from, returns_on)
    if (unfinished.get(who.org, from.id))
      throw conflict(
        'handing_over',
        `What ${from.name} has is being handed over at the moment. Wait until that is done.`,
      )
    const agreed = { to, finished, counts: agreedCounts(who.org, from.id, asked) }
    const total = Object.values(agreed.counts).reduce((sum, each) => sum + each, 0)
    if (total > MAX_HANDED) throw invalid(field('/to', 'too_many', `must be at most ${MAX_HANDED} records`))
    return { ...agreed, total }
  }

  function agreedCounts(org: number, member: string, { to, finished = [], expected }: Asked): Counts {
    const now = counts(org, member)
    const kinds = Object.keys(to) as WorkKind[]
    const agreed = kinds.map((kind) => {
      const more = (finished as string[]).includes(kind) ? (now.finished[kind] ?? 0) : 0
      return [kind, (now.open[kind] ?? 0) + more] as const
    })
    if (expected && agreed.some(([kind, count]) => count > (expected[kind] ?? 0)))
      throw conflict('count_changed', 'The member has more than was expected.', { counts: Object.fromEntries(agreed) })
    return Object.fromEntries(agreed)
  }

  /** Throws 409 and 422. */
  function checkReturn(org: number, { name, status }: Pick<Member, 'name' | 'status'>, date: string): void {
    if (status !== 'active') throw conflict('member_deactivated', `${name} is deactivated, and does not come back.`)
    const { timezone } = orgOf(db, org)
    const [today, last] = [clock.now(), clock.now() + MAX_AWAY_DAYS * DAY_MS].map((ms) => dateIn(timezone, ms))
    if (date <= (today as string)) throw invalid(field('/returns_on', 'not_ahead', 'must be after today'))
    if (date > (last as string)) throw invalid(field('/returns_on', 'too_far', `must be ${last} or earlier`))
  }

  return { check, checkReturn }
})
