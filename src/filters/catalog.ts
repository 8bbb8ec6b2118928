import { fold } from '../lib/pure/fold.ts'
import { companyRecord } from '../records/company.ts'
import { contactRecord } from '../records/contact.ts'
import { dealRecord } from '../records/deal.ts'
import type { Kind, ListField } from '../records/list-field.ts'

// The fields that filters can use, and where they are stored: those of contacts, companies and deals, for smart lists,
// and those of conversations, for SLA policies and, with some more, for views of the inbox.

export const OBJECTS = ['contact', 'company', 'deal'] as const
export type ListObject = (typeof OBJECTS)[number]

/** The types of records that can be filtered. */
export type FilterObject = ListObject | 'conversation' | 'inbox'

const text = (column: string): ListField => ({ kind: 'text', column, normal: fold, folded: true })
const id = (column: string, target: string): ListField => ({ kind: 'id', column, target, indexed: true })
const choice = (column: string, choices: readonly string[]): ListField => ({
  kind: 'choice',
  column,
  choices,
  indexed: true,
})
const tags = (object: FilterObject): ListField => ({
  kind: 'ids',
  column: 'tag_id',
  link: { table: `${object}_tags`, key: `${object}_id`, column: 'tag_id' },
  target: 'tags',
  indexed: true,
})

const address = Object.fromEntries(
  ['line1', 'line2', 'city', 'region', 'postal_code', 'country'].map((part): [string, ListField] => [
    `address.${part}`,
    { ...text('address'), json: { path: `$.${part}` } },
  ]),
)

const conversation: Record<string, ListField> = {
  subject: text('subject'),
  channel: choice('channel', ['email', 'chat', 'sms', 'phone', 'other']),
  status: choice('status', ['open', 'pending', 'snoozed', 'closed']),
  priority: choice('priority', ['low', 'normal', 'high', 'urgent']),
  owner_id: id('owner_id', 'members'),
  contact_id: id('contact_id', 'contacts'),
  company_id: id('company_id', 'companies'),
  deal_id: id('deal_id', 'deals'),
  tag_ids: tags('conversation'),
  created_at: { kind: 'time', column: 'id', indexed: true },
}

/** What policies do not match by: it follows from them, or changes with each message. */
const inbox: Record<string, ListField> = {
  mailbox_ids: {
    kind: 'ids',
    column: 'mailbox_id',
    link: { table: 'conversation_mailboxes', key: 'conversation_id', column: 'mailbox_id' },
    target: 'mailboxes',
    indexed: true,
  },
  'sla.status': choice('sla_status', ['none', 'ok', 'at_risk', 'breached', 'met']),
  waiting_since: { kind: 'time', column: 'waiting_since', indexed: true },
  last_message_at: { kind: 'time', column: 'last_message_at', indexed: true },
  unread_count: { kind: 'number', column: 'unread_count', indexed: false },
}

export const FIELDS: Record<FilterObject, Record<string, ListField>> = {
  contact: { ...contactRecord.listFields, ...address },
  company: { ...companyRecord.listFields, ...address },
  deal: dealRecord.listFields,
  conversation,
  inbox: { ...conversation, ...inbox },
}

/** The operators, by the kind of comparison. */
const EQUAL = ['eq', 'ne', 'in', 'not_in'] as const
const ORDER = ['gt', 'gte', 'lt', 'lte'] as const
export const DAYS = ['in_last_days', 'in_next_days', 'before_last_days', 'after_next_days'] as const
const PARTS = ['contains', 'starts_with'] as const
const SETS = ['has_any', 'has_all'] as const
const NULLS = ['is_null', 'not_null'] as const

export const LIST_OPERATORS = [...EQUAL, ...ORDER, ...PARTS, ...NULLS, ...DAYS, ...SETS] as const
export type ListOperator = (typeof LIST_OPERATORS)[number]

export const OPERATORS_OF: Record<Kind, readonly ListOperator[]> = {
  text: [...EQUAL, ...PARTS, ...NULLS],
  texts: [...SETS, ...PARTS, ...NULLS],
  choice: [...EQUAL, ...NULLS],
  choices: [...SETS, ...NULLS],
  id: [...EQUAL, ...NULLS],
  ids: [...SETS, ...NULLS],
  flag: ['eq', 'ne', ...NULLS],
  number: [...EQUAL, ...ORDER, ...NULLS],
  amount: [...EQUAL, ...ORDER, ...NULLS],
  date: [...EQUAL, ...ORDER, ...DAYS, ...NULLS],
  time: [...EQUAL, ...ORDER, ...DAYS, ...NULLS],
}
