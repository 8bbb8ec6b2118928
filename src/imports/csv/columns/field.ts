import type { FieldType } from '../../../records/custom-fields/types.ts'
import type { ImportKind } from '../../../records/record.ts'

/** The kind of value in the cells of a field. */
export type Kind =
  | ImportKind
  | 'number'
  | 'email'
  | 'country'
  | 'choice'
  | 'choices'
  | 'pipeline'
  | 'note'
  | 'middleName'
  | 'deal'
  /** The id that a company, a contact or a deal has in the product that the file is from. */
  | 'companyId'
  | 'contactId'
  | 'dealId'
  /** The same of an object that the id itself shows. */
  | 'anyId'
  /** Names or emails of several. */
  | 'contacts'
  | 'companies'
  | 'deals'
  /** Of any kind. */
  | 'records'
  /** Of notes and tasks. */
  | 'prose'
  | 'detail'
  | 'activityType'
  | 'activityStatus'
  | 'done'
  | 'priority'
  | 'clock'

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
  /** The type of a custom field; of a new one, if it was asked for or found. */
  type?: FieldType
  /** Whether it is a text of any content: a word for nothing may be its value. */
  isFree?: boolean
  /** The options of a custom field, by cell text. */
  options?: ReadonlyMap<string, string>
}

export type Fields = Readonly<Record<string, Field>>
