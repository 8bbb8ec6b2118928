import { columns as contactColumns, contactStore } from '../../crm/contacts.ts'
import { type Task, taskStore } from '../../crm/tasks.ts'
import { type Deps, once } from '../../deps.ts'
import { hoursStore } from '../../inbox/hours/hours.ts'
import type { Mailbox } from '../../inbox/mailboxes/mailbox.ts'
import { mailboxStore } from '../../inbox/mailboxes/mailboxes.ts'
import type { Message } from '../../inbox/messages/message.ts'
import { messageStore } from '../../inbox/messages/messages.ts'
import { dateIn } from '../../lib/calendar/days.ts'
import { fill, fillLine } from '../../lib/template.ts'
import { MINUTE_MS, parseTime, rfc3339 } from '../../lib/time.ts'
import type { Contact } from '../../records/contact.ts'
import type { Step } from '../sequences/sequence.ts'
import { type SequenceHead, sequenceStore } from '../sequences/sequences.ts'
import { type EnrollmentRow, isLive, type StopReason } from './enrollment.ts'
import { enrollmentWriter, type Planned } from './enrollment-writer.ts'
import { doneSteps } from './steps.ts'
import { enrollmentView, primary } from './template-values.ts'
import { allowedFrom, dueAt, type Window } from './timing.ts'
import { unsubscribing } from './unsubscribe.ts'

/**
 * With a spacing, a planned slot expires when it has passed by more than this: steps that waited while no server ran
 * must not all be sent at once. Without a spacing, a slot is valid until the end of its day.
 */
const LATE_MS = MINUTE_MS

/** The context of one step. */
type StepContext = {
  org: number
  enrollment: EnrollmentRow
  contact: Contact
  sequence: SequenceHead
  step: Step
  window: Window
}

/** The step is done, waits until a later moment, or ends the enrollment. */
type Outcome =
  | { message: Message }
  | { task: Task }
  | { waits: Planned & { at: number } }
  | { ends: 'stopped' | 'failed'; reason: StopReason }

/** Executes the steps of enrollments, in the transaction that takes the job of a step out of the queue. */
export const enrollmentEngine = once((deps: Deps) => {
  const { db, clock } = deps
  const { byId, save, end } = enrollmentWriter(deps)
  const sequences = sequenceStore(deps)
  const contacts = contactStore(deps)
  const mailboxes = mailboxStore(deps)
  const { businessTimeOf } = hoursStore(deps)
  const messages = messageStore(deps)
  const tasks = taskStore(deps)
  const steps = doneSteps(db)
  const viewOf = enrollmentView(deps)
  const { bodies } = unsubscribing(deps)
  const timezoneOf = db
    .prepare(
      `SELECT coalesce(hours.timezone, orgs.timezone) FROM orgs
       LEFT JOIN hours ON hours.org_id = orgs.id AND hours.id = ? WHERE orgs.id = ?`,
    )
    .pluck()
  const activeMember = db.prepare("SELECT 1 FROM members WHERE org_id = ? AND id = ? AND status = 'active'").pluck()

  /** When steps are done: at any time, if there are no hours. */
  const windowOf = (org: number, { hours_id }: Pick<SequenceHead, 'hours_id'>): Window => ({
    timezone: timezoneOf.get(hours_id, org) as string,
    hours: hours_id === null ? undefined : businessTimeOf(org, hours_id),
  })

  /** In the time zone of the organisation: daily limits count by its days. */
  function isSameDay(org: number, one: number, other: number): boolean {
    const timezone = timezoneOf.get(null, org) as string
    return dateIn(timezone, one) === dateIn(timezone, other)
  }

  /**
   * Executes the next step of an enrollment. Does nothing if the enrollment or its sequence is paused or has ended:
   * resuming schedules the step again.
   */
  function doStep(org: number, id: string, planned: Planned): void {
    const enrollment = byId(org, id)
    if (!enrollment || enrollment.next_step_at === null || enrollment.contact_id === null) return
    const sequence = sequences.byId(org, enrollment.sequence_id) as SequenceHead
    if (sequence.status !== 'active') return
    const all = sequences.versionOf(org, sequence.id, enrollment.sequence_version).steps
    const step = all[enrollment.current_step]
    if (!step) return void end({ org, member: null }, enrollment, 'completed', null)
    const contact = contactColumns.present(contacts.find({ org, member: null }, enrollment.contact_id))
    const context = { org, enrollment, contact, sequence, step, window: windowOf(org, sequence) }
    finishStep(context, outcomeOf(context, planned), all[enrollment.current_step + 1])
  }

  function outcomeOf(context: StepContext, planned: Planned): Outcome {
    const { contact, step, window } = context
    const now = clock.now()
    if (contact.do_not_contact) return { ends: 'stopped', reason: 'do_not_contact' }
    const at = allowedFrom(now, step, window)
    if (at > now) return { waits: { at } }
    return step.type === 'email' ? write(context, planned) : { task: taskOf(context) }
  }

  /** Records the outcome, and schedules the next step. */
  function finishStep({ org, enrollment, step, window }: StepContext, outcome: Outcome, next: Step | undefined): void {
    const who = { org, member: null }
    if ('ends' in outcome) return void end(who, enrollment, outcome.ends, outcome.reason)
    if ('waits' in outcome) {
      const { at, mailbox_id } = outcome.waits
      return void save(who, enrollment, { due_at: rfc3339(at) }, { job: mailbox_id ? { mailbox_id, at } : {} })
    }
    const now = clock.now()
    const message = 'message' in outcome ? outcome.message : null
    const task = 'task' in outcome ? outcome.task : null
    steps.add(org, {
      enrollment_id: enrollment.id,
      position: enrollment.current_step,
      step_id: step.id,
      type: step.type,
      at: rfc3339(now),
      message_id: message?.id ?? null,
      task_id: task?.id ?? null,
      sent_at: null,
      replied_at: null,
      bounced_at: null,
    })
    const done = {
      current_step: enrollment.current_step + 1,
      conversation_id: enrollment.conversation_id ?? message?.conversation_id ?? null,
    }
    if (!next) return void end(who, enrollment, 'completed', null, done)
    const due_at = rfc3339(dueAt(now, next, window))
    save(who, enrollment, { ...done, status: 'active', due_at }, { job: {} })
  }

  function write(context: StepContext, planned: Planned): Outcome {
    const { org, enrollment, contact, sequence, step, window } = context
    if (contact.unsubscribed_at !== null) return { ends: 'stopped', reason: 'unsubscribe' }
    const email = primary(contact.emails)?.email
    if (email === undefined) return { ends: 'stopped', reason: 'no_email' }
    const mailbox = mailboxOf(org, sequence, enrollment)
    if (!mailbox) return { ends: 'failed', reason: 'no_mailbox' }
    const at = placeAt(org, mailbox, step, window, planned)
    if (at > clock.now()) return { waits: { at, mailbox_id: mailbox.id } }
    const view = viewOf(org, enrollment, contact)
    const { text, html } = bodies(org, mailbox, enrollment, fill(step.body ?? '', view))
    const message = messages.send(
      { org, member: null },
      {
        conversation_id: enrollment.conversation_id,
        contact,
        to: { email, name: contact.name === email ? null : contact.name },
        subject:
          step.subject === null
            ? steps.answeringSubject(org, enrollment.id)
            : fillLine(step.subject, view) || NO_SUBJECT,
        body_text: text,
        body_html: html,
        mailbox,
        sender_id: enrollment.sender_id,
        enrollment_id: enrollment.id,
      },
    )
    return { message }
  }

  /** Its own, else that of the sender, else that of the organisation. Undefined if no mail can be sent. */
  function mailboxOf(
    org: number,
    { mailbox_id }: Pick<SequenceHead, 'mailbox_id'>,
    { sender_id }: Pick<EnrollmentRow, 'sender_id'>,
  ): Mailbox | undefined {
    const own = mailbox_id === null ? undefined : mailboxes.byId(org, mailbox_id)
    if (own?.is_active) return own
    return (sender_id === null ? undefined : mailboxes.ownOf(org, sender_id)) ?? mailboxes.defaultOf(org)
  }

  /**
   * When the mailbox has a slot for the mail: the planned one if it has come and has not expired, otherwise a new one.
   */
  function placeAt(org: number, mailbox: Mailbox, step: Step, window: Window, planned: Planned): number {
    const now = clock.now()
    const at = planned.mailbox_id === mailbox.id ? planned.at : undefined
    if (at !== undefined && (now - at <= LATE_MS || (mailbox.spacing_s === 0 && isSameDay(org, at, now)))) return at
    return mailboxes.plan(org, mailbox, now, (ms) => allowedFrom(ms, step, window))
  }

  /** The task has no owner if the sender is no longer an active member. */
  function taskOf({ org, enrollment, contact, step }: StepContext): Task {
    const view = viewOf(org, enrollment, contact)
    const isThere = enrollment.sender_id !== null && activeMember.get(org, enrollment.sender_id) === 1
    const title = fillLine(step.task_title ?? '', view)
    return tasks.createFor(
      { org, member: null },
      {
        title: title || NAMELESS[step.type === 'call' ? 'call' : 'task'],
        body: step.body === null ? null : fill(step.body, view),
        type: step.type === 'call' ? 'call' : 'todo',
        due_at: rfc3339(clock.now()),
        owner_id: isThere ? enrollment.sender_id : null,
        contact_ids: [contact.id],
        deal_ids: enrollment.deal_id === null ? [] : [enrollment.deal_id],
      },
      enrollment.id,
    )
  }

  /**
   * Ends the enrollment after the last attempt at its step failed. The job stays, with the reason, for people to see.
   */
  function giveUp(org: number, id: string): void {
    const enrollment = byId(org, id)
    if (enrollment && isLive(enrollment)) end({ org, member: null }, enrollment, 'failed', 'error', {}, 'left')
  }

  /**
   * When a paused enrollment resumes: when its step was due, or now if that has passed, and within its send window.
   * Undefined unless its sequence is active.
   */
  function resumedAt(org: number, enrollment: EnrollmentRow): number | undefined {
    const sequence = sequences.byId(org, enrollment.sequence_id) as SequenceHead
    if (sequence.status !== 'active') return undefined
    return allowedAt(org, enrollment, Math.max(parseTime(enrollment.due_at ?? '') ?? 0, clock.now()))
  }

  /** The first moment, from the given one on, at which its next step may be done. */
  function allowedAt(org: number, enrollment: EnrollmentRow, ms: number): number {
    const sequence = sequences.byId(org, enrollment.sequence_id) as SequenceHead
    const step = sequences.versionOf(org, sequence.id, enrollment.sequence_version).steps[enrollment.current_step]
    return step ? allowedFrom(ms, step, windowOf(org, sequence)) : ms
  }

  return { doStep, giveUp, resumedAt, allowedAt, windowOf, mailboxOf }
})

/** For titles and subjects that are empty once filled in, because the contact has none of their values. */
const NAMELESS = { call: 'Call', task: 'To do' } as const
const NO_SUBJECT = '(no subject)'
