import type { Caller } from '../../../lib/caller.ts'
import { fold } from '../../../lib/pure/fold.ts'
import { activeFields } from '../../../records/custom-fields/rows.ts'
import type { Database } from '../../../store/sqlite/driver.ts'
import type { Touched } from '../../journal/journal.ts'
import type { AllWrites, ImportObject } from '../../writable.ts'
import { isActivity } from '../activities/signs.ts'
import type { Field, Fields } from './field.ts'
import { CUSTOM_KINDS } from './fields.ts'

/** Returns the active custom fields of an object type as fields that a column can map to. */
export function customFields(db: Database, org: number, object: ImportObject): Fields {
  if (isActivity(object)) return {} // these have none
  return Object.fromEntries(
    activeFields(
      db,
      object,
    )(org).map(({ key, label, type, options }): [string, Field] => [
      `custom_fields.${key}`,
      { type, kind: CUSTOM_KINDS[type], title: label, options: choicesOf(options), isFree: type === 'text' },
    ]),
  )
}

/** Creates the custom fields that a mapping needs, within the caller's transaction. Throws 409. */
export function makeFields(writes: AllWrites, who: Caller, object: ImportObject, fields: Fields): Touched[] {
  return Object.entries(fields).flatMap(([name, { type, title, isNew, options }]): Touched[] => {
    if (!isNew) return []
    const choices = [...(options?.values() ?? [])].map((value) => ({ value, label: value }))
    const key = name.replace(/^custom_fields\./, '')
    const given = { object, key, type: type ?? 'text', label: title as string, options: choices }
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
