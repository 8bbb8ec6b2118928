import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { arrange } from '../../../src/web/screens/deals/arrange.ts'
import { comparing, nameOfSort, placeIn, SORTS, type Sort, sortNamed } from '../../../src/web/screens/deals/order.ts'
import { totalsOf, totalsOfAll } from '../../../src/web/screens/deals/totals.ts'
import { divide } from '../../../src/web/tables/deals/fields.ts'
import { nextStep } from '../../../src/web/tables/deals/next-step.ts'
import type { Filter } from '../../../src/web/tables/filters/conditions.ts'
import { DAY, HOUR, LOOKING, NOW, rowOf, taskOf } from './rows.ts'

const around = { now: NOW, today: '2026-11-24', currency: 'EUR', among: [], totals: null, ...LOOKING }
const stages = [
  { id: 'lead', name: 'Lead in', probability: 10, usual_days: 8 },
  { id: 'demo', name: 'Demo held', probability: 40, usual_days: null },
]

const sorted = (sort: Sort, rows: ReturnType<typeof rowOf>[]) =>
  [...rows].sort(comparing(sort, { ...around, usualDays: () => 8 })).map(({ title }) => title)

describe('the last line of a card', () => {
  test('says how late the next task is, also for an idle deal', () => {
    const row = rowOf({
      next_task: taskOf(NOW - 2 * HOUR),
      last_activity_at: NOW - 90 * DAY,
      stage_changed_at: NOW - 90 * DAY,
    })
    const step = nextStep(row, 8, NOW)
    assert.equal(step.kind === 'late' && step.late_ms, 2 * HOUR)
  })

  test('says idle beyond the usual time of the stage, also with a task ahead', () => {
    const idle = { last_activity_at: NOW - 9 * DAY, stage_changed_at: NOW - 30 * DAY, next_task: taskOf(NOW + DAY) }
    assert.deepEqual(nextStep(rowOf(idle), 8, NOW), { kind: 'idle', days: 9 })
    assert.equal(nextStep(rowOf({ ...idle, last_activity_at: NOW - 8 * DAY }), 8, NOW).kind, 'next')
  })

  test('never says idle while the usual time is not known, nor just after a move', () => {
    const old = { last_activity_at: NOW - 90 * DAY, stage_changed_at: NOW - 90 * DAY }
    assert.equal(nextStep(rowOf(old), null, NOW).kind, 'none')
    assert.equal(nextStep(rowOf({ ...old, stage_changed_at: NOW }), 8, NOW).kind, 'none')
  })
})

describe('the order of the cards', () => {
  test('by the next task: late, then due, then without a time, then the longest idle, then the rest', () => {
    const long = NOW - 60 * DAY
    const rows = [
      rowOf({ title: 'rest' }),
      rowOf({ title: 'idle 20', last_activity_at: NOW - 20 * DAY, stage_changed_at: long }),
      rowOf({ title: 'some day', next_task: taskOf(null) }),
      rowOf({ title: 'tomorrow', next_task: taskOf(NOW + DAY) }),
      rowOf({ title: 'idle 30', last_activity_at: NOW - 30 * DAY, stage_changed_at: long }),
      rowOf({ title: 'late', next_task: taskOf(NOW - DAY) }),
    ]
    assert.deepEqual(sorted('next', rows), ['late', 'tomorrow', 'some day', 'idle 30', 'idle 20', 'rest'])
  })

  test('by amount: the own currency first, highest first, no amount last', () => {
    const rows = [
      rowOf({ title: 'none', amount: null, currency: 'EUR' }),
      rowOf({ title: 'JPY', amount: 5_400_000, currency: 'JPY' }),
      rowOf({ title: 'small', amount: 5 }),
      rowOf({ title: 'CHF', amount: 1, currency: 'CHF' }),
      rowOf({ title: 'large', amount: 6 }),
    ]
    assert.deepEqual(sorted('amount', rows), ['large', 'small', 'CHF', 'JPY', 'none'])
  })

  test('by expected close, and by time in the stage', () => {
    const rows = [
      rowOf({ title: 'no date', stage_changed_at: NOW - 9 * DAY }),
      rowOf({ title: 'December', expected_close_date: '2026-12-01', stage_changed_at: NOW }),
      rowOf({ title: 'November', expected_close_date: '2026-11-30', stage_changed_at: NOW - DAY }),
    ]
    assert.deepEqual(sorted('close', rows), ['November', 'December', 'no date'])
    assert.deepEqual(sorted('stage', rows), ['no date', 'November', 'December'])
  })

  test('is named in the address as the table names it; the board does not take its other orders', () => {
    for (const sort of SORTS) assert.equal(sortNamed(nameOfSort(sort)), sort)
    assert.equal(nameOfSort('amount'), '-amount', 'highest first')
    for (const name of ['amount', '-expected_close_date', 'title', 'next', ''])
      assert.equal(sortNamed(name), 'next', name)
  })

  test('gives the place that a moved card will have', () => {
    const compare = comparing('amount', { ...around, usualDays: () => null })
    const rows = [50, 40, 30, 20].map((amount) => rowOf({ amount }))
    assert.equal(placeIn(rows, rowOf({ amount: 35 }), compare), 2)
    assert.equal(placeIn(rows, rowOf({ amount: 60 }), compare), 0)
    assert.equal(placeIn(rows, rowOf({ amount: 1 }), compare), 4)
    assert.equal(placeIn(rows, rows[1] as never, compare), 1, 'itself is not counted')
  })
})

describe('sums', () => {
  test('are exact where numbers are not', () => {
    const [sum] = totalsOf([rowOf({ amount: 999_999_999_999.999 })], 'EUR', () => 100).sums
    assert.equal(sum?.weighted, 999_999_999_999_999_000n)
    const rows = Array.from({ length: 10 }, () => rowOf({ amount: 0.1 }))
    assert.equal(totalsOf(rows, 'EUR', () => 50).sums[0]?.micros, 1_000_000n)
  })

  test('keep currencies apart, the own one first even if empty', () => {
    const rows = [
      rowOf({ amount: 100, currency: 'GBP' }),
      rowOf({ amount: 5, currency: 'CHF' }),
      rowOf({ amount: null }),
      rowOf({ amount: 7, currency: 'CHF' }),
    ]
    const { count, sums } = totalsOf(rows, 'EUR', () => 25)
    assert.equal(count, 4)
    assert.deepEqual(sums, [
      { currency: 'EUR', micros: 0n, weighted: 0n },
      { currency: 'CHF', micros: 12_000_000n, weighted: 3_000_000n },
      { currency: 'GBP', micros: 100_000_000n, weighted: 25_000_000n },
    ])
  })

  test('of columns add up to those of the board', () => {
    const columns = [
      [rowOf({ amount: 100, currency: 'GBP' }), rowOf({ amount: 5, currency: 'CHF' })],
      [],
      [rowOf({ amount: 7.5, currency: 'CHF' }), rowOf({ amount: null })],
    ]
    const each = columns.map((rows) => totalsOf(rows, 'EUR', () => 25))
    const before = structuredClone(each)
    assert.deepEqual(
      totalsOfAll(each, 'EUR'),
      totalsOf(columns.flat(), 'EUR', () => 25),
    )
    assert.deepEqual(each, before, 'and stay as they are')
    assert.deepEqual(
      totalsOfAll([], 'EUR'),
      totalsOf([], 'EUR', () => 25),
    )
  })
})

describe('the columns', () => {
  const rows = [
    rowOf({ title: 'Ampère', owner_id: 'ana', company_name: 'Łódź Textile' }),
    rowOf({ title: 'Bench', stage_id: 'demo', next_task: taskOf(NOW - 1), expected_close_date: '2026-12-24' }),
    rowOf({ title: 'Closed elsewhere', stage_id: 'gone' }),
  ]
  const titles = (filters: Filter[], q = '', among: Set<string>[] = []) =>
    arrange(rows, stages, { conditions: divide(filters).here, q, sort: 'next' }, { ...around, among }).flatMap(
      (column) => column.rows.map(({ title }) => title),
    )

  test('hold the deals of their stage that fit', () => {
    assert.deepEqual(titles([]), ['Ampère', 'Bench'])
    assert.deepEqual(titles([{ field: 'owner_id', op: 'in', value: ['ana', 'ben'] }]), ['Ampère'])
    assert.deepEqual(titles([{ field: 'next_step', op: 'in', value: ['late'] }]), ['Bench'])
    assert.deepEqual(titles([{ field: 'expected_close_date', op: 'in_next_days', value: 30 }]), ['Bench'])
    assert.deepEqual(titles([{ field: 'expected_close_date', op: 'in_next_days', value: 29 }]), [])
  })

  test('are searched without case and accents, in title and company', () => {
    assert.deepEqual(titles([], 'ampere'), ['Ampère'])
    assert.deepEqual(titles([], 'LODZ amp'), ['Ampère'])
    assert.deepEqual(titles([], 'lodz bench'), [])
  })

  test('leave out what the server says does not fit', () => {
    const custom = { field: 'custom_fields.x', op: 'is_null' } as const
    const among = [new Set([rows[1]?.id as string])]
    assert.deepEqual(titles([custom], '', among), ['Bench'])
    assert.deepEqual(titles([custom]), ['Ampère', 'Bench'], 'until it has answered, nothing is left out')
    assert.deepEqual(
      titles([{ not: { any: [custom, { field: 'next_step', op: 'in', value: ['none'] }] } }], '', among),
      [],
    )
  })
})
