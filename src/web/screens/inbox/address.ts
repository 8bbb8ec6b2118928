import type { InboxView } from '../../../inbox/conversations/views.ts'
import { query } from '../../lib/router.ts'
import type { RowQuery } from '../../tables/table/rows.ts'

// The address is the view: /inbox?in=mine&q=invoice&c=ID. A saved one is /inbox?view=ID.

export const VIEWS = [
  'open',
  'mine',
  'nobody',
  'waiting',
  'snoozed',
  'drafts',
  'closed',
  'spam',
] as const satisfies InboxView[]
export const SLA_VIEWS = ['late', 'at_risk'] as const satisfies InboxView[]
const ALL: readonly InboxView[] = [...VIEWS, ...SLA_VIEWS]

export const viewNow = (): InboxView => ALL.find((view) => view === query.value.get('in')) ?? 'open'
export const isByDue = (): boolean => query.value.get('sort') !== 'newest'

export const hrefOf = (view: InboxView, id?: string): string => {
  const q = query.value.get('q')
  const given = {
    ...(view === 'open' ? {} : { in: view }),
    ...(isByDue() ? {} : { sort: 'newest' }),
    ...(id && { c: id }),
  }
  const text = new URLSearchParams({ ...given, ...(id && q ? { q } : {}) }).toString()
  return text === '' ? '/inbox' : `/inbox?${text}`
}

/** What is closed, or spam, is never due. */
export const hasDue = (view: InboxView): boolean => view !== 'closed' && view !== 'spam'

/** What the list asks for. Closed ones are never due: the last that was closed is first. */
export function rowsNow(): RowQuery {
  const view = viewNow()
  const q = query.value.get('q')?.trim()
  return { view, sort: isByDue() && hasDue(view) ? 'due' : '-last_message_at', ...(q ? { q } : {}) }
}
