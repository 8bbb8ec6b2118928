import { computed, signal } from '@preact/signals'
import type { InboxView } from '../../../inbox/conversations/views.ts'
import { query } from '../../lib/router.ts'
import { filterFieldsOf } from '../../tables/filter-fields.ts'
import { hasDue, INBOX, inboxQuery } from '../../tables/inbox-query.ts'
import type { RowQuery } from '../../tables/table/rows.ts'
import { listAddress } from '../../tables/views/use-list-state.ts'

// The address is the view: /inbox?in=mine&q=invoice&c=ID, /inbox?mailbox=ID, with filters as in tables. A saved one is
// /inbox?view=ID.

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

export const fields = computed(() => filterFieldsOf('conversations'))
const reading = computed(() => {
  const kinds = new Map(fields.value.map(({ name, kind }) => [name, kind]))
  return { kindOf: (name: string) => kinds.get(name), more: INBOX }
})
/** What the address selects, and how that is changed. */
export const address = computed(() => listAddress('conversations', reading.value))

/** What is open in the bar of filters. */
export const filterOpen = signal<'new' | number | null>(null)

const now = () => address.value.state
const chosen = (): InboxView | undefined => ALL.find((view) => view === now().more.in)
export const viewNow = (): InboxView => chosen() ?? 'open'
/** Whether a search looks in all conversations, as no view was chosen. */
export const isInAll = (): boolean => chosen() === undefined && now().q !== ''
export const SORTS = ['due', 'newest'] as const
type Sort = (typeof SORTS)[number]
export const sortNow = (): Sort => (now().sort === 'newest' ? 'newest' : 'due')
export const sortBy = (sort: Sort): void => void address.peek().change({ sort: sort === 'due' ? null : sort })
/** Whether a sort can be chosen. */
export const hasSort = (): boolean => hasDue(viewNow())

/** A conversation in this list. */
export function hrefHere(id: string): string {
  const own = new URLSearchParams(query.value)
  own.delete('new')
  own.set('c', id)
  return `/inbox?${own}`
}

export const hrefOf = (view: InboxView, id?: string): string => {
  const given = {
    ...(view === 'open' ? {} : { in: view }),
    ...(sortNow() === 'due' ? {} : { sort: 'newest' }),
    ...(id && { c: id }),
  }
  const text = new URLSearchParams(given).toString()
  return text === '' ? '/inbox' : `/inbox?${text}`
}

/** What the list asks for. */
export function rowsNow(): RowQuery {
  const { in: _, ...more } = now().more
  const view = chosen()
  return inboxQuery({ ...now(), more: view === undefined ? more : { ...more, in: view } })
}
