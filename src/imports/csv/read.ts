import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { type InfoRecord, Parser } from 'csv-parse'
import { type Json, readJson } from '../../lib/json.ts'
import { Problem } from '../../lib/problem.ts'
import type { ImportObject } from '../writes.ts'
import { type Bytes, chunksOf, survey, textOf, textOfStart } from './decode.ts'
import { columnNames, preamble, type Separator, separatorLine, separatorOf } from './dialect.ts'

/** Cells by column name. */
export type Cells = { [column: string]: Json }

/** A row of the file, with `error` if it cannot be read. `line` is its first line. */
export type Row = { line: number; cells: Cells; error?: string }

/** A file with its detected format. `columns` of NDJSON are known only after all of it has been read. */
export type Source = {
  file: string
  format: 'csv' | 'ndjson' | 'vcard'
  /** What its rows become; a vCard file has people and companies. */
  object: ImportObject
  encoding: Bytes['encoding']
  separator: Separator
  fingerprint: string
  bytes: number
  columns: string[]
  /** What the file has besides the rows, in sentences. */
  remarks: string[]
}

type Progress = (bytes: number) => void

const MAX_RECORD = 1 << 20
const MAX_COLUMNS = 1000

/** Detects the format of a file. Throws Problem 404 and 422. */
export async function openSource(file: string, object: ImportObject): Promise<Source> {
  if (await isVcard(file)) return openCards(file, object)
  const bytes = await survey(file)
  const { encoding, fingerprint } = bytes
  const text = textOfStart(bytes)
  const common = { file, object, encoding, fingerprint, bytes: bytes.bytes, remarks: [] }
  if (text.trim() === '') throw new Problem(422, 'empty_file', `${file} is empty.`)
  if (/^\s*\[?\s*\{/.test(text)) return { ...common, format: 'ndjson', separator: ',', columns: [] }
  const separator = separatorLine(text)?.separator ?? separatorOf(text.slice(preamble(text).length))
  const header = await firstRecord(file, { ...common, separator })
  // Unnamed cells after the last named one are not columns.
  const named = header.findLastIndex((cell) => cell.trim() !== '') + 1
  refuseTooMany(file, named)
  return { ...common, format: 'csv', separator, columns: columnNames(header.slice(0, named)) }
}

async function isVcard(file: string): Promise<boolean> {
  for await (const chunk of chunksOf(file))
    return /^(?:\xef\xbb\xbf)?\s*BEGIN:VCARD\s/i.test(chunk.toString('latin1', 0, 200))
  return false
}

async function openCards(file: string, object: ImportObject): Promise<Source> {
  const { surveyCards } = await import('./vcard/rows.ts')
  const sum = createHash('sha256')
  let bytes = 0
  async function* summed() {
    for await (const chunk of chunksOf(file)) {
      sum.update(chunk)
      bytes += chunk.length
      yield chunk
    }
  }
  const { columns, remarks } = await surveyCards(file, object, summed())
  refuseTooMany(file, columns.length)
  const fingerprint = sum.digest('hex')
  return { file, format: 'vcard', object, encoding: 'utf-8', separator: ',', fingerprint, bytes, columns, remarks }
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
  return source.format === 'csv' ? csvRows(source, onBytes) : ndjsonRows(source, onBytes)
}

async function* cardRows({ file, object, columns }: Source): AsyncGenerator<Row> {
  const { rowsOfCards } = await import('./vcard/rows.ts') // loads ical.js
  const blank = Object.fromEntries(columns.map((column) => [column, '']))
  for await (const row of rowsOfCards(file, object, chunksOf(file))) yield { ...row, cells: { ...blank, ...row.cells } }
}

async function* csvRows(source: Source, onBytes?: Progress): AsyncGenerator<Row> {
  const { columns } = source
  let isHeader = true
  for await (const { line, cells } of records(source, onBytes)) {
    if (!isHeader) yield row(columns, line, cells)
    isHeader = false
  }
}

function row(columns: readonly string[], line: number, texts: readonly string[]): Row {
  const cells = Object.fromEntries(columns.map((column, index) => [column, texts[index] ?? '']))
  const surplus = texts.slice(columns.length)
  if (texts.length >= columns.length && surplus.every((text) => text.trim() === '')) return { line, cells }
  const more = surplus.length === 0 ? '' : `; the extra cells are ${surplus.map((text) => `"${text}"`).join(', ')}`
  return { line, cells, error: `has ${texts.length} cells where the header has ${columns.length}${more}` }
}

type Dialect = Pick<Source, 'file' | 'encoding' | 'separator'>

async function firstRecord(file: string, dialect: Dialect): Promise<string[]> {
  for await (const { cells } of records(dialect)) return cells
  throw new Problem(422, 'empty_file', `${file} is empty.`)
}

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

async function* ndjsonRows({ file }: Source, onBytes?: Progress): AsyncGenerator<Row> {
  let line = 0
  for await (const bytes of linesOf(file, onBytes)) {
    line++
    if (bytes && !bytes.some((byte) => byte > 0x20)) continue
    yield bytes ? ndjsonRow(line, bytes) : { line, cells: {}, error: 'is longer than 1 MiB' }
  }
}

function ndjsonRow(line: number, bytes: Buffer): Row {
  try {
    const value = readJson(bytes)
    if (value === null || typeof value !== 'object' || Array.isArray(value)) {
      return { line, cells: {}, error: 'is not a JSON object; each line must contain one object' }
    }
    return { line, cells: flat(value) }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return { line, cells: {}, error: error.message.replace(/^The body /, '').replace(/\.$/, '') }
  }
}

/** Turns the members of `address` and `custom_fields` into separate columns, as in CSV. */
function flat(value: { [member: string]: Json }): Cells {
  const cells: Cells = {}
  for (const [name, inner] of Object.entries(value)) {
    const isGroup = (name === 'address' || name === 'custom_fields') && inner !== null && typeof inner === 'object'
    if (!isGroup || Array.isArray(inner)) cells[name] = inner
    else for (const [member, cell] of Object.entries(inner as object)) cells[`${name}.${member}`] = cell
  }
  return cells
}

/** Yields the lines of a file as bytes; undefined for a line that is too long. */
async function* linesOf(file: string, onBytes?: Progress): AsyncGenerator<Buffer | undefined> {
  let chunks: Buffer[] = []
  let size = 0
  let isFirst = true
  function flush(): Buffer | undefined {
    const bytes = size > MAX_RECORD ? undefined : Buffer.concat(chunks)
    chunks = []
    size = 0
    const marked = isFirst && bytes?.[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
    isFirst = false
    return marked ? bytes?.subarray(3) : bytes
  }
  for await (const chunk of chunksOf(file)) {
    let start = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      add(chunk.subarray(start, end))
      yield flush()
      start = end + 1
    }
    add(chunk.subarray(start))
    onBytes?.(chunk.length)
  }
  if (size > 0) yield flush()

  function add(bytes: Buffer): void {
    size += bytes.length
    if (size <= MAX_RECORD) chunks.push(bytes)
    else chunks = []
  }
}
