import * as v from 'valibot'
import { same } from '../../lib/merge.ts'
import { type FieldError, field, invalid } from '../../lib/problem.ts'
import { lowerCase } from '../../lib/pure/fold.ts'
import type { Filter, Link } from '../../store/list/conditions.ts'
import type { Sort } from '../../store/list/query.ts'
import { countryOf, orgOf } from '../../store/orgs/orgs.ts'
import { missing } from '../../store/rows/references.ts'
import { isUniqueViolation } from '../../store/sqlite/constraints.ts'
import type { Database } from '../../store/sqlite/driver.ts'
import {
  type CustomObject,
  type FieldType,
  HOLDERS,
  keysOf,
  kindOf,
  readValue,
  type Value,
  type Values,
} from './types.ts'

// The values of custom fields in their records. The fields differ by org, so the rules are here and not in the schemas
// of the bodies.

/** The maximum number of active fields per kind of record. */
export const MAX_FIELDS = 100
/** For all values of a record, as JSON: a page of a hundred records has to fit into memory. */
const MAX_BYTES = 262_144

export type ValuesGiven = Record<string, unknown>

const isObject = (input: unknown): boolean => typeof input === 'object' && input !== null && !Array.isArray(input)

/** Not `v.record`, which silently drops the key `constructor`. */
const byKey = <Type extends Record<string, unknown>>(value: string, types: object[], description: string, more = {}) =>
  v.pipe(
    v.custom<Type>(isObject, 'invalid_type|must be an object'),
    v.metadata({
      type: 'object',
      maxProperties: MAX_FIELDS,
      additionalProperties: { $ref: `#/components/schemas/${value}` },
      definitions: { [value]: { oneOf: types } },
      description,
      ...more,
    }),
  )

// Generators understand unions of simple schemas, and some of them `oneOf` only.
const TYPES = [
  { type: 'string' },
  { type: 'number', format: 'double' },
  { type: 'boolean' },
  { type: 'array', items: { type: 'string' } },
]

export const CustomFields = byKey<Values>(
  'CustomFieldValue',
  TYPES,
  'Values of custom fields, by key. Fields without a value are omitted.',
  {
    examples: [{ segment: 'Enterprise', seats: 40 }],
  },
)
export const CustomFieldsGiven = v.pipe(
  byKey<ValuesGiven>(
    'CustomFieldInput',
    [...TYPES, { type: 'null' }],
    'Values of custom fields, by key, in the format of their type. Absent fields keep their values, and `null` clears one.',
  ),
  v.check((given) => Object.keys(given).length <= MAX_FIELDS, `too_many|must have at most ${MAX_FIELDS} members`),
)

type Definition = {
  id: string
  key: string
  type: FieldType
  options: string
  is_required: number
  is_unique: number
  is_archived: number
}

const choicesOf = ({ options }: Definition): string[] =>
  (JSON.parse(options) as { value: string }[]).map(({ value }) => value)

/** Ignores inherited members: a key may be `constructor`. */
const ownValue = (values: Values, key: string): Value | undefined =>
  Object.hasOwn(values, key) ? values[key] : undefined

const pointerTo = (key: string): string => `/custom_fields/${key.replace(/~/g, '~0').replace(/\//g, '~1')}`

export function customValues(db: Database, object: CustomObject) {
  const { many, values: table, id: recordId } = HOLDERS[object]
  const columns = 'id, key, type, options, is_required, is_unique, is_archived'
  const definition = db.prepare(`SELECT ${columns} FROM custom_fields WHERE org_id = ? AND object = ? AND key = ?`)
  const active = db.prepare(
    `SELECT ${columns} FROM custom_fields WHERE org_id = ? AND object = ? AND is_archived = 0 ORDER BY position, id`,
  )
  const required = db
    .prepare('SELECT key FROM custom_fields WHERE org_id = ? AND object = ? AND is_archived = 0 AND is_required = 1')
    .pluck()
  const memberStatus = db.prepare('SELECT status FROM members WHERE org_id = ? AND id = ?').pluck()
  const add = db.prepare(
    `INSERT INTO ${table} (org_id, field_id, value, ${recordId}, unique_value) VALUES (?, ?, ?, ?, ?)`,
  )
  const remove = db.prepare(`DELETE FROM ${table} WHERE org_id = ? AND ${recordId} = ? AND field_id = ?`)

  const country = countryOf(db)
  const definitionOf = (org: number, key: string) => definition.get(org, object, key) as Definition | undefined

  /** Returns the values of a new record. Throws 422 like `change`, and if a required field has no value. */
  function start(org: number, given: ValuesGiven = {}): Values {
    const absent = (required.all(org, object) as string[]).filter((key) => !Object.hasOwn(given, key))
    return merge(
      org,
      {},
      given,
      absent.map((key) => field(pointerTo(key), 'required', 'is required')),
    )
  }

  /** Returns the values after a change. Throws 422 with a pointer for each invalid key; checks only the given keys. */
  function change(org: number, before: Values, given?: ValuesGiven): Values {
    return given ? merge(org, before, given, []) : before
  }

  function merge(org: number, before: Values, given: ValuesGiven, errors: FieldError[]): Values {
    const after = { ...before }
    for (const [key, value] of Object.entries(given)) {
      const read = readOne(org, key, value, ownValue(before, key))
      if ('pointer' in read) errors.push(read)
      else if (read.value === null) delete after[key]
      else after[key] = read.value
    }
    if (errors.length > 0) throw invalid(...errors.slice(0, MAX_FIELDS))
    const sorted = Object.fromEntries(Object.entries(after).sort(([one], [other]) => (one < other ? -1 : 1)))
    if (Buffer.byteLength(JSON.stringify(sorted)) > MAX_BYTES)
      throw invalid(field('/custom_fields', 'too_long', `must be at most ${MAX_BYTES} bytes long in total, as JSON`))
    return sorted
  }

  function readOne(org: number, key: string, given: unknown, before?: Value): { value: Value | null } | FieldError {
    const found = definitionOf(org, key)
    const refused = (code: string, message: string) => field(pointerTo(key), code, message)
    if (!found) return refused('unknown_field', `is not a custom field of ${many}; see GET /custom-fields`)
    if (found.is_archived) return refused('unknown_field', 'is an archived custom field; make it active first')
    const read = given === null ? { value: null } : readValue(found.type, choicesOf(found), given)
    if ('code' in read) return refused(read.code, read.message)
    if (read.value === null) return found.is_required ? refused('required', 'is required') : read
    if (found.type !== 'member' || read.value === before) return read
    const status = memberStatus.get(org, read.value)
    if (!status) return missing(pointerTo(key))
    return status === 'active'
      ? read
      : refused('member_deactivated', 'must be an active member; this member is deactivated')
  }

  /** Writes the rows of *_values. Throws 422 for unique values that another record has, found by the unique index. */
  function set(org: number, id: string, before: Values, after: Values): void {
    const errors: FieldError[] = []
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      const [oldValue, newValue] = [ownValue(before, key), ownValue(after, key)]
      if (same(oldValue, newValue)) continue
      const found = definitionOf(org, key) as Definition
      if (oldValue !== undefined) remove.run(org, id, found.id)
      if (newValue !== undefined && !put(org, id, found, newValue))
        errors.push(field(pointerTo(key), 'not_unique', `must be unique; other ${many} have this value already`))
    }
    if (errors.length > 0) throw invalid(...errors)
  }

  /** Returns false if another record has the unique value. */
  function put(org: number, id: string, { id: fieldId, type, is_unique }: Definition, value: Value): boolean {
    const uniqueKey = is_unique ? kindOf(type).uniqueKey?.(value as never, country(org)) : undefined
    const isFree = (unique: string | number | undefined): boolean => {
      try {
        for (const key of keysOf(type, value)) add.run(org, fieldId, key, id, unique ?? null)
        return true
      } catch (error) {
        if (isUniqueViolation(error)) return false
        throw error
      }
    }
    if (isFree(uniqueKey)) return true
    // An export of an earlier version may have one address or number in two spellings: both come back.
    const isSpelled = type === 'email' || type === 'phone'
    return isSpelled && orgOf(db, org).state === 'staged' && isFree(`=${lowerCase(value as string)}`)
  }

  /** Returns the filters and sorts of lists by the active fields of an org. */
  function offers(org: number): { filters: Record<string, Filter>; sorts: Record<string, Sort> } {
    const filters: Record<string, Filter> = {}
    const sorts: Record<string, Sort> = {}
    for (const found of active.all(org, object) as Definition[]) {
      const { filter, hasOptions, isMultiple } = kindOf(found.type)
      const name = `custom_fields.${found.key}`
      const only = { column: 'field_id', value: found.id }
      const link: Link = { table, key: recordId, column: 'value', only, single: !isMultiple }
      const choices = hasOptions ? { choices: choicesOf(found) } : {}
      filters[name] = { ...filter, ...choices, column: 'value', link, nullable: true }
      if (!isMultiple) sorts[name] = { column: 'value', link, nullable: true }
    }
    return { filters, sorts }
  }

  return { start, change, set, offers }
}
