import { localeOf } from '../../lib/country.ts'
import type { Store } from '../../store/open.ts'
import { countryOf, orgOf } from '../../store/orgs/orgs.ts'
import type { ImportObject } from '../writable.ts'
import { activityReader } from './activities/read.ts'
import { checkObject, isActivity } from './activities/signs.ts'
import { type ColumnFormat, detectFormats, type FormatOptions } from './cells/detect-formats.ts'
import { withNames } from './cells/no-value.ts'
import { type RowReader, rowReader } from './cells/row-reader.ts'
import { customFields } from './columns/custom.ts'
import type { Fields, Kind } from './columns/field.ts'
import { FIELDS } from './columns/fields.ts'
import {
  checkMapping,
  isUntitled,
  type Mapping,
  type Match,
  newFields,
  override,
  recognise,
} from './columns/mapping.ts'
import { newTypes } from './columns/new-types.ts'
import { productOf } from './columns/products.ts'
import { nameSearch } from './columns/unnamed.ts'
import { type ValueMap, valueMap } from './columns/value-map.ts'
import { boardRemarks } from './file/board.ts'
import { membersOf, openSource, rowsOf } from './file/read.ts'
import type { Cells, Row, Source } from './file/source.ts'
import { ownerNamed } from './lookups.ts'
import type { Rules } from './rules.ts'
import { type NewStage, newStages } from './stage-list.ts'

export type PlanOptions = FormatOptions & {
  object: ImportObject
  file: string
  map?: string | undefined
  match?: Match | undefined
  /** Of the file, if it is not clear from its letters. */
  encoding?: string | undefined
  /** Replacements of values: `Column:value=replacement`. */
  values?: readonly string[] | undefined
  /** The product that the file is from, if its columns do not show it. */
  product?: string | undefined
  /** `unknownOwner` is an email or an id here. */
  rules?: Rules | undefined
}

/**
 * How a file will be imported. The whole file has been read once, so no format error occurs halfway through the import.
 */
export type Plan = {
  source: Source
  mapping: Mapping
  /** The product that the file is from, in lower case; empty if it is not known. */
  product: string
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
  /** How the cells that could mean two things are read. */
  formats: readonly ColumnFormat[]
  /** Replacements of values that no cell needed. */
  unusedValues: readonly string[]
  /** The stages that the organisation lacks, and those named in options that the file lacks. */
  stages: readonly NewStage[]
  unusedStages: readonly string[]
}

/** Throws Problem 404 and 422 for the file, and a usage Problem for options that do not fit it. */
export async function planImport(
  { db, clock }: Pick<Store, 'db' | 'clock'>,
  org: number,
  wanted: PlanOptions,
): Promise<Plan> {
  const { object } = wanted
  const existing = withNames({ ...FIELDS[object], ...customFields(db, org, object) }, db, org, object)
  const asked = wanted.map === undefined || isActivity(object) ? {} : newFields(wanted.map, existing)
  const fields: Fields = { ...existing, ...asked }
  const { currency, timezone: zone } = orgOf(db, org)
  const country = countryOf(db)(org)
  const own = { currency, zone, country, locale: country && localeOf(country), now: clock.now() }
  const source = await openSource(wanted.file, object, { encoding: wanted.encoding, country })
  if (source.format === 'ndjson') source.columns = await membersOf(source)
  const recognised = recognise(object, source.columns, fields)
  const mapping = wanted.map === undefined ? recognised : override(recognised, wanted.map, fields)
  const hasUid = source.format === 'vcard' && mapping.some(({ field }) => field === 'external_id')
  const match = wanted.match ?? (hasUid ? 'external_id' : undefined)
  checkObject(source.file, object, source.columns, mapping)
  checkMapping(object, mapping, match)
  if (isUntitled(object, mapping))
    source.remarks.push('Deals have no title in this product; they are called after their company, else their contact.')
  const values = valueMap(wanted.values ?? [], mapping, fields)
  const { unknownOwner, ...rules } = wanted.rules ?? {}
  const owner = unknownOwner === undefined ? undefined : ownerNamed(db, org, unknownOwner)
  const typed = () => (source.format === 'xlsx' ? withDigits(rowsOf(source), mapping, fields) : rowsOf(source))
  const given = () => (wanted.values?.length ? replaced(typed(), values) : typed())
  const types = newTypes(mapping, asked)
  const stages = newStages(db, org, object === 'deal' ? mapping : [], rules.stagesAs)
  const names = nameSearch(object, mapping)
  const formats = detectFormats(mapping, fields, wanted, own)
  const examples: Cells = {}
  const missing = new Set(source.columns)
  let rows = 0
  for await (const row of given()) {
    rows++
    formats.addRow(row)
    types.addRow(row)
    stages.addRow(row)
    names.addRow(row)
    for (const column of missing) {
      const cell = row.cells[column] ?? ''
      if (cell === '') continue
      examples[column] = cell
      missing.delete(column)
    }
  }
  names.check()
  source.remarks.push(...boardRemarks(source.between))
  const made = { ...fields, ...types.found(formats.formatOf) }
  return {
    source,
    mapping,
    product: productOf(source, wanted.product),
    match,
    examples,
    rows,
    fields: made,
    rules: { ...rules, unknownOwner: owner },
    rowsOf: given,
    reader: isActivity(object)
      ? activityReader(object, mapping, made, formats.formatOf)
      : rowReader(object, mapping, made, formats.formatOf, source.format !== 'ndjson'),
    formats: formats.report(made),
    unusedValues: values.unused(),
    stages: stages.found(),
    unusedStages: stages.unused(),
  }
}

/** A number in a workbook is a text where the field is one, such as a phone or a postal code. */
async function* withDigits(rows: AsyncGenerator<Row>, mapping: Mapping, fields: Fields): AsyncGenerator<Row> {
  const { digitsOf } = await import('./file/xlsx/sheet.ts')
  const isNumber = (field: string | null) => field !== null && NUMBERS.has(fields[field]?.kind as Kind)
  const columns = mapping.filter(({ field }) => !isNumber(field)).map(({ column }) => column)
  for await (const row of rows) {
    for (const column of columns)
      if (typeof row.cells[column] === 'number') row.cells[column] = digitsOf(row.cells[column])
    yield row
  }
}

const NUMBERS: ReadonlySet<Kind> = new Set<Kind>(['amount', 'number', 'count'])

async function* replaced(rows: AsyncGenerator<Row>, { apply }: ValueMap): AsyncGenerator<Row> {
  for await (const row of rows) yield { ...row, cells: apply(row.cells) }
}
