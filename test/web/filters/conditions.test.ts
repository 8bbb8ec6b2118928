import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LIST_OPERATORS, OPERATORS_OF as SERVER } from '../../../src/filters/catalog.ts'
import { conditionParams, isConditionParam, readConditions } from '../../../src/web/components/filters/address.ts'
import {
  type Condition,
  type FieldKind,
  fromFilter,
  OPERATORS_OF,
  toFilter,
} from '../../../src/web/components/filters/conditions.ts'
import { fits } from '../../../src/web/components/filters/match.ts'

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
const around = { now: Date.UTC(2026, 10, 24, 9), today: '2026-11-24' }

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
    { field: 'custom_fields.vip', op: 'eq', value: false },
  ]
  const query = new URLSearchParams(new URLSearchParams(conditionParams(conditions)).toString())
  assert.deepEqual(readConditions(query, kindOf), conditions)
})

test('an address that makes no sense leaves conditions out instead of showing wrong rows as right', () => {
  const query = new URLSearchParams(
    'owner_id.in=&amount.gte=much&nothing.eq=1&due.in_next_days=-3&due.in_next_days=&amount.like=3&sort=amount&name=x',
  )
  assert.deepEqual(readConditions(query, kindOf), [])
  assert.deepEqual([...query.keys()].filter(isConditionParam).length, 5)
})

test('a smart list without branches becomes conditions and back', () => {
  const one: Condition = { field: 'owner_id', op: 'is_null' }
  const two: Condition = { field: 'amount', op: 'gte', value: 5 }
  assert.equal(toFilter([]), null)
  assert.deepEqual(toFilter([one]), one)
  assert.deepEqual(fromFilter({ all: [one, { all: [two] }] }), [one, two])
  assert.equal(fromFilter({ all: [one, { any: [two] }] }), null)
  assert.equal(fromFilter({ not: one }), null)
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
  assert.equal(LIST_OPERATORS.length, 16)
})
