import type { Json } from '../../../lib/json.ts'
import { usage } from '../../../lib/problem.ts'
import { type FieldType, TYPES } from '../../../records/custom-fields/types.ts'
import type { ImportObject } from '../../writable.ts'
import type { Fields } from './field.ts'
import { CUSTOM_KINDS } from './fields.ts'
import { fieldsOfHeaders, headerKey, productOfHeaders } from './headers.ts'

/** A column of the file and the field it maps to; null if it is not imported. */
export type MappedColumn = {
  column: string
  field: string | null
  /** The column that contains the label of this email or phone. */
  label?: string
  /** Of which address of the record it is a part, if the file has several. */
  group?: string
  /** Whether the field comes from --map. */
  isChosen?: true
}

export type Mapping = readonly MappedColumn[]

/** Read-only members of a record, which our own exports contain as well. */
const READ_ONLY = new Set(['updated_at', 'version', 'unsubscribed_at', 'stage_changed_at', 'closed_at', 'error'])

/** Names and contact details: a custom field with such a label does not claim the column. */
const NAMING = new Set(['name', 'first_name', 'last_name', 'title', 'emails', 'phones', 'domains'])

/**
 * Maps each column to a field: our own names take precedence, then labels of custom fields, then names used by other
 * programs. If a field takes only one column, the first with the best name is used; the others are not imported.
 */
export function recognise(object: ImportObject, columns: readonly string[], fields: Fields): Mapping {
  const taken = new Set<string>()
  function take(field: string | undefined, group = ''): string | null {
    const known = field !== undefined && Object.hasOwn(fields, field) ? fields[field] : undefined
    const key = `${field} ${group}`
    if (!known || field === undefined || (taken.has(key) && !known.many)) return null
    taken.add(key)
    return field
  }
  const titles = new Map(Object.entries(fields).map(([field, { title }]) => [headerKey(title ?? ''), field]))
  const meanings = fieldsOfHeaders(object, columns)
  const mapped = columns.map((column) => take(unnumbered(column)))
  const groups: (string | undefined)[] = []
  columns.forEach((column, index) => {
    if (meanings[index]?.some(({ field }) => NAMING.has(field))) return
    mapped[index] ??= take(titles.get(headerKey(column)))
  })
  const ranks = new Set(meanings.flatMap((all) => all.map(({ rank }) => rank)))
  for (const rank of [...ranks].sort()) {
    columns.forEach((column, index) => {
      const possible = READ_ONLY.has(column) ? [] : meanings[index]?.filter((each) => each.rank === rank)
      for (const { field, group } of possible ?? []) {
        if (mapped[index] !== null) continue
        mapped[index] = take(field, group)
        if (mapped[index] !== null) groups[index] = group
      }
    })
  }
  const all = columns.map((column, index) => ({
    column,
    field: mapped[index] ?? null,
    ...(groups[index] ? { group: groups[index] } : {}),
  }))
  return withoutSecondName(withLabels(all))
}

/** Returns the original name of a repeated column. */
const unnumbered = (column: string): string => column.replace(/ \(\d+\)$/, '')

/** Skips a full name if its parts are imported. */
function withoutSecondName(mapping: Mapping): Mapping {
  const hasParts = mapping.some(({ field }) => field === 'last_name' || field === 'first_name')
  return mapping.map((each) => (hasParts && each.field === 'name' ? { ...each, field: null } : each))
}

/** Whether a field is an address or a part of one. */
export const isAddress = (field: string | null): boolean => field !== null && /^address(?:\.|$)/.test(field)

/** Google puts the label of `Phone 1 - Value` into a column `Phone 1 - Type` or `Phone 1 - Label`. */
function withLabels(mapping: Mapping): Mapping {
  const byName = new Map(mapping.map(({ column }) => [column.toLowerCase(), column]))
  const pairs = mapping.map(({ column, field }) => {
    const isPlace = isAddress(field)
    const [, stem] = (isPlace ? /^(address \d+ - )/i : /^(.* - )value$/i).exec(column) ?? []
    if (!stem || !(isPlace || field === 'emails' || field === 'phones')) return undefined
    return byName.get(`${stem}label`.toLowerCase()) ?? byName.get(`${stem}type`.toLowerCase())
  })
  return mapping.map((each, index) => (pairs[index] ? { ...each, label: pairs[index] } : each))
}

/**
 * Applies --map to a mapping: `Column=field,Other=-`. A column name may contain commas and equals signs. Throws a usage
 * Problem that lists the valid names.
 */
export function override(mapping: Mapping, text: string, fields: Fields): Mapping {
  const wanted = new Map<string, string | null>()
  for (const { column, field } of pairsOf(text)) {
    const known = columnNamed(mapping, column)
    if (field !== '-' && !Object.hasOwn(fields, field)) {
      throw usage(
        `--map: there is no field "${field}". Fields are ${Object.keys(fields).join(', ')}, custom.KEY for a new custom field, custom.KEY:TYPE for one of a type, and - for none.`,
      )
    }
    if (wanted.has(known)) throw usage(`--map names the column "${known}" more than once.`)
    const isSecond = field !== '-' && !fields[field]?.many && [...wanted.values()].includes(field)
    if (isSecond) throw usage(`--map: only one column can be ${field}.`)
    wanted.set(known, field === '-' ? null : field)
  }
  const given = new Set(wanted.values())
  // What is said of an address is of the first one.
  const first = mapping.find(({ field }) => isAddress(field))?.group
  return mapping.map((each) => {
    const chosen = wanted.get(each.column)
    if (chosen !== undefined)
      return {
        column: each.column,
        field: chosen,
        isChosen: true,
        ...(first && isAddress(chosen) ? { group: first } : {}),
      }
    const isSame = !isAddress(each.field) || each.group === first
    const isLost = each.field !== null && given.has(each.field) && isSame && !fields[each.field]?.many
    return isLost ? { column: each.column, field: null } : each
  })
}

/**
 * Returns the custom fields that --map asks for, and that the organisation lacks: `Birthday=custom.birthday`, or
 * `Size=custom.size:number`. Without a type they are read as dates at first, so that the order of days and months is detected.
 * Throws a usage Problem for an unknown type.
 */
export function newFields(text: string, fields: Fields): Fields {
  const asked = pairsOf(text).filter(({ field }) => /^custom_fields\.[a-z][a-z0-9_]{0,62}$/.test(field))
  for (const { field, type } of asked) {
    if (type === undefined) continue
    if (!isType(type)) throw usage(`--map: there is no type "${type}" of custom fields. Types are ${TYPES.join(', ')}.`)
    const known = fields[field]?.type
    if (known && known !== type) throw usage(`--map: ${field} has the type ${known}, and not ${type}.`)
  }
  const missing = asked.filter(({ field, isShort }) => isShort && !Object.hasOwn(fields, field))
  return Object.fromEntries(
    missing.map(({ column, field, type }) => [
      field,
      isType(type)
        ? { kind: CUSTOM_KINDS[type], type, title: column, isNew: true, isFree: type === 'text' }
        : { kind: 'date', title: column, isNew: true },
    ]),
  )
}

const isType = (type: string | undefined): type is FieldType => (TYPES as (string | undefined)[]).includes(type)

/** `isShort`: the field was given as `custom.key`, perhaps with its type. */
type Pair = { column: string; field: string; isShort: boolean; type?: string | undefined }

function pairsOf(text: string): Pair[] {
  const pairs: Pair[] = []
  let pair = ''
  for (const part of text.split(',')) {
    pair = pair === '' ? part : `${pair},${part}`
    const at = pair.lastIndexOf('=')
    if (at < 0) continue // a comma within the column name
    const column = pair.slice(0, at).trim()
    const given = pair.slice(at + 1).trim()
    const [, short, type] = /^custom\.([^:]*)(?::(.*))?$/.exec(given) ?? []
    if (short === undefined) pairs.push({ column, field: given, isShort: false })
    else pairs.push({ column, field: `custom_fields.${short.trim()}`, isShort: true, type: type?.trim() })
    pair = ''
  }
  if (pair !== '' || pairs.length === 0) throw usage('--map must have the form "Column=field,Column2=field2,Other=-".')
  return pairs
}

/** Returns the column of the file with a name, regardless of case and punctuation. Throws a usage Problem. */
export function columnNamed(mapping: Mapping, name: string, flag = '--map'): string {
  const columns = mapping.map(({ column }) => column)
  const alike = columns.filter((column) => headerKey(column) === headerKey(name))
  const found = columns.find((column) => column === name) ?? (alike.length === 1 ? alike[0] : undefined)
  if (found === undefined) {
    throw usage(
      `${flag}: the file has no column "${name}". Its columns are ${columns.map((each) => `"${each}"`).join(', ')}.`,
    )
  }
  return found
}

/** The field to match rows by, for each value of --match. */
export const MATCHED = { email: 'emails', phone: 'phones', domain: 'domains', external_id: 'external_id' } as const
export type Match = keyof typeof MATCHED

const NEEDED: Readonly<Record<ImportObject, readonly string[]>> = {
  contact: ['first_name', 'last_name', 'name', 'emails', 'phones'],
  company: ['name'],
  deal: ['title'],
  note: ['body', 'title'],
  task: ['title', 'body', 'type'],
}

/**
 * Whether deals are called after their company or their contact, since the product has no titles of deals; another file
 * without a title is one whose title was not recognised.
 */
export const isUntitled = (object: ImportObject, mapping: Mapping): boolean =>
  object === 'deal' &&
  !mapping.some(({ field }) => field === 'title') &&
  productOfHeaders(mapping.map(({ column }) => column))?.isUntitled === true

/** Throws a usage Problem for a mapping by which no record can be created or found. */
export function checkMapping(object: ImportObject, mapping: Mapping, match: Match | undefined): void {
  const fields = mapping.map(({ field }) => field?.split('.')[0])
  const named = isUntitled(object, mapping) ? ['company_id', 'primary_contact_id'] : NEEDED[object]
  // Notes and tasks are known again in any case.
  const needed = match && object !== 'note' && object !== 'task' ? [MATCHED[match]] : named
  if (needed.some((field) => fields.includes(field))) return
  const columns = mapping.map(({ column }) => `"${column}"`).join(', ')
  throw usage(`No column was recognised as ${needed.join(', ')}. Specify it with --map. The columns are ${columns}.`)
}

/** Returns the columns that no field gets anything of. */
export function notImported(mapping: Mapping): string[] {
  const labels = new Set(mapping.map(({ label }) => label))
  return mapping.flatMap(({ column, field }) => (field === null && !labels.has(column) ? [column] : []))
}

/** Returns the mapping as rows of a table, with an example value of each column. */
export function mappingTable(mapping: Mapping, examples: Readonly<Record<string, Json>>): string[][] {
  const labels = new Map(mapping.flatMap(({ column, label }) => (label ? [[label, column] as const] : [])))
  const rows = mapping.map(({ column, field, group }) => [
    column,
    (group ? `${field} (${group})` : field) ?? (labels.has(column) ? `label of ${labels.get(column)}` : 'not imported'),
    shortened(examples[column] ?? ''),
  ])
  return [['COLUMN', 'FIELD', 'FIRST VALUE'], ...rows]
}

const MAX_EXAMPLE = 40

function shortened(value: Json): string {
  const text = (typeof value === 'string' ? value : JSON.stringify(value)).replace(/\s+/g, ' ').trim()
  return text.length > MAX_EXAMPLE ? `${text.slice(0, MAX_EXAMPLE - 1)}…` : text
}
