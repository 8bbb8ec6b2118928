import type { EventName } from '../../events/names.ts'
import { field, invalid } from '../../lib/problem.ts'
import { MINUTE_MS, parseTime, rfc3339 } from '../../lib/time.ts'
import type { Database } from '../../store/sqlite/driver.ts'
import type { StatusChange } from '../sla/timeline.ts'
import type { Conversation, ConversationPatch } from './conversation.ts'

/** Times from clients whose clock is ahead by up to this are accepted. */
export const AHEAD_MS = 5 * MINUTE_MS

/** The history of the statuses of conversations. */
export function statusHistory(db: Database) {
  const insert = db.prepare(
    `INSERT INTO conversation_statuses (org_id, conversation_id, conversation_version, at, status)
     VALUES (?, ?, ?, ?, ?)`,
  )
  const unspam = db.prepare(
    'UPDATE conversations SET spam_at = NULL WHERE org_id = ? AND id = ? AND spam_at IS NOT NULL',
  )
  const select = db.prepare(
    `SELECT at, status FROM conversation_statuses WHERE org_id = ? AND conversation_id = ?
     ORDER BY conversation_version`,
  )

  /** What is opened again, by whomever, is no spam. */
  function note(org: number, { id, version, status }: Conversation, at: number): void {
    insert.run(org, id, version, at, status)
    if (status !== 'closed') unspam.run(org, id)
  }

  return { note, of: (org: number, id: string) => select.all(org, id) as StatusChange[] }
}

/** Returns the record with the fields that depend on its status, and checks the rules between them. Throws 422. */
export function resolvedStatus(
  after: Conversation,
  before: Conversation,
  given: ConversationPatch,
  now: number,
): Conversation {
  const { status } = after
  if (status === 'snoozed') checkSnooze(after, before, now)
  else if (given.snoozed_until != null)
    throw invalid(field('/snoozed_until', 'not_snoozed', 'must be omitted unless the status is "snoozed"'))
  return {
    ...after,
    snoozed_until: status === 'snoozed' ? after.snoozed_until : null,
    waiting_since: status === 'closed' ? null : after.waiting_since,
    closed_at: status === 'closed' ? (before.closed_at ?? rfc3339(now)) : null,
  }
}

function checkSnooze({ snoozed_until }: Conversation, before: Conversation, now: number): void {
  if (snoozed_until === null)
    throw invalid(field('/snoozed_until', 'required', 'is required with the status "snoozed"'))
  const isSame = before.status === 'snoozed' && before.snoozed_until === snoozed_until
  if (isSame || (parseTime(snoozed_until) as number) > now) return
  throw invalid(field('/snoozed_until', 'not_in_future', 'must be in the future'))
}

/** Returns a time in the past unchanged, or now if the client's clock is a little ahead. Throws 422. */
export function pastTime(pointer: string, given: string, now: number): number {
  const ms = parseTime(given) as number
  if (ms > now + AHEAD_MS) throw invalid(field(pointer, 'in_future', 'must not be in the future'))
  return Math.min(ms, now)
}

/** Returns the most specific event. */
export function eventOf(before: Conversation, after: Conversation): EventName {
  if (before.status === after.status) return 'conversation.updated'
  if (after.status === 'closed') return 'conversation.closed'
  return before.status === 'closed' ? 'conversation.reopened' : 'conversation.updated'
}
