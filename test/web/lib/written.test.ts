import assert from 'node:assert/strict'
import { test } from 'node:test'
import { en } from '../../../src/web/components/fields/en.ts'
import * as figures from '../../../src/web/components/fields/parse-figures.ts'
import { formatFor } from '../../../src/web/lib/format.ts'
import { readValue } from '../../../src/web/tables/filters/read-value.ts'
import { cellsOf, momentText, NOW, type Row, rowsOf } from '../../lib/written/numbers.ts'

// The table of what people write, through the doors of the browser.

/** How an editor of the browser reads, in the form of `meant`; of two readings it says both. */
function typed(row: Row): string {
  const { locale = 'en', zone = 'UTC', currency } = row.context
  const format = formatFor({ language: locale, timezone: zone })
  const reading = { format, texts: en, now: NOW }
  const type = ({ number: 'number', amount: 'money', day: 'date', moment: 'datetime' } as const)[row.kind as 'number']
  const label = row.context.lies === 'past' ? 'Birthday' : row.context.lies === 'ahead' ? 'Renewal' : ''
  const known = figures.knownOf({ type, key: '', label }, [...cellsOf(row), row.written])
  const parse = {
    number: figures.parseNumber,
    day: figures.parseDate,
    moment: figures.parseDateTime,
    yesno: figures.parseFlag,
  }
  const found =
    row.kind === 'amount'
      ? figures.parseMoney(row.written, currency ?? null, reading, known)
      : parse[row.kind as 'number'](row.written, reading, known)
  if ('error' in found) return /^This may be/.test(found.error) ? 'AMBIGUOUS' : 'REFUSE'
  if (row.kind === 'amount') {
    const { amount, currency: own } = found.value as { amount: number; currency: string | null }
    return `${amount} ${own ?? '-'}`
  }
  return row.kind === 'moment' ? momentText(Date.parse(found.value as string)) : String(found.value)
}

test('an editor and a pasted cell of the browser read the table as it is meant', () => {
  for (const row of rowsOf('editor', ['number', 'amount', 'yesno', 'day', 'moment'])) {
    const isNegative = row.kind === 'amount' && row.meant.startsWith('-')
    const own = row.context.currency ?? '-'
    const meant = isNegative ? 'REFUSE' : row.meant.replace(/^AMBIGUOUS.*/, 'AMBIGUOUS').replace(/ -$/, ` ${own}`)
    assert.equal(typed(row), meant, `${row.written}: ${row.why}`)
  }
})

test('a filter reads a number as its field does', () => {
  for (const row of rowsOf('editor', ['number']).filter(({ context }) => !context.column)) {
    const format = formatFor({ language: row.context.locale ?? 'en', timezone: 'UTC' })
    const found = readValue({ kind: 'number' }, 'gte', row.written, { format, texts: en, now: NOW })
    const got = 'value' in found ? String(found.value) : /^This may be/.test(found.error) ? 'AMBIGUOUS' : 'REFUSE'
    assert.equal(got, row.meant.replace(/^AMBIGUOUS.*/, 'AMBIGUOUS'), `${row.written}: ${row.why}`)
  }
})
