import { FIELDS } from '../../filters/catalog.ts'
import type { Caller } from '../../lib/caller.ts'
import type { Condition, Link } from '../../store/list/conditions.ts'

// The views of the inbox. Rows and counts are found by the same conditions, so that they cannot differ.

export const INBOX_VIEWS = [
  'open',
  'mine',
  'nobody',
  'waiting',
  'snoozed',
  'late',
  'at_risk',
  'drafts',
  'closed',
  'spam',
] as const
export type InboxView = (typeof INBOX_VIEWS)[number]

const is = (column: string, value: string | number | null): Condition => ({
  ...{ column, operator: 'eq', values: [value], indexed: true },
})
const statusIn = (...values: string[]): Condition => ({ column: 'status', operator: 'in', values, indexed: true })

/** What was merged has no messages any more, and what was begun there stands where they are. */
const UNMERGED: Condition = { column: 'is_merged', operator: 'eq', values: [0], indexed: false }

/** In whose mailbox's view conversations stand: its mails came or left by it, or somebody moved it there. */
export const IN_MAILBOX = FIELDS.inbox.mailbox_ids?.link as Link

export const inMailbox = (id: string): Condition => ({
  ...{ column: IN_MAILBOX.column, link: IN_MAILBOX, operator: 'eq', values: [id], indexed: true },
})

/** What is at work: neither snoozed nor closed. */
const OPEN = statusIn('open', 'pending')

/**
 * `now` in ms, `begun` the ids of those in which the member has begun to write. Snoozed conversations are late, too: a snooze
 * hides them from lists of work and stops no SLA target.
 */
export function viewConditions(
  view: InboxView,
  { member }: Pick<Caller, 'member'>,
  now: number,
  begun: () => string[],
): Condition[] {
  switch (view) {
    case 'drafts':
      return [{ column: 'id', operator: 'in', values: begun(), indexed: true }, UNMERGED]
    case 'open':
      return [OPEN]
    case 'mine':
      return [OPEN, is('owner_id', member)]
    case 'nobody':
      return [OPEN, is('owner_id', null)]
    case 'waiting':
      return [OPEN, { column: 'waiting_since', operator: 'ne', values: [null], indexed: true }]
    case 'late':
      return [{ column: 'due_rank', operator: 'lt', values: [Math.floor(now / 1000)], indexed: true }]
    case 'at_risk':
      return [statusIn('open', 'pending', 'snoozed'), is('sla_status', 'at_risk')]
    case 'closed':
      return [is('status', view), UNMERGED, { column: 'spam_at', operator: 'eq', values: [null], indexed: false }]
    case 'spam':
      return [{ column: 'spam_at', operator: 'ne', values: [null], indexed: true }]
    default:
      return [is('status', view)]
  }
}
