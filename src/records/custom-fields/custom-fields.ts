import * as v from 'valibot'
import type { Deps } from '../../deps.ts'
import type { Route } from '../../http/route.ts'
import { standardRoutes } from '../../http/standard.ts'
import type { Caller } from '../../lib/caller.ts'
import * as f from '../../lib/fields.ts'
import { change } from '../../lib/merge.ts'
import { conflict, type FieldError, field, invalid } from '../../lib/problem.ts'
import type { Filter } from '../../store/list/conditions.ts'
import { listing } from '../../store/list/page.ts'
import type { Sort } from '../../store/list/query.ts'
import * as c from '../../store/rows/columns.ts'
import { finder } from '../../store/rows/find.ts'
import { rows } from '../../store/rows/rows.ts'
import { newRow, nextRow } from '../../store/rows/versions.ts'
import { customRows } from './rows.ts'
import { HOLDERS, kindOf, OBJECTS, TYPES } from './types.ts'
import { MAX_FIELDS } from './values.ts'

// 1. The wire form.

const MAX_OPTIONS = 200
const LAST_POSITION = 1_000_000

const option = {
  value: f.doc(f.title, 'Stored value, for example "enterprise".'),
  label: f.doc(f.title, 'Display name, for example "Enterprise".'),
  color: f.nullable(f.color),
}
const Option = f.named('CustomFieldOption', f.object(option))
const OptionGiven = f.named(
  'CustomFieldOptionInput',
  f.object({ ...option, color: v.exactOptional(option.color, null) }),
)

const ABOUT_OPTIONS = 'Options of a `select` or `multi_select` field; empty for other types.'
const ABOUT_TYPE =
  'Type of the values. A `multi_select` value is an array of options, a `member` value is the id of a member.'

const fixed = {
  object: f.doc(f.oneOf(OBJECTS), 'Type of record that has the field.'),
  key: v.pipe(
    v.string(),
    v.regex(
      /^[a-z][a-z0-9_]{0,62}$/,
      'invalid_key|must start with a lower-case letter and contain only lower-case letters, digits and "_", at most 63 characters',
    ),
    v.description('Name of the field in `custom_fields` of a record, for example "segment"; unique per object.'),
  ),
  type: f.doc(f.oneOf(TYPES), ABOUT_TYPE),
}

const fields = {
  label: f.doc(f.title, 'Display name, for example "Segment".'),
  options: f.doc(
    v.pipe(
      f.arrayOf(OptionGiven, MAX_OPTIONS),
      v.check(
        (all) => new Set(all.map(({ value }) => value)).size === all.length,
        'repeated|must not contain a value twice',
      ),
    ),
    `${ABOUT_OPTIONS} A PATCH replaces all options. An option that records use cannot be removed: 409 \`option_in_use\`.`,
  ),
  is_required: f.doc(f.flag, 'Whether new records need a value; existing values can then not be cleared.'),
  is_unique: f.doc(
    f.flag,
    'Whether values must be unique. Texts are compared case-insensitively, emails and phones in all their spellings.',
  ),
  help_text: f.doc(f.nullable(f.longText()), 'Help text for people who fill in the field.'),
  position: f.doc(f.count(LAST_POSITION), 'Position among the fields of the object; last by default.'),
  is_archived: f.doc(
    f.flag,
    'Whether the field is out of use. Its values are kept, but are neither returned nor accepted.',
  ),
}

export const CustomField = f.doc(
  f.object({
    id: f.id,
    ...fixed,
    ...fields,
    options: f.doc(f.arrayOf(Option, MAX_OPTIONS), ABOUT_OPTIONS),
    ...f.recordFields,
  }),
  'A custom field is a field that an organisation adds to its contacts, companies or deals. Records have the values in `custom_fields`, by key, and lists can be filtered and sorted by them.',
)
export type CustomField = v.InferOutput<typeof CustomField>

const CustomFieldPatch = f.patchOf(fields)
type CustomFieldPatch = v.InferOutput<typeof CustomFieldPatch>

const CustomFieldCreate = f.object({ ...CustomFieldPatch.entries, ...fixed, label: fields.label })
type CustomFieldCreate = v.InferOutput<typeof CustomFieldCreate>

const filters: Record<string, Filter> = {
  object: { type: 'choice', choices: OBJECTS, indexed: false },
  is_archived: { type: 'flag', indexed: false },
}

const sorts: Record<string, Sort> = { created_at: { column: 'id' }, position: { column: 'position' } }

// 2. The row.

export const columns = c.columns<CustomField>({
  id: c.plain('id'),
  object: c.plain('object'),
  key: c.plain('key'),
  type: c.plain('type'),
  label: c.text('label'),
  options: c.json('options'),
  is_required: c.bool('is_required'),
  is_unique: c.bool('is_unique'),
  help_text: c.text('help_text'),
  position: c.integer('position'),
  is_archived: c.bool('is_archived'),
  created_at: c.time('created_at'),
  updated_at: c.time('updated_at'),
  version: c.integer('version'),
})

// 3. The statements and the rules.

export function customFieldStore({ db, clock, announce }: Deps) {
  const { list } = listing(db, { table: 'custom_fields', columns, filters, sorts })
  const { insert, update, remove: removeRow } = rows(db, 'custom_fields', columns)
  const find = finder(db, 'custom_fields', columns)
  const values = customRows(db)
  const withKey = db.prepare('SELECT id FROM custom_fields WHERE org_id = ? AND object = ? AND key = ?').pluck()
  const activeFields = db
    .prepare('SELECT count(*) FROM custom_fields WHERE org_id = ? AND object = ? AND is_archived = 0')
    .pluck()
  const lastPosition = db
    .prepare('SELECT coalesce(max(position), -1) FROM custom_fields WHERE org_id = ? AND object = ?')
    .pluck()

  function create(who: Caller, given: CustomFieldCreate): CustomField {
    const customField: CustomField = newRow(clock, {
      object: given.object,
      key: given.key,
      type: given.type,
      label: given.label,
      options: given.options ?? [],
      is_required: given.is_required ?? false,
      is_unique: given.is_unique ?? false,
      help_text: given.help_text ?? null,
      position: given.position ?? nextPosition(who.org, given.object),
      is_archived: given.is_archived ?? false,
    })
    check(customField)
    const other = withKey.get(who.org, customField.object, customField.key) as string | undefined
    if (other) {
      const detail = `Another custom field of ${HOLDERS[customField.object].many}, ${other}, has the key "${customField.key}". Choose another key.`
      throw conflict('duplicate', detail, { duplicate_id: other })
    }
    if (!customField.is_archived) checkCount(who.org, customField)
    insert(who.org, customField)
    announce(who, 'custom_field.created', customField)
    return customField
  }

  function nextPosition(org: number, object: CustomField['object']): number {
    return Math.min((lastPosition.get(org, object) as number) + 1, LAST_POSITION)
  }

  /** The values of records change, too, but the only event is that of the field. */
  function patch(who: Caller, before: CustomField, given: CustomFieldPatch): CustomField {
    const { after, changed } = change(before, given)
    if (changed.length === 0) return before
    check(after)
    if (before.is_archived && !after.is_archived) checkCount(who.org, after)
    checkOptions(who.org, before, after)
    const now = clock.now()
    if (changed.includes('is_unique')) setUnique(who.org, after)
    if (changed.includes('is_archived')) values[after.is_archived ? 'archive' : 'restore'](who.org, after, now)
    const saved = nextRow(clock, after)
    update(who.org, before, saved)
    announce(who, 'custom_field.updated', saved, before)
    return saved
  }

  function remove(who: Caller, customField: CustomField): void {
    if (values.isUsed(who.org, customField)) {
      const detail = `Some ${HOLDERS[customField.object].many} have a value of "${customField.label}". Clear the values first, or archive the field.`
      throw conflict('field_in_use', detail)
    }
    removeRow(who.org, customField.id)
    announce(who, 'custom_field.deleted', customField)
  }

  function checkCount(org: number, { object }: CustomField): void {
    if ((activeFields.get(org, object) as number) < MAX_FIELDS) return
    const detail = `There are already ${MAX_FIELDS} active custom fields of ${HOLDERS[object].many}. Archive one first.`
    throw conflict('too_many_fields', detail)
  }

  function checkOptions(org: number, before: CustomField, { options }: CustomField): void {
    const remaining = new Set(options.map(({ value }) => value))
    for (const { value } of before.options) {
      if (remaining.has(value) || !values.hasValue(org, before, value)) continue
      const detail = `Some ${HOLDERS[before.object].many} have the option "${value}". Give them another option first.`
      throw conflict('option_in_use', detail)
    }
  }

  function setUnique(org: number, after: CustomField): void {
    if (values.setUnique(org, after)) return
    const detail = `Some ${HOLDERS[after.object].many} have the same value of "${after.label}". Make the values unique first.`
    throw conflict('not_unique', detail)
  }

  return { Create: CustomFieldCreate, Patch: CustomFieldPatch, columns, filters, list, find, create, patch, remove }
}

/** Throws 422 if the options or `is_unique` do not fit the type. */
function check({ type, options, is_unique }: CustomField): void {
  const { hasOptions, uniqueKey } = kindOf(type)
  const errors: FieldError[] = []
  if (hasOptions && options.length === 0)
    errors.push(field('/options', 'required', `must have at least one option for the type ${type}`))
  if (!hasOptions && options.length > 0)
    errors.push(field('/options', 'not_for_type', `must be empty for the type ${type}`))
  if (is_unique && !uniqueKey) errors.push(field('/is_unique', 'not_for_type', `must be false for the type ${type}`))
  if (errors.length > 0) throw invalid(...errors)
}

// 4. The routes.

export const customFields = (deps: Deps): Route[] =>
  standardRoutes({
    path: '/custom-fields',
    scope: 'rest.crm.custom_fields',
    name: 'custom field',
    audited: 'custom_field',
    Shape: CustomField,
    sorts,
    ...customFieldStore(deps),
  }).map((route) => (route.method === 'delete' ? { ...route, description: ABOUT_DELETION } : route))

const ABOUT_DELETION =
  'Possible only while no record has a value, including archived values; otherwise 409 `field_in_use`. The key can then be used again.'
