import { type Deps, once } from '../../deps.ts'
import { mailboxStore } from '../../inbox/mailboxes/mailboxes.ts'
import type { Caller } from '../../lib/caller.ts'
import { parseTime, rfc3339 } from '../../lib/time.ts'
import { enrollmentEngine } from './engine.ts'
import type { EnrollmentCreate, Skipped } from './enrollment.ts'
import { enrollmentStore } from './enrollments.ts'
import { allowedFrom } from './timing.ts'

type Person = { contact_id: string; name: string }

export type EnrollPreview = {
  /** Whom it would take, in their order. */
  goes: Person[]
  skipped: (Person & { reason: Skipped })[]
  /** Those of `goes` who have been in the sequence before, when, and how many steps they got. */
  again: (Person & { at: string; steps: number })[]
  /** When the first and the last of the first steps are done; null if nobody goes in. */
  first_at: string | null
  last_at: string | null
}

/** What enrolling contacts would do, before it is done. Nothing is written. */
export const enrollPreviews = once((deps: Deps) => {
  const { db } = deps
  const { wouldEnroll } = enrollmentStore(deps)
  const { windowOf, mailboxOf } = enrollmentEngine(deps)
  const mailboxes = mailboxStore(deps)
  const last = db.prepare(
    `SELECT created_at AS at, current_step AS steps FROM enrollments
     WHERE org_id = ? AND sequence_id = ? AND contact_id = ? ORDER BY id DESC LIMIT 1`,
  )

  /** Throws as `create` of the enrollments does. */
  function preview(who: Caller, given: EnrollmentCreate): EnrollPreview {
    const { org } = who
    const { plan, sorted } = wouldEnroll(who, given)
    const people = sorted.map(({ contact, reason }) => ({ contact_id: contact.id, name: contact.name, reason }))
    const goes = people
      .filter(({ reason }) => reason === undefined)
      .map(({ contact_id, name }) => ({ contact_id, name }))
    const before = (id: string) => last.get(org, plan.sequence.id, id) as { at: number; steps: number } | undefined
    const times = timesOf(org, plan, goes.length)
    return {
      goes,
      skipped: people.flatMap(({ reason, ...person }) => (reason ? [{ ...person, reason }] : [])),
      again: goes.flatMap((person) => {
        const found = before(person.contact_id)
        return found ? [{ ...person, at: rfc3339(found.at), steps: found.steps }] : []
      }),
      first_at: times.length > 0 ? rfc3339(Math.min(...times)) : null,
      last_at: times.length > 0 ? rfc3339(Math.max(...times)) : null,
    }
  }

  /** When the first step of each is done: mails one after the other, as the limits of the mailbox allow. */
  function timesOf(org: number, plan: ReturnType<typeof wouldEnroll>['plan'], count: number): number[] {
    const due = parseTime(plan.due_at) as number
    const [first] = plan.steps
    const mailbox = first?.type === 'email' ? mailboxOf(org, plan.sequence, plan) : undefined
    if (!first || !mailbox) return new Array<number>(count).fill(due)
    const window = windowOf(org, plan.sequence)
    const place = mailboxes.lookAhead(org, mailbox)
    return Array.from({ length: count }, () => place(due, (ms) => allowedFrom(ms, first, window)))
  }

  return preview
})
