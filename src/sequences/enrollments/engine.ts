import { columns as contactColumns, contactStore } from '../../crm/contacts/contacts.ts'
import type { Contact } from '../../crm/records/contact.ts'
import { type Task, taskStore } from '../../crm/tasks.ts'
import { type Deps, once } from '../../deps.ts'
import { type Mailbox, mailboxStore } from '../../inbox/mailboxes/mailboxes.ts'
import type { Message } from '../../inbox/messages/message.ts'
import { messageStore } from '../../inbox/messages/messages.ts'
import { dateIn } from '../../lib/calendar/days.ts'
import { textHtml } from '../../lib/html/from-text.ts'
import { fill, fillLine } from '../../lib/template.ts'
import { MINUTE_MS, parseTime, rfc3339 } from '../../lib/time.ts'
import type { Step } from '../sequences/sequence.ts'
import { type SequenceHead, sequenceStore } from '../sequences/sequences.ts'
import { type EnrollmentRow, isLive, type StopReason } from './enrollment.ts'
import { enrollmentWriter, type Planned } from './enrollment-writer.ts'
import { doneSteps } from './steps.ts'
import { enrollmentView, primary } from './template-values.ts'
import { allowedFrom, dueAt, type Window } from './timing.ts'

/**
 * A place between mails that are spaced is given up when it has passed by more than this: what waited while no server
 * ran must not leave all at once. Without a spacing it is a place of its day, and lasts as long.
 */
const LATE_MS = MINUTE_MS

/** What a step is done with. */
type Going = {
  org: number
  kept: EnrollmentRow
  contact: Contact
  sequence: SequenceHead
  step: Step
  window: Window
}

/** What has come of it: it is done, waits for a later moment, or the enrollment ends. */
type Outcome =
  | { message: Message }
  | { task: Task }
  | { waits: Planned & { at: number } }
  | { ends: 'stopped' | 'failed'; reason: StopReason }

/** Does the steps of enrollments, in the transaction that takes the job of a step out of the queue. */
export const enrollmentEngine = once((deps: Deps) => {
  const { db, clock } = deps
  const { byId, save, end } = enrollmentWriter(deps)
  const sequences = sequenceStore(deps)
  const contacts = contactStore(deps)
  const mailboxes = mailboxStore(deps)
  const messages = messageStore(deps)
  const tasks = taskStore(deps)
  const steps = doneSteps(db)
  const viewOf = enrollmentView(deps)
  const timezoneOf = db
    .prepare(
      `SELECT coalesce(hours.timezone, orgs.timezone) FROM orgs
       LEFT JOIN hours ON hours.org_id = orgs.id AND hours.id = ? WHERE orgs.id = ?`,
    )
    .pluck()
  const activeMember = db.prepare("SELECT 1 FROM members WHERE org_id = ? AND id = ? AND status = 'active'").pluck()

  const windowOf = (org: number, { id, hours_id }: SequenceHead): Window => ({
    timezone: timezoneOf.get(hours_id, org) as string,
    hours: sequences.windowOf(org, id),
  })

  /** Of the organisation, by whose days mails are counted. */
  function isSameDay(org: number, one: number, other: number): boolean {
    const timezone = timezoneOf.get(null, org) as string
    return dateIn(timezone, one) === dateIn(timezone, other)
  }

  /** The next step of an enrollment is due. Nothing where it does not go on: then whoever has it go on comes back. */
  function doStep(org: number, id: string, planned: Planned): void {
    const kept = byId(org, id)
    if (!kept || kept.next_step_at === null || kept.contact_id === null) return
    const sequence = sequences.byId(org, kept.sequence_id) as SequenceHead
    if (sequence.status !== 'active') return
    const all = sequences.versionOf(org, sequence.id, kept.sequence_version).steps
    const step = all[kept.current_step]
    if (!step) return void end({ org, member: null }, kept, 'completed', null)
    const contact = contactColumns.present(contacts.find({ org, member: null }, kept.contact_id))
    const going = { org, kept, contact, sequence, step, window: windowOf(org, sequence) }
    finishStep(going, outcomeOf(going, planned), all[kept.current_step + 1])
  }

  function outcomeOf(going: Going, planned: Planned): Outcome {
    const { contact, step, window } = going
    const now = clock.now()
    if (contact.do_not_contact) return { ends: 'stopped', reason: 'do_not_contact' }
    const at = allowedFrom(now, step, window)
    if (at > now) return { waits: { at } }
    return step.type === 'email' ? write(going, planned) : { task: taskOf(going) }
  }

  /** What is to be known of the outcome, and when the next step is due. */
  function finishStep({ org, kept, step, window }: Going, outcome: Outcome, next: Step | undefined): void {
    const who = { org, member: null }
    if ('ends' in outcome) return void end(who, kept, outcome.ends, outcome.reason)
    if ('waits' in outcome) {
      const { at, mailbox_id } = outcome.waits
      return void save(who, kept, { due_at: rfc3339(at) }, { job: mailbox_id ? { mailbox_id, at } : {} })
    }
    const now = clock.now()
    const message = 'message' in outcome ? outcome.message : null
    const task = 'task' in outcome ? outcome.task : null
    steps.add(org, {
      enrollment_id: kept.id,
      position: kept.current_step,
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
      current_step: kept.current_step + 1,
      conversation_id: kept.conversation_id ?? message?.conversation_id ?? null,
    }
    if (!next) return void end(who, kept, 'completed', null, done)
    const due_at = rfc3339(dueAt(now, next, window))
    save(who, kept, { ...done, status: 'active', due_at }, { job: {} })
  }

  function write(going: Going, planned: Planned): Outcome {
    const { org, kept, contact, sequence, step, window } = going
    if (contact.unsubscribed_at !== null) return { ends: 'stopped', reason: 'unsubscribe' }
    const email = primary(contact.emails)?.email
    if (email === undefined) return { ends: 'stopped', reason: 'no_email' }
    const mailbox = mailboxOf(org, sequence, kept)
    if (!mailbox) return { ends: 'failed', reason: 'no_mailbox' }
    const at = placeAt(org, mailbox, step, window, planned)
    if (at > clock.now()) return { waits: { at, mailbox_id: mailbox.id } }
    const view = viewOf(org, kept, contact)
    const body_text = fill(step.body ?? '', view)
    const message = messages.send(
      { org, member: null },
      {
        conversation_id: kept.conversation_id,
        contact,
        to: { email, name: contact.name === email ? null : contact.name },
        subject:
          step.subject === null ? steps.answeringSubject(org, kept.id) : fillLine(step.subject, view) || NO_SUBJECT,
        body_text,
        body_html: textHtml(body_text),
        mailbox,
        sender_id: kept.sender_id,
        enrollment_id: kept.id,
      },
    )
    return { message }
  }

  function mailboxOf(org: number, { mailbox_id }: SequenceHead, { sender_id }: EnrollmentRow): Mailbox | undefined {
    const own = mailbox_id === null ? undefined : mailboxes.byId(org, mailbox_id)
    if (own?.is_active) return own
    return (sender_id === null ? undefined : mailboxes.ownOf(org, sender_id)) ?? mailboxes.defaultOf(org)
  }

  /** When the mailbox has a place for the mail: now where it has come to the one that was planned. */
  function placeAt(org: number, mailbox: Mailbox, step: Step, window: Window, planned: Planned): number {
    const now = clock.now()
    const at = planned.mailbox_id === mailbox.id ? planned.at : undefined
    if (at !== undefined && (now - at <= LATE_MS || (mailbox.spacing_s === 0 && isSameDay(org, at, now)))) return at
    return mailboxes.plan(org, mailbox, now, (ms) => allowedFrom(ms, step, window))
  }

  /** Somebody else takes up what a sender left behind who is gone. */
  function taskOf({ org, kept, contact, step }: Going): Task {
    const view = viewOf(org, kept, contact)
    const isThere = kept.sender_id !== null && activeMember.get(org, kept.sender_id) === 1
    const title = fillLine(step.task_title ?? '', view)
    return tasks.createFor(
      { org, member: null },
      {
        title: title || NAMELESS[step.type === 'call' ? 'call' : 'task'],
        body: step.body === null ? null : fill(step.body, view),
        type: step.type === 'call' ? 'call' : 'todo',
        due_at: rfc3339(clock.now()),
        owner_id: isThere ? kept.sender_id : null,
        contact_ids: [contact.id],
        deal_ids: kept.deal_id === null ? [] : [kept.deal_id],
      },
      kept.id,
    )
  }

  /** Its step has failed as often as it is tried. The job stays, with the reason, for people to see. */
  function giveUp(org: number, id: string): void {
    const kept = byId(org, id)
    if (kept && isLive(kept)) end({ org, member: null }, kept, 'failed', 'error', {}, 'left')
  }

  /** When it goes on which was paused: when its step was due, or now; and not before its sequence may. */
  function resumedAt(org: number, kept: EnrollmentRow): number | undefined {
    const sequence = sequences.byId(org, kept.sequence_id) as SequenceHead
    if (sequence.status !== 'active') return undefined
    const due = Math.max(parseTime(kept.due_at ?? '') ?? 0, clock.now())
    const step = sequences.versionOf(org, sequence.id, kept.sequence_version).steps[kept.current_step]
    return step ? allowedFrom(due, step, windowOf(org, sequence)) : due
  }

  return { doStep, giveUp, resumedAt, windowOf }
})

/** A title or a subject may come to nothing, where it consists of what the contact does not have. */
const NAMELESS = { call: 'Call', task: 'To do' } as const
const NO_SUBJECT = '(no subject)'
