import { stringify } from 'csv-stringify/sync'
import { guarded } from '../lib/formula.ts'
import { Address } from '../records/address.ts'
import { activeFields } from '../records/custom-fields/rows.ts'
import { type CustomObject, HOLDERS, OBJECTS } from '../records/custom-fields/types.ts'
import { columnOf } from '../store/schema/tables.ts'
import type { Database } from '../store/sqlite/driver.ts'
import type { Part } from './part.ts'

// CSV for spreadsheets: UTF-8 with a byte order mark, RFC 4180, one column per value, and names beside ids. A value
// that an import recognises as a field has only one column.

type Fields = Record<string, unknown>
type Column = { header: string; cell: (record: Fields) => unknown }

const BYTE_ORDER_MARK = '\ufeff'

/** The table that an id refers to, and the column to show for it. */
const NAMES: Record<string, { table: string; column: 'name' | 'title' }> = {
  owner_id: { table: 'members', column: 'name' },
  author_id: { table: 'members', column: 'name' },
  member_id: { table: 'members', column: 'name' },
  company_id: { table: 'companies', column: 'name' },
  parent_company_id: { table: 'companies', column: 'name' },
  company_ids: { table: 'companies', column: 'name' },
  primary_contact_id: { table: 'contacts', column: 'name' },
  contact_ids: { table: 'contacts', column: 'name' },
  deal_id: { table: 'deals', column: 'title' },
  deal_ids: { table: 'deals', column: 'title' },
  stage: { table: 'stages', column: 'name' },
  from_stage_id: { table: 'stages', column: 'name' },
  to_stage_id: { table: 'stages', column: 'name' },
  pipeline_id: { table: 'pipelines', column: 'name' },
  close_reason_id: { table: 'close_reasons', column: 'name' },
  tag_ids: { table: 'tags', column: 'name' },
}

export type Sheet = { head: string; lines: (records: readonly Fields[]) => string }

/** Returns how to write the records of a part as lines of CSV. */
export function sheets(db: Database, org: number): (part: Part) => Sheet {
  const nameOf = namesOf(db, org)

  function columnsOf(field: string, table: string): Column[] {
    const plain = { header: field, cell: (record: Fields) => record[field] }
    if (field === 'address') return members(field, Object.keys(Address.pipe[0].entries))
    if (field === 'custom_fields') return members(field, keysOf(table))
    if (field === 'emails') return [{ header: field, cell: (record) => reached(record[field], 'email') }]
    if (field === 'phones') return [{ header: field, cell: (record) => reached(record[field], 'number') }]
    if (!NAMES[field]) return [plain]
    const header = `${field.replace(/_ids?$/, '')}_${field.endsWith('s') ? 'names' : 'name'}`
    return [plain, { header, cell: (record) => named(field, record[field] as string | string[] | null) }]
  }

  function keysOf(table: string): string[] {
    const object = OBJECTS.find((each) => HOLDERS[each].table === table) as CustomObject
    return activeFields(db, object)(org).map(({ key }) => key)
  }

  const named = (field: string, ids: string | string[] | null): unknown =>
    Array.isArray(ids) ? ids.map((id) => nameOf(field, id)).join('; ') : ids && nameOf(field, ids)

  return ({ table, columns }) => {
    const all = columns.stored.fields.flatMap((field) => columnsOf(field, table))
    return {
      head: BYTE_ORDER_MARK + csv([all.map(({ header }) => header)]),
      lines: (records) => csv(records.map((record) => all.map(({ cell }) => cellOf(cell(record))))),
    }
  }
}

const csv = (rows: unknown[][]): string => stringify(rows, { record_delimiter: '\r\n', quoted_match: /[\r\n]/ })

/** One column for each member of an object. */
const members = (field: string, names: readonly string[]): Column[] =>
  names.map((name) => ({
    header: `${field}.${name}`,
    cell: (record) => {
      const object = record[field] as Fields | null
      return object && Object.hasOwn(object, name) ? object[name] : null
    },
  }))

/** Returns the emails or phones, the primary one first, since an import takes the first as primary. */
function reached(value: unknown, member: 'email' | 'number'): unknown {
  const ways = (value as Fields[]).toSorted((one, other) => Number(other.is_primary) - Number(one.is_primary))
  return joined(
    ways.map((way) => way[member] as string),
    value,
  )
}

/** Joins values in one cell; as JSON if one of them contains a separator. */
const joined = (texts: readonly string[], all: unknown): string =>
  texts.some((text) => /[;,|\r\n]|:::|^[\s[]|\s$/.test(text)) ? JSON.stringify(all) : texts.join('; ')

/** Numbers stay numbers; text is escaped so that spreadsheets do not run it. */
function cellOf(value: unknown): string | number {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return numberText(value)
  if (typeof value === 'string') return guarded(value)
  if (typeof value === 'boolean') return String(value)
  const isList = Array.isArray(value) && value.every((item) => typeof item === 'string')
  return guarded(isList ? joined(value, value) : JSON.stringify(value))
}

/** Appends a zero to `1.234`, which half of the world reads as a thousand and more. */
const numberText = (value: number): string => String(value).replace(/^(-?\d+\.\d{3})$/, '$10')

/** Names in memory: usually enough for all companies and contacts. */
const MAX_CACHED_NAMES = 100_000

function namesOf(db: Database, org: number): (field: string, id: string) => string {
  const known = new Map<string, string>()
  const readers = Object.fromEntries(
    Object.entries(NAMES).map(([field, { table, column }]) => [field, columnOf(db, table, column)]),
  )
  return (field, id) => {
    const place = `${NAMES[field]?.table} ${id}`
    let name = known.get(place)
    if (name === undefined) {
      if (known.size >= MAX_CACHED_NAMES) known.clear()
      name = (readers[field]?.(org, id) as string | undefined) ?? ''
      known.set(place, name)
    }
    return name
  }
}
