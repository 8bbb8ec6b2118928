import { companyRecord } from '../../crm/records/company.ts'
import { contactRecord } from '../../crm/records/contact.ts'
import { dealRecord } from '../../crm/records/deal.ts'
import type { ImportKind } from '../../crm/records/record.ts'
import type { ImportObject } from '../writes.ts'

// The fields that a file can fill: our own wire names, with the parts of objects behind a dot.

/** What stands in the cells of a field. */
export type Kind = Exclude<ImportKind, 'address'> | 'number' | 'time' | 'country' | 'choice' | 'choices' | 'pipeline'

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
const labelled = (member: 'emails' | 'phones'): Fields => ({
  [member]: { kind: member, many: true },
  [`${member}.work`]: { kind: member, many: true, member, label: 'work' },
  [`${member}.home`]: { kind: member, many: true, member, label: 'home' },
  [`${member}.other`]: { kind: member, many: true, member, label: 'other' },
})

/** The fields that a record is declared with, and of those with parts, the parts. */
function fieldsOf({ importFields }: Pick<typeof dealRecord, 'importFields'>): Fields {
  const all = Object.entries(importFields).map(([name, { kind, ...more }]): Fields => {
    if (kind === 'address') return address
    if (kind === 'emails' || kind === 'phones') return labelled(kind)
    return { [name]: { kind, ...more } }
  })
  return Object.assign({}, ...all)
}

export const FIELDS: Readonly<Record<ImportObject, Fields>> = {
  contact: fieldsOf(contactRecord),
  company: fieldsOf(companyRecord),
  deal: { ...fieldsOf(dealRecord), pipeline_id: { kind: 'pipeline' } },
}

/** What the amount of each object is in, where a column does not say. */
export const AMOUNTS: Readonly<Record<ImportObject, string | undefined>> = {
  contact: undefined,
  company: 'annual_revenue',
  deal: 'amount',
}
