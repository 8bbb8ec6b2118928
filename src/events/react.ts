import type { Caller } from '../lib/caller.ts'
import { type EventName, includedIn } from './names.ts'
import type { Outbox, RecordedEvent } from './outbox.ts'

// Modules import downwards only, yet a change in one can affect those above it: a closed deal ends enrollments. The
// store that makes a change calls `react`, and `clearReferences` before it deletes a record; reactions.ts has the
// tables of what runs then.

/**
 * The events with reactions in the same transaction, and the fields that the reactions need. Of what becomes of a mail, the
 * sending of mails tells: a message also fails without one, and a bounce is a failure of its own. A note in a conversation has no
 * event, and reactions all the same.
 */
export type Changes = {
  'contact.updated': { id: string; do_not_contact: boolean }
  'company.updated': { id: string; name: string }
  'deal.created': OwnedDeal
  'deal.updated': OwnedDeal
  'deal.closed': { id: string; primary_contact_id: string | null }
  'meeting.created': Meeting
  'meeting.updated': Meeting
  'task.created': OwnedTask
  'task.updated': OwnedTask
  'note.created': Note
  'note.updated': Note
  'conversation.updated': { id: string; number: number; subject: string | null; owner_id: string | null }
  'message.noted': { conversation_id: string; body_text: string }
  'message.received': { author: { id: string | null }; conversation_id: string; sent_at: string; is_history?: boolean }
  'message.sent': Mailed
  'message.failed': Mailed
  'message.bounced': Mailed
}

type Mailed = {
  id: string
  conversation_id: string
  author: { type: string; id: string | null }
  enrollment_id: string | null
}

type OwnedDeal = { id: string; title: string; owner_id: string | null }
type OwnedTask = OwnedDeal & { status: string }
type Note = {
  id: string
  title: string | null
  body: string
  contact_ids: string[]
  company_ids: string[]
  deal_ids: string[]
  conversation_id: string | null
}
type Meeting = { status: string; starts_at: string; participants: { contact_id: string | null }[] }

/** `before` is only for changes. */
type Reaction<Record> = (who: Caller, after: Record, before?: Record) => void
export type Reactions = { [Name in keyof Changes]: readonly Reaction<Changes[Name]>[] }
export type React = <Name extends keyof Changes>(
  who: Caller,
  event: Name,
  after: Changes[Name],
  before?: Changes[Name],
) => void

/** For each kind of record, the functions that remove references to a record before its row can be deleted. */
export type Referrers = Record<
  'contact' | 'company' | 'deal' | 'meeting' | 'tag',
  readonly ((who: Caller, id: string) => void)[]
>
export type ClearReferences = (who: Caller, kind: keyof Referrers, id: string) => void

/**
 * Records the event of a change, and runs the reactions to it: those of the type that includes it first. What a restore or a merge
 * brings back has an event of `outbox.record` alone.
 */
export type Announce = <Name extends EventName>(
  who: Caller,
  event: Name,
  after: Name extends keyof Changes ? Changes[Name] & Shape : Shape,
  before?: Name extends keyof Changes ? Changes[Name] & Shape : Shape,
  withheld?: readonly string[],
) => RecordedEvent

type Shape = { id: string }

/** Makes `announce` of the outbox and what runs the reactions. */
export const announcing =
  ({ record }: Outbox, react: React): Announce =>
  (who, event, after, before, withheld) => {
    const recorded = record(who, event, after, before, withheld)
    for (const name of [includedIn(event), event])
      if (name) react(who, name as keyof Changes, after as never, before as never)
    return recorded
  }
