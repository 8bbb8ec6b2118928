import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { type InfoRecord, Parser } from 'csv-parse'
import { Problem } from '../../../lib/problem.ts'
import type { ImportObject } from '../../writable.ts'
import { chunksOf, type EncodingOptions, inUtf8, isJson, markOf, survey, textOf, textOfStart } from './decode.ts'
import { columnNames, preamble, separatorLine, separatorOf } from './dialect.ts'
import { oneOf } from './encodings/one-of.ts'
import { aboveHead, belowHead, headAt, MAX_ABOVE } from './head.ts'
import { ndjsonRows } from './ndjson.ts'
import type { RawRow, Row, Source } from './source.ts'

type Progress = (bytes: number) => void

const MAX_RECORD = 1 << 20
const MAX_COLUMNS = 1000

/** Detects the format of a file. Throws Problem 404 and 422. */
export async function openSource(file: string, object: ImportObject, options: EncodingOptions = {}): Promise<Source> {
  if (await isVcard(file)) return openCards(file, object, options)
  if (await isArchive(file)) return openWorkbook(file, object)
  const bytes = await survey(file, options)
  const { encoding, sample, fingerprint } = bytes
  const text = textOfStart(bytes)
  const common = { file, object, encoding, sample, fingerprint, bytes: bytes.bytes, remarks: [] }
  if (text.trim() === '') throw new Problem(422, 'empty_file', `${file} is empty.`)
  if (isJson(bytes.start)) return { ...common, format: 'ndjson', separator: ',', columns: [] }
  const separator = separatorLine(text)?.separator ?? separatorOf(text.slice(preamble(text).length))
  return withHead({ ...common, format: 'csv', separator, columns: [] }, records({ ...common, separator }))
}

/** A workbook is an archive. */
async function isArchive(file: string): Promise<boolean> {
  for await (const chunk of chunksOf(file)) return chunk.toString('latin1', 0, 4) === 'PK\u0003\u0004'
  return false
}

async function openWorkbook(file: string, object: ImportObject): Promise<Source> {
  const { rowsOfWorkbook, surveyWorkbook } = await import('./xlsx/source.ts')
  const found = await surveyWorkbook(file)
  const source = { file, object, format: 'xlsx', encoding: 'utf-8', sample: [], separator: ',', columns: [] } as const
  return withHead({ ...source, ...found, columns: [] }, rowsOfWorkbook(file))
}

/** Finds the header of a table, and names its columns. */
async function withHead(source: Source, all: AsyncGenerator<RawRow>): Promise<Source> {
  const { file, object } = source
  const first: RawRow[] = []
  try {
    for await (const row of all) if (first.push(row) > MAX_ABOVE) break
  } catch (error) {
    if (first.length === 0) throw error // otherwise it is told when the rows are read
  }
  if (first.length === 0) throw new Problem(422, 'empty_file', `${file} is empty.`)
  const texts = first.map(({ cells }) => cells.map(String))
  const head = headAt(object, texts)
  const header = texts[head] as string[]
  // Unnamed cells after the last named one are not columns.
  const named = header.findLastIndex((cell) => cell.trim() !== '') + 1
  refuseTooMany(file, named)
  const remarks = [...source.remarks, ...aboveHead(first[head]?.line, texts.slice(0, head))]
  return { ...source, columns: columnNames(header.slice(0, named)), above: head, remarks }
}

async function isVcard(file: string): Promise<boolean> {
  for await (const chunk of chunksOf(file)) {
    const start = chunk.subarray(0, 200)
    const mark = markOf(start) ?? 'latin1'
    return /^\s*BEGIN:VCARD\s/i.test(new TextDecoder(mark).decode(start))
  }
  return false
}

/** Cards may each say what encoding they have. */
async function openCards(file: string, object: ImportObject, { encoding, country }: EncodingOptions): Promise<Source> {
  const { surveyCards } = await import('./vcard/rows.ts')
  const { unknownLines } = await import('./vcard/encoding.ts')
  const sum = createHash('sha256')
  let bytes = 0
  let mark: string | undefined
  for await (const chunk of chunksOf(file)) {
    if (bytes === 0) mark = markOf(chunk)
    sum.update(chunk)
    bytes += chunk.length
  }
  const unknown = await unknownLines(inUtf8(file, mark))
  const runs = unknown.runs()
  const found = encoding ?? (runs.length > 0 ? oneOf(file, runs, country) : (mark ?? 'utf-8'))
  const sample = runs.length > 0 ? unknown.words(found) : []
  const source = { file, format: 'vcard', object, encoding: found, sample, separator: ',' } as const
  const { columns, remarks } = await surveyCards(file, object, inUtf8(file, mark), found)
  refuseTooMany(file, columns.length)
  return { ...source, fingerprint: sum.digest('hex'), bytes, columns, remarks, mark }
}

/** Returns the columns of NDJSON: the members of all its lines. Throws Problem 422. */
export async function membersOf(source: Source): Promise<string[]> {
  const members = new Set<string>()
  for await (const { cells } of rowsOf(source)) {
    for (const member of Object.keys(cells)) members.add(member)
    refuseTooMany(source.file, members.size)
  }
  return [...members]
}

function refuseTooMany(file: string, columns: number): void {
  if (columns <= MAX_COLUMNS) return
  throw new Problem(422, 'too_many_columns', `${file} has more than ${MAX_COLUMNS} columns.`)
}

/**
 * Yields the rows of the file, without blank lines and the header. A row that cannot be read has an error; an error
 * that makes the rest of the file unreadable throws Problem 422 with the line.
 */
export function rowsOf(source: Source, onBytes?: Progress): AsyncGenerator<Row> {
  if (source.format === 'vcard') return cardRows(source)
  if (source.format === 'ndjson') return ndjsonRows(source, onBytes)
  return source.format === 'xlsx' ? sheetRows(source) : csvRows(source, onBytes)
}

async function* sheetRows(source: Source): AsyncGenerator<Row> {
  const { rowsOfWorkbook } = await import('./xlsx/source.ts')
  const { file, columns } = source
  for await (const { line, cells } of belowHead(source, rowsOfWorkbook(file))) {
    while (cells.length < columns.length) cells.push('') // a sheet ends a row with its last value
    yield row(columns, line, cells)
  }
}

async function* cardRows({ file, object, columns, encoding, mark }: Source): AsyncGenerator<Row> {
  const { rowsOfCards } = await import('./vcard/rows.ts') // loads ical.js
  const blank = Object.fromEntries(columns.map((column) => [column, '']))
  for await (const row of rowsOfCards(file, object, inUtf8(file, mark), encoding))
    yield { ...row, cells: { ...blank, ...row.cells } }
}

/** The most lines that Salesforce writes below a report, after blank ones: its name, who ran it, that it is confidential. */
const MAX_BELOW = 10
const BELOW = /^(?:Generated By:|Confidential Information)/

async function* csvRows(source: Source, onBytes?: Progress): AsyncGenerator<Row> {
  const { columns } = source
  let next = 0 // the line after the last record
  let below: Row[] = []
  for await (const { line, cells } of belowHead(source, records(source, onBytes))) {
    const isApart = below.length > 0 ? below.length < MAX_BELOW : next > 0 && line > next
    next = line + 1 + newlinesIn(cells)
    if (isApart && cells.length === 1 && columns.length > 2) below.push(row(columns, line, cells))
    else {
      yield* below
      yield row(columns, line, cells)
      below = []
    }
  }
  if (!below.some(({ cells }) => BELOW.test(String(cells[columns[0] as string])))) yield* below
}

function row(columns: readonly string[], line: number, texts: readonly (string | number)[]): Row {
  const cells = Object.fromEntries(columns.map((column, index) => [column, texts[index] ?? '']))
  const surplus = texts.slice(columns.length)
  if (texts.length >= columns.length && surplus.every((text) => String(text).trim() === '')) return { line, cells }
  const more = surplus.length === 0 ? '' : `; the extra cells are ${surplus.map((text) => `"${text}"`).join(', ')}`
  return { line, cells, error: `has ${texts.length} cells where the header has ${columns.length}${more}` }
}

type Dialect = Pick<Source, 'file' | 'encoding' | 'separator'>

type Record = { line: number; cells: string[] }

/** Yields the records of a CSV file with the line on which each starts. */
async function* records({ file, encoding, separator }: Dialect, onBytes?: Progress): AsyncGenerator<Record> {
  let skipped = 0
  let last = { lines: 0, empty_lines: 0 }
  const parser = new Parser({
    delimiter: separator,
    record_delimiter: ['\n'],
    relax_quotes: true,
    relax_column_count: true,
    skip_records_with_empty_values: true,
    skip_empty_lines: true,
    max_record_size: MAX_RECORD,
    // Called immediately, while the parser may drop a parsed record when a later one fails.
    on_record: ((cells: string[], info: InfoRecord): Record => {
      last = info
      return { line: info.lines + skipped - newlinesIn(cells), cells }
    }) as never,
  })
  async function* fromHeader() {
    let isFirst = true
    for await (const text of textOf(file, encoding, onBytes)) {
      const above = isFirst ? (separatorLine(text)?.length ?? preamble(text).length) : 0
      if (isFirst) skipped = newlinesIn([text.slice(0, above)])
      isFirst = false
      yield Buffer.from(text.slice(above))
    }
  }
  const texts = Readable.from(fromHeader())
  // A read error has to end the loop over the records.
  texts.on('error', (error) => parser.destroy(error))
  try {
    yield* texts.pipe(parser) as AsyncIterable<Record>
  } catch (error) {
    const blank = ((error as Partial<InfoRecord>).empty_lines ?? 0) - last.empty_lines
    throw unreadable(error, file, last.lines + skipped + blank + 1)
  } finally {
    texts.destroy()
  }
}

function newlinesIn(cells: readonly string[]): number {
  let count = 0
  for (const cell of cells) if (cell.includes('\n')) count += cell.split('\n').length - 1
  return count
}

function unreadable(error: unknown, file: string, line: number): unknown {
  const { code } = error as { code?: string }
  if (code === 'CSV_QUOTE_NOT_CLOSED' || code === 'CSV_MAX_RECORD_SIZE') {
    return new Problem(
      422,
      'quote_not_closed',
      `${file}: from line ${line} on, a cell starts with " and does not end. Double the quotes inside the cell, and quote the whole cell.`,
    )
  }
  return error
}
