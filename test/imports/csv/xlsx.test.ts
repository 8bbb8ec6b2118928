import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { openSource, rowsOf } from '../../../src/imports/csv/file/read.ts'
import { dateOf, isDateFormat } from '../../../src/imports/csv/file/xlsx/dates.ts'
import { type ImportOptions, importFile, type RowsImported } from '../../../src/imports/csv/import.ts'
import type { ImportObject } from '../../../src/imports/writable.ts'
import { temporaryFolder } from '../../cli/command-line.ts'
import { stillPace } from '../../support/pace.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { archive, type CellValue, workbook } from '../../support/workbook.ts'

const folder = temporaryFolder()
let count = 0
const placed = (content: Buffer | string): string => {
  const file = join(folder, `book${count++}.xlsx`)
  writeFileSync(file, content)
  return file
}
async function read(content: Buffer | string, object: ImportObject = 'contact') {
  const source = await openSource(placed(content), object)
  return { source, rows: await Array.fromAsync(rowsOf(source)) }
}
const cellsOf = async (content: Buffer) => (await read(content)).rows.map(({ cells }) => Object.values(cells))

describe('a workbook', () => {
  const rows: CellValue[][] = [
    ['Name', 'Email', 'Phone', 'Postal code', 'Notes', 'Connected on'],
    ['Ána <Ruiz>', 'ana@x.example', 491511234567, 10115, 'One_x000D_\nTwo', { serial: 45_292, style: 'day' }],
    [],
    ['Bo', null, null, 'D-20095', { formula: 'A & B' }, { serial: 45_292.5, style: 'time' }],
    [true, { error: '#N/A' }, 0.1 + 0.2, 1e21, '  ', { serial: 45_292, style: 'plain' }],
    [null, '   '],
  ]
  const expected = [
    ['Ána <Ruiz>', 'ana@x.example', 491511234567, 10115, 'One\nTwo', '2024-01-01'],
    ['Bo', '', '', 'D-20095', 'A & B', '2024-01-01 12:00:00'],
    ['true', '#N/A', 0.3, 1e21, '  ', 45_292],
  ]

  test('has the values that its cells show, however it is written', async () => {
    assert.deepEqual(await cellsOf(workbook(rows)), expected)
    assert.deepEqual(await cellsOf(workbook(rows, { isInline: true, isStored: true })), expected)
    const { source, rows: read1 } = await read(workbook(rows))
    assert.deepEqual([source.format, source.columns.length, source.remarks], ['xlsx', 6, []])
    assert.deepEqual(
      read1.map(({ line }) => line),
      [2, 4, 5],
    )
  })

  test('is read from its first sheet that is shown, and the others are said', async () => {
    const sheets = { Deals: [['Title'], ['X']], Hidden: [['Y']] }
    const { source } = await read(workbook(rows, { sheets, hidden: 'Hidden' }))
    assert.deepEqual(source.remarks, ['Only the first sheet is imported. The workbook also has "Deals".'])
    const other = await read(workbook([['nothing']], { sheets: { Shown: rows }, hidden: 'Sheet1' }))
    assert.equal(other.rows.length, 3)
  })

  test('is refused where it is damaged or none', async () => {
    const whole = workbook(rows)
    const text = (file: Buffer | string) => read(file).then(String, ({ code }) => code)
    assert.equal(await text(whole.subarray(0, whole.length - 30)), 'damaged_workbook')
    assert.equal(
      await text(Buffer.concat([whole.subarray(0, 60), Buffer.alloc(40), whole.subarray(100)])),
      'damaged_workbook',
    )
    assert.equal(await text(archive({ 'a.txt': 'text' })), 'no_workbook')
    const locked = Buffer.from(whole)
    for (let at = locked.indexOf('PK\u0001\u0002'); at >= 0; at = locked.indexOf('PK\u0001\u0002', at + 1))
      locked[at + 8] = 1
    assert.equal(await text(locked), 'locked_workbook')
    assert.equal(await text(workbook([])), 'empty_file')
  })

  test('ends in an error, whatever is broken in it', async () => {
    const whole = workbook(rows, { isStored: true })
    for (let at = 0; at < whole.length; at += 7) {
      const broken = Buffer.from(whole)
      broken[at] = (broken[at] as number) ^ 0xff
      const ended = await read(broken).catch((error) => error)
      assert.ok(ended.rows || (ended.status >= 400 && ended.code), `${at}: ${ended}`)
    }
  })
})

test('days of a workbook are those of its cells', () => {
  const days: [number, boolean, string][] = [
    [1, false, '1900-01-01'],
    [59, false, '1900-02-28'],
    [61, false, '1900-03-01'],
    [45_292, false, '2024-01-01'],
    [43_830, true, '2024-01-01'],
    [45_292.999_999_99, false, '2024-01-02'],
    [45_292.354_166_666_664, false, '2024-01-01 08:30:00'],
    [0.75, false, '18:00:00'],
  ]
  for (const [serial, is1904, text] of days) assert.equal(dateOf(serial, is1904), text)
  const formats: [number, string | undefined, boolean][] = [
    [14, undefined, true],
    [2, undefined, false],
    [22, undefined, true],
    [164, 'dd/mm/yyyy', true],
    [164, '[$-409]h:mm AM/PM;@', true],
    [164, '#,##0.00 "days"', false],
    [164, '[Red]0.0', false],
    [164, '[h]:mm', false],
    [164, 'General', false],
    [164, '0.00\\d', false],
  ]
  for (const [id, code, isDate] of formats) assert.equal(isDateFormat(id, code), isDate, `${id} ${code}`)
})

describe('rows above the header', () => {
  const csv = async (text: string) => {
    const { source, rows } = await read(text)
    return {
      ...source,
      cells: rows.map(({ cells }) => Object.values(cells).join('|')),
      lines: rows.map(({ line }) => line),
    }
  }

  test('are left out, and said', async () => {
    const found = await csv('Customer list\nAs of 2026-11-01;;\n\nName;Email;Stadt\nAna;ana@x.example;Kiel\n')
    assert.deepEqual(
      [found.columns, found.cells, found.lines],
      [['Name', 'Email', 'Stadt'], ['Ana|ana@x.example|Kiel'], [5]],
    )
    assert.deepEqual(found.remarks, ['The header is in line 4; above it: "Customer list", "As of 2026-11-01".'])
    const sheet = await read(workbook([['Board'], [], ['Group'], ['Name', 'Email'], ['Ana', 'ana@x.example']]))
    assert.deepEqual(
      sheet.rows.map(({ line, cells }) => [line, cells.Name]),
      [[5, 'Ana']],
    )
  })

  test('are none where the first one is a header, known or not', async () => {
    assert.deepEqual((await csv('Alpha,Beta\nName,Email\nAna,x\n')).columns, ['Alpha', 'Beta'])
    assert.deepEqual((await csv('Email\nName\n')).columns, ['Email'])
    assert.deepEqual((await csv('Whoever\nAna\n')).columns, ['Whoever'])
    const unknown = await csv('Title of it\n\nAlpha,Beta,Gamma\n1,2,3\n')
    assert.deepEqual([unknown.columns, unknown.cells], [['Alpha', 'Beta', 'Gamma'], ['1|2|3']])
  })
})

describe('a board', () => {
  const HEADER = ['Name', 'Subitems', 'Email', 'Deal Value', 'Item ID (auto generated)']
  const board = [
    ['Clients'],
    ['New'],
    HEADER,
    ['Ana', '', 'ana@x.example', 5, 71],
    ['Subitems', 'Name', 'Owner', 'Item ID (auto generated)'],
    ['', 'Call', 'Bo', 72],
    ['Only a name'],
    [null, null, null, 5],
    [],
    ['Old'],
    HEADER,
    ['Bo', '', 'bo@x.example', null, 73],
  ] satisfies CellValue[][]

  test('has its items, and what is between them is counted', async () => {
    const { source, rows } = await read(workbook(board))
    assert.deepEqual(
      rows.map(({ line, cells }) => [line, cells.Name]),
      [
        [4, 'Ana'],
        [7, 'Only a name'],
        [12, 'Bo'],
      ],
    )
    assert.deepEqual(source.between, { titles: 1, headers: 1, subitems: 1, sums: 1 })
  })
})

describe('an import of a workbook', () => {
  let server: TestServer
  before(async () => {
    server = await startServer()
  })
  after(() => server.stop())
  const imported = (content: Buffer, options: Partial<ImportOptions>): Promise<RowsImported> =>
    importFile(server.store, {
      object: 'contact',
      file: placed(content),
      pace: stillPace,
      org: server.a.org,
      ...options,
    })

  test('has numbers where a field is one, and their digits elsewhere', async () => {
    const rows: CellValue[][] = [
      ['Name', 'ID', 'Phone', 'Postal code'],
      ['Ana Xl', 7, 4_915_112_345_678, 10_115],
      ['Bo Xl', 123_456_789_012_345_680, null, null],
    ]
    const result = await imported(workbook(rows), { rules: { lenient: true } })
    assert.deepEqual([result.created, result.omitted.map(({ column }) => column)], [2, ['ID']])
    const [ana] = (await server.call('GET', '/contacts?external_id=7')).body.data
    assert.deepEqual([ana.phones[0].number, ana.address.postal_code], ['4915112345678', '10115'])
    const deals: CellValue[][] = [
      ['Board'],
      ['Title', 'Amount', 'Close date', 'Currency'],
      ['One', 1.234, { serial: 45_292, style: 'day' }, 'EUR'],
      ['Two', 25_000.5, '31.12.2026', 'USD'],
      ['Three', -5, null, null],
    ]
    const strict = await imported(workbook(deals), { object: 'deal' })
    assert.deepEqual([strict.created, strict.rejected], [2, 1])
    const found = (await server.call('GET', '/deals?sort=title')).body.data
    assert.deepEqual(
      found.map(({ title, amount, expected_close_date }: Record<string, unknown>) => [
        title,
        amount,
        expected_close_date,
      ]),
      [
        ['One', 1.234, '2024-01-01'],
        ['Two', 25_000.5, '2026-12-31'],
      ],
    )
    assert.match(strict.rejectedFile ?? '', /\.rejected\.csv$/)
  })
})
