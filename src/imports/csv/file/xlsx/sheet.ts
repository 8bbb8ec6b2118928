import { dateOf } from './dates.ts'
import { textReader, unescaped, type Workbook } from './workbook.ts'
import { xmlParser } from './xml.ts'

/** A row of a sheet; numbers stay numbers, and days are written as `2026-11-20`. */
export type SheetRow = { line: number; cells: (string | number)[] }

type Cell = { column: number; type: string; style: number; value: string }

/** Columns beyond are refused by the number of columns that a file may have. */
const MAX_COLUMN = 16_384

/** Yields the rows of a sheet that have a cell with a value. */
export async function* sheetRows(chunks: AsyncIterable<Buffer>, workbook: Workbook): AsyncGenerator<SheetRow> {
  const ready: SheetRow[] = []
  let row: SheetRow = { line: 0, cells: [] }
  let cell: Cell | undefined
  let next = 0 // the column of a cell that does not say where it is
  let isValue = false
  const inline = textReader((text) => {
    if (cell) cell.value = text
  })

  const parser = xmlParser({
    open(name, { r: place = '', t: type = 'n', s: style = '0' }) {
      if (name === 'row') {
        row = { line: Number(place) || row.line + 1, cells: [] }
        next = 0
      } else if (name === 'c') {
        const column = columnOf(place) ?? next
        cell = { column, type, style: Number(style), value: '' }
        next = column + 1
      } else if (name === 'v') isValue = true
      else if (cell) inline.open(name, name === 'is')
    },
    text(data) {
      if (isValue && cell) cell.value += data
      else inline.add(data)
    },
    close(name) {
      if (name === 'v') isValue = false
      else if (name === 'c' && cell) {
        const value = cellValue(cell, workbook)
        if (value !== '' && cell.column < MAX_COLUMN) {
          while (row.cells.length < cell.column) row.cells.push('')
          row.cells[cell.column] = value
        }
        cell = undefined
      } else if (name === 'row') {
        if (row.cells.some((each) => typeof each === 'number' || each.trim() !== '')) ready.push(row)
      } else inline.close(name, name === 'is')
    },
  })
  for await (const chunk of chunks) {
    parser.write(chunk)
    yield* ready.splice(0)
  }
  parser.end()
  yield* ready.splice(0)
}

/** `AB12` is the 27th column, counted from 0. */
function columnOf(place: string): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(place)?.[0]
  if (letters === undefined) return undefined
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
}

function cellValue({ type, style, value }: Cell, { texts, isDate, is1904 }: Workbook): string | number {
  if (value === '') return ''
  if (type === 's') return texts[Number(value)] ?? ''
  if (type === 'b') return value === '1' ? 'true' : 'false'
  if (type === 'd') return value.replace(/T00:00(?::00(?:\.0+)?)?Z?$/, '').replace('T', ' ')
  if (type !== 'n') return unescaped(value) // a text, also of a formula, or an error such as #N/A
  const number = Number(value)
  if (!Number.isFinite(number)) return value
  // Calculations leave more digits than a cell shows.
  return isDate(style) && isDay(number) ? dateOf(number, is1904) : Number(number.toPrecision(15))
}

/** Until the end of the year 9999. */
const isDay = (serial: number): boolean => serial >= 0 && serial < 2_958_466

/** Returns the digits of a number without an exponent, as far as a workbook has them: beyond 15 digits they are lost. */
export function digitsOf(number: number): string {
  if (Math.abs(number) >= 1e15) return number.toExponential().toUpperCase()
  return /e/i.test(String(number)) ? number.toFixed(20).replace(/0+$/, '') : String(number)
}
