import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { importFile } from '../../../src/imports/csv/import.ts'
import { readDay } from '../../../src/lib/written/days/days.ts'
import { readMoment } from '../../../src/lib/written/days/moments.ts'
import { temporaryFolder } from '../../cli/command-line.ts'
import { stillPace } from '../../support/pace.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { cellsOf, contextOf, KINDS, momentText, NOW, type Row, read, rowsOf } from './numbers.ts'

// One table for every door: what is written means the same in a file, an editor, a pasted cell and a filter. Those of the
// browser are in test/web/lib/written.test.ts.

for (const kind of KINDS) {
  test(`the reader of each ${kind} of the table takes it as it is meant`, () => {
    for (const door of ['file', 'editor'] as const) {
      for (const row of rowsOf(door, [kind]))
        assert.equal(read(row, contextOf(row, door)), row.meant, `${row.written} in a ${door}: ${row.why}`)
    }
  })
}

describe('an import of the table', () => {
  const FIELDS = { number: 'number', yesno: 'boolean', day: 'date', moment: 'datetime' } as const
  let server: TestServer
  const folder = temporaryFolder()
  before(async () => {
    server = await startServer()
    server.advance(NOW - server.now())
    for (const [key, type] of Object.entries(FIELDS)) {
      for (const ending of ['', '_other']) {
        const { status } = await server.call('POST', '/custom-fields', {
          object: 'deal',
          key: key + ending,
          label: key + ending,
          type,
        })
        assert.equal(status, 201)
      }
    }
    for (const key of ['past', 'ahead']) {
      const label = key === 'past' ? 'Birthday' : 'Renewal'
      await server.call('POST', '/custom-fields', { object: 'deal', key, label, type: 'date' })
    }
  })
  after(() => server.stop())

  /** The column that a row of the table is imported into. */
  const columnOf = ({ kind, context }: Row): string =>
    kind === 'amount' ? 'amount' : `custom_fields.${context.lies ?? kind}`

  async function imported(row: Row, count: number): Promise<string> {
    const { currency = 'EUR', zone = 'UTC', rowCurrency, file, locale } = row.context
    const country = locale?.split('-')[1] ?? null
    server.store.db
      .prepare('UPDATE orgs SET currency = ?, timezone = ?, country = ? WHERE id = ?')
      .run(currency, zone, country, server.a.org)
    const column = columnOf(row)
    const other = row.kind === 'moment' ? 'custom_fields.moment_other' : 'custom_fields.day_other'
    const title = `row ${count}`
    const line = (...cells: string[]) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',')
    const head = ['title', column, ...(rowCurrency ? ['currency'] : []), ...(file ? [other] : [])]
    const lines = [
      ...cellsOf(row).map((cell, at) => [`${title} other ${at}`, cell]),
      [title, row.written, rowCurrency ?? file ?? ''],
    ]
    const path = join(folder, `rows${count}.csv`)
    // A file of the column named `file` has it in the last row only, as the table gives it.
    writeFileSync(path, `${head.join(',')}\n${lines.map((cells) => line(...cells.slice(0, head.length))).join('\n')}\n`)
    const done = await importFile(server.store, {
      ...{ org: server.a.org, object: 'deal', file: path, pace: stillPace, rules: { lenient: true } },
    })
    const { body } = await server.call('GET', `/deals?q=${encodeURIComponent(title)}&sort=-created_at&limit=1`)
    const deal = body.data[0]
    const value = row.kind === 'amount' ? deal.amount : (deal.custom_fields[column.slice(14)] ?? null)
    if (value === null) {
      assert.ok(
        done.omitted.some((each) => each.column === column),
        `${row.written} was left out in silence`,
      )
      return done.omitted.find((each) => each.column === column)?.reason ?? ''
    }
    if (row.kind === 'amount') return `${value} ${deal.currency ?? '-'}`
    return row.kind === 'moment' ? momentText(Date.parse(value)) : String(value)
  }

  test('stores what is meant, and lists the rest with its readings', async () => {
    let count = 0
    for (const row of rowsOf('file', ['number', 'amount', 'yesno', 'day', 'moment'])) {
      const got = await imported(row, ++count)
      const where = `${row.written}: ${row.why}, got ${got}`
      const isRefused = row.meant === 'REFUSE' || (/^-/.test(row.meant) && row.kind === 'amount')
      if (row.meant.startsWith('AMBIGUOUS')) {
        for (const one of row.meant.slice(10).split(' ¦ ')) assert.ok(shownIn(got, one), where)
      } else if (isRefused) assert.match(got, / /, where)
      else assert.equal(got, row.kind === 'amount' ? row.meant.replace(' -', withoutCurrency(got)) : row.meant, where)
    }
  })

  /** A deal without a currency may have that of the organisation. */
  const withoutCurrency = (got: string): string => got.slice(got.indexOf(' '))

  /** Reasons write numbers with groups, and moments with milliseconds. */
  function shownIn(reason: string, one: string): boolean {
    const [figure = '', currency = ''] = one.split(' ')
    if (/^\d{4}-/.test(one)) return reason.includes(one.replace(/Z$/, ''))
    return reason.includes(
      `${new Intl.NumberFormat('en', { maximumFractionDigits: 15 }).format(Number(figure))}${currency && currency !== '-' ? ` ${currency}` : ''}`,
    )
  }
})

test('letters with numbers are days of Japanese eras only where people write so, and eras end', () => {
  for (const text of ['T1.1.2', 'R8.5.5', 'S12.3.4'])
    assert.ok('unread' in readDay(text, { zone: 'Europe/Berlin' }), text)
  assert.deepEqual(readDay('R8.5.5', { locale: 'ja-JP' }), { value: '2026-05-05' })
  assert.deepEqual(readDay('令和8年5月5日', {}), { value: '2026-05-05' })
  assert.ok('unread' in readDay('平成40年1月1日', {}))
})

test('the first years are themselves, not those of the century before last', () => {
  const read = readMoment('1.1.0026 12:00', { zone: 'Etc/UTC' })
  assert.ok('value' in read && new Date(read.value).toISOString() === '0026-01-01T12:00:00.000Z', JSON.stringify(read))
})
