import type { InboxView } from '../../inbox/conversations/views.ts'
import { rowQuery } from './list-query.ts'
import type { RowQuery } from './table/rows.ts'
import type { ListState } from './views/list-state.ts'

/** What an address of the inbox, or a view that is saved there, has beside filters, search and sort. */
export const INBOX = ['in', 'mailbox'] as const

/** What is closed, or spam, is never due. */
export const hasDue = (view: InboxView): boolean => view !== 'closed' && view !== 'spam'

/** The conversations that it selects, a search without a chosen view among all: who is due first, or the newest. Of closed ones the last that was closed is first. */
export function inboxQuery({ conditions, q, sort, more }: ListState): RowQuery {
  const view = (more.in ?? (q === '' ? 'open' : undefined)) as InboxView | undefined
  const isByDue = sort !== 'newest' && hasDue(view ?? 'open')
  return {
    ...rowQuery({ conditions, q, sort: isByDue ? 'due' : '-last_message_at' }),
    view,
    mailbox_id: more.mailbox,
  }
}
