import assert from 'node:assert/strict'
import { test } from 'node:test'
import { detectFormats } from '../../../src/imports/csv/cells/detect-formats.ts'
import { rowReader } from '../../../src/imports/csv/cells/row-reader.ts'
import type { Fields } from '../../../src/imports/csv/columns/field.ts'
import { FIELDS } from '../../../src/imports/csv/columns/fields.ts'
import type { Problem } from '../../../src/lib/problem.ts'
import { examples, seedOf } from '../../support/seed.ts'
import { amountsOf, type Cell, daysOf, numbersOf, type Random, WRITERS, type Writer } from './columns.ts'

// Columns of people who write as their country does, against what they mean: whatever an import reads is what was meant, and
// what it does not read it lists.

const COLUMNS = 10_000
/** Of 100 cells. What is not read would be two numbers, or two days, to anybody. */
const LEAST = 90

const NUMBER: Fields = { 'custom_fields.number': { kind: 'number' } }

/** Reads a column as an import does: the values, or undefined for cells that are listed. */
function readColumn(name: string, cells: readonly Cell[], { currency }: Writer): (string | number | undefined)[] {
  const fields = { ...FIELDS.deal, ...NUMBER }
  const mapping = [{ column: 'column', field: name }]
  const own = { currency, zone: 'Europe/Berlin', now: Date.parse('2026-11-28') }
  const formats = detectFormats(mapping, fields, {}, own)
  for (const [line, { written }] of cells.entries()) formats.addRow({ line, cells: { column: written } })
  const { read } = rowReader('deal', mapping, fields, formats.formatOf)
  return cells.map(({ written }) => {
    try {
      const { given } = read({ column: written })
      if (name === 'amount') return `${given.amount} ${given.currency ?? ''}`.trim()
      const custom = given.custom_fields as { number?: number } | undefined
      return (given[name] as string | undefined) ?? custom?.number
    } catch (error) {
      const [problem] = (error as Problem).errors ?? []
      assert.ok(problem && problem.message.length > 0, `${written}: no reason`)
      return undefined
    }
  })
}

const KINDS: Record<string, (random: Random, writer: Writer) => Cell[]> = {
  'custom_fields.number': numbersOf,
  amount: amountsOf,
  expected_close_date: daysOf,
}

for (const [name, columnOf] of Object.entries(KINDS)) {
  test(`no ${name} of a column is read as something that its writer does not mean`, () => {
    const random = randomOf(seedOf(36))
    let [cells, read] = [0, 0]
    for (let n = 0; n < examples(COLUMNS) / 3; n++) {
      const writer = WRITERS[random(WRITERS.length)] as Writer
      const column = columnOf(random, writer)
      const values = readColumn(name, column, writer)
      for (const [at, { written, meant }] of column.entries()) {
        cells++
        const value = values[at]
        if (value === undefined) continue
        read++
        const where = `${written} of ${writer.locale} in ${column.map((each) => each.written).join(' | ')}`
        assert.ok(value === meant || (value === 0 && meant === 0), `${where} is ${meant}, not ${value}`)
      }
    }
    assert.ok((100 * read) / cells >= LEAST, `${read} of ${cells} are read`)
  })
}

/** Numbers from zero on, below the one that is given. */
function randomOf(seed: number): Random {
  let state = seed >>> 0
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}
