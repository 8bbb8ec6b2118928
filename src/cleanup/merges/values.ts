import { same } from '../../lib/merge.ts'
import {
  type CustomObject,
  type FieldType,
  HOLDERS,
  kindOf,
  readValue,
  type Value,
  type Values,
} from '../../records/custom-fields/types.ts'
import { customValues } from '../../records/custom-fields/values.ts'
import { countryOf } from '../../store/orgs/orgs.ts'
import type { Database } from '../../store/sqlite/driver.ts'

type Definition = { id: string; key: string; type: FieldType; options: string; is_unique: number; is_archived: number }

/** Why a value cannot be restored; `other` is the record that has it. */
export type Obstacle = { reason: 'deleted' | 'invalid' | 'taken'; other?: string }
/** The other of the two separated records. The fields that it will have count, not the stored ones. */
export type Twin = { id: string; fields: Record<string, unknown> }

export type CustomConflicts = ReturnType<typeof customConflicts>

/** Checks the values of restored records against the current custom fields of an organisation. */
export function customConflicts(db: Database, object: CustomObject) {
  const { table, values, id: recordId } = HOLDERS[object]
  const all = db.prepare(
    'SELECT id, key, type, options, is_unique, is_archived FROM custom_fields WHERE org_id = ? AND object = ?',
  )
  const holder = db
    .prepare(
      `SELECT ${recordId} FROM ${values} WHERE org_id = ? AND field_id = ? AND unique_value = ? AND ${recordId} <> ?`,
    )
    .pluck()
  const member = db.prepare('SELECT 1 FROM members WHERE org_id = ? AND id = ?').pluck()
  const archived = db.prepare(`SELECT archived_fields FROM ${table} WHERE org_id = ? AND id = ?`).pluck()
  const setArchived = db.prepare(`UPDATE ${table} SET archived_fields = ? WHERE org_id = ? AND id = ?`)
  const custom = customValues(db, object)
  const country = countryOf(db)

  const archivedOf = (org: number, id: string): Values => JSON.parse(archived.get(org, id) as string)

  /** Writes the values of archived fields, without a new version or an event. */
  function writeArchived(org: number, id: string, before: Values, after: Values): void {
    if (same(before, after)) return
    setArchived.run(JSON.stringify(after), org, id)
    custom.set(org, id, before, after)
  }

  function fieldsOf(org: number) {
    const definitions = new Map((all.all(org, object) as Definition[]).map((each) => [each.key, each]))

    const isArchived = (key: string): boolean => definitions.get(key)?.is_archived === 1

    /** Returns undefined if the record can have the value. `name` is the flat field. */
    function obstacleTo(id: string, name: string, key: string, value: Value, twin?: Twin): Obstacle | undefined {
      const found = definitions.get(key)
      if (!found) return { reason: 'deleted' }
      const choices = (JSON.parse(found.options) as { value: string }[]).map((option) => option.value)
      if ('code' in readValue(found.type, choices, value)) return { reason: 'invalid' }
      if (found.type === 'member' && !member.get(org, value)) return { reason: 'deleted' }
      const uniqueKey = found.is_unique ? kindOf(found.type).uniqueKey : undefined
      if (!uniqueKey) return undefined
      const keyOf = (one: unknown) => uniqueKey(one as never, country(org))
      const wanted = keyOf(value)
      const rival = twin?.fields[name]
      if (twin && rival !== undefined && keyOf(rival) === wanted) return { reason: 'taken', other: twin.id }
      const other = holder.get(org, found.id, wanted, id) as string | undefined
      return other && other !== twin?.id ? { reason: 'taken', other } : undefined
    }

    return { isArchived, obstacleTo }
  }

  /** Throws 422 if the values exceed the limit of a record. */
  const checkRoom = (org: number, values: Values): void => void custom.change(org, values, {})

  return { archivedOf, writeArchived, fieldsOf, checkRoom }
}
