import type { Store } from '../../store/open.ts'
import { orgOf } from '../../store/orgs.ts'
import type { ImportObject } from '../writes.ts'
import { customFields } from './custom.ts'
import { detectFormats, type FormatOptions } from './detect-formats.ts'
import { type Draft, draftReader } from './draft.ts'
import { FIELDS, type Fields } from './fields.ts'
import { checkMapping, type Mapping, type Match, override, recognise } from './mapping.ts'
import { type Cells, membersOf, openSource, rowsOf, type Source } from './read.ts'

export type PlanOptions = FormatOptions & {
  object: ImportObject
  file: string
  map?: string | undefined
  match?: Match | undefined
}

/**
 * How a file will be imported. The whole file has been read once, so no format error occurs halfway through the import.
 */
export type Plan = {
  source: Source
  mapping: Mapping
  /** The first value of each column. */
  examples: Cells
  rows: number
  read: (cells: Cells) => Draft
}

/** Throws Problem 404 and 422 for the file, and a usage Problem for options that do not fit it. */
export async function planImport({ db }: Pick<Store, 'db'>, org: number, wanted: PlanOptions): Promise<Plan> {
  const { object, match } = wanted
  const fields: Fields = { ...FIELDS[object], ...customFields(db, org, object) }
  const own = orgOf(db, org)
  const source = await openSource(wanted.file, object)
  if (source.format === 'ndjson') source.columns = await membersOf(source)
  const recognised = recognise(object, source.columns, fields)
  const mapping = wanted.map === undefined ? recognised : override(recognised, wanted.map, fields)
  checkMapping(object, mapping, match)
  const formats = detectFormats(mapping, fields, wanted, own)
  const examples: Cells = {}
  const missing = new Set(source.columns)
  let rows = 0
  for await (const row of rowsOf(source)) {
    rows++
    formats.addRow(row)
    for (const column of missing) {
      const cell = row.cells[column] ?? ''
      if (cell === '') continue
      examples[column] = cell
      missing.delete(column)
    }
  }
  return { source, mapping, examples, rows, read: draftReader(object, mapping, fields, formats.formatOf) }
}
