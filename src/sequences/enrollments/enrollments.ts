import { columns as contactColumns, contactStore } from '../../crm/contacts.ts'
import { type Deps, once } from '../../deps.ts'
import { membership } from '../../filters/membership.ts'
import { type BulkResult, changeRoute, createRoute, type Route } from '../../http/route.ts'
import { standardRoutes } from '../../http/standard.ts'
import type { Caller } from '../../lib/caller.ts'
import { timeOfId } from '../../lib/id.ts'
import { conflict, field, invalid, type Problem } from '../../lib/problem.ts'
import { parseTime, rfc3339 } from '../../lib/time.ts'
import type { Contact } from '../../records/contact.ts'
import { listing } from '../../store/list/page.ts'
import type { RawRow } from '../../store/rows/columns.ts'
import { finder } from '../../store/rows/find.ts'
import { missing } from '../../store/rows/references.ts'
import type { Step } from '../sequences/sequence.ts'
import { type SequenceHead, sequenceStore } from '../sequences/sequences.ts'
import { enrollmentEngine } from './engine.ts'
import {
  columns,
  Enrolled,
  Enrollment,
  EnrollmentCreate,
  EnrollmentPatch,
  type EnrollmentRow,
  enrollmentOf,
  filters,
  isLive,
  nextStepAt,
  type Skipped,
  sorts,
} from './enrollment.ts'
import { enrollmentWriter } from './enrollment-writer.ts'
import { dueAt } from './timing.ts'

/** The most contacts of a list that one request enrolls. */
const MAX_LISTED = 1000

const TOO_LATE = 'must be early enough for the first step to be due before the year 10000'

/** What all enrollments of one request share. */
type Plan = {
  sequence: SequenceHead
  steps: readonly Step[]
  sender_id: string | null
  deal_id: string | null
  /** When the enrollments begin. */
  start: number
  /** When the first step is due: computed once for all, because counting business days is slow. */
  due_at: string
}

export const enrollmentStore = once((deps: Deps) => {
  const { db, clock, references } = deps
  const { byId, insert, add, save, end, schedule } = enrollmentWriter(deps)
  const { windowOf, resumedAt } = enrollmentEngine(deps)
  const sequences = sequenceStore(deps)
  const contacts = contactStore(deps)
  const { list } = listing(db, { table: 'enrollments', columns, filters, sorts })
  const find = finder(db, 'enrollments', columns)
  const { conditions } = membership(deps, 'contact')
  const objectOf = db.prepare('SELECT object FROM lists WHERE org_id = ? AND id = ?').pluck()
  const enrolled = db
    .prepare(
      `SELECT id FROM enrollments WHERE org_id = ? AND sequence_id = ? AND contact_id = ?
       AND status IN ('scheduled', 'active', 'paused')`,
    )
    .pluck()

  function create(who: Caller, given: EnrollmentCreate): Enrollment | BulkResult<Enrollment> {
    const { contact_id, contact_ids, list_id } = given
    if ([contact_id, contact_ids, list_id].filter((each) => each !== undefined).length !== 1)
      throw invalid(field('', 'one_of', 'must have exactly one of contact_id, contact_ids and list_id'))
    references.check(who.org, given)
    if (contact_id !== undefined) return enrollOne(who, planOf(who, given), contactById(who, contact_id))
    const all = list_id === undefined ? contact_ids?.map((id) => contactById(who, id)) : listed(who, list_id)
    return enrollAll(who, planOf(who, given), all as Contact[])
  }

  /** Throws 422. */
  function planOf(who: Caller, { sequence_id, sender_id, deal_id, start_at }: EnrollmentCreate): Plan {
    const sequence = sequences.byId(who.org, sequence_id) as SequenceHead
    const { steps } = sequences.versionOf(who.org, sequence_id, sequence.current_version)
    const start = Math.max(start_at === undefined ? 0 : (parseTime(start_at) as number), clock.now())
    const [first] = steps
    const due_at = rfc3339(first ? dueAt(start, first, windowOf(who.org, sequence)) : start)
    if (parseTime(due_at) === undefined) throw invalid(field('/start_at', 'out_of_range', TOO_LATE))
    return { sequence, steps, sender_id: sender_id ?? who.member, deal_id: deal_id ?? null, start, due_at }
  }

  const contactById = (who: Caller, id: string): Contact => contactColumns.present(contacts.find(who, id))

  /** Returns the contacts that are in the list now. Throws 422, or 403 if the caller may not read them. */
  function listed(who: Caller, id: string): Contact[] {
    const { org } = who
    const object = objectOf.get(org, id)
    if (object === undefined) throw invalid(missing('/list_id'))
    if (object !== 'contact') throw invalid(field('/list_id', 'wrong_object', 'must be a list of contacts'))
    const meant = conditions(who, id)
    const number = contacts.count(org, meant)
    if (number > MAX_LISTED) {
      const message = `must be a list of at most ${MAX_LISTED} contacts; this list has ${number}`
      throw invalid(field('/list_id', 'list_too_large', message))
    }
    const ask = { limit: MAX_LISTED, sort: { column: 'id' }, descending: false, conditions: meant, count: false }
    return contacts.list(org, ask).rows.map(contactColumns.present)
  }

  function enrollOne(who: Caller, plan: Plan, contact: Contact): Enrollment {
    const reason = obstacle(who.org, plan, contact)
    if (reason) throw refusal(reason, enrolled.get(who.org, plan.sequence.id, contact.id) as string | undefined)
    return enroll(who, plan, contact)
  }

  function enrollAll(who: Caller, plan: Plan, all: readonly Contact[]): BulkResult<Enrollment> {
    const data: Enrollment[] = []
    const skipped: { contact_id: string; reason: Skipped }[] = []
    for (const contact of all) {
      const reason = reasonAmongOthers(who.org, plan, contact)
      if (reason) skipped.push({ contact_id: contact.id, reason })
      else data.push(enroll(who, plan, contact))
    }
    return { data, skipped }
  }

  const reasonAmongOthers = (org: number, plan: Plan, contact: Contact): Skipped | undefined =>
    plan.sequence.status === 'active' ? obstacle(org, plan, contact) : 'sequence_inactive'

  /** The contacts that `create` would enroll now, and those that it would skip. Writes nothing; throws as it does. */
  function wouldEnroll(who: Caller, given: EnrollmentCreate): WouldEnroll {
    references.check(who.org, given)
    const plan = planOf(who, given)
    const ids = given.contact_ids ?? []
    const all = given.list_id === undefined ? ids.map((id) => contactById(who, id)) : listed(who, given.list_id)
    const sorted = all.map((contact) => ({ contact, reason: reasonAmongOthers(who.org, plan, contact) }))
    return { plan, sorted }
  }

  /** Why the contact cannot be enrolled. Reasons that concern the contact itself come first. */
  function obstacle(org: number, { sequence, steps }: Plan, contact: Contact): Skipped | undefined {
    if (contact.do_not_contact) return 'do_not_contact'
    if (contact.unsubscribed_at !== null) return 'unsubscribed'
    if (contact.emails.length === 0 && steps.some(({ type }) => type === 'email')) return 'no_email'
    if (sequence.status !== 'active') return 'sequence_inactive'
    return enrolled.get(org, sequence.id, contact.id) === undefined ? undefined : 'already_enrolled'
  }

  function enroll(who: Caller, { sequence, sender_id, deal_id, start, due_at }: Plan, { id }: Contact) {
    const own = clock.id()
    const now = rfc3339(timeOfId(own))
    return add(who, {
      id: own,
      sequence_id: sequence.id,
      sequence_version: sequence.current_version,
      contact_id: id,
      sender_id,
      deal_id,
      status: start > clock.now() ? 'scheduled' : 'active',
      stop_reason: null,
      current_step: 0,
      next_step_at: due_at,
      conversation_id: null,
      replied_at: null,
      finished_at: null,
      created_at: now,
      updated_at: now,
      version: 1,
      due_at,
      bounced_at: null,
      unsubscribed_at: null,
      meeting_booked_at: null,
    })
  }

  function patch(who: Caller, before: Enrollment, { status }: EnrollmentPatch): Enrollment {
    if (status === undefined || status === before.status) return before
    if (!isLive(before))
      throw conflict(
        'enrollment_finished',
        `This enrollment is ${before.status} and cannot be continued. Enroll the contact again.`,
      )
    const kept = byId(who.org, before.id) as EnrollmentRow
    if (status === 'stopped') return enrollmentOf(end(who, kept, 'stopped', 'manual'))
    if (status === 'paused') return enrollmentOf(save(who, kept, { status }, { event: 'enrollment.paused' }))
    if (before.status === 'scheduled')
      throw conflict(
        'enrollment_scheduled',
        'This enrollment is not paused. It starts automatically; see next_step_at.',
      )
    const due = resumedAt(who.org, kept)
    if (due === undefined) throw inactive()
    return enrollmentOf(save(who, kept, { status, due_at: rfc3339(due) }))
  }

  /**
   * Inserts an enrollment unchanged and without an event. Its next step is executed when it is due, once a server runs.
   */
  function restore(org: number, kept: EnrollmentRow): void {
    insert(org, kept)
    const next_step_at = nextStepAt(kept)
    if (next_step_at !== null) schedule(org, { id: kept.id, next_step_at })
  }

  /**
   * For merges of contacts: if both contacts have a live enrollment in the same sequence, the one that moves is stopped
   * first.
   */
  function relink(
    who: Caller,
    before: Enrollment,
    given: Pick<Enrollment, 'contact_id'> | Pick<Enrollment, 'deal_id'>,
  ): Enrollment {
    const contact_id = 'contact_id' in given ? given.contact_id : null
    let kept = byId(who.org, before.id) as EnrollmentRow
    const other = contact_id && isLive(kept) && enrolled.get(who.org, kept.sequence_id, contact_id)
    if (other) kept = end(who, kept, 'stopped', 'merged')
    return enrollmentOf(save(who, kept, given))
  }

  const reading = { columns, list, find: (who: Caller, id: string): RawRow => find(who, id) }
  return { ...reading, create, wouldEnroll, patch, restore, relink }
})

export type WouldEnroll = { plan: Plan; sorted: { contact: Contact; reason: Skipped | undefined }[] }

const inactive = (): Problem =>
  conflict('sequence_inactive', 'The sequence is not active. Set its status in the settings.')

function refusal(reason: Skipped, other: string | undefined): Problem {
  if (reason === 'sequence_inactive') return inactive()
  if (reason === 'already_enrolled') {
    const detail = `The contact is already enrolled in this sequence: ${other}.`
    return conflict(reason, detail, { duplicate_id: other })
  }
  return invalid(field('/contact_id', reason, REFUSED[reason]))
}

const REFUSED = {
  do_not_contact: 'must be a contact without do_not_contact',
  unsubscribed: 'must be a contact who has not unsubscribed',
  no_email: 'must be a contact with an email, because the sequence sends emails',
} as const

// 4. The routes.

export const enrollments = (deps: Deps): Route[] => {
  const { create, patch, list, find } = enrollmentStore(deps)
  const scope = 'rest.sequences.enrollments'
  const resource = { path: '/enrollments', scope, name: 'enrollment', Shape: Enrollment, columns } as const
  return [
    ...standardRoutes({ ...resource, filters, sorts, list, find }),
    createRoute({
      path: '/enrollments',
      scope: `${scope}.write`,
      name: 'enrollment',
      summary: 'Enroll contacts in a sequence',
      description:
        'With `contact_id`, the response is the enrollment, or 409 `already_enrolled` or `sequence_inactive`, or 422 with the reason as its code. With `contact_ids` or `list_id`, up to 1,000 contacts are enrolled; a list needs the scopes to read its members. The response contains the new enrollments and the skipped contacts, each with the reason; if the sequence is not active, all contacts are skipped.',
      body: EnrollmentCreate,
      returns: Enrollment,
      bulkResult: Enrolled,
      run: ({ who, body }) => create(who, body),
    }),
    changeRoute({
      method: 'patch',
      path: '/enrollments/:id',
      scope: `${scope}.write`,
      name: 'enrollment',
      summary: 'Pause, resume or stop an enrollment',
      description:
        'An enrollment that is completed, stopped or failed cannot be continued: 409 `enrollment_finished`. While the sequence is not active, an enrollment cannot be resumed: 409 `sequence_inactive`. A scheduled enrollment starts automatically, and not earlier: 409 `enrollment_scheduled`.',
      find,
      columns,
      body: EnrollmentPatch,
      returns: Enrollment,
      status: 200,
      run: ({ who, record, body }) => patch(who, record, body),
    }),
  ]
}
