import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import fc from 'fast-check'
import * as c from '../../../src/store/rows/columns.ts'
import { completed, type MarkedRows, renderedBy } from '../../../src/store/rows/rendered.ts'
import { openSqlite } from '../../../src/store/sqlite/driver.ts'
import { examples } from '../../support/seed.ts'
import { anyText } from '../../support/texts.ts'

// Pages that SQLite renders are the same bytes as those of TypeScript.

type Shape = {
  id: string
  name: string | null
  at: string | null
  size: number | null
  is_on: boolean | null
  amount: number | null
  more: object | null
}
const columns = c.columns<Shape>({
  id: c.plain('id'),
  name: c.text('name'),
  at: c.time('at'),
  size: c.integer('size'),
  is_on: c.bool('is_on'),
  amount: c.amount('amount'),
  more: c.json('more'),
})

const db = openSqlite(':memory:')
db.exec(
  'CREATE TABLE records (place INTEGER, id TEXT, name TEXT, at INTEGER, size INTEGER, is_on INTEGER, amount INTEGER, more TEXT)',
)
const insert = db.prepare('INSERT INTO records VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
const read = db.prepare(`SELECT ${columns.select} FROM records ORDER BY place`).raw()
const rendered = db.prepare(renderedBy(columns.rendered as string, 'FROM records ORDER BY place LIMIT ?')).raw()
after(() => db.close())

const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 5 })
const yearOne = Date.parse('0001-01-01T00:00:00.000Z')
const lastYear = Date.parse('9999-12-31T23:59:59.999Z')
const aTime = fc.oneof(
  fc.integer({ min: 1_500_000_000_000, max: 1_900_000_000_000 }),
  fc.integer({ min: yearOne, max: lastYear }),
  fc.constantFrom(
    yearOne,
    -1,
    0,
    1,
    999_999_999_999,
    1_000_000_000_000,
    9_999_999_999_999,
    10_000_000_000_000,
    lastYear,
  ),
)
const aText = fc.oneof(
  anyText({ maxLength: 40 }),
  fc.string({ unit: 'binary-ascii', maxLength: 20 }),
  fc.constantFrom('\u0001{', '","id":"', '\\u0001', '\u2028\u007f', '𝄞–é'),
)
const row = fc.record({
  id: fc.uuid({ version: 7 }),
  name: orNull(aText.filter((text) => text.isWellFormed() && !text.includes('\u0000'))),
  at: orNull(aTime),
  size: orNull(fc.maxSafeInteger()),
  is_on: orNull(fc.constantFrom(0, 1)),
  amount: orNull(
    fc.bigInt({ min: 0n, max: 9_000_000_000_000_000_000n }).map((micros) => micros - (micros % 10n ** (micros % 9n))),
  ),
  more: orNull(fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify({ id: '\u0001{', value }))),
})

/** What SQLite renders, and what TypeScript does. */
function pagesOf(rows: readonly Record<string, unknown>[], limit: number) {
  db.exec('DELETE FROM records')
  for (const [place, each] of rows.entries()) insert.run(place, ...Object.values(each))
  const [marked, count] = rendered.get(limit) as MarkedRows
  const expected = (read.all() as c.RawRow[]).slice(0, limit)
  assert.equal(count, expected.length)
  return { marked, expected: expected.map(columns.json) }
}

describe('a page that SQLite renders', () => {
  test('is the JSON of its rows, for any values', () => {
    const property = fc.property(fc.array(row, { maxLength: 8 }), fc.integer({ min: 1, max: 9 }), (rows, limit) => {
      const { marked, expected } = pagesOf(rows, limit)
      assert.equal(marked === null, expected.length === 0)
      const { json, lastId } = completed(marked ? [marked] : [], false)
      assert.equal(json.toString(), expected.join())
      assert.equal(lastId, rows[expected.length - 1]?.id ?? '')
    })
    fc.assert(property, { numRuns: examples(300) })
  })

  test('leaves out the row after its end, which may be in another part', () => {
    const property = fc.property(
      fc.array(row, { minLength: 2, maxLength: 5 }),
      fc.array(row, { minLength: 1, maxLength: 3 }),
      (first, second) => {
        const parts = [first, second].map((rows) => pagesOf(rows, 9))
        const { json, lastId } = completed(
          parts.map(({ marked }) => Buffer.from(marked as Buffer)),
          true,
        )
        assert.equal(
          json.toString(),
          parts
            .flatMap(({ expected }) => expected)
            .slice(0, -1)
            .join(),
        )
        assert.equal(lastId, [...first, ...second].at(-2)?.id)
      },
    )
    fc.assert(property, { numRuns: examples(50) })
  })

  test('is for columns that SQLite can render', () => {
    const { rendered: none } = c.columns<{ id: string; key: string }>({ id: c.plain('id'), key: c.bytes('key') })
    const { rendered: computed } = c.columns<{ id: string; n: number }>({ id: c.plain('id'), n: c.computed<number>() })
    const qualified = c.only<{ id: string }>({ fields: { id: c.plain('id') } }, ['id'], {}, 'records').rendered
    assert.deepEqual([none, computed, qualified], [undefined, undefined, undefined])
  })
})
