import type { Caller } from '../lib/caller.ts'

// Rooms import downwards only, yet what happens in one concerns those above it: a closed deal ends enrollments. The store
// that makes the change calls `react`, and `letGo` before a record goes; the tables in reactions.ts say who acts then.

/** The events that others act on in the same transaction, with what they look at of the record. */
export type Changes = {
  'contact.updated': { id: string; do_not_contact: boolean }
  'company.updated': { id: string; name: string }
  'deal.closed': { id: string; primary_contact_id: string | null }
  'meeting.created': Meeting
  'meeting.updated': Meeting
  'message.received': { author: { id: string | null }; conversation_id: string; sent_at: string }
}

type Meeting = { status: string; starts_at: string; participants: { contact_id: string | null }[] }

/** `before` only where the record was changed. */
type Reaction<Record> = (who: Caller, after: Record, before?: Record) => void
export type Reactions = { [Name in keyof Changes]: readonly Reaction<Changes[Name]>[] }
export type React = <Name extends keyof Changes>(
  who: Caller,
  event: Name,
  after: Changes[Name],
  before?: Changes[Name],
) => void

/** For each kind of record, who refers to one and has to let go of it before its row can be deleted. */
export type Referrers = Record<
  'contact' | 'company' | 'meeting' | 'tag',
  readonly ((who: Caller, id: string) => void)[]
>
export type LetGo = (who: Caller, kind: keyof Referrers, id: string) => void
