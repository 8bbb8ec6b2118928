import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { LIST_OPERATORS, OPERATORS_OF as SERVER } from '../../../src/filters/catalog.ts'
import { PERIODS } from '../../../src/lib/written/days/periods.ts'
import { dateIn } from '../../../src/web/lib/zoned.ts'
import { conditionParams, isConditionParam, readConditions } from '../../../src/web/tables/filters/address.ts'
import {
  type Condition,
  type FieldKind,
  fromFilter,
  OPERATORS_OF,
  toFilter,
} from '../../../src/web/tables/filters/conditions.ts'
import { type Around, fits } from '../../../src/web/tables/filters/match.ts'
import { isMet } from '../../crm/lists/naive.ts'
import { examples, seedOf } from '../../support/seed.ts'

const KINDS: Record<string, FieldKind> = {
  owner_id: 'id',
  amount: 'amount',
  name: 'text',
  tag_ids: 'ids',
  due: 'date',
  at: 'time',
  'custom_fields.vip': 'flag',
}
const kindOf = (field: string) => KINDS[field]
const around = {
  now: Date.UTC(2026, 10, 24, 9),
  timezone: 'Europe/Berlin',
  today: '2026-11-24',
  firstWeekday: 1,
  me: 'a',
} as const

test('every operator that the bar offers is one that the server takes for such a field', () => {
  for (const [kind, operators] of Object.entries(OPERATORS_OF) as [FieldKind, readonly string[]][])
    for (const op of operators) assert.ok((SERVER[kind] as readonly string[]).includes(op), `${op} of ${kind}`)
})

test('conditions come back from the address as they were written', () => {
  const conditions: Condition[] = [
    { field: 'owner_id', op: 'in', value: ['a', 'b'] },
    { field: 'amount', op: 'gte', value: 0.5 },
    { field: 'amount', op: 'lte', value: 9_000_000_000_000 },
    { field: 'name', op: 'eq', value: 'Smith, \\ Sons & Co.' },
    { field: 'name', op: 'in', value: ['a,b', 'c\\', ','] },
    { field: 'tag_ids', op: 'is_null' },
    { field: 'due', op: 'in_next_days', value: 90 },
    { field: 'at', op: 'before_last_days', value: 0 },
    { field: 'owner_id', op: 'not_in', value: ['me'] },
    { field: 'at', op: 'gte', value: 'last_quarter' },
    { field: 'custom_fields.vip', op: 'eq', value: false },
  ]
  const query = new URLSearchParams(new URLSearchParams(conditionParams(conditions, kindOf)).toString())
  assert.deepEqual(readConditions(query, kindOf), conditions)
})

test('an address that makes no sense leaves conditions out instead of showing wrong rows as right', () => {
  const tooDeep = `${'{"not":'.repeat(10)}{"field":"name","op":"is_null"}${'}'.repeat(10)}`
  const query = new URLSearchParams(
    `filter=none&filter={"any":[]}&filter={"not":5}&filter=[&filter=${tooDeep}&owner_id.in=&amount.gte=much&nothing.eq=1&due.in_next_days=-3&due.in_next_days=&amount.like=3&sort=amount&name=x`,
  )
  assert.deepEqual(readConditions(query, kindOf), [])
  assert.deepEqual([...query.keys()].filter(isConditionParam).length, 10)
})

test('a smart list becomes the parts of the bar and back', () => {
  const one: Condition = { field: 'owner_id', op: 'is_null' }
  const two: Condition = { field: 'amount', op: 'gte', value: 5 }
  assert.equal(toFilter([]), null)
  assert.deepEqual(toFilter([one]), one)
  assert.deepEqual(fromFilter({ all: [one, { all: [two] }] }), [one, two])
  assert.deepEqual(fromFilter({ all: [one, { any: [two] }] }), [one, { any: [two] }], 'a branch is one part')
  assert.deepEqual(fromFilter({ not: { all: [one, two] } }), [{ not: { all: [one, two] } }])
})

test('values fit by the rules of the server', () => {
  const fit = (kind: FieldKind, op: Condition['op'], value: unknown, own: unknown) =>
    fits({ field: 'f', op, value }, kind, own, around)
  assert.ok(fit('text', 'contains', 'lodz', 'Stadt Łódź'))
  assert.ok(fit('text', 'ne', 'x', null), 'no value fits ne')
  assert.ok(fit('id', 'not_in', ['a'], null), 'no value fits not_in')
  assert.ok(!fit('id', 'in', ['a'], null))
  assert.ok(fit('ids', 'has_all', ['a', 'b'], ['b', 'c', 'a']))
  assert.ok(!fit('ids', 'has_all', ['a', 'b'], ['b']))
  assert.ok(fit('ids', 'is_null', undefined, []))
  assert.ok(!fit('amount', 'lte', 5, null))
  assert.ok(fit('amount', 'lte', 5, 5))
  assert.ok(fit('date', 'in_last_days', 1, '2026-11-23'))
  assert.ok(!fit('date', 'in_last_days', 1, '2026-11-25'))
  assert.ok(fit('time', 'in_last_days', 1, around.now - 86_400_000))
  assert.ok(!fit('time', 'in_last_days', 1, around.now - 86_400_001))
  assert.ok(fit('time', 'lt', '2026-11-24T09:00:00.001Z', around.now))
  assert.equal(LIST_OPERATORS.length, 18)
})

test('me is the one who looks, where members are named', () => {
  const mine = { field: 'owner_id', op: 'in', value: ['me', 'b'] } as const
  const fit = (own: string | null) => fits(mine, 'id', own, around)
  assert.deepEqual([fit('a'), fit('b'), fit('c'), fit(null)], [true, true, false, false])
  assert.ok(fits({ ...mine, op: 'not_in', value: ['me'] }, 'id', null, around))
  assert.ok(fits({ ...mine, op: 'eq', value: 'me' }, 'id', 'a', around))
  assert.ok(!fits({ field: 'name', op: 'eq', value: 'me' }, 'text', 'a', around), 'a text is a text')
})

const ZONES = ['Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Africa/Cairo', 'America/Havana', 'Pacific/Apia']
const HOUR_MS = 3_600_000

test('any period means in the browser what it means on the server, in any zone, also on days of 23 and 25 hours', () => {
  const time = fc.integer({ min: Date.UTC(2026, 0), max: Date.UTC(2029, 0) })
  const op = fc.constantFrom('eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'not_in')
  const days = fc.constantFrom('in_last_days', 'in_next_days', 'before_last_days', 'after_next_days')
  const asked = fc.oneof(
    fc.record({ op, value: fc.constantFrom(...PERIODS) }),
    fc.record({ op: days, value: fc.nat(100) }),
  )
  const near = fc.oneof(fc.integer({ min: -100, max: 100 }), fc.integer({ min: -9000, max: 9000 }))
  fc.assert(
    fc.property(time, fc.constantFrom(...ZONES), asked, near, fc.boolean(), (now, timezone, given, hours, isTime) => {
      const value = /in$/.test(given.op) ? [given.value] : given.value
      const moment = Math.floor((now + hours * HOUR_MS) / HOUR_MS) * HOUR_MS - (hours % 2 === 0 ? 0 : 1)
      const [kind, field] = isTime
        ? (['time', 'stage_changed_at'] as const)
        : (['date', 'expected_close_date'] as const)
      const own = isTime ? new Date(moment).toISOString() : dateIn(moment, timezone)
      const here: Around = { now, timezone, today: dateIn(now, timezone), firstWeekday: 1, me: 'a' }
      const context = { companies: new Map(), custom: { contact: {}, company: {}, deal: {} }, now, timezone }
      const condition = { field, op: given.op, value } as Condition
      const wanted = isMet({ field, op: given.op, value }, { [field]: own }, 'deal', context)
      assert.equal(fits(condition, kind, own, here), wanted, JSON.stringify([condition, own]))
    }),
    { numRuns: examples(5000), seed: seedOf(8) },
  )
})
