import type { Store } from '../../store/open.ts'
import { orgOf } from '../../store/orgs.ts'
import type { ImportObject } from '../writes.ts'
import { customFields, newTypes } from './custom.ts'
import { detectFormats, type FormatOptions } from './detect-formats.ts'
import { type RowReader, rowReader } from './draft.ts'
import { FIELDS, type Fields } from './fields.ts'
import { ownerNamed } from './lookups.ts'
import { checkMapping, type Mapping, type Match, newFields, override, recognise } from './mapping.ts'
import { type Cells, membersOf, openSource, type Row, rowsOf, type Source } from './read.ts'
import type { Rules } from './rules.ts'
import { type ValueMap, valueMap } from './value-map.ts'

export type PlanOptions = FormatOptions & {
  object: ImportObject
  file: string
  map?: string | undefined
  match?: Match | undefined
  /** Replacements of values: `Column:value=replacement`. */
  values?: readonly string[] | undefined
  /** `unknownOwner` is an email or an id here. */
  rules?: Rules | undefined
}

/**
 * How a file will be imported. The whole file has been read once, so no format error occurs halfway through the import.
 */
export type Plan = {
  source: Source
  mapping: Mapping
  /** As wanted; vCards with a UID update those with the same one. */
  match: Match | undefined
  /** The first value of each column. */
  examples: Cells
  rows: number
  fields: Fields
  rules: Rules
  /** The rows of the file, with values replaced. */
  rowsOf: () => AsyncGenerator<Row>
  reader: RowReader
  /** Replacements of values that no cell needed. */
  unusedValues: readonly string[]
}

/** Throws Problem 404 and 422 for the file, and a usage Problem for options that do not fit it. */
export async function planImport({ db }: Pick<Store, 'db'>, org: number, wanted: PlanOptions): Promise<Plan> {
  const { object } = wanted
  const existing: Fields = { ...FIELDS[object], ...customFields(db, org, object) }
  const asked = wanted.map === undefined ? {} : newFields(wanted.map, existing)
  const fields: Fields = { ...existing, ...asked }
  const own = orgOf(db, org)
  const source = await openSource(wanted.file, object)
  if (source.format === 'ndjson') source.columns = await membersOf(source)
  const recognised = recognise(object, source.columns, fields)
  const mapping = wanted.map === undefined ? recognised : override(recognised, wanted.map, fields)
  const hasUid = source.format === 'vcard' && mapping.some(({ field }) => field === 'external_id')
  const match = wanted.match ?? (hasUid ? 'external_id' : undefined)
  checkMapping(object, mapping, match)
  const values = valueMap(wanted.values ?? [], mapping, fields)
  const { unknownOwner, ...rules } = wanted.rules ?? {}
  const owner = unknownOwner === undefined ? undefined : ownerNamed(db, org, unknownOwner)
  const given = () => (wanted.values?.length ? replaced(rowsOf(source), values) : rowsOf(source))
  const types = newTypes(mapping, asked)
  const formats = detectFormats(mapping, fields, wanted, own)
  const examples: Cells = {}
  const missing = new Set(source.columns)
  let rows = 0
  for await (const row of given()) {
    rows++
    formats.addRow(row)
    types.addRow(row)
    for (const column of missing) {
      const cell = row.cells[column] ?? ''
      if (cell === '') continue
      examples[column] = cell
      missing.delete(column)
    }
  }
  return {
    source,
    mapping,
    match,
    examples,
    rows,
    fields: { ...fields, ...types.found() },
    rules: { ...rules, unknownOwner: owner },
    rowsOf: given,
    reader: rowReader(object, mapping, { ...fields, ...types.found() }, formats.formatOf),
    unusedValues: values.unused(),
  }
}

async function* replaced(rows: AsyncGenerator<Row>, { apply }: ValueMap): AsyncGenerator<Row> {
  for await (const row of rows) yield { ...row, cells: apply(row.cells) }
}
