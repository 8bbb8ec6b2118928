import { emailKey } from '../crm/records/contact-methods.ts'
import { dealRecord } from '../crm/records/deal.ts'
import type { Kind, ListField } from '../crm/records/list-field.ts'
import { toDomain } from '../lib/domain.ts'
import { fold } from '../lib/fold.ts'

// What a filter can look at: the fields of contacts, companies and deals, which smart lists hold, and of conversations,
// which SLA policies are for; and where they are stored.

export const OBJECTS = ['contact', 'company', 'deal'] as const
export type ListObject = (typeof OBJECTS)[number]

/** What a filter can be about. */
export type FilterObject = ListObject | 'conversation'

export const TABLES = { contact: 'contacts', company: 'companies', deal: 'deals' } as const

const text = (column: string): ListField => ({ kind: 'text', column, normal: fold, folded: true })
/** A text whose column is kept folded. */
const key = (column: string): ListField => ({ kind: 'text', column, normal: fold, indexed: true })
const id = (column: string, target: string, indexed = true): ListField => ({ kind: 'id', column, target, indexed })
const time = (column: string, indexed = false): ListField => ({ kind: 'time', column, indexed })
const choice = (column: string, choices: readonly string[], indexed = false): ListField => ({
  kind: 'choice',
  column,
  choices,
  indexed,
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

/** `created_at` stands in the id. */
const stamps = { created_at: time('id', true), updated_at: time('updated_at', true) }

export const FIELDS: Record<FilterObject, Record<string, ListField>> = {
  contact: {
    first_name: text('first_name'),
    last_name: text('last_name'),
    name: key('name_key'),
    emails: {
      kind: 'texts',
      column: 'email_key',
      link: { table: 'contact_emails', key: 'contact_id', column: 'email_key' },
      normal: emailKey,
      indexed: true,
    },
    phones: { kind: 'texts', column: 'phones', json: { path: '$.number', each: true }, normal: fold, folded: true },
    job_title: text('job_title'),
    company_id: id('company_id', 'companies'),
    owner_id: id('owner_id', 'members'),
    tag_ids: tags('contact'),
    linkedin_url: text('linkedin_url'),
    website: text('website'),
    ...address,
    timezone: text('timezone'),
    language: text('language'),
    do_not_contact: { kind: 'flag', column: 'do_not_contact', indexed: true },
    unsubscribed_at: time('unsubscribed_at'),
    source: text('source'),
    external_id: text('external_id'),
    ...stamps,
  },
  company: {
    name: key('name_key'),
    domains: {
      kind: 'texts',
      column: 'domain',
      link: { table: 'company_domains', key: 'company_id', column: 'domain' },
      normal: (given) => toDomain(given) ?? given.toLowerCase(),
      indexed: true,
    },
    website: text('website'),
    phone: text('phone'),
    industry: text('industry'),
    employee_count: { kind: 'number', column: 'employee_count' },
    annual_revenue: { kind: 'amount', column: 'annual_revenue_micros' },
    currency: text('currency'),
    linkedin_url: text('linkedin_url'),
    ...address,
    parent_company_id: id('parent_company_id', 'companies'),
    owner_id: id('owner_id', 'members'),
    tag_ids: tags('company'),
    description: text('description'),
    external_id: text('external_id'),
    ...stamps,
  },
  deal: dealRecord.listFields,
  conversation: {
    subject: text('subject'),
    channel: choice('channel', ['email', 'chat', 'sms', 'phone', 'other'], true),
    status: choice('status', ['open', 'pending', 'snoozed', 'closed'], true),
    priority: choice('priority', ['low', 'normal', 'high', 'urgent'], true),
    owner_id: id('owner_id', 'members'),
    contact_id: id('contact_id', 'contacts'),
    company_id: id('company_id', 'companies'),
    deal_id: id('deal_id', 'deals'),
    tag_ids: tags('conversation'),
    created_at: stamps.created_at,
  },
}

/** The operators, by what they compare. */
const EQUAL = ['eq', 'ne', 'in', 'not_in'] as const
const ORDER = ['gt', 'gte', 'lt', 'lte'] as const
const DAYS = ['in_last_days', 'in_next_days'] as const
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
