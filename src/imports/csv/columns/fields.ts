import { companyRecord } from '../../../records/company.ts'
import { contactRecord } from '../../../records/contact.ts'
import type { FieldType } from '../../../records/custom-fields/types.ts'
import { dealRecord } from '../../../records/deal.ts'
import type { ImportObject } from '../../writable.ts'
import { ACTIVITY_FIELDS } from '../activities/fields.ts'
import { ADDRESS_FIELDS } from './address-headers.ts'
import type { Field, Fields, Kind } from './field.ts'

// The fields that a file can fill: our wire names, with parts of objects after a dot.

/** Emails or phones, and those with a fixed label. */
const labelled = (member: 'emails' | 'phones'): Fields => ({
  [member]: { kind: member, many: true },
  [`${member}.work`]: { kind: member, many: true, member, label: 'work' },
  [`${member}.home`]: { kind: member, many: true, member, label: 'home' },
  [`${member}.other`]: { kind: member, many: true, member, label: 'other' },
})

/** Returns the declared fields of a record; those with parts are replaced by the parts. */
function fieldsOf({ importFields }: Pick<typeof dealRecord, 'importFields'>): Fields {
  const all = Object.entries(importFields).map(([name, { kind, ...more }]): Fields => {
    if (kind === 'address') return ADDRESS_FIELDS
    if (kind === 'emails' || kind === 'phones') return labelled(kind)
    return { [name]: { kind, ...more } }
  })
  return Object.assign({}, ...all)
}

/** A text becomes a note about the record. */
const notes: Fields = { notes: { kind: 'note', many: true } }

/** A reference by the id that the record has in the product: better than its name, where the record came in with it. */
const byId = (kind: 'companyId' | 'contactId' | 'dealId', member: string): Field => ({ kind, member })

export const FIELDS: Readonly<Record<ImportObject, Fields>> = {
  contact: {
    ...fieldsOf(contactRecord),
    company_external_id: byId('companyId', 'company_id'),
    middle_name: { kind: 'middleName', member: 'first_name' },
    ...notes,
  },
  company: { ...fieldsOf(companyRecord), parent_external_id: byId('companyId', 'parent_company_id'), ...notes },
  deal: {
    ...fieldsOf(dealRecord),
    company_external_id: byId('companyId', 'company_id'),
    contact_external_id: byId('contactId', 'primary_contact_id'),
    pipeline_id: { kind: 'pipeline' },
    ...notes,
  },
  ...ACTIVITY_FIELDS,
}

/** The amount field of each object; its cells supply the currency if no column does. */
export const AMOUNTS: Readonly<Record<ImportObject, string | undefined>> = {
  contact: undefined,
  company: 'annual_revenue',
  deal: 'amount',
  note: undefined,
  task: undefined,
}

/** How to read the cells of a custom field; the field's schema validates the value. */
export const CUSTOM_KINDS: Record<FieldType, Kind> = {
  text: 'text',
  number: 'number',
  boolean: 'flag',
  date: 'date',
  datetime: 'time',
  select: 'choice',
  multi_select: 'choices',
  url: 'url',
  email: 'email',
  phone: 'phone',
  member: 'member',
}
