import { nounOf } from '../../../lib/pure/nouns.ts'
import { boot } from '../../data/boot.ts'
import type { Fields, Rec } from '../../data/types.ts'
import { valueAt } from '../../data/values.ts'
import type { Field, FieldType } from '../fields/field.ts'
import type { PageKind } from '../kinds.ts'
import { texts } from './texts.ts'

/**
 * A property of a record. `paths` are the fields of the record that it consists of: an amount and its currency are one
 * property, the parts of an address too.
 */
export type Property = { field: Field; paths: readonly string[] }

const ADDRESS = ['line1', 'line2', 'city', 'region', 'postal_code', 'country'] as const

const one = (key: string, label: string, type: FieldType, more: Partial<Field> = {}): Property => ({
  field: { key, label, type, ...more },
  paths: [key],
})

const money = (key: string, label: string): Property => ({
  field: { key, label, type: 'money' },
  paths: [key, 'currency'],
})

const address = (): Property => ({
  field: { key: 'address', label: texts().address, type: 'address' },
  paths: ['address', ...ADDRESS.map((part) => `address.${part}`)],
})

/** The properties of a kind of records, in the order of the page; the name and the stage have their own place. */
export function propertiesOf(kind: PageKind): Property[] {
  const label = texts()
  if (kind === 'deals')
    return [
      money('amount', label.amount),
      one('expected_close_date', label.expected_close_date, 'date'),
      one('owner_id', label.owner_id, 'member'),
      one('primary_contact_id', label.primary_contact_id, 'contact'),
      one('company_id', label.company_id, 'company'),
      one('tag_ids', label.tag_ids, 'tags'),
      one('external_id', label.external_id, 'text'),
      one('originally_created_at', label.originally_created_at, 'datetime'),
    ]
  if (kind === 'contacts')
    return [
      one('first_name', label.first_name, 'text'),
      one('last_name', label.last_name, 'text'),
      one('job_title', label.job_title, 'text'),
      one('company_id', label.company_id, 'company'),
      one('emails', label.emails, 'emails'),
      one('phones', label.phones, 'phones'),
      one('owner_id', label.owner_id, 'member'),
      one('tag_ids', label.tag_ids, 'tags'),
      address(),
      one('website', label.website, 'url'),
      one('linkedin_url', label.linkedin_url, 'url'),
      one('language', label.language, 'text', { example: 'de' }),
      one('timezone', label.timezone, 'text', { example: 'Europe/Berlin' }),
      one('source', label.source, 'text'),
      one('do_not_contact', label.do_not_contact, 'boolean', { is_required: true }),
      one('external_id', label.external_id, 'text'),
      one('originally_created_at', label.originally_created_at, 'datetime'),
    ]
  return [
    one('domains', label.domains, 'text', { example: 'example.com, example.org' }),
    one('website', label.website, 'url'),
    one('phone', label.phone, 'phone'),
    one('industry', label.industry, 'text'),
    one('employee_count', label.employee_count, 'number'),
    money('annual_revenue', label.annual_revenue),
    one('owner_id', label.owner_id, 'member'),
    one('tag_ids', label.tag_ids, 'tags'),
    one('parent_company_id', label.parent_company_id, 'company'),
    address(),
    one('linkedin_url', label.linkedin_url, 'url'),
    one('description', label.description, 'long_text'),
    one('external_id', label.external_id, 'text'),
    one('originally_created_at', label.originally_created_at, 'datetime'),
  ]
}

/** The custom fields of a kind of records. */
export const customPropertiesOf = (kind: PageKind): Property[] =>
  boot.value.custom_fields
    .filter((each) => each.object === nounOf(kind) && !each.is_archived)
    .sort((a, b) => a.position - b.position)
    .map((each) => ({
      field: { ...each, options: each.options, type: each.type as FieldType, isLong: true },
      paths: [`custom_fields.${each.key}`],
    }))

/** The property that a field of an event belongs to: of a field without one, what its name says. */
export function propertyNamed(kind: PageKind, name: string): Property {
  const all = [...titleOf(kind), ...propertiesOf(kind), ...customPropertiesOf(kind)]
  return all.find(({ paths }) => paths.includes(name)) ?? one(name, name.replace(/^custom_fields\./, ''), 'text')
}

const titleOf = (kind: PageKind): Property[] =>
  kind === 'contacts'
    ? []
    : [one(kind === 'deals' ? 'title' : 'name', kind === 'deals' ? texts().title : texts().name, 'text')]

/** The value that a property shows. */
export function shownValue(record: Fields, { field, paths }: Property): unknown {
  const [path = ''] = paths
  if (field.type === 'money') return moneyOf(valueAt(record, path), record.currency)
  if (path === 'domains') return (record.domains as string[] | undefined)?.join(', ') || null
  return valueAt(record, path)
}

const moneyOf = (amount: unknown, currency: unknown) => ({ amount: amount ?? null, currency: currency ?? null })

/** The patch that sets a property: only the parts that differ, so that others may change the rest meanwhile. */
export function patchOf(record: Rec, { field, paths }: Property, value: unknown): Fields {
  const [path = ''] = paths
  if (field.type === 'money') {
    const { amount, currency } = value as { amount: unknown; currency: unknown }
    // Both, so that an amount is written in no other currency than it was typed in. A record without an amount keeps its
    // currency, which other fields may need.
    return { [path]: amount, ...(amount !== null && currency != null ? { currency } : {}) }
  }
  if (field.type === 'address') {
    const before = (record.address ?? {}) as Fields
    if (value === null) return { address: null }
    const changed = Object.entries(value as Fields).filter(([part, text]) => text !== (before[part] ?? null))
    return { address: Object.fromEntries(changed) }
  }
  if (path === 'domains')
    return {
      domains: String(value ?? '')
        .split(/[\s,;]+/)
        .filter(Boolean),
    }
  if (field.type === 'tags' && value === null) return { [path]: [] }
  if (path.startsWith('custom_fields.')) return { custom_fields: { [path.slice('custom_fields.'.length)]: value } }
  return { [path]: value }
}
