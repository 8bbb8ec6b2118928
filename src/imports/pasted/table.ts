import { parse } from 'csv-parse/sync'
import type { Json } from '../../lib/json.ts'
import { field, invalid } from '../../lib/problem.ts'
import type { Database } from '../../store/sqlite/driver.ts'
import { detectFormats, type Own } from '../csv/cells/detect-formats.ts'
import type { Draft } from '../csv/cells/draft.ts'
import { withNames } from '../csv/cells/no-value.ts'
import { rowReader } from '../csv/cells/row-reader.ts'
import { customFields } from '../csv/columns/custom.ts'
import type { Fields } from '../csv/columns/field.ts'
import { FIELDS } from '../csv/columns/fields.ts'
import { fieldsOfHeaders } from '../csv/columns/headers.ts'
import { recognise } from '../csv/columns/mapping.ts'
import { columnNames, type Separator, separatorOf } from '../csv/file/dialect.ts'
import type { Cells } from '../csv/file/source.ts'
import type { Card } from './card.ts'

// Rows of a spreadsheet. Below a heading they are read as those of a file.

/** The cells of a text that is a table: with tabs, or with other separators below a heading. */
export function cellsIn(text: string): string[][] | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const tabbed = lines.filter((line) => line.includes('\t')).length
  // In a signature, some lines have a tab behind a label.
  if (tabbed > 0 && lines[0]?.includes('\t') && tabbed >= lines.length * 0.8) return rowsOf(text, '\t')
  const separator = separatorOf(text)
  const rows = text.includes(separator) && !text.includes('<') ? rowsOf(text, separator) : []
  return isHeading(rows[0] ?? []) && rows.length > 1 ? rows : undefined
}

/** More columns are none of people. */
const MOST_COLUMNS = 200

/** Throws 422 for what is no table. */
function rowsOf(text: string, delimiter: Separator): string[][] {
  const rows: string[][] = parse(text, {
    delimiter,
    relax_quotes: true,
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
  })
  if (rows.some((cells) => cells.length > MOST_COLUMNS))
    throw invalid(field('/text', 'too_many_columns', `must have at most ${MOST_COLUMNS} columns`))
  return rows
}

/** Whether a row has the names of columns: several of those that are known, and nothing that is a value. */
export function isHeading(cells: readonly string[]): boolean {
  const filled = cells.filter((cell) => cell.trim() !== '')
  if (filled.length === 0 || filled.some((cell) => cell.includes('@') || /\d{4}/.test(cell))) return false
  const known = fieldsOfHeaders('contact', cells).filter((meanings) => meanings.length > 0).length
  return known > 1 || (known === 1 && filled.length < 3)
}

/** What a person has on the screen; the values of other columns stay beside it, with their names. */
const READ =
  /^(?:name|(?:first|middle|last)_name|(?:emails|phones)(?:\..+)?|job_title|company_id|linkedin_url|website|address(?:\..+)?|notes)$/

/** A row below a heading, with the values of custom fields. */
export type RowCard = Card & { custom_fields?: Json }

export function readRows(db: Database, org: number, [head = [], ...rows]: readonly string[][], own: Own): RowCard[] {
  const columns = columnNames(head)
  const known = Object.entries(FIELDS.contact).filter(([name]) => READ.test(name))
  const custom = Object.entries(customFields(db, org, 'contact')).filter(([, { kind }]) => kind !== 'member')
  const fields: Fields = withNames({ ...Object.fromEntries(known), ...Object.fromEntries(custom) }, db, org, 'contact')
  const mapping = recognise('contact', columns, fields)
  const all = rows.map((texts): Cells => Object.fromEntries(columns.map((column, at) => [column, texts[at] ?? ''])))
  const formats = detectFormats(mapping, fields, {}, own)
  for (const [index, cells] of all.entries()) formats.addRow({ line: index + 2, cells })
  const { read } = rowReader('contact', mapping, fields, formats.formatOf)
  const unmapped = mapping.flatMap(({ column, field }) => (field === null ? [column] : []))
  const labels = new Set(mapping.flatMap(({ label }) => label ?? []))
  return all.map((cells, index) => {
    const unread: string[] = []
    const say = (column: string) => unread.push(`${column}: ${String(cells[column]).trim()}`)
    const draft = read(cells, say)
    for (const column of unmapped) if (!labels.has(column) && String(cells[column]).trim() !== '') say(column)
    const surplus = (rows[index] as string[]).slice(columns.length).filter((text) => text.trim() !== '')
    return cardOf(draft, [...new Set([...unread, ...surplus])])
  })
}

function cardOf({ given, links }: Draft, unread: string[]): RowCard {
  const { emails = [], phones = [], ...rest } = given as Partial<Card>
  const company = links.get('company_id')?.texts[0]
  return {
    ...rest,
    emails,
    phones,
    ...(company === undefined ? {} : { company }),
    unread: [...unread, ...(links.get('notes')?.texts ?? [])],
  }
}
