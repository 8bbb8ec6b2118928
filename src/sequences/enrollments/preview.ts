import { columns as contactColumns, contactStore } from '../../crm/contacts.ts'
import { type Deps, once } from '../../deps.ts'
import type { Mailbox } from '../../inbox/mailboxes/mailbox.ts'
import { mailboxStore } from '../../inbox/mailboxes/mailboxes.ts'
import type { Caller } from '../../lib/caller.ts'
import { type FilledPart, fillLine, fillParts, templateFaults, type View, withoutFallback } from '../../lib/template.ts'
import { parseTime, rfc3339 } from '../../lib/time.ts'
import type { Contact } from '../../records/contact.ts'
import type { SequenceForm } from '../sequences/settings.ts'
import type { StepSettings } from '../sequences/settings-steps.ts'
import { isCustomVariable, UNSUBSCRIBE_URL, variables } from '../sequences/variables.ts'
import { enrollmentEngine } from './engine.ts'
import { primary, templateView } from './template-values.ts'
import { allowedFrom, dueAt, type Window } from './timing.ts'

// A sequence as it would go, before anybody is in it. Nothing is written.

/** A step for one contact: when it is done, and what it says. */
export type StepPreview = {
  /** Without later limits: mails of other enrollments may fill a day, and a reply ends it. */
  at: string
  /** Of the mailbox that would send it; null for what is no mail, and if there is none. */
  from: string | null
  subject: FilledPart[]
  body: FilledPart[]
}

/** What to know before it starts. `stop` has to be mended first, `warn` wants a yes, `info` is a fact. */
export type Check = {
  level: 'stop' | 'warn' | 'info'
  code: 'no_steps' | 'no_mailbox' | 'never_open' | 'no_fallback' | 'no_unsubscribe' | 'no_replies' | 'limits'
  /** Which step it is about, from 0. */
  step?: number
  /** The variables. */
  names?: string[]
  mailbox?: { address: string; daily_limit: number | null; spacing_s: number }
}

export type Preview = {
  steps: StepPreview[]
  checks: Check[]
  /** The zone in which its days begin. */
  timezone: string
  /** Why this contact could not be enrolled, whatever the status of the sequence. */
  obstacle: 'do_not_contact' | 'unsubscribed' | 'no_email' | null
}

type Asked = { sequence: SequenceForm; contact_id?: string | undefined; start_at?: string | undefined }

/** Everybody has them: who writes, who is written to, and by whom. */
const ALWAYS = new Set([
  'sender.name',
  'sender.email',
  'sender.first_name',
  'org.name',
  'contact.email',
  UNSUBSCRIBE_URL,
])

export const sequencePreviews = once((deps: Deps) => {
  const { db, clock } = deps
  const contacts = contactStore(deps)
  const mailboxes = mailboxStore(deps)
  const { windowOf, mailboxOf } = enrollmentEngine(deps)
  const viewOf = templateView(deps)
  const variablesOf = variables(db)
  const hoursOf = db.prepare('SELECT id FROM hours WHERE org_id = ? AND key = ?').pluck()
  const mailboxIdOf = db.prepare('SELECT id FROM mailboxes WHERE org_id = ? AND key = ?').pluck()
  const publicUrl = db.prepare('SELECT public_base_url FROM orgs WHERE id = ?').pluck()

  /** For whoever asks as the sender. Throws 404 for an unknown contact. */
  function preview(who: Caller, { sequence, contact_id, start_at }: Asked): Preview {
    const { org } = who
    const window = windowOf(org, { hours_id: idOf(hoursOf, org, sequence.hours) })
    const mailbox = mailboxOf(org, { mailbox_id: idOf(mailboxIdOf, org, sequence.mailbox) }, { sender_id: who.member })
    const contact = contact_id === undefined ? null : contactColumns.present(contacts.find(who, contact_id))
    const view: View = {
      ...viewOf(org, { contact, company: contact?.company_id ?? null, deal: null, sender: who.member }),
      // Each enrollment has its own; this shows where it stands.
      [UNSUBSCRIBE_URL]: publicUrl.get(org) as string | null,
    }
    const start = Math.max(parseTime(start_at ?? '') ?? 0, clock.now())
    const times = timesOf(org, sequence.steps, { window, mailbox, start })
    return {
      steps: sequence.steps.map((step, index) => ({
        at: rfc3339(times[index] as number),
        from: step.type === 'email' ? (mailbox?.address ?? null) : null,
        subject: partsOf(org, subjectOf(sequence.steps, index, view), view),
        body: partsOf(org, step.body ?? '', view),
      })),
      checks: checksOf(org, sequence, window, mailbox),
      timezone: window.timezone,
      obstacle: contact && obstacleOf(contact, sequence.steps),
    }
  }

  /** When the engine does each step, if nothing ends the enrollment and no other mail takes a place. */
  function timesOf(
    org: number,
    steps: readonly StepSettings[],
    { window, mailbox, start }: { window: Window; mailbox: Mailbox | undefined; start: number },
  ): number[] {
    const place = mailbox && mailboxes.lookAhead(org, mailbox)
    let from = start
    return steps.map(({ type, delay_s, business_days_only = false }) => {
      const due = dueAt(from, { delay_s, business_days_only }, window)
      const allowed = (ms: number): number => allowedFrom(ms, { business_days_only }, window)
      from = type === 'email' && place ? place(due, allowed) : due
      return from
    })
  }

  /** A text with a fault is shown as it was written: saving says what is wrong with it. */
  function partsOf(org: number, text: string, view: View): FilledPart[] {
    const names = new Set(variablesOf(org))
    const isFaulty = templateFaults(text, (name) => names.has(name) || isCustomVariable(name)).length > 0
    return isFaulty ? [{ is: 'text', text }] : fillParts(text, view)
  }

  function checksOf(org: number, { steps }: SequenceForm, window: Window, mailbox: Mailbox | undefined): Check[] {
    const checks: Check[] = []
    const now = clock.now()
    const isMailing = steps.some(({ type }) => type === 'email')
    if (steps.length === 0) checks.push({ level: 'stop', code: 'no_steps' })
    if (isMailing && !mailbox) checks.push({ level: 'stop', code: 'no_mailbox' })
    if (window.hours && !window.hours.isOpen(now) && window.hours.nextOpenAt(now) === undefined)
      checks.push({ level: 'stop', code: 'never_open' })
    for (const [step, { subject, body, task_title }] of steps.entries()) {
      const names = [subject, body, task_title].flatMap((text) => (text ? holesIn(text) : []))
      if (names.length > 0) checks.push({ level: 'warn', code: 'no_fallback', step, names: [...new Set(names)] })
    }
    if (isMailing && mailbox) {
      const { address, daily_limit, spacing_s, imap } = mailbox
      const hasLink = publicUrl.get(org) !== null
      if (!imap && !hasLink) checks.push({ level: 'warn', code: 'no_unsubscribe' })
      if (!imap) checks.push({ level: 'warn', code: 'no_replies' })
      checks.push({ level: 'info', code: 'limits', mailbox: { address, daily_limit, spacing_s } })
    }
    return checks
  }

  return { preview, timesOf }
})

type Statement = { get: (...values: unknown[]) => unknown }

const idOf = (statement: Statement, org: number, key: string | null | undefined): string | null =>
  key == null ? null : ((statement.get(org, key) as string | undefined) ?? null)

function holesIn(text: string): string[] {
  if (templateFaults(text, () => true).length > 0) return []
  return withoutFallback(text).filter((name) => !ALWAYS.has(name))
}

/** A mail without a subject answers the one before it. */
function subjectOf(steps: readonly StepSettings[], index: number, view: View): string {
  const { type, subject, task_title } = steps[index] as StepSettings
  if (type !== 'email') return task_title ?? ''
  if (subject != null) return subject
  const first = steps.slice(0, index).findLast((step) => step.type === 'email' && step.subject != null)?.subject ?? ''
  const isFaulty = templateFaults(first, () => true).length > 0
  const filled = isFaulty ? first : fillLine(first, view)
  return /^re:/i.test(filled) ? filled : `Re: ${filled}`
}

function obstacleOf(contact: Contact, steps: readonly StepSettings[]): Preview['obstacle'] {
  if (contact.do_not_contact) return 'do_not_contact'
  if (contact.unsubscribed_at !== null) return 'unsubscribed'
  return !primary(contact.emails) && steps.some(({ type }) => type === 'email') ? 'no_email' : null
}
