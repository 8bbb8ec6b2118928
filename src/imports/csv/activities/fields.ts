import type { ActivityObject } from '../../writable.ts'
import type { Field, Fields } from '../columns/field.ts'

// The fields of notes and tasks. What has none of its own, such as the duration of a call, is a detail: a line below the
// text. docs/decisions/051-activities.md

const byId = (kind: 'contactId' | 'companyId' | 'dealId', member: string): Field => ({ kind, member, many: true })

/** What a row is about, by names or emails, and by the ids in the product that the file is from. */
const links: Fields = {
  contact_ids: { kind: 'contacts', many: true },
  company_ids: { kind: 'companies', many: true },
  deal_ids: { kind: 'deals', many: true },
  record_names: { kind: 'records', many: true },
  contact_external_ids: byId('contactId', 'contact_ids'),
  company_external_ids: byId('companyId', 'company_ids'),
  deal_external_ids: byId('dealId', 'deal_ids'),
  record_external_ids: { kind: 'anyId', many: true },
}

const texts: Fields = {
  external_id: { kind: 'text' },
  title: { kind: 'text' },
  body: { kind: 'prose', many: true, isFree: true },
  details: { kind: 'detail', many: true, isFree: true },
}

export const ACTIVITY_FIELDS: Readonly<Record<ActivityObject, Fields>> = {
  note: {
    ...texts,
    written_at: { kind: 'time' },
    author: { kind: 'member' },
    is_pinned: { kind: 'flag' },
    ...links,
  },
  task: {
    ...texts,
    type: { kind: 'activityType', many: true, isFree: true },
    status: { kind: 'activityStatus', many: true, isFree: true },
    is_done: { kind: 'done' },
    priority: { kind: 'priority', options: new Map([['none', 'normal']]) }, // HubSpot's word
    due_at: { kind: 'time' },
    due_time: { kind: 'clock' },
    completed_at: { kind: 'time' },
    owner_id: { kind: 'member' },
    ...links,
  },
}

/** The member of the body that a field is about, and the object that it refers to. */
export const LINKED = { contact_ids: 'contact', company_ids: 'company', deal_ids: 'deal' } as const
export type LinkedField = keyof typeof LINKED
