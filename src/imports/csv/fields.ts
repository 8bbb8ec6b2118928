import type { ImportObject } from '../writes.ts'

// The fields that a file can fill: our own wire names, with the parts of objects behind a dot.

/** What stands in the cells of a field. */
export type Kind =
  | 'text'
  | 'fullName'
  | 'emails'
  | 'phones'
  | 'phone'
  | 'url'
  | 'domains'
  | 'amount'
  | 'number'
  | 'count'
  | 'currency'
  | 'date'
  | 'time'
  | 'flag'
  | 'country'
  | 'language'
  | 'choice'
  | 'choices'
  | 'company'
  | 'contact'
  | 'member'
  | 'tags'
  | 'stage'
  | 'pipeline'
  | 'status'
  | 'reason'

export type Label = 'work' | 'home' | 'other'

export type Field = {
  kind: Kind
  /** Whether several columns may feed it. */
  many?: true
  /** The member of a record that it is part of, where that has another name. */
  member?: string
  /** Of the emails or phones in it. */
  label?: Label
  /** What people call a custom field; a column may have that name. */
  title?: string
  /** Of a custom field, by what a cell may say. */
  options?: ReadonlyMap<string, string>
}

export type Fields = Readonly<Record<string, Field>>

const address: Fields = {
  'address.line1': { kind: 'text' },
  'address.line2': { kind: 'text' },
  'address.city': { kind: 'text' },
  'address.region': { kind: 'text' },
  'address.postal_code': { kind: 'text' },
  'address.country': { kind: 'country' },
}

/** Emails and phones, and those of one label. */
const reach = (member: 'emails' | 'phones'): Fields => ({
  [member]: { kind: member, many: true },
  [`${member}.work`]: { kind: member, many: true, member, label: 'work' },
  [`${member}.home`]: { kind: member, many: true, member, label: 'home' },
  [`${member}.other`]: { kind: member, many: true, member, label: 'other' },
})

export const FIELDS: Readonly<Record<ImportObject, Fields>> = {
  contact: {
    first_name: { kind: 'text' },
    last_name: { kind: 'text' },
    name: { kind: 'fullName' },
    ...reach('emails'),
    ...reach('phones'),
    job_title: { kind: 'text' },
    company_id: { kind: 'company' },
    owner_id: { kind: 'member' },
    tag_ids: { kind: 'tags', many: true },
    linkedin_url: { kind: 'url' },
    website: { kind: 'url' },
    ...address,
    timezone: { kind: 'text' },
    language: { kind: 'language' },
    do_not_contact: { kind: 'flag' },
    source: { kind: 'text' },
    external_id: { kind: 'text' },
  },
  company: {
    name: { kind: 'text' },
    domains: { kind: 'domains', many: true },
    website: { kind: 'url' },
    phone: { kind: 'phone' },
    industry: { kind: 'text' },
    employee_count: { kind: 'count' },
    annual_revenue: { kind: 'amount' },
    currency: { kind: 'currency' },
    linkedin_url: { kind: 'url' },
    ...address,
    parent_company_id: { kind: 'company' },
    owner_id: { kind: 'member' },
    tag_ids: { kind: 'tags', many: true },
    description: { kind: 'text' },
    external_id: { kind: 'text' },
  },
  deal: {
    title: { kind: 'text' },
    amount: { kind: 'amount' },
    currency: { kind: 'currency' },
    stage: { kind: 'stage' },
    pipeline_id: { kind: 'pipeline' },
    status: { kind: 'status' },
    close_reason_id: { kind: 'reason' },
    company_id: { kind: 'company' },
    primary_contact_id: { kind: 'contact' },
    owner_id: { kind: 'member' },
    tag_ids: { kind: 'tags', many: true },
    expected_close_date: { kind: 'date' },
  },
}

/** What the amount of each object is in, where a column does not say. */
export const AMOUNTS: Readonly<Record<ImportObject, string | undefined>> = {
  contact: undefined,
  company: 'annual_revenue',
  deal: 'amount',
}
