import { type Deps, once } from '../../deps.ts'
import type { Changes } from '../../events/react.ts'
import type { Caller } from '../../lib/caller.ts'
import { rfc3339 } from '../../lib/time.ts'
import type { RawRow } from '../../store/rows/columns.ts'
import type { Stop } from '../sequences/sequence.ts'
import { type EnrollmentRow, isLive, rowColumns } from './enrollment.ts'
import { enrollmentWriter } from './enrollment-writer.ts'

// What ends an enrollment before its last step. All rules run in the transaction of the change that causes them.

/** Also set on finished enrollments, whose outcome does not change. */
type Note = 'replied_at' | 'bounced_at' | 'unsubscribed_at' | 'meeting_booked_at'

/** The stop rules that also withdraw a queued mail, with the column that records each. */
const NOTED = { reply: 'replied_at', bounce: 'bounced_at', meeting_booked: 'meeting_booked_at' } as const

type Contact = Changes['contact.updated']

export const stopRules = once((deps: Deps) => {
  const { db, clock } = deps
  const { byId, save, end } = enrollmentWriter(deps)
  const { select, present } = rowColumns
  const ofContact = db
    .prepare(`SELECT ${select} FROM enrollments WHERE org_id = ? AND contact_id = ? ORDER BY id`)
    .raw()
  const ofConversation = db
    .prepare(`SELECT ${select} FROM enrollments WHERE org_id = ? AND conversation_id = ? ORDER BY id`)
    .raw()
  const ofDeal = db.prepare(`SELECT ${select} FROM enrollments WHERE org_id = ? AND deal_id = ? ORDER BY id`).raw()
  const stopOn = db
    .prepare('SELECT stop_on FROM sequence_versions WHERE org_id = ? AND sequence_id = ? AND number = ?')
    .pluck()
  const firstMail = db
    .prepare(`SELECT min(at) FROM enrollment_steps WHERE org_id = ? AND enrollment_id = ? AND type = 'email'`)
    .pluck()
  const ofMessage = db.prepare(
    'SELECT enrollment_id AS id, position FROM enrollment_steps WHERE org_id = ? AND message_id = ?',
  )
  const stepSent = db.prepare(
    `UPDATE enrollment_steps SET sent_at = ? WHERE org_id = ? AND message_id = ? AND sent_at IS NULL`,
  )
  const stepBounced = db.prepare(
    `UPDATE enrollment_steps SET bounced_at = ? WHERE org_id = ? AND message_id = ? AND bounced_at IS NULL`,
  )
  const stepReplied = db.prepare(
    'UPDATE enrollment_steps SET replied_at = ? WHERE org_id = ? AND enrollment_id = ? AND position = ?',
  )
  const newestStep = db
    .prepare(
      `SELECT max(position) FROM enrollment_steps
       WHERE org_id = ? AND enrollment_id = ? AND (at <= ? OR position = 0)`,
    )
    .pluck()

  const wishes = db.prepare('SELECT do_not_contact, unsubscribed_at FROM contacts WHERE org_id = ? AND id = ?')

  const all = (found: unknown[]): EnrollmentRow[] => (found as RawRow[]).map(present)
  const contactsOwn = (org: number, id: string): EnrollmentRow[] => all(ofContact.all(org, id))
  const live = (of: EnrollmentRow[]): EnrollmentRow[] => of.filter(isLive)

  function stopsOn(org: number, { sequence_id, sequence_version }: EnrollmentRow, what: Stop): boolean {
    return (JSON.parse(stopOn.get(org, sequence_id, sequence_version) as string) as Stop[]).includes(what)
  }

  /** Records the first occurrence, and stops a live enrollment if its sequence has this stop rule. */
  function happened(org: number, before: EnrollmentRow, what: Stop, note: { [Name in Note]?: string }): void {
    const who = { org, member: null }
    const [name] = Object.keys(note) as Note[]
    const given = name && before[name] === null ? note : {}
    if (isLive(before) && stopsOn(org, before, what)) end(who, before, 'stopped', what, given)
    else save(who, before, given)
  }

  /**
   * Handles a reply by a person. It counts for enrollments that had written to the contact by then, and for those of
   * the conversation, no matter how long ago they finished. What was found in a folder long after it came counts by when it came:
   * it answers no later mail.
   */
  function messageReceived({ org }: Caller, message: Changes['message.received']): void {
    const { conversation_id, is_history } = message
    const contact_id = message.author.id
    const at = Date.parse(message.sent_at)
    const own = all(ofConversation.all(org, conversation_id))
    const others = contact_id === null ? [] : contactsOwn(org, contact_id)
    for (const one of own) if (!is_history || wroteBefore(org, one, at)) answered(org, one, at)
    for (const one of others)
      if (!own.some(({ id }) => id === one.id) && wroteBefore(org, one, at)) answered(org, one, at)
  }

  function wroteBefore(org: number, { id }: EnrollmentRow, at: number): boolean {
    const first = firstMail.get(org, id) as number | null
    return first !== null && first <= at
  }

  function answered(org: number, before: EnrollmentRow, at: number): void {
    if (before.replied_at === null) {
      const position = newestStep.get(org, before.id, at) as number | null
      if (position !== null) stepReplied.run(at, org, before.id, position)
    }
    happened(org, before, 'reply', { replied_at: rfc3339(at) })
  }

  /** Handles a step's mail that was accepted by its SMTP server. */
  function sent({ org }: Caller, { id }: Pick<Changes['message.sent'], 'id'>): void {
    stepSent.run(clock.now(), org, id)
  }

  /**
   * Handles a step's mail that was permanently refused. This also fails a completed enrollment if the mail was its last
   * step.
   */
  function failed({ org }: Caller, { id }: Pick<Changes['message.failed'], 'id'>): void {
    const step = ofMessage.get(org, id) as { id: string; position: number } | undefined
    const before = step && byId(org, step.id)
    if (!before || !step) return
    const wasLast = before.status === 'completed' && step.position === before.current_step - 1
    if (isLive(before) || wasLast) end({ org, member: null }, before, 'failed', 'send_failed')
  }

  /** Handles a step's mail that was accepted, and bounced. */
  function bounced({ org }: Caller, { id }: Pick<Changes['message.bounced'], 'id'>): void {
    const step = ofMessage.get(org, id) as { id: string } | undefined
    const before = step && byId(org, step.id)
    if (!before) return
    const at = clock.now()
    stepBounced.run(at, org, id)
    happened(org, before, 'bounce', { bounced_at: rfc3339(at) })
  }

  /**
   * Returns why a queued mail must not be sent any more: much may have changed while the mail server was unavailable.
   * Returns undefined if it may be sent.
   */
  function withdrawn(org: number, id: string): string | undefined {
    const enrollment = byId(org, id)
    const contact = enrollment?.contact_id && (wishes.get(org, enrollment.contact_id) as Wishes | undefined)
    if (!enrollment || !contact) return 'The contact was deleted.'
    if (contact.do_not_contact === 1) return 'The contact has do_not_contact.'
    if (contact.unsubscribed_at !== null) return 'The contact has unsubscribed.'
    const stops = (Object.keys(NOTED) as (keyof typeof NOTED)[]).some(
      (what) => enrollment[NOTED[what]] !== null && stopsOn(org, enrollment, what),
    )
    return stops || enrollment.status === 'stopped' || enrollment.status === 'failed'
      ? 'The enrollment has ended.'
      : undefined
  }

  /**
   * Handles a contact that unsubscribed. Finished enrollments are not changed: only the caller can know which one's
   * mail the contact used.
   */
  function unsubscribed(org: number, contact_id: string): void {
    const at = rfc3339(clock.now())
    for (const one of live(contactsOwn(org, contact_id))) happened(org, one, 'unsubscribe', { unsubscribed_at: at })
  }

  function meetingBooked(org: number, contact_ids: string[]): void {
    const at = rfc3339(clock.now())
    for (const one of new Set(contact_ids).values().flatMap((id) => contactsOwn(org, id)))
      if (isLive(one) || one.current_step > 0) happened(org, one, 'meeting_booked', { meeting_booked_at: at })
  }

  /** Applies to enrollments for this deal, and to those without a deal of its primary contact. */
  function dealClosed({ org }: Caller, { id, primary_contact_id }: Changes['deal.closed']): void {
    const others = primary_contact_id === null ? [] : contactsOwn(org, primary_contact_id)
    const meant = [...all(ofDeal.all(org, id)), ...others.filter(({ deal_id }) => deal_id === null)]
    for (const one of live(meant)) happened(org, one, 'deal_closed', {})
  }

  /** Applies whatever the stop rules of the sequences are. */
  function contactUpdated({ org }: Caller, { id, do_not_contact }: Contact, before?: Contact): void {
    if (!do_not_contact || before?.do_not_contact) return
    for (const one of live(contactsOwn(org, id))) end({ org, member: null }, one, 'stopped', 'do_not_contact')
  }

  /** Call this before a contact is deleted. */
  function clearContact(who: Caller, contact_id: string): void {
    for (const one of contactsOwn(who.org, contact_id)) {
      if (isLive(one)) end(who, one, 'stopped', 'contact_deleted', { contact_id: null })
      else save(who, one, { contact_id: null })
    }
  }

  /** Call this before a deal is deleted. */
  function clearDeal(who: Caller, deal_id: string): void {
    for (const one of all(ofDeal.all(who.org, deal_id))) save(who, one, { deal_id: null })
  }

  return {
    messageReceived,
    sent,
    failed,
    bounced,
    withdrawn,
    unsubscribed,
    meetingBooked,
    dealClosed,
    contactUpdated,
    clearContact,
    clearDeal,
  }
})

type Wishes = { do_not_contact: 0 | 1; unsubscribed_at: number | null }
