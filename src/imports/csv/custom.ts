import { activeFields } from '../../crm/custom-fields/rows.ts'
import type { FieldType } from '../../crm/custom-fields/types.ts'
import { fold } from '../../lib/fold.ts'
import type { Database } from '../../store/driver.ts'
import type { ImportObject } from '../writes.ts'
import type { Field, Fields, Kind } from './fields.ts'

/** What the cells of a custom field hold; the field itself checks the value. */
const KINDS: Record<FieldType, Kind> = {
  text: 'text',
  number: 'number',
  boolean: 'flag',
  date: 'date',
  datetime: 'time',
  select: 'choice',
  multi_select: 'choices',
  url: 'url',
  email: 'text',
  phone: 'text',
  member: 'member',
}

/** The custom fields that an org has for its contacts, companies or deals, as fields that a column can feed. */
export function customFields(db: Database, org: number, object: ImportObject): Fields {
  return Object.fromEntries(
    activeFields(
      db,
      object,
    )(org).map(({ key, label, type, options }): [string, Field] => [
      `custom_fields.${key}`,
      { kind: KINDS[type], title: label, options: choicesOf(options) },
    ]),
  )
}

/** Each option by its value and by what people call it. */
function choicesOf(json: string): Map<string, string> {
  const options = JSON.parse(json) as { value: string; label?: string | null }[]
  return new Map([
    ...options.map(({ value, label }) => [fold(label ?? value), value] as const),
    ...options.map(({ value }) => [fold(value), value] as const),
  ])
}
