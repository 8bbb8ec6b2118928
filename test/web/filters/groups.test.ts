import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { arrange } from '../../../src/web/screens/deals/arrange.ts'
import { serverFilter } from '../../../src/web/screens/deals/server-filter.ts'
import { BOARD_ONLY, divide, fieldKinds, isOfBoardShape } from '../../../src/web/tables/deals/fields.ts'
import { conditionsForTable } from '../../../src/web/tables/deals/table-conditions.ts'
import { type Filter, leavesOf, type Tree } from '../../../src/web/tables/filters/conditions.ts'
import type { FilterField } from '../../../src/web/tables/filters/filter-field.ts'
import { mainOf, toGroup } from '../../../src/web/tables/filters/group.ts'
import { offered } from '../../../src/web/tables/filters/operators.ts'
import { isMet } from '../../crm/lists/naive.ts'
import { examples, seedOf } from '../../support/seed.ts'
import { DAY, LOOKING, NOW, rowOf, taskOf } from '../deals/rows.ts'

// Groups of alternatives, as far as no page is needed.

const stages = [{ id: 'lead', name: 'Lead in', probability: 10, usual_days: null }]
const around = { now: NOW, today: '2026-11-24', currency: 'EUR', totals: null, ...LOOKING }
const context = {
  companies: new Map([['firm', { industry: 'Foam' }]]),
  custom: { contact: {}, company: {}, deal: {} },
  now: NOW,
  timezone: LOOKING.timezone,
}

const late: Filter = { field: 'next_step', op: 'in', value: ['late'] }
const long: Filter = { field: 'days_in_stage', op: 'gte', value: 5 }
const ofLead: Filter = { field: 'stage', op: 'in', value: ['lead'] }
const foam: Filter = { field: 'company.industry', op: 'eq', value: 'foam' }
const unowned: Filter = { field: 'owner_id', op: 'is_null' }

const rows = [null, 'ana'].flatMap((owner_id) =>
  [null, 'firm'].flatMap((company_id) =>
    [undefined, NOW - 1].flatMap((due) =>
      [1, 9].flatMap((days) =>
        [0, 20].map((amount) =>
          rowOf({
            ...{ owner_id, company_id, amount, stage_changed_at: NOW - days * DAY },
            next_task: due === undefined ? null : taskOf(due),
          }),
        ),
      ),
    ),
  ),
)
type Row = (typeof rows)[number]

/** What of the API's record the filters look at. */
const stored = (row: Row) => ({ ...row, stage: row.stage_id })
const ofServer = (filter: Filter, row: Row): boolean => isMet(filter, stored(row), 'deal', context)

/** By the words of the filter alone. */
function wanted(filter: Filter, row: Row): boolean {
  if ('all' in filter) return filter.all.every((each) => wanted(each, row))
  if ('any' in filter) return filter.any.some((each) => wanted(each, row))
  if ('not' in filter) return !wanted(filter.not, row)
  if (filter.field === 'next_step') return row.next_task !== null
  if (filter.field === 'days_in_stage') return NOW - row.stage_changed_at >= 5 * DAY
  return ofServer(filter, row)
}

const leaf = fc.constantFrom<Filter>(late, long, ofLead, foam, unowned, { field: 'amount', op: 'gt', value: 10 })
const tree = (levels: number): fc.Arbitrary<Filter> => {
  if (levels === 0) return leaf
  const some = fc.array(tree(levels - 1), { minLength: 1, maxLength: 3 })
  return fc.oneof(
    leaf,
    some.map((all) => ({ all })),
    some.map((any) => ({ any })),
    tree(levels - 1).map((not) => ({ not })),
  )
}
const parts = fc.array(tree(3), { maxLength: 3 })

describe('groups on the board', () => {
  test('any tree selects what it says, however the browser and the server share it', () => {
    fc.assert(
      fc.property(parts, (filters) => {
        const { here, there } = divide(filters)
        for (const each of there) assert.ok(!leavesOf(each).some(({ field }) => BOARD_ONLY.has(field)))
        const among = there.map((each) => new Set(rows.filter((row) => ofServer(each, row)).map(({ id }) => id)))
        const [column] = arrange(rows, stages, { conditions: here, q: '', sort: 'stage' }, { ...around, among })
        const expected = rows.filter((row) => filters.every((each) => wanted(each, row))).map(({ id }) => id)
        assert.deepEqual(column?.rows.map(({ id }) => id).sort(), expected.sort(), JSON.stringify(filters))
      }),
      { numRuns: examples(3000), seed: seedOf(37) },
    )
  })

  test('the server is asked once for all that stands together, and never for what the rows say', () => {
    assert.deepEqual(divide([{ any: [unowned, late] }]).there, [])
    assert.deepEqual(divide([unowned, foam, { any: [foam, unowned] }]).there, [
      { all: [foam, { any: [foam, unowned] }] },
    ])
    assert.deepEqual(divide([{ any: [late, foam, { not: foam }] }]).there, [{ any: [foam, { not: foam }] }])
    const mixed = Object.keys(fieldKinds).map((field): Filter => ({ field, op: 'not_null' }))
    assert.deepEqual(divide([{ any: mixed }]).there, [])
  })

  test('what only the board knows is no question to the server, nor to the table', () => {
    assert.equal(serverFilter([{ any: [late, unowned] }], ''), null)
    assert.equal(serverFilter([{ any: [foam, unowned] }, { not: late }], ''), JSON.stringify({ any: [foam, unowned] }))
    assert.ok(isOfBoardShape({ any: [unowned, { not: late }] }))
    assert.ok(!isOfBoardShape({ any: [unowned, long] }))
    assert.ok(isOfBoardShape({ field: 'days_in_stage', op: 'is_null' }))
  })

  test('the table selects the same as the board, days in a stage too', () => {
    fc.assert(
      fc.property(parts, (filters) => {
        const known = filters.filter((each) => !isOfBoardShape(each))
        const asked = conditionsForTable(filters, ['lead'], NOW)
        for (const row of rows) {
          const moment = { ...row, stage_changed_at: new Date(row.stage_changed_at).toISOString() }
          const isThere = asked.every((each) => isMet(each as Tree<never>, stored(moment as never), 'deal', context))
          assert.equal(
            isThere,
            known.every((each) => wanted(each, row)),
            JSON.stringify(filters),
          )
        }
      }),
      { numRuns: examples(1000), seed: seedOf(38) },
    )
  })
})

const fields: FilterField[] = [
  { name: 'owner_id', label: 'Owner', kind: 'id' },
  { name: 'stage', label: 'Stage', kind: 'id' },
  { name: 'amount', label: 'Amount', kind: 'amount' },
  { name: 'currency', label: 'Currency', kind: 'text' },
  { name: 'title', label: 'Title', kind: 'text' },
]
const amount: Filter = { field: 'amount', op: 'gte', value: 10_000 }
const euro: Filter = { field: 'currency', op: 'eq', value: 'EUR' }

describe('what people can change', () => {
  test('a condition of any spelling that the bar has, one for one', () => {
    const of = (op: string, value: unknown, field = 'owner_id') => offered({ field, op, value } as Filter, fields)
    assert.deepEqual(of('eq', 'a'), { field: 'owner_id', op: 'in', value: ['a'] })
    assert.deepEqual(of('ne', 'a'), { field: 'owner_id', op: 'not_in', value: ['a'] })
    assert.deepEqual(of('in', ['a'], 'title'), { field: 'title', op: 'eq', value: 'a' })
    assert.equal(of('in', ['a', 'b'], 'title'), undefined, 'no editor of the bar has these')
    assert.equal(of('eq', 'a', 'company.name'), undefined)
    assert.equal(offered({ not: unowned }, fields), undefined)
  })

  test('an alternative is one condition, an amount with its currency', () => {
    assert.equal(mainOf(unowned, fields), 0)
    assert.equal(mainOf({ all: [euro, amount] }, fields), 1)
    assert.equal(mainOf({ all: [amount, unowned] }, fields), undefined)
    assert.equal(mainOf({ all: [amount, euro, unowned] }, fields), undefined)
    assert.equal(mainOf({ any: [amount, unowned] }, fields), undefined)
    assert.equal(mainOf({ all: [euro, unowned] }, fields), undefined, 'the currency alone is no part of another')
  })

  test('a condition that becomes a group takes its currency along, and leaves it where others need it', () => {
    const one = toGroup([amount, unowned, euro], 0, fields)
    assert.equal(one.parts[0], one.group)
    assert.deepEqual(one.parts, [{ any: [{ all: [amount, euro] }] }, unowned])
    const less: Filter = { field: 'amount', op: 'lte', value: 20_000 }
    assert.deepEqual(toGroup([amount, less, euro], 0, fields).parts, [{ any: [{ all: [amount, euro] }] }, less, euro])
    assert.deepEqual(toGroup([unowned, euro], 0, fields).parts, [{ any: [unowned] }, euro])
    assert.deepEqual(toGroup([amount], 0, fields).parts, [{ any: [amount] }])
  })
})
