import { countryOf } from '../../store/orgs/orgs.ts'
import { isUniqueViolation } from '../../store/sqlite/constraints.ts'
import type { Database } from '../../store/sqlite/driver.ts'
import { type CustomObject, type FieldType, HOLDERS, kindOf, OBJECTS, type Values } from './types.ts'

// How a change of a custom field affects the values of all records. Each is one statement for the records that have a
// value, found by the rows of *_values.

export type ActiveField = { key: string; label: string; type: FieldType; options: string }

type Field = { id: string; object: CustomObject; key: string; type: FieldType; is_unique: boolean }

export function customRows(db: Database) {
  const statements = Object.fromEntries(OBJECTS.map((object) => [object, statementsOf(db, object)])) as Record<
    CustomObject,
    ReturnType<typeof statementsOf>
  >
  const country = countryOf(db)
  const uniquePhones = db.prepare(
    "SELECT id, object, key, type FROM custom_fields WHERE org_id = ? AND is_unique = 1 AND type = 'phone'",
  )
  const pathOf = ({ key }: Field): string => `$.${key}`

  /** Hides the values of a field. This changes responses, so the records get new versions. */
  function archive(org: number, field: Field, now: number): void {
    statements[field.object].archive.run({ org, field: field.id, path: pathOf(field), now })
  }

  function restore(org: number, field: Field, now: number): void {
    statements[field.object].restore.run({ org, field: field.id, path: pathOf(field), now })
  }

  /** Whether any record has a value, including archived values. */
  const isUsed = (org: number, { object, id }: Field): boolean => statements[object].any.get(org, id) === 1

  const hasValue = (org: number, { object, id }: Field, value: string): boolean =>
    statements[object].one.get(org, id, value) === 1

  /** Starts or stops enforcing that values are unique. Returns false if two records have the same value. */
  function setUnique(org: number, field: Field): boolean {
    const { clear, fill, fillTexts } = statements[field.object]
    if (!field.is_unique) {
      clear.run(org, field.id)
      return true
    }
    try {
      // The rows contain only the beginning of a text.
      if (kindOf(field.type).filter.type === 'text') {
        const { id, type } = field
        fillTexts.run({ org, field: id, type, path: pathOf(field), country: country(org) ?? null })
      } else fill.run(org, field.id)
      return true
    } catch (error) {
      if (isUniqueViolation(error)) return false
      throw error
    }
  }

  /**
   * After a change of the country, numbers without the code of one are others. Of two that become one, the second is
   * compared by its text until it is changed.
   */
  function renewPhones(org: number): void {
    for (const { id, object, key, type } of uniquePhones.all(org) as Omit<Field, 'is_unique'>[]) {
      const { clear, keepTexts, keepRest } = statements[object]
      clear.run(org, id)
      keepTexts.run({ org, field: id, type, path: `$.${key}`, country: country(org) ?? null })
      keepRest.run(org, id)
    }
  }

  return { archive, restore, isUsed, hasValue, setUnique, renewPhones }
}

/** Restores the hidden values of the archived fields of a record. */
export function archivedFields(db: Database, object: CustomObject) {
  const put = db.prepare(`UPDATE ${HOLDERS[object].table} SET archived_fields = ? WHERE org_id = ? AND id = ?`)
  return (org: number, id: string, values: Values): void => void put.run(JSON.stringify(values), org, id)
}

/** Returns the active fields of one kind of records in display order; `options` is JSON. */
export function activeFields(db: Database, object: CustomObject): (org: number) => ActiveField[] {
  const active = db.prepare(
    'SELECT key, label, type, options FROM custom_fields WHERE org_id = ? AND object = ? AND is_archived = 0 ORDER BY position, id',
  )
  return (org) => active.all(org, object) as ActiveField[]
}

function statementsOf(db: Database, object: CustomObject) {
  const { table, values, id } = HOLDERS[object]
  const ofField = `FROM ${values} WHERE org_id = @org AND field_id = @field`
  const change = `UPDATE ${table} SET version = version + 1, updated_at = @now,`
  const having = `WHERE org_id = @org AND id IN (SELECT ${id} ${ofField})`
  const uniqueText = `unique_value =
      (SELECT unique_text(@type, coalesce(custom_fields ->> @path, archived_fields ->> @path), @country) FROM ${table}
       WHERE org_id = @org AND id = ${values}.${id})
    WHERE org_id = @org AND field_id = @field`
  return {
    archive: db.prepare(
      `${change} archived_fields = json_set(archived_fields, @path, json(custom_fields -> @path)),
         custom_fields = json_remove(custom_fields, @path) ${having}`,
    ),
    restore: db.prepare(
      `${change} archived_fields = json_remove(archived_fields, @path), custom_fields =
         (SELECT json_group_object(each.key, json(whole.doc -> each.fullkey) ORDER BY each.key)
          FROM (SELECT json_set(custom_fields, @path, json(archived_fields -> @path)) AS doc) AS whole,
            json_each(whole.doc) AS each)
       ${having}`,
    ),
    any: db.prepare(`SELECT 1 FROM ${values} WHERE org_id = ? AND field_id = ? LIMIT 1`).pluck(),
    one: db.prepare(`SELECT 1 FROM ${values} WHERE org_id = ? AND field_id = ? AND value = ? LIMIT 1`).pluck(),
    clear: db.prepare(`UPDATE ${values} SET unique_value = NULL WHERE org_id = ? AND field_id = ?`),
    fill: db.prepare(`UPDATE ${values} SET unique_value = value WHERE org_id = ? AND field_id = ?`),
    fillTexts: db.prepare(`UPDATE ${values} SET ${uniqueText}`),
    keepTexts: db.prepare(`UPDATE OR IGNORE ${values} SET ${uniqueText}`),
    keepRest: db.prepare(
      `UPDATE OR IGNORE ${values} SET unique_value = value WHERE org_id = ? AND field_id = ? AND unique_value IS NULL`,
    ),
  }
}
