import { columns as contactColumns, contactStore } from '../../crm/contacts.ts'
import { columns as taskColumns, taskStore } from '../../crm/tasks.ts'
import type { Deps } from '../../deps.ts'
import { conversationStore } from '../../inbox/conversations/conversations.ts'
import { senders } from '../../inbox/messages/from-address.ts'
import { messageWriter } from '../../inbox/messages/message-writer.ts'
import { messageStore } from '../../inbox/messages/messages.ts'
import { outgoingStore } from '../../inbox/messages/outgoing.ts'
import type { Caller } from '../../lib/caller.ts'
import { textHtml } from '../../lib/html/from-text.ts'
import { fill, fillLine } from '../../lib/template.ts'
import { rfc3339 } from '../../lib/time.ts'
import { sendingStore } from '../../mail/sending.ts'
import { enrollmentEngine } from '../../sequences/enrollments/engine.ts'
import { type EnrollmentRow, isLive } from '../../sequences/enrollments/enrollment.ts'
import { enrollmentWriter } from '../../sequences/enrollments/enrollment-writer.ts'
import { enrollmentStore } from '../../sequences/enrollments/enrollments.ts'
import { doneSteps } from '../../sequences/enrollments/steps.ts'
import { stopRules } from '../../sequences/enrollments/stop-rules.ts'
import { enrollmentView, primary } from '../../sequences/enrollments/template-values.ts'
import { dueAt } from '../../sequences/enrollments/timing.ts'
import type { Step as SequenceStep } from '../../sequences/sequences/sequence.ts'
import { type SequenceHead, sequenceStore } from '../../sequences/sequences/sequences.ts'
import type { Step } from '../story/steps.ts'
import type { Stored } from './conversations.ts'

type Of<Do extends Step['do']> = Extract<Step, { do: Do }>

/** Replays sequences: enrollments, their steps, and how contacts react to the mails. */
export function enrollmentReplayer(deps: Deps, org: number, { idOf, dealId }: Stored) {
  const { db, clock } = deps
  const nobody: Caller = { org, member: null }
  const { byId, save, end } = enrollmentWriter(deps)
  const { create, patch } = enrollmentStore(deps)
  const { doStep, windowOf } = enrollmentEngine(deps)
  const sequences = sequenceStore(deps)
  const watch = stopRules(deps)
  const viewOf = enrollmentView(deps)
  const done = doneSteps(db)
  const contacts = contactStore(deps)
  const conversations = conversationStore(deps)
  const messages = messageStore(deps)
  const outgoing = outgoingStore(deps)
  const { bounced } = sendingStore(deps)
  const { write } = messageWriter(deps)
  const { contactById, memberAuthor } = senders(deps)
  const tasks = taskStore(deps)
  // Ids by the numbers in the story; a number is missing if the contact could not be enrolled.
  const ids = new Map<number, string>()
  const numbers = new Map<string, number>()
  const lastMails = new Map<number, { id: string; external_id: string }>()

  const caller = (by: number | undefined): Caller => ({ org, member: idOf('member', by) })

  function enrollmentOf(ref: number): EnrollmentRow | undefined {
    const id = ids.get(ref)
    return id === undefined ? undefined : byId(org, id)
  }

  function enroll({ ref, key, contact, deal, by }: Of<'enroll'>): void {
    const sequence_id = sequences.idOfKey(org, key)
    if (sequence_id === undefined) return
    const contact_ids = [idOf('contact', contact) as string]
    const [made] = (create(caller(by), { sequence_id, contact_ids, deal_id: dealId(deal) }) as Enrolled).data
    if (!made) return
    ids.set(ref, made.id)
    numbers.set(made.id, ref)
  }

  /** Runs the next step of an enrollment; tasks and calls are left to the real engine. */
  function step(id: string): void {
    const kept = byId(org, id)
    const sequence = kept && sequences.byId(org, kept.sequence_id)
    const [next, behind] = kept ? stepsFrom(kept) : []
    const isMail = next?.type === 'email' && sequence?.status === 'active'
    if (kept?.next_step_at && sequence && next && isMail) send(kept, sequence, next, behind)
    else doStep(org, id, {})
  }

  const stepsFrom = ({ sequence_id, sequence_version, current_step }: EnrollmentRow): SequenceStep[] =>
    sequences.versionOf(org, sequence_id, sequence_version).steps.slice(current_step)

  /** Does what the engine does, but without a mailbox: past mails are stored as sent. */
  function send(kept: EnrollmentRow, sequence: SequenceHead, step: SequenceStep, next: SequenceStep | undefined): void {
    const now = clock.now()
    const contact = contactById(nobody, kept.contact_id as string)
    const view = viewOf(org, kept, contact)
    const email = primary(contact.emails)?.email as string
    const subject = step.subject === null ? done.answeringSubject(org, kept.id) : fillLine(step.subject, view)
    const thread = outgoing.threaded(org, kept.conversation_id ?? undefined, subject, null)
    const body_text = fill(step.body ?? '', view)
    const ref = numbers.get(kept.id) as number
    const external_id = `<sequence-${ref}.${kept.current_step}@northwind-demo.example>`
    const { id: contact_id, company_id } = contact
    const opening = { subject, channel: 'email', contact_id, company_id, isClosed: true } as const
    const place =
      kept.conversation_id === null ? { opening } : { conversation: conversations.byId(nobody, kept.conversation_id) }
    const message = write(nobody, place, {
      direction: 'outbound',
      author: memberAuthor({ org, member: kept.sender_id }),
      at: now,
      files: [],
      to: [{ email, name: contact.name }],
      body_text,
      body_html: textHtml(body_text),
      external_id,
      in_reply_to: thread.in_reply_to,
      status: 'sent',
      error: null,
      enrollment_id: kept.id,
      isAnswer: false,
    })
    const { id: message_id, conversation_id } = message
    outgoing.note(org, { message_id, mailbox_id: null, subject, refs: thread.refs, enrollment_id: kept.id })
    lastMails.set(ref, { id: message_id, external_id })
    const [position, at] = [kept.current_step, rfc3339(now)]
    const others = { task_id: null, replied_at: null, bounced_at: null }
    done.add(org, {
      enrollment_id: kept.id,
      position,
      step_id: step.id,
      type: 'email',
      at,
      message_id,
      sent_at: at,
      ...others,
    })
    const given = { current_step: position + 1, conversation_id }
    if (!next) return void end(nobody, kept, 'completed', null, given)
    const due_at = rfc3339(dueAt(now, next, windowOf(org, sequence)))
    save(nobody, kept, { ...given, status: 'active', due_at }, { job: {} })
  }

  function answer({ enrollment, by, given, isClosed }: Of<'answer'>): void {
    const conversation_id = enrollmentOf(enrollment)?.conversation_id
    const before = lastMails.get(enrollment)
    if (!conversation_id || !before) return
    const who = caller(by)
    const at = rfc3339(clock.now())
    const sent = given.direction === 'outbound' ? { sent_at: at } : {}
    messages.post(who, { ...given, ...sent, conversation_id, in_reply_to: before.external_id })
    if (given.external_id) lastMails.set(enrollment, { ...before, external_id: given.external_id })
    if (by === undefined) return
    conversations.patch(who, conversations.byId(who, conversation_id), {
      owner_id: who.member,
      read_at: at,
      ...(isClosed ? { status: 'closed' } : {}),
    })
  }

  function bounce({ enrollment, why }: Of<'bounce'>): void {
    const mail = lastMails.get(enrollment)
    if (mail) bounced(org, mail.id, why)
  }

  function unsubscribe({ enrollment }: Of<'unsubscribe'>): void {
    const kept = enrollmentOf(enrollment)
    if (!kept?.contact_id || !lastMails.has(enrollment)) return
    const before = contactColumns.present(contacts.find(nobody, kept.contact_id))
    contacts.save(nobody, before, { ...before, unsubscribed_at: rfc3339(clock.now()) })
    watch.unsubscribed(org, before.id)
  }

  function halt({ enrollment, by, status }: Of<'halt'>): void {
    const kept = enrollmentOf(enrollment)
    if (kept && isLive(kept)) patch(caller(by), kept, { status })
  }

  function clear({ enrollment }: Of<'clear'>): void {
    const kept = enrollmentOf(enrollment)
    if (!kept) return
    for (const id of done.tasksOf(org, kept.id)) {
      const task = taskColumns.present(tasks.find(nobody, id))
      tasks.patch({ org, member: task.owner_id }, task, { status: 'done' })
    }
  }

  /**
   * Removes mails that are still planned in an active sequence, since the organisation has no mailbox to send them.
   * That happens if holidays or other hours of the organisation delayed them. Runs until the batch is full; returns
   * whether it has finished.
   */
  function takeBack(isFull: () => boolean): boolean {
    for (const [ref, id] of ids) {
      if (isFull()) return false
      ids.delete(ref)
      const kept = byId(org, id) as EnrollmentRow
      const isActive = isLive(kept) && sequences.byId(org, kept.sequence_id)?.status === 'active'
      if (isActive && stepsFrom(kept).some(({ type }) => type === 'email'))
        patch({ org, member: kept.sender_id }, kept, { status: 'stopped' })
    }
    return true
  }

  return { steps: { enroll, answer, bounce, unsubscribe, halt, clear }, step, takeBack }
}

type Enrolled = { data: { id: string }[] }
