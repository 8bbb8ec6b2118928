import { companyRecord } from '../../crm/records/company.ts'
import { contactRecord } from '../../crm/records/contact.ts'
import { dealRecord } from '../../crm/records/deal.ts'
import type { ImportKind } from '../../crm/records/record.ts'
import type { ImportObject } from '../writes.ts'

// The fields that a file can fill: our wire names, with parts of objects after a dot.

/** The kind of value in the cells of a field. */
export type Kind =
  | Exclude<ImportKind, 'address'>
  | 'number'
  | 'country'
  | 'choice'
  | 'choices'
  | 'pipeline'
  | 'note'
  | 'middleName'

export type Label = 'work' | 'home' | 'other'

export type Field = {
  kind: Kind
  /** Whether several columns may map to it. */
  many?: true
  /** The member of the record that it belongs to, if the name differs. */
  member?: string
  /** The label of its emails or phones. */
  label?: Label
  /** The label of a custom field; a column may have that name. */
  title?: string
  /** Whether the import has to create this custom field. */
  isNew?: true
  /** The options of a custom field, by cell text. */
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
    if (kind === 'address') return address
    if (kind === 'emails' || kind === 'phones') return labelled(kind)
    return { [name]: { kind, ...more } }
  })
  return Object.assign({}, ...all)
}

/** A text becomes a note about the record. */
const notes: Fields = { notes: { kind: 'note', many: true } }

export const FIELDS: Readonly<Record<ImportObject, Fields>> = {
  contact: { ...fieldsOf(contactRecord), middle_name: { kind: 'middleName', member: 'first_name' }, ...notes },
  company: { ...fieldsOf(companyRecord), ...notes },
  deal: { ...fieldsOf(dealRecord), pipeline_id: { kind: 'pipeline' }, ...notes },
}

/** The amount field of each object; its cells supply the currency if no column does. */
export const AMOUNTS: Readonly<Record<ImportObject, string | undefined>> = {
  contact: undefined,
  company: 'annual_revenue',
  deal: 'amount',
}
