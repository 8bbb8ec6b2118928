import { activeFields } from '../../crm/custom-fields/rows.ts'
import type { FieldType } from '../../crm/custom-fields/types.ts'
import type { Caller } from '../../lib/caller.ts'
import { fold } from '../../lib/fold.ts'
import type { Database } from '../../store/driver.ts'
import type { Touched } from '../journal/journal.ts'
import type { AllWrites, ImportObject } from '../writes.ts'
import { readDay } from './dates.ts'
import type { Field, Fields, Kind } from './fields.ts'
import type { Mapping } from './mapping.ts'
import type { Row } from './read.ts'
import { isBlank, unguarded } from './values.ts'

/** How to read the cells of a custom field; the field's schema validates the value. */
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

/** Returns the active custom fields of an object type as fields that a column can map to. */
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

/** Detects the types of new custom fields from all rows: dates if all cells with a value are days, else texts. */
export function newTypes(mapping: Mapping, asked: Fields) {
  const columns = mapping.filter(({ field }) => field !== null && Object.hasOwn(asked, field))
  const days = new Set<string>()
  const others = new Set<string>()

  function addRow({ cells }: Row): void {
    for (const { column } of columns) {
      const text = unguarded(String(cells[column] ?? ''))
      if (!isBlank(text)) (readDay(text, undefined) ? days : others).add(column)
    }
  }

  function found(): Fields {
    const kindOf = (column: string): Kind => (days.has(column) && !others.has(column) ? 'date' : 'text')
    return Object.fromEntries(
      columns.map(({ column, field }) => [
        field as string,
        { ...(asked[field as string] as Field), kind: kindOf(column) },
      ]),
    )
  }

  return { addRow, found }
}

/** Creates the custom fields that a mapping needs, within the caller's transaction. Throws 409. */
export function makeFields(writes: AllWrites, who: Caller, object: ImportObject, fields: Fields): Touched[] {
  return Object.entries(fields).flatMap(([name, { kind, title, isNew }]): Touched[] => {
    if (!isNew) return []
    const given = { object, key: name.replace(/^custom_fields\./, ''), type: kind, label: title as string }
    const { id, version } = writes.custom_field.create(who, given)
    return [{ object: 'custom_field', id, action: 'created', version, before: null }]
  })
}

/** Maps each option by its value and by its label. */
function choicesOf(json: string): Map<string, string> {
  const options = JSON.parse(json) as { value: string; label?: string | null }[]
  return new Map([
    ...options.map(({ value, label }) => [fold(label ?? value), value] as const),
    ...options.map(({ value }) => [fold(value), value] as const),
  ])
}
